"""Tests of titles in reStructuredText and AsciiDoc, lines that resemble them, and the time it
takes.
"""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_chunk_properties import assert_invariants

from ragit.chunk import ChunkOptions, chunk, language_of

UNGROUPED = ChunkOptions(item_bytes=0)


def titles(text: str, language: str) -> list[str]:
    """Return the path of each section."""
    chunks = assert_invariants(text.encode(), language, UNGROUPED).chunks
    return [" > ".join(filter(None, (each.parent, each.symbol))) for each in chunks if each.symbol]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\n=\n\nB\n-\n\nC\n=\n", ["A", "A > B", "C"]),
        ("A\n-\n\nB\n=\n\nC\n-\n", ["A", "A > B", "C"]),  # the order decides, not the mark
        ("===\n A\n===\n\nB\n===\n", ["A", "A > B"]),  # a line above makes another style
        ("A\n=\n\nB\n-\n\nC\n~\n\nD\n=\n\nE\n~\n", ["A", "A > B", "A > B > C", "D", "D > E"]),
        ("A\n=\n\nB\n-\n\nC\n=\n\nD\n+\n", ["A", "A > B", "C", "C > D"]),
        ("Words\ngo on\n=====\n", []),
        ("    A\n    =====\n", []),
        ("Long title\n===\n", []),
        ("Wörter\n======\n", ["Wörter"]),
        ("Ends::\n\n  A\n  =\n\nB\n=\n", ["B"]),
        (".. comment\nB\n=====\n", ["B"]),
        ("..\n  A\n  =\nB\n=\n", ["B"]),
        ("- item\n------\n", []),
        ("1. Step\n-------\n", ["1. Step"]),
        ("a\n\n=====\n\nb\n", []),
        ("== ==\n A\n-----\nb  c\n== ==\n\nB\n==\n", ["B"]),
        ("=== ===\nA   B\n=== ===\na   b\n=== ===\n\nB\n===\n", ["B"]),
        ("=== ===\nA\n\nB\n---\n", ["B"]),  # not a table: it has no end
        (":class:`A <b.A>` and ``c``\n==========================\n", ["A and c"]),
        ("=====\nA\n-----\n", []),
        ("A\n::\n", []),
    ],
)
def test_restructuredtext_titles_are_recognised(text: str, expected: list[str]) -> None:
    assert titles(text, "restructuredtext") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= A\n\n== B\n\n=== C\n\n== D\n", ["A", "A > B", "A > B > C", "A > D"]),
        (
            "One\n===\n\nTwo\n---\n\nThree\n~~~~~\n\n== Four ==\n",
            ["One", "One > Two", "One > Two > Three", "One > Four"],
        ),
        ("# A\n\n## B\n", ["A", "A > B"]),
        ("=A\n\n======= B\n", []),
        ("words\n== A\n", []),
        ("----\n== A\n----\n== B\n", ["B"]),
        ("----\n== A\n-----\n== B\n----\n\n== C\n", ["C"]),
        ("----\n== A\n", ["A"]),  # an unclosed block
        ("```c\n== A\n```\n\n== B\n", ["B"]),
        ("|===\n|a\n\n== A\n|===\n\n== B\n", ["B"]),
        ("====\n----\n== A\n----\n====\n\n== B\n", ["B"]),
        ("// == A\n== B\n", ["B"]),
        ("[quote]\n____\n== A\n____\n", []),
        (".Title\n------\nx\n------\n", []),
        ("term::\n------\nx\n------\n", []),
        ("A longer line\n------\n== A\n------\n", []),
        ("...\n---\n", []),
        ("== A [[a]]\n\n== `b` https://example.org[the site]\n", ["A", "b the site"]),
        (":a: b\n== A\n", ["A"]),
    ],
)
def test_asciidoc_titles_are_recognised(text: str, expected: list[str]) -> None:
    assert titles(text, "asciidoc") == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A\n=\n\nx\n\n.. _b:\n\n.. index::\n   single: b\n\nB\n=\n\ny\n", "restructuredtext"),
        ("== A\n\nx\n\n[[b]]\n[role=x]\n// note\n\n== B\n\ny\n", "asciidoc"),
    ],
)
def test_anchor_is_kept_with_its_section(text: str, language: str) -> None:
    first, second = assert_invariants(text.encode(), language, UNGROUPED).chunks
    assert first.text.endswith("\nx")
    assert (second.symbol, "b" in second.text.split("B\n")[0]) == ("B", True)


@pytest.mark.parametrize("language", ["restructuredtext", "asciidoc"])
def test_long_section_is_cut_between_paragraphs(language: str) -> None:
    text = "A\n===\n\n" + "".join(f"First of {i},\nsecond.\n\n" for i in range(100))
    chunks = assert_invariants(text.encode(), language, ChunkOptions(max_lines=20)).chunks
    assert len(chunks) > 10
    assert all(
        each.text.startswith(("A\n", "First")) and each.text.endswith("second.") for each in chunks
    )
    if language == "restructuredtext":
        assert {each.parent for each in chunks[1:]} == {"A"}


def test_small_sections_under_one_title_are_grouped() -> None:
    text = "= Shop\n\n" + "".join(f"== S{i}\n\nText.\n\n" for i in range(5))
    [only] = chunk(text.encode(), "asciidoc").chunks
    assert only.symbol == "Shop S0 S1 S2 S3 S4"


def test_pgp_signature_is_not_read_as_asciidoc() -> None:
    key = b"-----BEGIN PGP SIGNATURE-----\n\niQIzBAABCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n"
    assert language_of(b"release.tar.gz.asc") == "asciidoc"
    assert chunk(key, "asciidoc").language == "text"


SCRAPS = [
    "A\n",
    "Two words\n",
    "=\n",
    "====\n",
    "----\n",
    "~~~~\n",
    "== A\n",
    "=== B ==\n",
    "== ==\n",
    "\n",
    "  in\n",
]
SCRAPS += [
    ".. _a:\n",
    "..\n",
    "[[a]]\n",
    "//\n",
    "|===\n",
    "--\n",
    "text::\n",
    ".T\n",
    "####\n",
    "Größe\n",
    "```\n",
]


@given(
    text=st.lists(st.sampled_from(SCRAPS), max_size=60).map("".join),
    language=st.sampled_from(["restructuredtext", "asciidoc"]),
    min_bytes=st.sampled_from([0, 60, 800]),
)
def test_any_lines_hold_the_invariants(text: str, language: str, min_bytes: int) -> None:
    assert_invariants(text.encode(), language, ChunkOptions(max_lines=9, min_bytes=min_bytes))


_MARKS = "!\"#$%&'()*+,-./;<=>?@[]^_{|}"
HOSTILE = {
    "adornments": "=\n",
    "titles": "a\n=\n",
    "frames": "====\na\n====\n",
    "tables": "== ==\na\n\n",
    "anchors": ".. _a:\n\n[[a]]\n",
    "openings": "----\n.....\n",
    "brackets": "[",
    "deep": "".join(f"{'long ' * 20}\n{mark * 100}\n" for mark in _MARKS),
}


@pytest.mark.parametrize("language", ["restructuredtext", "asciidoc"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_is_read_within_5_seconds(name: str, language: str) -> None:
    text = (HOSTILE[name] * (300_000 // len(HOSTILE[name]))).encode()
    start = process_time()
    chunks = chunk(text, language).chunks
    assert process_time() - start < 5  # usually below 0.5; quadratic time would take hours
    assert max(len(each.parent) for each in chunks) < 500
