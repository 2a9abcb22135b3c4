"""Read characters and paragraph properties of Word 97-2003 files, and of Word 6 and 95.

Sections of Microsoft's [MS-DOC] are named beside each structure; Word 6 and 95 are older than it,
and marked. Every offset and count is checked against the size of the file.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.encoding import single_byte
from ragit.records import NamedTuple

_PARTS = ("text", "footnote", "header", "macro", "comment", "endnote", "box", "header box")
"""2.3.1 and following: the parts of the document, one after another in its characters."""

# 2.5.5, FibRgFcLcb97: which pair of offset and size leads to what.
STYLES, FOOTNOTE_PLACES, FOOTNOTE_TEXTS, COMMENT_PLACES, COMMENT_TEXTS, HEADERS = 1, 2, 3, 4, 5, 11
_PAGES_OF_LETTERS, _PAGES_OF_PARAGRAPHS, _PIECES, ENDNOTE_PLACES, ENDNOTE_TEXTS = 12, 13, 33, 46, 47
LISTS, LIST_OVERRIDES = 73, 74

_CODE_PAGES = {
    language: code_page
    for code_page, languages in {
        "gbk": (0x04,),
        "cp874": (0x1E,),
        "cp932": (0x11,),
        "cp949": (0x12,),
        "cp1250": (0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24),
        "cp1251": (0x02, 0x19, 0x22, 0x23, 0x2F),
        "cp1253": (0x08,),
        "cp1254": (0x1F,),
        "cp1255": (0x0D,),
        "cp1256": (0x01, 0x29),
        "cp1257": (0x25, 0x26, 0x27),
        "cp1258": (0x2A,),
    }.items()
    for language in languages
}
"""Codecs of Word 6 and 95, by the primary language of the file."""

# 2.6.2, single property modifiers of paragraphs, and the same for Word 6 and 95.
_IN_TABLE, _ROW_END, _LIST, _DEPTH, _LEVEL = 0x2416, 0x2417, 0x460B, 0x260A, 0x2640
_DELETED = b"\x00\x08\x01"
"""2.6.1, sprmCFRMarkDel: a tracked change deleted these letters."""
_KEPT = frozenset("\r\x07\x0c\x13\x14\x15")
"""Ends of paragraphs and fields, which stay even if deleted."""
_OLD_IN_TABLE, _OLD_ROW_END = 24, 25
_OLD_SIZES = {2: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 13: 1, 14: 1, 24: 1, 25: 1}


_MAGIC = (b"\xec\xa5", b"\xdc\xa5")
"""First bytes of Word 97 and later, and of Word 6 and 95."""


class Properties(NamedTuple):
    """The properties of a paragraph."""

    style: int = 0
    level: int = 9
    """Level of the outline, 0-8; 9 is body text."""
    in_table: bool = False
    row_end: bool = False
    list: int = -1
    """Number of its list; 0 for none, -1 for that of its style."""
    depth: int = -1
    """Depth in the list; -1 for that of its style."""


class _Piece(NamedTuple):
    """Characters first to last-1 of the document, at an offset of the file."""

    first: int
    last: int
    offset: int
    width: int


class Word:
    """One file. Raises Unreadable for other files."""

    def __init__(self, main: bytes, tables: tuple[bytes, bytes], most: int) -> None:
        """Read the tables of a file; `tables` are the streams 0Table and 1Table.

        `most` limits the characters read.
        """
        if len(main) < 0x200 or main[:2] not in _MAGIC:
            raise Unreadable("damaged doc")
        flags = short(main, 0x0A)  # 2.5.2, FibBase
        if flags & 0x8100:
            raise Unreadable("password-protected")
        self.old = main[:2] != _MAGIC[0] or short(main, 2) < 0xC1
        self._main = main
        self._table = main if self.old else tables[flags >> 9 & 1]
        self._most = most
        self._code_page = _code_page(main) if self.old else "cp1252"
        self.parts = _parts(main, 0x34 if self.old else 0x4C)
        self._pieces = list(self._read_pieces(bool(flags & 4)))
        self._starts = [piece.first for piece in self._pieces]
        self._deleted = list(_joined(sorted(self._read_deleted())))
        self._runs = sorted(self._read_paragraphs())
        self._run_starts = [run[0] for run in self._runs]

    # -- characters -------------------------------------------------------------------------------

    def characters(self, part: str) -> str:
        """Return a part's characters, special ones included, one for each that the file counts."""
        wanted = self.parts[part]
        last = min(wanted.stop, wanted.start + self._most)
        found: list[str] = []
        at = wanted.start
        for piece in self._pieces[max(0, bisect_right(self._starts, at) - 1) :]:
            if piece.first >= last:
                break
            start, stop = max(at, piece.first), min(last, piece.last)
            if start < stop:
                found.append(self._without_deleted(piece, start, self._decoded(piece, start, stop)))
                at = stop
        return "".join(found)

    def _decoded(self, piece: _Piece, start: int, stop: int) -> str:
        first = piece.offset + (start - piece.first) * piece.width
        data = self._main[first : first + (stop - start) * piece.width]
        if piece.width == 2:
            text = data.decode("utf-16-le", "surrogatepass")
            # Pairs of surrogates are two of the file's characters: a space keeps the count.
            return "".join(letter + " " if letter > "\uffff" else letter for letter in text)
        text = data.decode(self._code_page, "replace")
        if len(text) == len(data):
            return text
        return data.decode("latin-1") if not self.old else text.ljust(len(data))

    def _without_deleted(self, piece: _Piece, start: int, text: str) -> str:
        """Replace letters marked as deleted by as many 0x01, which show nothing."""
        first = piece.offset + (start - piece.first) * piece.width
        last = first + len(text) * piece.width
        shown: list[str] = []
        done = 0
        for at in range(max(0, bisect_right(self._deleted, (first, 0)) - 1), len(self._deleted)):
            begin, end = self._deleted[at]
            if begin >= last:
                break
            a, b = max(begin - first, 0) // piece.width, max(end - first, 0) // piece.width
            gone = (letter if letter in _KEPT else "\x01" for letter in text[max(a, done) : b])
            shown += (text[done:a], *gone)
            done = max(b, done)
        return "".join((*shown, text[done:])) if shown else text

    def _read_deleted(self) -> Iterator[tuple[int, int]]:
        """Yield the byte ranges of deleted letters (2.8.25 PlcBteChpx, 2.9.33 ChpxFkp)."""
        data = b"" if self.old else self.entry(_PAGES_OF_LETTERS)
        count = (len(data) - 4) // 8
        pages = (long(data, 4 * (count + 1) + 4 * number) & 0x3F_FFFF for number in range(count))
        for page in dict.fromkeys(pages):  # no page is two
            run = self._main[page * 512 : page * 512 + 512]
            if len(run) == 512 and _DELETED in run:
                yield from _deleted(run)

    def _read_pieces(self, is_complex: bool) -> Iterator[_Piece]:
        """Yield the pieces of text (2.9.38 Clx, 2.8.35 PlcPcd, 2.9.177 Pcd)."""
        data = self.entry(_PIECES, 0x160)
        total = max(part.stop for part in self.parts.values())
        if self.old and (not is_complex or not data):
            yield _Piece(0, total + 1, long(self._main, 0x18), 1)
            return
        table = _piece_table(data)
        count = (len(table) - 4) // 12
        for number in range(count):
            first, last = long(table, 4 * number), long(table, 4 * number + 4)
            offset = long(table, 4 * (count + 1) + 8 * number + 2)
            width = 1 if self.old else 2
            if not self.old and offset & 0x4000_0000:
                offset, width = (offset & 0x3FFF_FFFF) // 2, 1
            if 0 <= first < last and 0 <= offset < len(self._main):
                yield _Piece(first, min(last, first + len(self._main)), offset, width)

    def entry(self, number: int, old: int = 0) -> bytes:
        """Return the bytes at a pair of offset and size.

        `old` is the position of the pair in Word 6 and 95.
        """
        place = old if self.old else 0x9A + 8 * number
        if not place:
            return b""
        offset, size = long(self._main, place), long(self._main, place + 4)
        return self._table[offset : offset + size] if offset >= 0 and size > 0 else b""

    def behind(self, number: int) -> bytes:
        """Return the bytes of the table after those of a pair."""
        place = 0x9A + 8 * number
        end = long(self._main, place) + long(self._main, place + 4)
        return self._table[end:] if end > 0 else b""

    def places(self, number: int, size: int) -> list[int]:
        """Return the character positions of a list with entries of `size` bytes (2.2.2, PLC)."""
        data = self.entry(number)
        count = (len(data) - 4) // (4 + size) if len(data) >= 4 else -1
        return [long(data, 4 * at) for at in range(count + 1)]

    # -- paragraphs -------------------------------------------------------------------------------

    def properties(self, place: int) -> Properties:
        """Return the properties of the paragraph that ends at this character."""
        at = bisect_right(self._starts, place) - 1
        if at < 0 or place >= self._pieces[at].last:
            return Properties()
        piece = self._pieces[at]
        offset = piece.offset + (place - piece.first) * piece.width
        run = bisect_right(self._run_starts, offset) - 1
        if run < 0 or offset >= self._runs[run][1]:
            return Properties()
        return self._runs[run][2]

    def _read_paragraphs(self) -> Iterator[tuple[int, int, Properties]]:
        """Yield byte ranges and properties of paragraphs (2.8.26 PlcBtePapx, 2.9.174)."""
        data = self.entry(_PAGES_OF_PARAGRAPHS, 0xC0)
        width = 2 if self.old else 4
        count = (len(data) - 4) // (4 + width)
        places = (4 * (count + 1) + width * number for number in range(count))
        for page in dict.fromkeys(
            short(data, at) if self.old else long(data, at) & 0x3F_FFFF for at in places
        ):
            yield from self._page(self._main[page * 512 : page * 512 + 512])

    def _page(self, page: bytes) -> Iterator[tuple[int, int, Properties]]:
        if len(page) < 512:
            return
        runs = page[511]
        width = 7 if self.old else 13
        for number in range(min(runs, 508 // (4 + width))):
            first, last = long(page, 4 * number), long(page, 4 * number + 4)
            at = (
                page[4 * (runs + 1) + width * number] * 2
                if 4 * (runs + 1) + width * number < 511
                else 0
            )
            if at and last > first:
                yield first, last, self._paragraph(page, at)
            elif last > first:
                yield first, last, Properties()

    def _paragraph(self, page: bytes, at: int) -> Properties:
        """Return the properties at an offset of a page (2.9.175 PapxInFkp)."""
        size = page[at] * 2
        if self.old:
            return _old_properties(page[at + 1 : at + 1 + size])
        if size:
            return _properties(page[at + 1 : at + size])
        return _properties(page[at + 2 : at + 2 + page[at + 1] * 2] if at < 510 else b"")


def _parts(main: bytes, at: int) -> dict[str, range]:
    """Return the characters of each part, by the counts at an offset (2.5.4, FibRgLw97)."""
    found: dict[str, range] = {}
    start = 0
    for number, name in enumerate(_PARTS):
        end = start + max(0, long(main, at + 4 * number))
        found[name] = range(start, end)
        start = end
    return found


def _piece_table(data: bytes) -> bytes:
    """Return the PlcPcd after the property lists of a Clx (2.9.38)."""
    at = 0
    while at + 3 <= len(data) and data[at] == 1:
        at += 3 + short(data, at + 1)
    if at + 5 > len(data) or data[at] != 2:
        raise Unreadable("damaged doc")
    return data[at + 5 : at + 5 + long(data, at + 1)]


def _code_page(main: bytes) -> str:
    """Return the codec of a file of Word 6 or 95, by its system, language or letters."""
    if main[0x12] == 1:
        return "mac_roman"
    named = _CODE_PAGES.get(short(main, 6) & 0x3FF)
    return named or single_byte(main[max(long(main, 0x18), 0) : max(long(main, 0x1C), 0)][:100_000])


def _properties(data: bytes) -> Properties:
    return modified(Properties(style=short(data, 0)), data[2:]) if len(data) >= 2 else Properties()


def modified(found: Properties, data: bytes) -> Properties:
    """Apply a list of modifiers to properties (2.2.5.1, Sprm)."""
    at = 0
    while at + 3 <= len(data):
        name = short(data, at)
        value = data[at + 2 : at + 4]
        if name == _IN_TABLE:
            found = found._replace(in_table=bool(value[0]))
        elif name == _ROW_END:
            found = found._replace(row_end=bool(value[0]))
        elif name == _LIST:
            found = found._replace(list=short(value, 0))
        elif name == _DEPTH:
            found = found._replace(depth=value[0])
        elif name == _LEVEL:
            found = found._replace(level=value[0])
        at += 2 + _operand(name, data, at + 2)
    return found


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield sorted ranges, overlapping ones as one."""
    whole: tuple[int, int] | None = None
    for first, last in ranges:
        if whole and first <= whole[1]:
            whole = whole[0], max(whole[1], last)
            continue
        if whole:
            yield whole
        whole = first, last
    if whole:
        yield whole


def _deleted(page: bytes) -> Iterator[tuple[int, int]]:
    runs = page[511]
    for number in range(min(runs, 101)):
        at = page[4 * (runs + 1) + number] * 2 if 4 * (runs + 1) + number < 511 else 0
        if at and _DELETED in page[at + 1 : at + 1 + page[at]]:
            first, last = long(page, 4 * number), long(page, 4 * number + 4)
            if 0 <= first < last:
                yield first, last


def _operand(name: int, data: bytes, at: int) -> int:
    size = (1, 1, 2, 4, 2, 2, 0, 3)[name >> 13]
    if size:
        return size
    if name == 0xD608:  # sprmTDefTable, 2.9.316: its size takes two bytes
        return 1 + short(data, at)
    if name == 0xC615 and at < len(data) and data[at] == 255:  # sprmPChgTabs, 2.9.182
        return len(data)
    return 1 + data[at] if at < len(data) else 1


def _old_properties(data: bytes) -> Properties:
    """Read properties of Word 6 and 95; stop at a modifier of unknown size."""
    if not data:
        return Properties()
    found = Properties(style=data[0])
    at = 3 if len(data) > 3 else len(data)
    while at + 1 < len(data) and data[at] in _OLD_SIZES:
        if data[at] == _OLD_IN_TABLE:
            found = found._replace(in_table=bool(data[at + 1]))
        elif data[at] == _OLD_ROW_END:
            found = found._replace(row_end=bool(data[at + 1]))
        at += 1 + _OLD_SIZES[data[at]]
    return found


def short(data: bytes, at: int) -> int:
    """Return a number of two bytes; 0 beyond the end."""
    return int.from_bytes(data[at : at + 2], "little")


def long(data: bytes, at: int) -> int:
    """Return a signed number of four bytes; -1 beyond the end."""
    return int(struct.unpack_from("<i", data, at)[0]) if 0 <= at <= len(data) - 4 else -1
