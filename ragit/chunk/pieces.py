"""Make chunks that cover every non-blank line once, from pieces known by their first row.

A reader only tells where something begins, and a piece ends where the next begins, so that no line
is lost or repeated. Blank edges are trimmed, small neighbours grouped, oversize pieces cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from operator import attrgetter

from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.row import Language
from ragit.types import Chunk, Definition

MAX_SYMBOL = 120
MAX_SIGNATURE = 400
MAX_DOC = 1000
MAX_PARENT = 300
"""Limits of names kept besides the text, so that no input makes them larger than the text."""

ROOMY = 2
"""Factor on the size of groups of fields, constants and settings, which say little alone."""

_SCRAP = 200
"""Bytes of nameless lines too few for a separate chunk."""

ITEMS = frozenset(
    ("constant field variable property value declaration macro type imports code").split()
)
_REST = frozenset(("code", "imports", "text"))


class Piece:
    """A run of rows in the making; see types.Chunk for most fields."""

    __slots__ = (
        "row",
        "last",
        "whole",
        "stop",
        "kind",
        "start",
        "bodiless",
        "all_items",
        "definitions",
        "nested",
        "parent",
        "signature",
        "doc",
        "cuts",
        "path",
        "names",
    )

    def __init__(
        self,
        row: int,
        last: int,
        kind: str,
        symbol: str = "",
        parent: str = "",
        signature: str = "",
        doc: str = "",
        path: str = "",
    ) -> None:
        self.row = row
        self.last = last
        """Last row it is known to touch; whatever begins there or before belongs to it."""
        self.whole = last
        """Last row of the container that it is the head of."""
        self.stop = last + 1
        """The row after its last one, set when the next piece is known."""
        self.kind = kind
        self.start = row
        """The row where the definition itself begins, below its comments."""
        self.bodiless = False
        """True for a function declared without a body."""
        self.all_items: bool | None = None
        """For a group: whether all of its pieces are items."""
        self.definitions = [Definition(symbol, kind, row + 1)] if symbol else []
        self.nested: list[Definition] = []
        """Local definitions within those of this piece."""
        self.parent = parent
        self.signature = signature
        self.doc = doc
        self.path = path
        """For the head of a container: the parent of its content."""
        self.cuts: list[int] = []
        """Rows where it may be cut if it is too large."""

    @property
    def item(self) -> bool:
        """Return whether it is a one-line declaration, an import or code outside functions."""
        if self.all_items is not None:
            return self.all_items
        if self.kind in _REST:
            return True
        return self.last == self.start and (self.kind in ITEMS or self.bodiless)

    @property
    def symbols(self) -> list[str]:
        """Return the names of its definitions."""
        return [definition.name for definition in self.definitions]

    def absorb(self, other: Piece) -> None:
        """Merge the following piece into this one."""
        self.all_items = self.item and other.item
        if self.kind in _REST and other.definitions:
            self.kind, self.parent, self.path = other.kind, other.parent, other.path
            self.start, self.whole = other.start, other.whole
        elif self.kind in ITEMS and other.kind not in ITEMS:
            self.kind = other.kind  # a constant beside a function: the function names both
        self.cuts.append(other.row)
        self.cuts += other.cuts
        self.last = max(self.last, other.last)
        self.stop = other.stop
        self.definitions += other.definitions
        self.nested += other.nested
        self.signature = _join(self.signature, other.signature, "; ", MAX_SIGNATURE)
        self.doc = _join(self.doc, other.doc, " ", MAX_DOC)


def _join(one: str, other: str, by: str, limit: int) -> str:
    if not one or not other:
        return one or other
    return one if len(one) >= limit else f"{one}{by}{other}"[:limit]


def chunks_of(
    lines: Lines, pieces: list[Piece], options: ChunkOptions, row: Language
) -> tuple[Chunk, ...]:
    """Return the chunks of a text from a reader's pieces, in order of their rows."""
    pieces = _trimmed(lines, pieces)
    _move_late_names(pieces)
    if options.min_bytes or options.item_bytes:
        pieces = _grouped(lines, pieces, options, row)
    if options.item_bytes:
        pieces = _without_scraps(lines, pieces, options)
    return exact(lines, pieces, options, row.join)


def exact(
    lines: Lines, pieces: Iterable[Piece], options: ChunkOptions, join: str
) -> tuple[Chunk, ...]:
    """Return a chunk for each piece; an oversize one is cut.

    The pieces' rows and ends are known and not blank.
    """
    made: list[Chunk] = []
    for piece in pieces:
        if (
            piece.stop - piece.row <= options.max_lines
            and lines.size(piece.row, piece.stop) <= options.max_bytes
        ):
            made.append(_chunk(lines, piece))
        else:
            made += _cut(lines, piece, options, join)
    return tuple(made)


def _trimmed(lines: Lines, pieces: list[Piece]) -> list[Piece]:
    """Give each piece the rows up to the next one without blank edges; drop pieces without rows."""
    if not pieces:
        pieces = [Piece(0, 0, "text")]
    pieces[0].row = 0
    kept = []
    stop = lines.count
    for piece in reversed(pieces):
        row, end = lines.trimmed(piece.row, stop)
        stop = piece.row
        if row < end:
            piece.row, piece.stop = row, end
            kept.append(piece)
    kept.reverse()
    return kept


def _move_late_names(pieces: list[Piece]) -> None:
    """Move each definition to the piece with its line: a C variable follows its type's members."""
    for piece in pieces:
        for each in [late for late in piece.definitions if late.line > piece.stop]:
            piece.definitions.remove(each)
            holder = _holder(pieces, each.line)
            if not holder.definitions:
                holder.kind, holder.parent, holder.start = piece.kind, piece.parent, each.line - 1
                holder.signature, holder.doc = piece.signature, piece.doc
            holder.definitions.append(each)
        for each in [late for late in piece.nested if late.line > piece.stop]:
            piece.nested.remove(each)
            _holder(pieces, each.line).nested.append(each)


def _holder(pieces: list[Piece], line: int) -> Piece:
    """Return the piece with a line, counted from 1."""
    return pieces[min(bisect_left(pieces, line, key=attrgetter("stop")), len(pieces) - 1)]


def _grouped(
    lines: Lines, pieces: list[Piece], options: ChunkOptions, row: Language
) -> list[Piece]:
    grouped: list[Piece] = []
    paths: set[str] = set()
    for piece in pieces:
        if grouped and _belong(lines, grouped[-1], piece, paths, options, row):
            if piece.path:
                paths.add(piece.path)
            grouped[-1].absorb(piece)
        else:
            grouped.append(piece)
            paths = {piece.path} if piece.path else set()
    return grouped


def _without_scraps(lines: Lines, pieces: list[Piece], options: ChunkOptions) -> list[Piece]:
    """Join a few nameless lines, such as a package clause, to the following definition."""
    kept: list[Piece] = []
    for piece in pieces:
        before = kept[-1] if kept else None
        if (
            before is not None
            and before.kind in _REST
            and not before.definitions
            and piece.definitions
            and piece.parent == before.parent
            and lines.size(before.row, before.stop) <= _SCRAP
            and lines.size(before.row, piece.stop) <= options.max_bytes
            and piece.stop - before.row <= options.max_lines
        ):
            before.absorb(piece)
        else:
            kept.append(piece)
    return kept


def _belong(
    lines: Lines, group: Piece, piece: Piece, paths: set[str], options: ChunkOptions, row: Language
) -> bool:
    """Return whether a piece may join the group before it.

    Both must have the same parent, or the piece is inside the group (`paths`), and both together
    must be small.
    """
    inside = piece.parent in paths
    if not inside and piece.parent != group.parent:
        return False
    stop = _end_with_members(lines, piece)
    size = lines.size(group.row, stop)
    if size > options.max_bytes or stop - group.row > options.max_lines:
        return False
    if row.clauses and _is_next_clause(group, piece):
        return True
    return size <= _group_limit(group, piece, inside, options, row)


def _end_with_members(lines: Lines, piece: Piece) -> int:
    """Return the row after a piece and its members, which join a group all or not at all."""
    if not piece.path:
        return piece.stop
    return max(piece.stop, min(piece.whole + 1, lines.count))


def _is_next_clause(group: Piece, piece: Piece) -> bool:
    """Return whether a piece is another clause of the function at the end of the group."""
    if piece.parent != group.parent or not piece.definitions:
        return False
    return piece.symbols == group.symbols[-1:]


def _group_limit(
    group: Piece, piece: Piece, inside: bool, options: ChunkOptions, row: Language
) -> int:
    """Return the size limit of a group with this piece; data and small items are allowed more."""
    roomy = row.data or (piece.kind in ITEMS and (inside or group.kind == piece.kind))
    limit = options.min_bytes * (ROOMY if roomy else 1)
    if row.data or (piece.item and (inside or group.item)):
        limit = max(limit, options.item_bytes)
    return limit


def _cut(lines: Lines, piece: Piece, options: ChunkOptions, join: str) -> Iterable[Chunk]:
    """Yield an oversize piece as several chunks.

    It is cut at its parts, else between lines, else inside a line. The part with the definition's
    name has its name, signature and comment.
    """
    inner = piece.path or join.join(filter(None, (piece.parent, *piece.symbols[:1])))
    named = piece.definitions[0].line if piece.definitions else piece.row + 1
    for first, stop in _parts(lines, piece, options):
        part = Piece(first, stop - 1, piece.kind, parent=inner)
        part.definitions = [each for each in piece.definitions if first < each.line <= stop]
        part.nested = [each for each in piece.nested if first < each.line <= stop]
        if stop >= named:
            part.signature = piece.signature
        if first < named <= stop:
            part.parent, part.doc = piece.parent, piece.doc
        if lines.size(first, stop) <= options.max_bytes:
            yield _chunk(lines, part)
        else:
            yield from _slices(lines, part, options)


def _parts(lines: Lines, piece: Piece, options: ChunkOptions) -> Iterable[tuple[int, int]]:
    """Yield the first row and the end of each part of an oversize piece, without blank edges."""
    cuts = sorted({cut for cut in piece.cuts if piece.row < cut < piece.stop})
    first = piece.row
    while first < piece.stop:
        stop = _room(lines, first, piece.stop, options)
        if first < piece.start < stop < piece.stop and _fits(lines, piece, options):
            stop = piece.start  # the comment is cut, not the definition
        elif stop < piece.stop:
            # At the last cut that leaves something before it, else at the limit.
            at = bisect_right(cuts, stop) - 1
            stop = cuts[at] if at >= 0 and cuts[at] > first else stop
        yield lines.trimmed(first, stop)
        first, _ = lines.trimmed(stop, piece.stop)


def _fits(lines: Lines, piece: Piece, options: ChunkOptions) -> bool:
    """Return whether a definition without its comment fits into one chunk."""
    few = piece.stop - piece.start <= options.max_lines
    return few and lines.size(piece.start, piece.stop) <= options.max_bytes


def _room(lines: Lines, first: int, stop: int, options: ChunkOptions) -> int:
    """Return the end, at most `stop`, of the rows from `first` on that fit into a chunk, at least
    one.
    """
    stop = min(stop, first + options.max_lines)
    last = (
        bisect_right(lines.starts, lines.starts[first] + options.max_bytes, first + 1, stop + 1) - 1
    )
    return max(first + 1, last)


_BREAK = re.compile(rb"[\s,;{}()\[\]]")


def _slices(lines: Lines, piece: Piece, options: ChunkOptions) -> Iterable[Chunk]:
    """Yield one over-long line as several chunks."""
    start, end = lines.starts[piece.row], lines.end_of(piece.stop)
    text = lines.text
    while start < end:
        stop = min(end, start + options.max_bytes)
        if stop < end:
            stop = _break_before(text, start, stop)
        if not text[start:stop].isspace():
            yield _chunk_at(piece, piece.row + 1, piece.stop, start, stop, text[start:stop])
            piece.definitions, piece.nested, piece.doc = [], [], ""
        start = stop


def _break_before(text: bytes, start: int, stop: int) -> int:
    """Return where to cut an over-long line, at or before `stop`: after a space or punctuation."""
    window = max(start + 1, stop - 200)
    found = [match.end() for match in _BREAK.finditer(text, window, stop)]
    if found:
        return found[-1]
    while stop > start + 1 and text[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop


def _chunk(lines: Lines, piece: Piece) -> Chunk:
    start, end = lines.starts[piece.row], lines.end_of(piece.stop)
    return _chunk_at(piece, piece.row + 1, piece.stop, start, end, lines.text[start:end])


def _chunk_at(piece: Piece, first: int, last: int, start: int, end: int, text: bytes) -> Chunk:
    return Chunk(
        first,
        last,
        start,
        end,
        text.decode("utf-8"),
        piece.kind,
        " ".join(dict.fromkeys(piece.symbols)),
        piece.parent,
        piece.signature,
        piece.doc,
        definitions=_listed(piece),
    )


def _listed(piece: Piece) -> tuple[Definition, ...]:
    """Return the definitions of a piece in order of their lines, each once."""
    both = dict.fromkeys((*piece.definitions, *piece.nested))
    return tuple(sorted(both, key=lambda each: each.line))
