"""The heavy part of indexing: blobs to chunks, words and vectors. Runs in this process or in workers; writes
nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from ragit import chunk, postings
from ragit.config import Embedding
from ragit.embed.quantize import quantize
from ragit.git import ObjectsRecipe
from ragit.index.embedded import embedded_text, text_hash
from ragit.index.embedder import embedder_of
from ragit.records import Record
from ragit.store import ChunkRow, NewChunking, Store
from ragit.types import Chunk, Chunking, Embedder, Oid

Key = tuple[Oid, str, str]
"""Blob, language, fingerprint."""

TOO_LARGE = "too large"
"""The reason for a file above index.maxFileBytes (documents.maxFileBytes), which is not even read."""

TOO_MANY = f"more than {postings.MAX_CHUNKS:,} chunks"
"""The reason where a chunk's number would not fit: only settings that make tiny chunks of a huge file lead there."""


class Recipe(Record):
    """All that a worker needs to know; it can be sent to another process."""

    objects: ObjectsRecipe
    options: chunk.ChunkOptions
    max_file_bytes: int
    max_document_bytes: int
    embedding: Embedding
    store: Path
    reuse: bool
    """Whether the store may hold vectors to take over; a first run need not look."""


class Done(Record):
    """One blob's result. `new` is None if the repository does not have the blob (a partial clone)."""

    key: Key
    new: NewChunking | None
    embedded: int = 0
    reused: int = 0
    words: int = 0


class Workbench:
    """Holds what is opened once: the objects, the embedder and a reader of the store."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._objects = recipe.objects.open()
        self._embedder = embedder_of(recipe.embedding)
        self._store = Store(recipe.store, writable=False) if recipe.reuse and self._embedder else None

    def close(self) -> None:
        """Let go of the repository, the store and the processes that read documents."""
        chunk.end_children()
        self._objects.close()
        if self._store:
            self._store.close()

    def work(self, keys: Sequence[Key]) -> list[Done]:
        """Chunk the blobs and embed their chunks, all texts of the batch together."""
        chunkings = [(key, self._chunked(key)) for key in keys]
        pieces = [piece for _, chunking in chunkings if chunking for piece in chunking.chunks]
        texts = {text_hash(text): text for text in map(embedded_text, pieces)}
        vectors, known = self._vectors(texts)
        return [_done(key, chunking, vectors, known) for key, chunking in chunkings]

    def _chunked(self, key: Key) -> Chunking | None:
        oid, language, _ = key
        header = self._objects.header(oid)
        if header is None:
            return None
        recipe = self._recipe
        if header[1] > (recipe.max_document_bytes if chunk.is_document(language) else recipe.max_file_bytes):
            return Chunking(language, (), TOO_LARGE)
        data = self._objects.read(oid)
        if data is None:
            return None
        chunking = chunk.chunk(data, language, self._recipe.options)
        return Chunking(chunking.language, (), TOO_MANY) if len(chunking.chunks) > postings.MAX_CHUNKS else chunking

    def _vectors(self, texts: dict[bytes, str]) -> tuple[dict[bytes, tuple[bytes, bytes]], set[bytes]]:
        """A vector for every text, and the hashes of those that were stored already."""
        embedder = self._embedder
        if embedder is None:
            return {}, set()
        stored = self._stored(texts, embedder)
        wanted = [digest for digest in texts if digest not in stored]
        fresh = quantize(embedder.embed([texts[digest] for digest in wanted]))
        return {**stored, **dict(zip(wanted, fresh, strict=True))}, set(stored)

    def _stored(self, hashes: Iterable[bytes], embedder: Embedder) -> dict[bytes, tuple[bytes, bytes]]:
        if self._store is None:
            return {}
        return self._store.vectors_of(hashes, self._store.embedder(embedder.fingerprint))


def lost(key: Key) -> Done:
    """The result for a blob whose chunking no process survived: it is skipped, and not tried again."""
    new = NewChunking(*key, key[1], "its parser failed", 0, ("",) * len(postings.COLUMNS), b"", (), ())
    return Done(key, new)


def _row(piece: Chunk) -> ChunkRow:
    place = (piece.start_line, piece.end_line, piece.start, piece.end)
    names = (piece.kind, piece.symbol, piece.parent, piece.signature, piece.place)
    return ChunkRow(text_hash(embedded_text(piece)), *place, *names)


def _done(key: Key, chunking: Chunking | None, vectors: dict[bytes, tuple[bytes, bytes]], known: set[bytes]) -> Done:
    if chunking is None:
        return Done(key, None)
    rows = tuple(map(_row, chunking.chunks))
    packed = postings.pack(chunking.chunks)
    new = NewChunking(
        *key,
        resolved=chunking.language,
        skipped=chunking.skipped,
        length=packed.length,
        columns=packed.columns,
        forward=packed.forward,
        chunks=rows,
        vectors=tuple(vectors[row.hash] for row in rows) if vectors or not rows else None,
        derived=zlib.compress(chunking.derived) if chunking.derived else b"",
    )
    reused = sum(row.hash in known for row in rows)
    embedded = len(rows) - reused if new.vectors is not None else 0
    return Done(key, new, embedded, reused, packed.length)
