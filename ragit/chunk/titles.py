"""Read reStructuredText and AsciiDoc: sections with the path of titles above them.

Both are split by rules: the available grammar for reStructuredText lists titles without their
levels, which follow from the order in which adornments first occur, and AsciiDoc has none. Lines
that only resemble a title (in a literal block, a table, a comment, the body of a directive) are
recognised by their place, never by their text.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import MAX_PARENT, MAX_SYMBOL, Piece


class _Outline:
    """Pieces of a text, built from its titles and the rows where a long section may be cut."""

    __slots__ = ("pieces", "_above", "_ranks", "_anchor")

    def __init__(self) -> None:
        self.pieces = [Piece(0, 0, "text")]
        self._above: list[tuple[int, str]] = []
        self._ranks: dict[bytes, int] = {}
        self._anchor = -1

    def rank(self, style: bytes) -> int:
        """Return the level of an adornment; a new one is a level below the title above it."""
        return self._ranks.setdefault(style, self._above[-1][0] + 1 if self._above else 0)

    def anchor(self, row: int) -> None:
        """Keep a row for the title that follows, if nothing comes between."""
        if self._anchor < 0:
            self._anchor = row

    def text(self) -> None:
        """Add a row to the section so far."""
        self._anchor = -1

    def cut(self, row: int) -> None:
        """Add a row where a long section may be cut, but not between an anchor and its target."""
        if self._anchor < 0:
            self.pieces[-1].cuts.append(row)

    def title(self, row: int, rank: int, title: str) -> None:
        """Begin a section whose title begins in this row."""
        while self._above and self._above[-1][0] >= rank:
            self._above.pop()
        parent = self._path()
        self._above.append((rank, title))
        first = row if self._anchor < 0 else self._anchor
        self.pieces.append(Piece(first, row, "section", title, parent, path=self._path()))
        self._anchor = -1

    def _path(self) -> str:
        path = ""
        for _, title in self._above:
            if (
                len(path) <= MAX_PARENT
            ):  # many levels do not make it longer than the text below them
                path = f"{path} > {title}" if path else title
        return path


def _rows(lines: Lines) -> list[bytes]:
    """Return the lines without their ends and trailing white space."""
    starts, text = lines.starts, lines.text
    return [text[starts[row] : starts[row + 1]].rstrip() for row in range(lines.count)]


def _worded(title: bytes, markup: re.Pattern[str]) -> str:
    """Return a title without markup, unless it is nothing but markup."""
    words = " ".join(title[: 4 * MAX_SYMBOL].decode("utf-8", "ignore").split())[:MAX_SYMBOL]
    return markup.sub("", words).strip() or words


# -- reStructuredText -----------------------------------------------------------------------------

_ADORNMENT = re.compile(rb"([!-/:-@\[-`{-~])\1*$")
_EXPLICIT = re.compile(rb"(?:\.\.|__)(?: |$)")
_ANCHOR = re.compile(rb"\.\. (?:_[^\n]*:|index::[^\n]*)$")
_ITEM = re.compile(rb"(?:[-*+]|\xe2\x80\xa2) ")
_NO_TITLE = re.compile(rb"(?:\.\.|__)(?: |$)|(?:[-*+|]|>>>|\xe2\x80\xa2) |:[^:`\s][^:`]*:(?: |$)")
"""Begins text that is no paragraph: explicit markup, list items, lines of verse, sessions,
fields.
"""
_TABLE = re.compile(rb"=+(?: +=+)+$")
_BORDER = re.compile(rb"=[ =]*$")
_ROLE = re.compile(r":[A-Za-z][\w:+.-]*:(?=`)| ?<[^<>`]*>(?=`)|`+")


def rst(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return the sections of reStructuredText.

    A title begins a paragraph in the first column; bodies of directives, literal blocks and cells
    of grids never begin there.
    """
    rows = _rows(lines)
    borders = [
        row for row, line in enumerate(rows) if line.startswith(b"=") and _BORDER.match(line)
    ]
    outline = _Outline()
    row, fresh = 0, True
    while row < len(rows):
        found = _rst_title(rows, row) if fresh else None
        if found is not None:
            style, title, stop = found
            outline.title(row, outline.rank(style), _worded(title, _ROLE))
            row, fresh = stop, True
            continue
        stop = _table_end(rows, borders, row) + 1 if fresh else row + 1
        fresh = _rst_row(outline, rows, row, fresh)
        row = stop
    return outline.pieces


def _rst_title(rows: list[bytes], row: int) -> tuple[bytes, bytes, int] | None:
    """Return adornment, text and next row of the title in a row; None if none begins."""
    line = rows[row]
    if row + 1 >= len(rows) or not line or line[:1].isspace():
        return None
    if _ADORNMENT.match(line):
        return _framed_title(rows, row)
    return _underlined_title(rows, row)


def _framed_title(rows: list[bytes], row: int) -> tuple[bytes, bytes, int] | None:
    """Return the title between the adornment in a row and one below; None if there is none."""
    line, title = rows[row], rows[row + 1].lstrip()
    under = rows[row + 2] if row + 2 < len(rows) else b""
    if under[:1] != line[:1] or not _ADORNMENT.match(under):
        return None
    if not title or _ADORNMENT.match(title) or not _wide(line, title):
        return None
    return line[:1] * 2, title, row + 3


def _underlined_title(rows: list[bytes], row: int) -> tuple[bytes, bytes, int] | None:
    """Return the title in a row with an adornment below; None if there is none."""
    line, under = rows[row], rows[row + 1]
    if not _ADORNMENT.match(under) or under == b"::":
        return None
    if _NO_TITLE.match(line) or not _wide(under, line):
        return None
    return under[:1], line, row + 2


def _wide(adornment: bytes, title: bytes) -> bool:
    """Return whether a line is long enough to adorn a title and not some other mark."""
    return len(adornment) >= 4 or len(adornment) >= len(title.decode("utf-8", "ignore"))


def _rst_row(outline: _Outline, rows: list[bytes], row: int, fresh: bool) -> bool:
    """Add a row that begins no title; return whether a paragraph may follow."""
    line = rows[row]
    if not line:
        return True
    parted = row > 0 and not rows[row - 1]
    if line[:1].isspace():
        if parted and line.lstrip().startswith(b".. "):
            outline.cut(row)
        return True
    if parted:
        outline.cut(row)
    if fresh and _ANCHOR.match(line):
        outline.anchor(row)
        return True
    outline.text()
    return bool(_EXPLICIT.match(line) or _ITEM.match(line))


def _table_end(rows: list[bytes], borders: list[int], row: int) -> int:
    """Return the last row of the simple table that begins in a row; the row itself without one."""
    if not rows[row].startswith(b"=") or not _TABLE.match(rows[row]):
        return row
    at = bisect_right(borders, row)
    following = borders[at : at + 2]  # below the head, if it has one, and below the body
    if not following:
        return row
    parted = following[0] + 1 == len(rows) or not rows[following[0] + 1]
    return following[0] if parted else following[-1]


# -- AsciiDoc -------------------------------------------------------------------------------------

_BLOCK = re.compile(rb"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|[|,:!]={3,}|`{3,}[^`]*)$")
_HEADING = re.compile(rb"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_UNDERLINE = re.compile(rb"([=~^+-])\1{2,}$")
_LEVELS = b"=-~^+"
_MACRO = re.compile(
    r"\[\[[^\[\]]*\]\]|\b(?:https?|mailto|link|xref|anchor):[^\s\[\]]*\[|(?<=[^\[\]])\]$|`+"
)
"""An anchor, or the address before the words of a link and the bracket that ends the title with
them.
"""
_NO_HEADING = re.compile(rb"[.\[/]|[-*] |.*(?:::|;;)$")
"""Begins a line above an underline that is no title: a block's title or attributes, a comment, list
items; or ends a term.
"""
_BEFORE = re.compile(rb"\[.*\]$|//(?!/)|ifn?def::")
"""Anchors, attributes, comments and conditions, which belong to what follows."""
_ENTRY = re.compile(rb":!?\w[\w-]*!?:(?: |$)|(?:include|endif|ifeval)::|\.[^ .\t]")
"""Settings, directives and a block's title: a title may follow at once."""


def asciidoc(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return the sections of AsciiDoc, by titles of both kinds.

    No title begins inside a delimited block or a paragraph.
    """
    rows = _rows(lines)
    last = {_mark(line): row for row, line in enumerate(rows) if _BLOCK.match(line)}
    outline = _Outline()
    row, fresh, hidden = 0, True, b""
    while row < len(rows):
        line = rows[row]
        found = _heading(rows, row) if fresh and not hidden else None
        if found is not None:
            rank, title, stop = found
            outline.title(row, rank, _worded(title, _MACRO))
            row, fresh = stop, True
            continue
        if hidden:
            hidden, fresh = (b"", True) if line == hidden else (hidden, False)
        else:
            fresh = _asciidoc_row(outline, rows, row)
            hidden = _mark(line) if _BLOCK.match(line) and last[_mark(line)] > row else b""
        row += 1
    return outline.pieces


def _mark(line: bytes) -> bytes:
    """Return the line that closes the block opened by a line."""
    return b"```" if line.startswith(b"```") else line


def _heading(rows: list[bytes], row: int) -> tuple[int, bytes, int] | None:
    """Return rank, text and next row of the title in a row; None if none begins."""
    line = rows[row]
    found = _HEADING.match(line)
    if found:
        mark, title = found.groups()
        return len(mark) - 1, title.removesuffix(mark).rstrip() or title, row + 1
    under = rows[row + 1] if row + 1 < len(rows) else b""
    if not _UNDERLINE.match(under) or _NO_HEADING.match(line):
        return None
    text = line.decode("utf-8", "ignore")
    if abs(len(text) - len(under)) > 1 or not any(map(str.isalnum, text)):
        return None
    return _LEVELS.index(under[:1]), line, row + 2


def _asciidoc_row(outline: _Outline, rows: list[bytes], row: int) -> bool:
    """Add a row that begins no title or block; return whether a paragraph may follow."""
    line = rows[row]
    if not line:
        return True
    if row > 0 and not rows[row - 1]:
        outline.cut(row)
    if _BEFORE.match(line):
        outline.anchor(row)
        return True
    outline.text()
    return bool(_ENTRY.match(line) or _BLOCK.match(line))
