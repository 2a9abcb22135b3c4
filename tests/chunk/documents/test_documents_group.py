"""Tests of grouping blocks into one text and its chunks: joins, cuts, repeated headers, places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.chunk import joined_places, pages_of
from ragit.chunk.documents.block import Block, Place
from ragit.chunk.documents.group import WIDTH, compose
from ragit.chunk.documents.place import worded
from ragit.chunk.options import DocumentOptions
from ragit.types import Chunk

OPTIONS = DocumentOptions(min_bytes=100, max_bytes=400)


def texts(*blocks: Block, options: DocumentOptions = OPTIONS) -> list[str]:
    text, chunks = compose(blocks, options)
    assert_invariants(text, chunks, options)
    return [chunk.text for chunk in chunks]


def assert_invariants(text: bytes, chunks: tuple[Chunk, ...], options: DocumentOptions) -> None:
    """Check that lines, offsets and text of each chunk agree, in order, with only blank lines
    between.
    """
    lines = text.decode().split("\n")
    before = 0
    for chunk in chunks:
        assert text[chunk.start : chunk.end].decode() == chunk.text
        assert "\n".join(lines[chunk.start_line - 1 : chunk.end_line]) == chunk.text
        assert chunk.end - chunk.start <= options.max_bytes
        assert not text[before : chunk.start].strip()
        assert chunk.text.strip()
        before = chunk.end
    assert not text[before:].strip()


def test_small_paragraphs_are_grouped_and_large_ones_are_not() -> None:
    small, large = Block("small " * 5), Block("large " * 60)
    found = texts(small, small, small, small, large, small)
    assert [chunk.split()[0] for chunk in found] == ["small", "large"]
    assert found[0].count("small") == 20
    assert "small" in found[1], "a remainder joins what is before it"


def test_oversize_paragraph_is_wrapped_and_cut() -> None:
    found = texts(Block("word " * 300))
    assert len(found) > 3
    assert " ".join(found).split() == ["word"] * 300
    assert all(len(line) <= WIDTH for chunk in found for line in chunk.split("\n"))
    assert "".join(texts(Block("x" * 1000))).replace("\n", "") == "x" * 1000
    assert "".join(texts(Block("\u20ac" * 1000))) == "\u20ac" * 1000


def test_tables_and_code_keep_their_lines() -> None:
    line = "cell | " * 40
    assert texts(Block(line, kind="table")) == [line.rstrip()]
    assert texts(Block("a\n    b\n\n    c", kind="code")) == ["a\n    b\n\n    c"]


def test_header_row_is_repeated_in_every_chunk_of_its_table() -> None:
    rows = [
        Block(f"row {number} " + "value " * 10, kind="table", repeat="name | value")
        for number in range(30)
    ]
    found = texts(*rows)
    assert len(found) > 3
    assert all(chunk.startswith("name | value\nrow") for chunk in found)
    assert "".join(found).count("name | value") == len(found)


def test_header_row_given_as_a_block_is_not_repeated() -> None:
    head = Block("name | value", kind="table", repeat="name | value")
    assert texts(Block("Before"), head, Block("a | 1", kind="table", repeat="name | value")) == [
        "Before\n\nname | value\na | 1"
    ]
    assert texts(head) == ["name | value"]


def test_headings_give_symbol_and_parent() -> None:
    blocks = (
        Block("Guide", headings=("Guide",), kind="heading"),
        Block("Install", headings=("Guide", "Install"), kind="heading"),
        Block("first " * 30, headings=("Guide", "Install")),
        Block("second " * 30, headings=("Guide", "Install")),
        Block("Use", headings=("Guide", "Use"), kind="heading"),
        Block("third " * 30, headings=("Guide", "Use")),
    )
    _, chunks = compose(blocks, OPTIONS)
    assert [(chunk.kind, chunk.symbol, chunk.parent) for chunk in chunks] == [
        ("section", "Install", "Guide"),
        ("text", "", "Guide > Install"),
        ("section", "Use", "Guide"),
    ]
    assert chunks[0].text.startswith("Guide\n\nInstall\n\nfirst")


def test_small_sections_under_one_title_are_one_chunk() -> None:
    blocks = [
        block
        for name in ("One", "Two")
        for block in (
            Block(name, headings=("All", name), kind="heading"),
            Block("text", headings=("All", name)),
        )
    ]
    _, (chunk,) = compose(blocks, OPTIONS)
    assert (chunk.symbol, chunk.parent, chunk.text) == (
        "One Two",
        "All",
        "One\n\ntext\n\nTwo\n\ntext",
    )


def test_blocks_of_different_sheets_are_not_joined() -> None:
    _, chunks = compose(
        [Block("a", Place("sheet A", "row", 1, 1)), Block("b", Place("sheet B", "row", 1, 1))],
        OPTIONS,
    )
    assert [chunk.place for chunk in chunks] == ["sheet A row 1", "sheet B row 1"]


def test_control_characters_and_odd_line_ends_are_replaced() -> None:
    (text,) = texts(Block("a\x00b\u2028c\x0bd\r\ne\ud800f\x1bg"))
    assert text == "a b\nc\nd\ne f g"


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([Place("", "page", 12, 12)], "page 12"),
        ([Place("", "page", 3, 3), Place("", "page", 4, 5)], "pages 3-5"),
        (
            [Place("sheet Budget", "row", 40, 40), Place("sheet Budget", "row", 80, 80)],
            "sheet Budget rows 40-80",
        ),
        (
            [Place("sheet A"), Place("sheet A", "row", 2, 9), Place("sheet B", "row", 1, 1)],
            "sheet A rows 2-9, sheet B row 1",
        ),
        ([Place("sheet A", "row", 2, 9), Place("sheet A")], "sheet A rows 2-9"),
        ([Place("header"), Place()], "header"),
        ([Place()], ""),
    ],
)
def test_places_are_worded(places: list[Place], words: str) -> None:
    assert worded(places) == words


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (["page 3", "pages 4-5"], "pages 3-5"),
        (
            ["sheet A rows 1-9", "sheet A rows 10-20", "sheet B row 1"],
            "sheet A rows 1-20, sheet B row 1",
        ),
        (["header", "header"], "header"),
        (["sheet Costs 2024 row 3", "sheet Costs 2024 row 9"], "sheet Costs 2024 rows 3-9"),
        (["", ""], ""),
    ],
)
def test_places_of_joined_chunks_are_merged(words: list[str], whole: str) -> None:
    assert joined_places(words) == whole


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ("page 3", (3, 3)),
        ("hidden slides 4-5", (4, 5)),
        ("header, chapter 2, chapters 4-9", (2, 9)),
        ("sheet A rows 1-9", (0, 0)),
        ("cells 1-3", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_pages_of_a_place(words: str, pages: tuple[int, int]) -> None:
    assert pages_of(words) == pages


_WORDS = st.text(st.sampled_from("ab \n\t\r\u20ac\u00e9\x00\U0001f600\u2028"), max_size=300)
_BLOCKS = st.builds(
    Block,
    _WORDS,
    st.builds(
        Place, st.sampled_from(["", "sheet A"]), st.sampled_from(["", "page"]), st.integers(1, 9)
    ),
    st.lists(st.sampled_from(["A", "B", "\n"]), max_size=3).map(tuple),
    st.sampled_from(["text", "heading", "table", "list", "code"]),
    st.sampled_from(["", "head | row"]),
)


@given(st.lists(_BLOCKS, max_size=12), st.integers(0, 200), st.integers(96, 300))
def test_any_blocks_hold_the_invariants(
    blocks: list[Block], min_bytes: int, max_bytes: int
) -> None:
    options = DocumentOptions(min_bytes=min_bytes, max_bytes=max_bytes)
    text, chunks = compose(blocks, options)
    assert_invariants(text, chunks, options)
    letters = [
        letter for block in blocks for letter in block.text if letter in "ab\u20ac\u00e9\U0001f600"
    ]
    kept = text.decode().replace("head | row", "")
    assert [letter for letter in kept if letter in "ab\u20ac\u00e9\U0001f600"] == letters
