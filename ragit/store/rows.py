"""The records of the store, and checks of rows read: a file can contain anything."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import sub
from typing import Any

from ragit.records import NamedTuple, Record
from ragit.types import CONTAINERS, Chunk, Definition, Oid

_LARGEST = 1 << 28
"""Limit of a stored file's bytes and lines; more is damage."""


class DamagedRow(Exception):
    """A row contains something that ragit never writes."""


@contextmanager
def unpacking() -> Iterator[None]:
    """Raise errors of the code inside as DamagedRow: use it only around the unpacking of
    columns.
    """
    try:
        yield
    except (AttributeError, OverflowError, TypeError, ValueError, zlib.error) as error:
        raise DamagedRow(f"a row cannot be read ({error})") from error


def checked(row: Any, kinds: tuple[type, ...]) -> Any:
    """Return a row after checking the types of its columns. Raises DamagedRow."""
    if tuple(map(type, row)) != kinds:
        raise DamagedRow("a column has the wrong type")
    return row


def unpacked_oid(raw: object = None) -> Oid:
    """Return a stored blob's id. Raises DamagedRow."""
    if not isinstance(raw, bytes) or len(raw) not in (20, 32):
        raise DamagedRow("a blob has no name")
    return Oid(raw.hex())


_FIELD = r"[^\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*"
_PACKED = re.compile(rf"(?:-?\d{{1,9}}\t{_FIELD}\t{_FIELD}(?:\n|\Z))*")
"""Definitions that can certainly be unpacked, checked without unpacking, which a ranking does not
need.
"""

CHUNK_COLUMNS = (
    "hash, start_line, end_line, start, end, kind, symbol, parent, signature, place, definitions"
)
"""Columns of the table `chunk`, in the order of ChunkRow."""


def chunk_row(row: Sequence[Any]) -> ChunkRow:
    """Return a chunk as stored. Raises DamagedRow."""
    found = ChunkRow(*checked(row, _CHUNK_KINDS))
    size, lines = found.end - found.start, found.end_line - found.start_line
    if not (found.start >= 0 and 0 <= size < _LARGEST and 0 <= lines < _LARGEST):
        raise DamagedRow("a chunk is nowhere in its file")
    if found.packed and not _PACKED.fullmatch(found.packed):
        with unpacking():
            _ = found.definitions
    return found


def chunk_row_table(rows: Sequence[tuple[Any, ...]]) -> dict[int, ChunkRow]:
    """Return chunks by number from rows of (number, columns of a chunk). Raises DamagedRow.

    The checks of `chunk_row` run on whole columns, in a third of the time; if one fails, row by
    row, for the message.
    """
    if _are_sound(rows):
        return {row[0]: ChunkRow._make(row[1:]) for row in rows}
    return {row[0]: chunk_row(row[1:]) for row in rows}


def _are_sound(rows: Sequence[tuple[Any, ...]]) -> bool:
    if not rows:
        return True
    columns = list(zip(*rows, strict=True))
    if not _have_kinds(columns, (int, *_CHUNK_KINDS)):
        return False
    _, _, first, last, start, end, *_, packed = columns
    spans = [*map(sub, last, first), *map(sub, end, start)]
    if min(start) < 0 or min(spans) < 0 or max(spans) >= _LARGEST:
        return False
    return None not in map(_PACKED.fullmatch, packed)


def _have_kinds(columns: Iterable[Sequence[Any]], kinds: Sequence[type]) -> bool:
    return all(
        set(map(type, column)) == {kind} for column, kind in zip(columns, kinds, strict=True)
    )


def checked_rows(rows: Sequence[Any], kinds: Sequence[type], count: int) -> Sequence[Any]:
    """Return rows after checking their number and the types of their columns. Raises DamagedRow."""
    if len(rows) != count:
        raise DamagedRow("a row is not there")
    if rows and not _have_kinds(zip(*rows, strict=True), kinds):
        raise DamagedRow("a column has the wrong type")
    return rows


def number_list(numbers: Iterable[int]) -> str:
    """Return numbers as JSON, for SQLite's `json_each`: one statement instead of many."""
    return f"[{','.join(map(str, numbers))}]"


class ChunkRow(NamedTuple):
    """A chunk as stored: everything but its text, which is read from the blob."""

    hash: bytes
    start_line: int
    end_line: int
    start: int
    end: int
    kind: str
    symbol: str
    parent: str
    signature: str
    place: str = ""
    packed: str = ""
    """Its definitions, in the form of `pack_definitions`."""

    @property
    def names(self) -> list[str]:
        """The names that it defines, in order of lines."""
        return [line.rpartition("\t")[2] for line in self.packed.split("\n")] if self.packed else []

    def line_of(self, index: int) -> int:
        """Return the line of a definition, by its index."""
        return self.start_line + int(self.packed.split("\n")[index].partition("\t")[0])

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The names that it defines, with kinds and lines."""
        return unpack_definitions(self.packed, self.start_line)

    def owner_of(self, index: int) -> str:
        """Return the names around a definition, by its index: the first definition may contain the
        others.
        """
        if not index or self.kind == "section":
            return self.parent
        _, kind, rest = self.packed.split("\t", 2)
        if kind not in CONTAINERS:
            return self.parent
        first = rest.partition("\n")[0]
        return f"{self.parent}.{first}" if self.parent else first


def unpack_definitions(packed: str, start_line: int) -> tuple[Definition, ...]:
    """Return the packed definitions of a chunk that begins at `start_line`."""
    fields = (line.split("\t") for line in packed.splitlines())
    return tuple(Definition(name, kind, start_line + int(offset)) for offset, kind, name in fields)


def pack_definitions(chunk: Chunk) -> str:
    """Return a chunk's definitions as text, one a line. Line numbers are relative to the chunk's
    first.
    """
    return "\n".join(
        f"{each.line - chunk.start_line}\t{each.kind}\t{' '.join(each.name.split())}"
        for each in chunk.definitions
    )


_CHUNK_KINDS = (bytes, int, int, int, int, str, str, str, str, str, str)


class StoredChunking(NamedTuple):
    """A stored chunking without its chunks."""

    number: int
    length: int
    """Number of words."""
    skipped: str
    """Reason why it has no chunks, or only chunks by lines; empty otherwise."""
    chunks: int
    embedded: bool
    """True if it has all vectors of the embedder in question."""


class NewChunking(Record):
    """A blob's chunks, words and vectors, ready to store.

    `vectors` is None without an embedder. `derived` is the compressed text of a document, empty for
    text. `undescribed` are ordinals of chunks whose vectors lack their description.
    """

    oid: Oid
    language: str
    fingerprint: str
    resolved: str
    skipped: str
    length: int
    columns: tuple[str, ...]
    forward: bytes
    chunks: tuple[ChunkRow, ...]
    vectors: tuple[tuple[bytes, bytes], ...] | None
    derived: bytes = b""
    undescribed: tuple[int, ...] = ()
    references: bytes = b""
    """Its references, packed; empty if its language has no rules for them."""


class StoreInfo(Record):
    """Sizes and counts of a store."""

    bytes: int
    chunkings: int
    chunks: int
    embedders: tuple[str, ...]
