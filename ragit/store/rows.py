"""What is stored, as it goes in and comes out."""

from __future__ import annotations

from typing import NamedTuple

from ragit.records import Record
from ragit.store.schema import ORDINAL_BITS
from ragit.types import Chunk, Definition, Oid


def chunk_id(chunking: int, ordinal: int) -> int:
    """A chunk's number, from its chunking's and its place in it."""
    return chunking << ORDINAL_BITS | ordinal


class ChunkRow(NamedTuple):
    """A chunk as stored: everything but its text, which is read back from the blob."""

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
    """Its definitions, as `pack_definitions` writes them."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The names that it defines, with kinds and lines."""
        fields = (line.split("\t") for line in self.packed.splitlines())
        return tuple(
            Definition(name, kind, self.start_line + int(offset)) for offset, kind, name in fields
        )


def pack_definitions(chunk: Chunk) -> str:
    """Return a chunk's definitions as text: a line each, with lines counted from the chunk's first."""
    return "\n".join(
        f"{each.line - chunk.start_line}\t{each.kind}\t{' '.join(each.name.split())}"
        for each in chunk.definitions
    )


class StoredChunking(NamedTuple):
    """What is known of a blob that was chunked."""

    number: int
    length: int
    """Its words."""
    skipped: str
    """Why it has no chunks, or not those that it might have; else empty."""
    chunks: int
    embedded: bool
    """It lacks no vector of the embedder that was asked about."""


class NewChunking(Record):
    """A blob's chunks, words and vectors, ready to store. `vectors` is None where no embedder took part.

    `derived` is the compressed text of a document, empty for what is text itself. `undescribed` are the ordinals of the
    chunks whose vectors lack the description that the embedder's name promises.
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


class StoreInfo(Record):
    """Sizes, for status and gc."""

    bytes: int
    chunkings: int
    chunks: int
    embedders: tuple[str, ...]
