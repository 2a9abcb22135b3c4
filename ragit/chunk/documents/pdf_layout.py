"""Turn positioned lines of PDF pages into paragraphs with page numbers and headings. Pure.

Lines at the usual distance and in one size are a paragraph. A line at the edge of most pages is
kept once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median

from ragit.chunk.documents.block import NO_LIBRARY, UNKNOWN_PACKING, Block, Place
from ragit.chunk.documents.outline import Entry, located
from ragit.records import NamedTuple

_EDGE = 2
"""Lines at the top and at the bottom of a page that may repeat on all pages."""
_REPEATED = 4
"""Number of pages from which a repeated line at their edge is a running title."""

_SPACES = {"\u00a0": " ", "\u2007": " ", "\u202f": " "}
_LIGATURES = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        **_SPACES,
    }
)
_LEADER = re.compile(r"(?:\s?[.\u2026]){4,}")
_DIGITS = re.compile(r"\d{1,6}")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HYPHENS = ("-", "\u2010", "\u00ad")
_LONGEST_WORD = 100
_NO_LETTER = re.compile(r"[\W\d_]")
_FOREIGN = re.compile(
    "[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]|\\(cid:\\d+\\)|/[A-Za-z]{1,3}\\d{1,4}(?![a-z])"
)
"""Placeholders for glyphs of unknown letters, and names of glyphs, as in `/g12/g7`."""


class Line(NamedTuple):
    """One line of a page, in drawing order."""

    text: str
    x: float
    y: float
    """Height above the lower edge of the page, in points."""
    size: float
    """Size of its letters in points."""


class Page(NamedTuple):
    """One page."""

    number: int
    """1-based."""
    lines: list[Line]
    notes: list[str]
    """Comments and filled form fields."""
    lack: str = ""
    """Why there are no lines, a key of LACKS; empty if there are some or the page is blank."""


class Lack(NamedTuple):
    """The words for a page whose lines cannot be read."""

    whole: str
    """Reason if no page of the file can be read."""
    pages: str
    """Note about some pages of a file."""


LACKS = {
    "image": Lack("no text (scanned)", "images without text"),
    "foreign": Lack("no text (unknown letters)", "in unknown letters"),
    "damaged": Lack("damaged pdf", "damaged"),
    "limit": Lack("over a limit of its reader", "over a limit of their reader"),
    "library": Lack(NO_LIBRARY, "not to be read without another library"),
    "packed": Lack(UNKNOWN_PACKING, "packed in an unknown way"),
    "password": Lack("password-protected", "password-protected"),
    "deep": Lack("nested too deeply", "nested too deeply"),
}


def page_of(number: int, lines: list[Line], notes: list[str], lack: str = "") -> Page:
    """Return a page, without lines if most letters are unknown; `lack` is why it has none."""
    text = "".join(line.text for line in lines)
    foreign = len(text) - len(_FOREIGN.sub("", text))
    if foreign * 3 > len(text):
        return Page(number, [], notes, "foreign")
    return Page(number, lines, notes, "" if lines else lack)


def plain(text: str) -> str:
    """Return the text of a line with plain letters and spaces, and leaders of dots shortened."""
    return " ".join(_LEADER.sub(" ... ", text.translate(_LIGATURES)).split())


def why_nothing(pages: Sequence[Page]) -> str:
    """Return why a file gives no text."""
    lacks = Counter(page.lack for page in pages if page.lack)
    return LACKS[lacks.most_common(1)[0][0]].whole if lacks else "no text"


def blocks(pages: list[Page], outline: Sequence[Entry]) -> Iterator[Block]:
    """Yield the paragraphs, headings and notes of all pages. Changes the pages."""
    _mend(pages)
    yield from _blocks(pages, outline)


# -- undoing page layout -------------------------------------------------------------------------


def _mend(pages: list[Page]) -> None:
    _drop_running_titles(pages)
    lines = (line.text for page in pages for line in page.lines)
    words = Counter(word.lower() for text in lines for word in _WORD.findall(text))
    for page in pages:
        _join_words(page.lines, words)


def _drop_running_titles(pages: list[Page]) -> None:
    """Keep lines at the edge of most pages on the first of these pages only."""
    seen = Counter(
        key for page in pages for key in {_normalised(page, at) for at in _edges(page.lines)}
    )
    filled = sum(bool(page.lines) for page in pages)
    titles = {key for key, times in seen.items() if times >= max(_REPEATED, filled / 3)}
    kept: set[str] = set()
    for page in pages:
        drop = []
        for at in _edges(page.lines):
            key = _normalised(page, at)
            if key in titles:
                if key in kept:
                    drop.append(at)
                kept.add(key)
        for at in sorted(drop, reverse=True):
            del page.lines[at]


def _edges(lines: Sequence[Line]) -> list[int]:
    """Return the indexes of the topmost, lowest, first and last lines."""
    edge = min(_EDGE, (len(lines) - 1) // 2)  # keeps at least one of a page's three lines
    places = range(len(lines))
    by_height = sorted(places, key=lambda at: lines[at].y)
    return sorted(
        {*by_height[:edge], *places[:edge]}
        | ({*by_height[-edge:], *places[-edge:]} if edge else set())
    )


def _normalised(page: Page, at: int) -> str:
    """Return a line with its numbers relative to the page, for comparison between pages."""
    return _DIGITS.sub(lambda found: f"<{int(found[0]) - page.number}>", page.lines[at].text)


def _join_words(lines: list[Line], words: Counter[str]) -> None:
    """Join words broken at a line's end, on the line where they begin."""
    for at in range(len(lines) - 1):
        begun = _broken_word(lines[at].text)
        head, _, rest = lines[at + 1].text.partition(" ")
        if not begun or not head[:1].islower():
            continue
        ended = (_WORD.match(head) or [""])[0].lower()
        is_one = words[begun + ended] >= words[f"{begun}-{ended}"] or lines[at].text.endswith(
            "\u00ad"
        )
        kept = lines[at].text[: -1 if is_one else None]
        lines[at] = lines[at]._replace(text=kept + head)
        lines[at + 1] = lines[at + 1]._replace(text=rest)


def _broken_word(line: str) -> str:
    """Return the letters before the hyphen at a line's end; empty if there is none."""
    if not line.endswith(_HYPHENS):
        return ""
    return _NO_LETTER.split(line[-_LONGEST_WORD - 1 : -1])[-1].lower()


# -- lines to blocks ------------------------------------------------------------------------------


def _blocks(pages: Sequence[Page], outline: Sequence[Entry]) -> Iterator[Block]:
    titles = groupby(outline, key=lambda entry: entry.page)
    by_page = {number: list(entries) for number, entries in titles}
    headings: tuple[str, ...] = ()
    lacking: list[Page] = []
    for page in pages:
        if lacking and _ends_lack(lacking[-1], page):
            yield _lack(lacking)
            lacking = []
        lacking += [page] if page.lack else []
        here = by_page.get(page.number, [])
        place = Place("", "page", page.number, page.number)
        for paragraph, path, is_heading in _marked(page.lines, here, headings):
            headings = path
            yield Block("\n".join(paragraph), place, headings, "heading" if is_heading else "text")
        headings = here[-1].path if here else headings
        yield from (Block(note, place, headings, "note") for note in page.notes)
    if lacking:
        yield _lack(lacking)


def _ends_lack(last: Page, page: Page) -> bool:
    """Return whether a run of pages without lines ends before a page; it may include blank ones."""
    if page.lack:
        return page.lack != last.lack
    return bool(page.lines or page.notes)


def _lack(pages: Sequence[Page]) -> Block:
    """Return the note about pages without lines, all for the same reason."""
    words = LACKS[pages[0].lack].pages
    place = Place("", "page", pages[0].number, pages[-1].number)
    if place.first < place.last:
        return Block(f"[Pages {place.first}-{place.last} are {words}.]", place, kind="note")
    words = words.replace("images", "an image").replace("their", "its")
    return Block(f"[Page {place.first} is {words}.]", place, kind="note")


def _marked(
    lines: Sequence[Line], outline: Sequence[Entry], headings: tuple[str, ...]
) -> Iterator[tuple[list[str], tuple[str, ...], bool]]:
    """Yield a page's paragraphs, the titles above each, and whether it is a title."""
    start = 0
    for entry, first, stop in located(lines, outline):
        for paragraph in _paragraphs(lines[start:first]):
            yield paragraph, headings, False
        headings = entry.path
        if stop > first:
            yield [line.text for line in lines[first:stop]], headings, True
        start = stop
    for paragraph in _paragraphs(lines[start:]):
        yield paragraph, headings, False


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[str]]:
    usual = _usual_distance(lines)
    paragraph: list[str] = []
    last: Line | None = None
    for line in lines:
        if last is not None and _ends(last, line, usual):
            yield paragraph
            paragraph = []
        if line.text:  # a joined word may have been all of it
            paragraph.append(line.text)
            last = line
    if paragraph:
        yield paragraph


def _usual_distance(lines: Sequence[Line]) -> float:
    gaps = [
        a.y - b.y
        for a, b in zip(lines, lines[1:], strict=False)
        if 0 < a.y - b.y < 4 * max(a.size, b.size, 4)
    ]
    return median(gaps) if gaps else 0.0


def _ends(last: Line, line: Line, usual: float) -> bool:
    """Return whether a paragraph ends between two lines."""
    gap = last.y - line.y
    if abs(gap) < 1:
        return False  # the same line of the page, drawn in parts
    if gap < 0 or (usual and gap > 1.25 * usual + 0.5):
        return True
    larger = max(last.size, line.size)
    if larger and abs(last.size - line.size) > 0.12 * larger:
        return True
    indented = 4 < line.x - last.x < 60
    return indented and last.text.endswith((".", ":", "!", "?", ".\u201d", "\u3002"))
