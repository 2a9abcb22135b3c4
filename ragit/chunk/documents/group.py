"""Group the blocks of a document to one text with chunks. Pure.

Each chunk has whole lines of the text. Long paragraphs are wrapped, and a table's header row is
repeated above each chunk with rows of it, so a hit is shown by lines like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from ragit.chunk.documents.block import Block, Place
from ragit.chunk.documents.place import worded
from ragit.chunk.options import DocumentOptions
from ragit.chunk.pieces import MAX_PARENT, MAX_SYMBOL
from ragit.types import Chunk

WIDTH = 120
"""Columns at which paragraphs are wrapped, since a hit shows the matching lines."""

ROWS = 4
"""Size of a chunk of rows in multiples of one of paragraphs; one row says little."""

_SET = frozenset(("table", "code"))
"""Kinds whose lines keep their breaks."""
_CLOSE = frozenset(("table", "list"))
"""Kinds whose blocks have no blank line between them."""

_LINE_END = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+")
_BLANK = re.compile(r"[ \t\u00a0]+")


class _Part:
    """A block, or as much of one as fits into a chunk, as lines of the text."""

    __slots__ = ("lines", "size", "block", "headings", "repeat", "goes_on")

    def __init__(
        self, lines: list[str], block: Block, headings: tuple[str, ...], repeat: str, goes_on: bool
    ) -> None:
        self.lines = lines
        self.size = sum(map(_size, lines))
        self.block = block
        self.headings = headings
        self.repeat = repeat
        self.goes_on = goes_on
        """It continues the block of the part before it."""

    @property
    def is_heading(self) -> bool:
        return self.block.kind == "heading"


class _Group:
    """A chunk being made."""

    __slots__ = ("parts", "size", "names")

    def __init__(self, part: _Part) -> None:
        self.parts = [part]
        self.size = part.size + _size(part.repeat)
        self.names = [part.headings[-1]] if part.is_heading and part.headings else []
        """Titles that it defines."""

    @property
    def headings(self) -> tuple[str, ...]:
        """Titles above following text without a heading of its own."""
        return self.parts[-1].headings

    @property
    def parent(self) -> tuple[str, ...]:
        """The path of titles around it, without its own."""
        if not self.parts[0].is_heading:
            return self.parts[0].headings
        last = next(part for part in reversed(self.parts) if part.is_heading)
        return last.headings[:-1]

    def add(self, part: _Part) -> None:
        if part.is_heading and part.headings:
            self.names = [part.headings[-1]]  # the title above is in its path
        self.parts.append(part)
        self.size += part.size + 1

    def absorb(self, other: _Group) -> None:
        self.parts += other.parts
        self.names += other.names
        self.size += other.size + 1


def compose(blocks: Iterable[Block], options: DocumentOptions) -> tuple[bytes, tuple[Chunk, ...]]:
    """Return the text of a document, and its chunks."""
    groups = _merged(_grouped(_parts(blocks, options.max_bytes), options), options)
    return _written(groups)


def _parts(blocks: Iterable[Block], most: int) -> Iterator[_Part]:
    above: tuple[str, ...] | None = None
    headings: tuple[str, ...] = ()
    for block in blocks:
        lines = _lines(block)
        if not lines:
            continue
        if block.headings != above:  # most blocks share them with the block before
            above = block.headings
            headings = tuple(filter(None, (line_of(title, MAX_SYMBOL) for title in above)))
        repeat = line_of(block.repeat, most // 8)
        room = most - _size(repeat) if repeat else most
        for number, cut in enumerate(_cut(lines, room)):
            yield _Part(cut, block, headings, repeat, number > 0)


def _lines(block: Block) -> list[str]:
    if block.text.isprintable():  # most are one line without control characters
        lines = [block.text.rstrip()]
    else:
        lines = [_CONTROL.sub(" ", line).rstrip() for line in _LINE_END.split(block.text)]
    if block.kind not in _SET:
        lines = list(chain.from_iterable(map(_wrapped, lines)))
    while lines and not lines[-1]:
        lines.pop()
    first = next((at for at, line in enumerate(lines) if line), 0)
    return lines[first:]


def line_of(text: str, most: int) -> str:
    """Return text as one line of at most `most` characters, without control characters."""
    if len(text) <= most and text.isprintable() and "  " not in text:
        return text.strip()
    return _BLANK.sub(" ", _CONTROL.sub(" ", _LINE_END.sub(" ", text[: 4 * most]))).strip()[:most]


def _size(line: str) -> int:
    """Return the bytes of a line with its end."""
    return (len(line) if line.isascii() else len(line.encode())) + 1


def _wrapped(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > WIDTH:
        stop = line.rfind(" ", start + 1, start + WIDTH + 1)
        if stop < 0:
            stop = line.find(" ", start + WIDTH)
            if stop < 0:
                break
        yield line[start:stop].rstrip()
        start = stop + 1
    yield line[start:] if start else line


def _cut(lines: list[str], room: int) -> Iterator[list[str]]:
    """Yield the lines in runs of at most `room` bytes; cut longer lines."""
    run: list[str] = []
    used = 0
    for line in chain.from_iterable(_sliced(line, room) for line in lines):
        size = _size(line)
        if run and used + size > room:
            yield run
            run, used = [], 0
        run.append(line)
        used += size
    if any(run):
        yield run


def _sliced(line: str, room: int) -> Iterator[str]:
    """Yield a line in pieces of at most `room` bytes, cut after spaces if possible."""
    if _size(line) <= room:
        yield line
        return
    data = line.encode()
    start = 0
    while start < len(data):
        stop = min(len(data), start + room - 1)
        if stop < len(data):
            space = data.rfind(b" ", start + room // 2, stop)
            stop = space + 1 if space > 0 else _letter(data, start, stop)
        piece = data[start:stop].decode("utf-8", "replace").rstrip()
        if piece:
            yield piece
        start = stop


def _letter(data: bytes, start: int, stop: int) -> int:
    """Return the nearest offset at or before `stop` that is not within a letter."""
    while stop > start + 1 and data[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop


def _grouped(parts: Iterable[_Part], options: DocumentOptions) -> list[_Group]:
    groups: list[_Group] = []
    for part in parts:
        if groups and _joins(groups[-1], part, options):
            groups[-1].add(part)
        else:
            groups.append(_Group(part))
    return groups


def _joins(group: _Group, part: _Part, options: DocumentOptions) -> bool:
    """Return whether a part belongs to the group before it."""
    last = group.parts[-1]
    extra = _size(part.repeat) if part.repeat and part.repeat != last.repeat else 0
    if (
        part.block.place.within != last.block.place.within
        or group.size + part.size + extra + 1 > options.max_bytes
    ):
        return False
    if part.is_heading:
        return last.is_heading and part.headings[:-1] == last.headings
    if part.headings != last.headings:
        return False
    return last.is_heading or group.size < options.min_bytes * (
        ROWS if part.block.kind == "table" else 1
    )


def _merged(groups: list[_Group], options: DocumentOptions) -> list[_Group]:
    """Join remainders to the group before them, and small sections to their neighbours."""
    merged: list[_Group] = []
    for group in groups:
        if merged and _belongs(merged[-1], group, options):
            merged[-1].absorb(group)
        else:
            merged.append(group)
    return merged


def _belongs(last: _Group, group: _Group, options: DocumentOptions) -> bool:
    size = last.size + group.size + 1
    if (
        size > options.max_bytes
        or last.parts[-1].block.place.within != group.parts[0].block.place.within
    ):
        return False
    if not group.parts[0].is_heading:
        return group.size < options.min_bytes // 2 and last.headings == group.headings
    return size <= options.min_bytes and bool(last.names) and last.parent == group.parent


def _written(groups: Sequence[_Group]) -> tuple[bytes, tuple[Chunk, ...]]:
    pieces: list[bytes] = []
    chunks: list[Chunk] = []
    offset, row = 0, 1
    for group in groups:
        lines, numbers = zip(*_set_out(group), strict=True)
        text = "\n".join(lines)
        data = text.encode()
        chunk = _chunk(group, text, (row, row + len(lines) - 1), (offset, offset + len(data)))
        if len({*numbers, 0}) > 2 and ", " not in chunk.place:
            chunk = chunk._replace(numbers=numbers)
        chunks.append(chunk)
        pieces.append(data + b"\n")
        offset += len(data) + 2
        row += len(lines) + 1
    return b"\n".join(pieces), tuple(chunks)


def _set_out(group: _Group) -> Iterator[tuple[str, int]]:
    """Yield the lines of a chunk, each with its row, page or cell; 0 for none."""
    first = group.parts[0]
    if first.repeat and first.lines[0] != first.repeat:
        yield first.repeat, 0
    yield from _numbered(first)
    for before, part in pairwise(group.parts):
        if not part.goes_on and not _close(before, part):
            yield "", 0
        if part.repeat and part.repeat != before.repeat and part.lines[0] != part.repeat:
            yield part.repeat, 0
        yield from _numbered(part)


def _numbered(part: _Part) -> Iterator[tuple[str, int]]:
    # The name of a sheet is on no row.
    place = part.block.place
    number = place.first if place.unit and not (part.is_heading and place.unit == "row") else 0
    return ((line, number if line else 0) for line in part.lines)


def _close(before: _Part, part: _Part) -> bool:
    return (
        before.block.kind == part.block.kind
        and part.block.kind in _CLOSE
        and before.repeat == part.repeat
    )


def _chunk(group: _Group, text: str, rows: tuple[int, int], span: tuple[int, int]) -> Chunk:
    led = group.parts[0].is_heading
    return Chunk(
        *rows,
        *span,
        text,
        kind="section" if led else line_of(group.parts[0].block.kind, 20) or "text",
        symbol=" ".join(dict.fromkeys(group.names))[:MAX_SYMBOL] if led else "",
        parent=" > ".join(group.parent)[:MAX_PARENT],
        place=worded(map(_place, group.parts)),
    )


def _place(part: _Part) -> Place:
    place = part.block.place
    return place._replace(within=line_of(place.within, MAX_SYMBOL), unit=line_of(place.unit, 20))
