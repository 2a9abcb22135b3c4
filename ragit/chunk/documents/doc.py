"""Read Word 97-2003 documents (.doc), and those of Word 6 and 95 as far as they are similar.

olefile opens the file system within the file; word97.py reads Word's structures. No maintained
library reads this format.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.word97 import (
    COMMENT_PLACES,
    COMMENT_TEXTS,
    ENDNOTE_PLACES,
    ENDNOTE_TEXTS,
    FOOTNOTE_PLACES,
    FOOTNOTE_TEXTS,
    HEADERS,
    Properties,
    Word,
)
from ragit.chunk.documents.word97_styles import Styles, lists_of
from ragit.records import NamedTuple

_LARGEST = 64 << 20
"""Limit of one stream in bytes."""

_FIELD = re.compile("[\x13\x14\x15]")
_SPECIAL = str.maketrans(
    {
        "\x0b": "\n",
        "\x0c": "\n",
        "\x0e": "\n",
        "\x1e": "-",
        "\x1f": None,
        "\u00ad": None,
        "\xa0": " ",
    }
    | {chr(code): None for code in (1, 2, 3, 4, 5, 6, 8)}
)
_PARAGRAPH_END = re.compile("[\r\x07\x0c]")
_NOTES = (
    ("footnote", FOOTNOTE_PLACES, 2, FOOTNOTE_TEXTS),
    ("comment", COMMENT_PLACES, 30, COMMENT_TEXTS),
    ("endnote", ENDNOTE_PLACES, 2, ENDNOTE_TEXTS),
)
_HEADER_KINDS: tuple[str, ...] = ("header", "header", "footer", "footer", "header", "footer")
"""2.3.3: even, odd, even, odd, first, first; six separators of notes come before them."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read headers, the body with notes after their paragraphs, text boxes and footers."""
    word = _opened(data, bounds)
    edges = list(_edges(word))
    yield from (block for block in edges if block.kind == "header")
    notes = deque(_notes(word))
    yield from _Body(word, notes).blocks()
    yield from (Block(note.text, kind="note") for note in notes)
    for paragraph in word.characters("box").split("\r"):
        if text := _shown(paragraph):
            yield Block(text)
    yield from (block for block in edges if block.kind == "footer")


def _opened(data: bytes, bounds: Bounds) -> Word:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as ole:

        def stream(name: str) -> bytes:
            return bytes(ole.openstream(name).read(_LARGEST)) if ole.exists(name) else b""

        main = stream("WordDocument")
        if not main:
            raise Unreadable("damaged doc")
        return Word(main, (stream("0Table"), stream("1Table")), bounds.text)


# -- text -----------------------------------------------------------------------------------------


def _without_fields(text: str) -> str:
    """Replace field codes by as many 0x01, which show nothing, and keep results (2.8.25).

    A code is between 0x13 and 0x14, its result before 0x15. The count of characters stays.
    """
    if "\x13" not in text:
        return text
    kept: list[str] = []
    open_fields: list[bool] = []
    """True for each open field whose code has not ended."""
    hidden = 0
    start = 0
    for found in _FIELD.finditer(text):
        run = text[start : found.start()]
        kept.append("\x01" * len(run) if hidden else run)
        kept.append("\x01")
        start = found.end()
        if found[0] == "\x13":
            open_fields.append(True)
            hidden += 1
        elif open_fields:
            hidden -= open_fields.pop()
            if found[0] == "\x14":
                open_fields.append(False)
    # A field that is never closed hides nothing: the file may be cut.
    kept.append(text[start:])
    return "".join(kept)


def _shown(text: str) -> str:
    lines = text.translate(_SPECIAL).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


class _Note(NamedTuple):
    """A footnote, endnote or comment."""

    place: int
    """Offset of the character in the body that refers to it."""
    text: str


# -- body -----------------------------------------------------------------------------------------


class _Body:
    """The state of reading the body: titles above the current paragraph, and the current
    table row.
    """

    def __init__(self, word: Word, notes: deque[_Note]) -> None:
        """Begin the body; it takes the notes that it refers to from `notes`."""
        self._word = word
        self._notes = notes
        self._styles = Styles(word)
        self._lists = lists_of(word)
        self._headings: list[tuple[int, str]] = []
        self._cells: list[str] = []
        self._cell: list[str] = []
        self._header = ""

    def blocks(self) -> Iterator[Block]:
        text = _without_fields(self._word.characters("text"))
        start = 0
        for end in (*(found.start() for found in _PARAGRAPH_END.finditer(text)), len(text)):
            properties = self._word.properties(end)
            shown = _shown(text[start:end])
            mark = text[end : end + 1]
            if mark == "\x07" or properties.in_table or self._cell:
                yield from self._in_table(shown, mark, properties)
            else:
                self._header = ""
                if shown:
                    yield self._paragraph(shown, properties)
            yield from self._noted(end)
            start = end + 1
        yield from self._row()

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._headings)

    def _in_table(self, shown: str, mark: str, properties: Properties) -> Iterator[Block]:
        if shown:
            self._cell.append(shown.replace("\n", " "))
        if mark != "\x07":
            return
        # Word 6 may not mark the end of a row, except by an empty cell.
        old_end = self._word.old and bool(self._cells) and not shown and not self._cell
        if properties.row_end or old_end:
            yield from self._row()
        else:
            self._cells.append(" ".join(self._cell))
            self._cell = []

    def _row(self) -> Iterator[Block]:
        """Yield the current row of a table as one line, if not empty."""
        cells = [*self._cells, " ".join(self._cell)] if self._cell else self._cells
        self._cells, self._cell = [], []
        line = " | ".join(cells).rstrip("| ")
        if line:
            self._header = self._header or line
            yield Block(line, Place(), self._path(), "table", self._header)

    def _paragraph(self, text: str, properties: Properties) -> Block:
        level = self._styles.level(properties)
        item = self._styles.numbered(properties)
        mark = self._lists.mark(item) if item else ""
        text = f"{mark} {text}" if mark.strip() else text
        if level < 9:
            title = " ".join(text.split())
            self._headings = [
                (other, above) for other, above in self._headings if other < level
            ] + [(level, title)]
            return Block(title, Place(), self._path(), "heading")
        if item:
            return Block("  " * item.depth + text, Place(), self._path(), "list")
        return Block(text, Place(), self._path())

    def _noted(self, end: int) -> Iterator[Block]:
        """Yield the notes of the paragraph that ends here."""
        while self._notes and self._notes[0].place <= end:
            yield Block(self._notes.popleft().text, Place(), self._path(), "note")


# -- besides the body ----------------------------------------------------------------------------


def _notes(word: Word) -> list[_Note]:
    """Return notes in the order of their references in the body."""
    found: list[_Note] = []
    for kind, places, size, texts in _NOTES:
        text = _without_fields(word.characters(kind))
        stops = word.places(texts, 0)
        at = word.places(places, size)[:-1]
        for number, part in enumerate(_parted(text, stops) if len(stops) > 1 else [text]):
            shown = " ".join(_shown(part.replace("\r", "\n")).split())
            if shown:
                found.append(_Note(at[number] if number < len(at) else 1 << 31, f"{kind}: {shown}"))
    return sorted(found, key=lambda note: note.place)


def _parted(text: str, stops: Sequence[int]) -> Iterator[str]:
    """Yield the text from each offset to the next; no character belongs to two parts."""
    end = 0
    for first, last in pairwise(stops):
        first = max(first, end)
        end = max(last, end)
        yield text[first:last]


def _edges(word: Word) -> Iterator[Block]:
    """Yield headers and footers, each text once."""
    text = _without_fields(word.characters("header"))
    stops = word.places(HEADERS, 0)
    if len(stops) < 8:
        stops, kinds = [0, len(text)], _HEADER_KINDS[:1]
    else:
        stops, kinds = stops[6:], _HEADER_KINDS
    seen: set[str] = set()
    for number, part in enumerate(_parted(text, stops)):
        kind = kinds[number % len(kinds)]
        for paragraph in part.replace("\x07", "\r").split("\r"):
            shown = _shown(paragraph)
            if shown and shown not in seen and not shown.isdecimal():
                seen.add(shown)
                yield Block(shown, Place(kind), (), kind)
