"""PDF by pypdf: pages to paragraphs, with page numbers, and with headings where the outline names them.

A PDF has no paragraphs: it puts lines at places. Lines that follow each other at the usual distance, in one size, are
one here. What stands at the edge of most pages is kept once.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

from ragit.chunk.documents.block import (
    NO_LIBRARY,
    UNKNOWN_PACKING,
    Block,
    Bounds,
    Place,
    Unreadable,
)
from ragit.chunk.documents.outline import Entry, entries, located

_EDGE = 2
"""Lines at the top and at the bottom of a page that may be the same on all pages."""
_REPEATED = 4
"""Pages from which a line that stands at their edge is a running title."""

_MOST_NOTES = 5000
_MOST_OBJECTS = 500
"""Pictures and forms of a page that are looked at."""

_LIGATURES = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
    }
    | {"\u00a0": " ", "\u2007": " ", "\u202f": " "}
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
"""What stands for glyphs of which nobody says what letters they are: pypdf then gives their names, as in `/g12/g7`."""


class Line(NamedTuple):
    """One line of a page, in the order in which the page draws it."""

    text: str
    x: float
    y: float
    size: float


class _Page(NamedTuple):
    number: int
    lines: list[Line]
    notes: list[str]
    """Comments on it, and what was filled in."""
    lack: str = ""
    """Why there are no lines, as _LACKS names it; empty if there are or if the page is blank."""


class _Lack(NamedTuple):
    """What is said where no lines of a page can be read."""

    whole: str
    """Of the file, if none of its pages can be read."""
    pages: str
    """Of some pages of it."""


_LACKS = {
    "image": _Lack("no text (scanned)", "images without text"),
    "foreign": _Lack("no text (unknown letters)", "in unknown letters"),
    "damaged": _Lack("damaged pdf", "damaged"),
    "limit": _Lack("over a limit of its reader", "over a limit of their reader"),
    "library": _Lack(NO_LIBRARY, "not to be read without another library"),
    "packed": _Lack(UNKNOWN_PACKING, "packed in an unknown way"),
    "password": _Lack("password-protected", "password-protected"),
    "deep": _Lack("nested too deeply", "nested too deeply"),
}


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """The paragraphs of a PDF."""
    import pypdf

    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("password-protected")
        count = len(reader.pages)
    except (Unreadable, MemoryError, RecursionError):
        raise
    except Exception as error:
        raise Unreadable(_LACKS[_lack_of(error)].whole) from error
    pages = _pages(reader, min(count, bounds.units), bounds.text)
    if not any(page.lines or page.notes for page in pages):
        raise Unreadable(_nothing(pages))
    _mend(pages)
    yield from _blocks(pages, entries(reader))
    if len(pages) < count:
        rest = Place("", "page", len(pages) + 1, count)
        yield Block(f"[Pages {rest.first}-{rest.last} are left out.]", rest, kind="note")


def _nothing(pages: Sequence[_Page]) -> str:
    lacks = Counter(page.lack for page in pages if page.lack)
    return _LACKS[lacks.most_common(1)[0][0]].whole if lacks else "no text"


def _lack_of(error: Exception) -> str:
    """What is to be said of an error: of the kinds that broken bytes make the library raise there is no list."""
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

    kinds: Sequence[tuple[type[Exception], str]] = (
        (LimitReachedError, "limit"),
        (DependencyError, "library"),
        (NotImplementedError, "packed"),
        (FileNotDecryptedError, "password"),
        (RecursionError, "deep"),
    )
    return next((lack for kind, lack in kinds if isinstance(error, kind)), "damaged")


# -- pages to lines --------------------------------------------------------------------------------------------------


def _pages(reader: Any, count: int, most: int) -> list[_Page]:
    pages: list[_Page] = []
    used = 0
    for number in range(count):
        page = _page(reader, number, most - used)
        used += sum(len(line.text) for line in page.lines) + sum(map(len, page.notes))
        pages.append(page)
        if used > most:
            break
    return pages


def _page(reader: Any, number: int, most: int) -> _Page:
    try:
        page = reader.pages[number]
        lines = _lines(page)
        notes = _notes(page, most)
    except MemoryError:
        raise
    except Exception as error:
        return _Page(number + 1, [], [], _lack_of(error))
    if not lines:
        return _Page(number + 1, [], notes, "image" if _has_image(page) and not notes else "")
    text = "".join(line.text for line in lines)
    foreign = len(text) - len(_FOREIGN.sub("", text))
    return (
        _Page(number + 1, [], notes, "foreign")
        if foreign * 3 > len(text)
        else _Page(number + 1, lines, notes)
    )


def _lines(page: Any) -> list[Line]:
    """The lines of a page. pypdf tells of each run of text where it begins; their sum is what it would give."""
    lines: list[Line] = []
    text: list[str] = []
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    begun = False

    def end_line() -> None:
        nonlocal begun
        begun = False
        whole = " ".join(_LEADER.sub(" ... ", "".join(text).translate(_LIGATURES)).split())
        if whole:
            lines.append(Line(whole, *at))
        text.clear()

    def visit(run: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        nonlocal at, begun
        for number, part in enumerate(run.split("\n")):
            if number:
                end_line()
            if part and not begun:
                x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
                y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
                at = (x, y, abs(float(size or 0) * (tm[3] or tm[1] or 1) * (cm[3] or cm[1] or 1)))
            text.append(part)
            begun = begun or not (part.isspace() or not part)

    page.extract_text(visitor_text=visit)
    end_line()
    return lines


def _notes(page: Any, most: int) -> list[str]:
    """Comments, and the fields of a form that are filled in, up to so many characters; a broken list of them costs only
    itself."""
    notes = []
    try:
        for each in list(page.get("/Annots", None) or ())[:_MOST_NOTES]:
            note = each.get_object()
            if note.get("/Subtype") == "/Widget":
                holder = note if "/V" in note or "/Parent" not in note else note["/Parent"]
                value = _string(holder, "/V", most)
                text = f"{_string(note, '/T', most)}: {value}" if value else ""
            else:
                text = _string(note, "/Contents", most)
            if text.strip(": \n"):
                notes.append(" ".join(text.split()))
                most -= len(text)
                if most <= 0:
                    break
    except MemoryError:
        raise
    except Exception:  # as with the page itself
        return notes
    return notes


def _string(entries: Any, name: str, most: int) -> str:
    """The beginning of a text among the entries of an object; empty if it has none, or a name in place of one."""
    value = entries[name] if name in entries else ""  # noqa: SIM401 - `get` follows no reference
    return value[:most] if isinstance(value, str) and not value.startswith("/") else ""


def _has_image(page: Any) -> bool:
    """True if a page shows a picture, by itself or in a form of a form."""
    waiting = [(page, 3)]
    looked_at = 0
    try:
        while waiting and looked_at < _MOST_OBJECTS:
            holder, depth = waiting.pop()
            objects = holder.get("/Resources", {}).get_object().get("/XObject", {}).get_object()
            for name in list(objects)[:_MOST_OBJECTS]:
                looked_at += 1
                one = objects[name].get_object()
                if one.get("/Subtype") == "/Image":
                    return True
                if one.get("/Subtype") == "/Form" and depth:
                    waiting.append((one, depth - 1))
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # what is broken shows nothing
    return False


# -- what the setting of pages did to the text -------------------------------------------------------------------------


def _mend(pages: list[_Page]) -> None:
    _drop_running_titles(pages)
    lines = (line.text for page in pages for line in page.lines)
    words = Counter(word.lower() for text in lines for word in _WORD.findall(text))
    for page in pages:
        _join_words(page.lines, words)


def _drop_running_titles(pages: list[_Page]) -> None:
    """Leaves what stands at the edge of most pages on the first of them only."""
    seen = Counter(key for page in pages for key in {_alike(page, at) for at in _edges(page.lines)})
    filled = sum(bool(page.lines) for page in pages)
    titles = {key for key, times in seen.items() if times >= max(_REPEATED, filled / 3)}
    kept: set[str] = set()
    for page in pages:
        drop = []
        for at in _edges(page.lines):
            key = _alike(page, at)
            if key in titles:
                if key in kept:
                    drop.append(at)
                kept.add(key)
        for at in sorted(drop, reverse=True):
            del page.lines[at]


def _edges(lines: Sequence[Line]) -> list[int]:
    """Places of the topmost and the lowest lines, and of those that are drawn first and last."""
    edge = min(_EDGE, (len(lines) - 1) // 2)  # of a page of three lines, one is left in any case
    places = range(len(lines))
    by_height = sorted(places, key=lambda at: lines[at].y)
    return sorted(
        {*by_height[:edge], *places[:edge]}
        | ({*by_height[-edge:], *places[-edge:]} if edge else set())
    )


def _alike(page: _Page, at: int) -> str:
    """A line as it is on other pages too, if it is a running title: its numbers count the pages from somewhere on."""
    return _DIGITS.sub(lambda found: f"<{int(found[0]) - page.number}>", page.lines[at].text)


def _join_words(lines: list[Line], words: Counter[str]) -> None:
    """A word that was broken at a line's end is made whole again, on the line where it began."""
    for at in range(len(lines) - 1):
        begun = _broken(lines[at].text)
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


def _broken(line: str) -> str:
    """The letters before the hyphen at a line's end, in lower case; empty if there is no hyphen or no letter."""
    if not line.endswith(_HYPHENS):
        return ""
    return _NO_LETTER.split(line[-_LONGEST_WORD - 1 : -1])[-1].lower()


# -- lines to blocks -----------------------------------------------------------------------------------------------


def _blocks(pages: Sequence[_Page], outline: Sequence[Entry]) -> Iterator[Block]:
    headings: tuple[str, ...] = ()
    lacking: list[_Page] = []
    titles = {
        number: list(entries) for number, entries in groupby(outline, key=lambda entry: entry.page)
    }
    for page in pages:
        here = titles.get(page.number, [])
        if page.lack:
            if lacking and lacking[-1].lack != page.lack:
                yield _lack(lacking)
                lacking = []
            lacking.append(page)
        elif lacking and (page.lines or page.notes):
            yield _lack(lacking)
            lacking = []
        place = Place("", "page", page.number, page.number)
        for paragraph, path, is_heading in _marked(page.lines, here, headings):
            headings = path
            yield Block("\n".join(paragraph), place, headings, "heading" if is_heading else "text")
        headings = here[-1].path if here else headings
        yield from (Block(note, place, headings, "note") for note in page.notes)
    if lacking:
        yield _lack(lacking)


def _lack(pages: Sequence[_Page]) -> Block:
    what = _LACKS[pages[0].lack].pages
    place = Place("", "page", pages[0].number, pages[-1].number)
    which = (
        f"Page {place.first} is"
        if place.first == place.last
        else f"Pages {place.first}-{place.last} are"
    )
    what = (
        what.replace("images", "an image").replace("their", "its")
        if place.first == place.last
        else what
    )
    return Block(f"[{which} {what}.]", place, kind="note")


def _marked(
    lines: Sequence[Line], outline: Sequence[Entry], headings: tuple[str, ...]
) -> Iterator[tuple[list[str], tuple[str, ...], bool]]:
    """The paragraphs of a page, each with the titles above it and whether it is a title itself."""
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
        if line.text:  # a word that was mended may have been all of it
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
    """True if a paragraph ends between two lines."""
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
