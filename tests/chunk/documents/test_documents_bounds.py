"""Tests that small files which unpack to millions of elements are read in bounded time, with a
note.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from packing import epub, odf
from reading import read_checked

from ragit.chunk.documents import epub as documents_epub
from ragit.chunk.documents import odf as documents_odf

REST = "the rest is left out.]"


def book(repeated: str, times: int) -> bytes:
    return epub({"a.xhtml": "<p>First words</p>" + repeated * times, "b.xhtml": "<p>Last</p>"})


MAKERS: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "divisions": ("epub", lambda size: book("<div>", size)),
    "letters": ("epub", lambda size: book("<b>x</b>", size // 2)),
    "rows": ("epub", lambda size: book("<tr><td>", size // 2)),
    "titles": ("epub", lambda size: book("<h1>a", size // 2)),
    "paragraphs": (
        "odt",
        lambda size: odf("text", "<text:p>First words</text:p>" + "<text:p/>" * size),
    ),
    "spaces": (
        "odt",
        lambda size: odf("text", "<text:p>First words</text:p>" + "<text:s/>" * size),
    ),
}


@pytest.mark.parametrize("case", MAKERS)
def test_elements_beyond_the_bound_are_left_out(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_epub, "_MOST_TOKENS", 1_000)
    monkeypatch.setattr(documents_odf, "_MOST_EVENTS", 2_000)
    language, make = MAKERS[case]
    text = read_checked(make(1_500), language).text.decode()
    assert "First words" in text
    assert text.rstrip().endswith(REST)
    assert REST not in read_checked(make(300), language).text.decode()


@pytest.mark.slow
@pytest.mark.parametrize("case", MAKERS)
def test_millions_of_elements_are_read_within_8_seconds(case: str) -> None:
    language, make = MAKERS[case]
    data = make(1_200_000)
    assert len(data) < 100_000
    started = time.process_time()
    text = read_checked(data, language).text.decode()
    assert time.process_time() - started < 8
    assert "First words" in text
    assert text.rstrip().endswith(REST)


def test_millions_of_less_than_signs_are_read_as_text() -> None:
    started = time.process_time()
    text = read_checked(book("<", 4_000_000), "epub").text.decode()
    assert time.process_time() - started < 4
    assert text.count("<") == 4_000_000
    assert text.endswith("Last\n")


def test_unterminated_character_references_are_read_in_4_seconds() -> None:
    started = time.process_time()
    assert "First words" in read_checked(book("&nb", 1_000_000), "epub").text.decode()
    assert time.process_time() - started < 4
