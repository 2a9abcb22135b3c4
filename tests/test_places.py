"""Tests of places in documents: the row, page or cell of a hit's line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox

sys.path.append(str(Path(__file__).parent / "chunk" / "documents"))
from making import docx, p, pdf  # noqa: E402
from packing import notebook, xlsx  # noqa: E402

import ragit  # noqa: E402
from ragit import render  # noqa: E402
from ragit.chunk.documents import numbers, place  # noqa: E402
from ragit.chunk.documents.block import Block, Place  # noqa: E402
from ragit.chunk.documents.group import compose  # noqa: E402
from ragit.chunk.options import DocumentOptions  # noqa: E402
from ragit.store import Store  # noqa: E402
from ragit.types import Chunk  # noqa: E402

PLAIN = render.RenderOptions()


def lines(repo: GitSandbox, query: str, format: str = "text") -> list[str]:
    with ragit.open(repo.path) as opened:
        return list(render.FORMATS[format](opened.search(query, mode="keyword"), PLAIN))


@given(
    st.lists(st.lists(st.integers(0, 1 << 31), min_size=1, max_size=8), max_size=6),
    st.text(st.characters(min_codepoint=10)),
)
def test_numbers_survive_packing(given: list[list[int]], text: str) -> None:
    chunks: list[Chunk] = []
    start = 1
    for one in given:
        chunks.append(Chunk(start, start + len(one) - 1, 0, 1, "x", numbers=tuple(one)))
        start += len(one) + 1
    back, rest = numbers.parted(numbers.kept(text.encode(), chunks))
    assert back == text.encode()
    assert [numbers.numbers_of(rest, chunk.start_line) for chunk in chunks] == [
        chunk.numbers for chunk in chunks
    ]
    assert numbers.numbers_of(rest, start) == ()


def composed(*blocks: tuple[str, str, int]) -> list[tuple[int, ...]]:
    made = (
        Block(text, Place("", unit, number, number) if unit else Place(), kind="table")
        for text, unit, number in blocks
    )
    return [chunk.numbers for chunk in compose(made, DocumentOptions())[1]]


def test_lines_are_numbered_if_a_chunk_spans_several_places() -> None:
    assert composed(("a", "row", 4), ("b\nc", "row", 6)) == [(4, 6, 6)]
    assert composed(("a", "row", 4), ("b", "row", 4)) == [()], "the place of the chunk suffices"
    assert composed(("a", "", 0), ("b", "", 0)) == [()]
    assert composed(("a", "", 0), ("b", "row", 2), ("c", "row", 3)) == [(0, 2, 3)]
    assert composed(("a", "row", 2), ("b", "cell", 3)) == [()], "mixed units give no numbers"


@pytest.fixture
def filled(repo: GitSandbox) -> GitSandbox:
    rows = {1: ("Item", "Cost"), **{number: (f"item {number}", number) for number in range(2, 31)}}
    rows[17] = ("turbine blade", 900)
    cells = {
        f"{column}{number}": row[at]
        for number, row in rows.items()
        for at, column in enumerate("AB")
    }
    repo.write("plan.xlsx", xlsx({"Budget": cells}))
    repo.write(
        "two.pdf", pdf([["The first page ends here,"], ["on the second one stands the flywheel."]])
    )
    repo.write("one.pdf", pdf([["A gearbox is on one page only."]]))
    repo.write(
        "work.ipynb",
        notebook(("markdown", "# Title"), ("code", "shaft = 1"), ("code", "coupling = 2")),
    )
    repo.write("short.docx", docx(p("A bearing is oiled.")))
    words = (p("Chapter", "H1") + p("nothing of note " * 40) for _ in range(6))
    repo.write("long.docx", docx("".join(words) + p("Vibration", "H1") + p("It trembles " * 30)))
    repo.write("plain.csv", "name,cost\nseal,1\n")
    repo.commit()
    return repo


@pytest.mark.parametrize(
    ("query", "head", "line", "best"),
    [
        (
            "turbine blade",
            "plan.xlsx  sheet Budget rows 2-30",
            "  17: turbine blade | 900",
            "sheet Budget row 17",
        ),
        ("gearbox", "one.pdf  page 1", "  A gearbox is on one page only.", None),
        ("bearing", "short.docx  whole document", "  A bearing is oiled.", None),
        ("seal", "plain.csv:2", "  2: seal,1", None),
        ("coupling", "work.ipynb  cells 1-3", "  3: coupling = 2", "cell 3"),
    ],
)
def test_best_line_is_shown_with_its_place(
    filled: GitSandbox, query: str, head: str, line: str, best: str | None
) -> None:
    shown = lines(filled, query)
    assert shown[0].startswith(head)
    assert line in shown
    (found,) = json.loads(lines(filled, query, "json")[0])["results"][:1]
    assert found.get("best_location") == best
    named = f"[{best or found['location']}] " if "location" in found else ""
    assert named in lines(filled, query, "vimgrep")[0]


def test_repeated_header_has_no_row_number(filled: GitSandbox) -> None:
    shown = lines(filled, "item cost turbine")
    assert "      Item | Cost" in shown, shown


def test_document_without_pages_shows_a_percentage(filled: GitSandbox) -> None:
    head, title, *_ = lines(filled, "trembles vibration")
    assert head == "long.docx  91 % in"
    assert title.startswith("  Vibration")


def test_merged_hits_have_the_numbers_of_all(filled: GitSandbox) -> None:
    with ragit.open(
        filled.path, flags={"documents.minChunkBytes": "20", "documents.maxChunkBytes": "120"}
    ) as opened:
        joined = next(
            hit
            for hit in opened.search("item turbine", mode="keyword", top_k=40).hits
            if hit.optimized and hit.numbers
        )
    at = joined.text.split("\n").index("turbine blade | 900") if "turbine" in joined.text else None
    first, last = (int(number) for number in joined.place.rpartition(" ")[2].split("-"))
    assert {number for number in joined.numbers if number} == set(range(first, last + 1))
    assert at is None or joined.numbers[at] == 17


def test_store_without_line_numbers_shows_the_place_of_the_chunk(filled: GitSandbox) -> None:
    with ragit.open(filled.path) as opened:
        opened.index()
        with Store(opened.store_path, writable=True) as store, store.writing():
            import zlib

            for number, data in store._db.execute("SELECT chunking, text FROM derived").fetchall():
                text = zlib.compress(numbers.parted(zlib.decompress(data))[0])
                store._db.execute("UPDATE derived SET text = ? WHERE chunking = ?", (text, number))
    shown = lines(filled, "turbine blade")
    assert shown[0].startswith("plan.xlsx  sheet Budget rows 2-30")
    assert "  turbine blade | 900" in shown


@pytest.mark.parametrize(
    ("range", "expected"),
    [
        ((0, 9, 10), "whole document"),
        ((0, 3, 100), "beginning"),
        ((40, 50, 100), "40 % in"),
        ((99, 100, 100), "99 % in"),
    ],
)
def test_share_of_a_document_in_words(range: Sequence[int], expected: str) -> None:
    assert place.share(*range) == expected
