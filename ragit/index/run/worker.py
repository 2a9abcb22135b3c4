"""Turn blobs into chunks, words and vectors, without writing anything.

Runs in the user's process or in worker processes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragit import chunk, postings
from ragit.chunk import FULL, TimeBudget
from ragit.embed import quantize
from ragit.git import Objects
from ragit.index.descriptions.settings import IMAGE
from ragit.index.run.batch_words import BatchWords, WordSplitter
from ragit.index.run.result import (
    TOO_LARGE,
    TOO_MANY,
    BlobResult,
    DryRunCosts,
    Key,
    WorkerConfig,
)
from ragit.index.vectors.embedder import embedder_of, sent_by, served
from ragit.index.vectors.private_keys import WithoutPrivateKeys, without_private_keys
from ragit.index.vectors.reuse import DescriptionsByHash, Planned, Vector, planned
from ragit.index.vectors.same_model import PROBE
from ragit.index.vectors.text import text_hash
from ragit.postings import Packed
from ragit.records import NamedTuple, replaced
from ragit.reports import Sent
from ragit.store import ChunkRow, NewChunking, Store, pack_definitions
from ragit.types import Chunk, Chunking, Embedder, Oid

if TYPE_CHECKING:
    from ragit.index.descriptions.images import Images, Outcome
    from ragit.index.descriptions.requests import Asker, Keep
    from ragit.word_numbers import Texts


class Opened(NamedTuple):
    """Objects that the caller of a worker has open; the worker does not close them."""

    store: Store | None = None
    objects: Objects | None = None
    sizes: Mapping[Oid, int] = MappingProxyType({})
    """Sizes of blobs in bytes."""


class IndexingWorker:
    """Chunks and embeds blobs.

    Keeps the objects, the embedder and a reader of the store open.

    With `keep`, which stores the answers, models are asked for descriptions; without it, stored
    ones are used. A subclass does dry runs (dry_run.py).
    """

    def __init__(
        self, config: WorkerConfig, keep: Keep | None = None, opened: Opened | None = None
    ) -> None:
        self._config = config
        self._keep = keep
        self._opened = opened = opened or Opened()
        self._objects = opened.objects or config.objects.open()
        self._embedder = self._load_embedder()
        self._store: Store | None = None
        if config.mode.reuse:
            self._store = opened.store or Store(config.store, writable=False)
        self._splitter = WordSplitter()
        self._isolated = True
        self._private_keys = 0
        """Number of parts of private keys removed from texts before embedding."""

    def close(self) -> None:
        """Close what was opened here, and end the processes that read files."""
        chunk.end_children()
        if self._objects is not self._opened.objects:
            self._objects.close()
        if self._store and self._store is not self._opened.store:
            self._store.close()

    @property
    def sent(self) -> Sent | None:
        """Texts that the embedder sent so far; None if it sends nothing."""
        sent = sent_by(self._embedder)
        return sent and replaced(sent, secrets=sent.secrets + self._private_keys)

    @property
    def texts_per_second(self) -> float:
        """Throughput of the server that makes the vectors; 0 if none does."""
        return getattr(served(self._embedder), "texts_per_second", 0.0)

    @cached_property
    def asker(self) -> Asker:
        """The source of descriptions."""
        from ragit.index.descriptions.requests import Asker  # loads HTTP

        config = self._config
        return Asker(config.description, config.image_description, self._store, self._keep)

    @cached_property
    def _images(self) -> Images:
        from ragit.index.descriptions.images import Images

        return Images(self._objects, self._config.image_description, self.asker)

    def work(
        self, keys: Sequence[Key], kind: str = FULL, *, isolated: bool = True
    ) -> list[BlobResult]:
        """Chunk the blobs, each by a try of this kind (`chunk.time_budget`), and embed them.

        Grammars run in a child process, unless this is a worker process and `isolated` is False.
        """
        self._isolated = isolated
        tries = {key: TimeBudget(kind, self._config.mode.most) for key in keys}
        read = self._read(tries)
        timed_out = {key for key, budget in tries.items() if budget.over and budget.brief}
        results = {one.key: one for one in self._finished(_chunked_blobs(read, timed_out))}
        for key, budget in tries.items():
            if key in timed_out:
                results[key] = BlobResult(key, None, timed_out=True)
            elif key not in results:
                results[key] = _without_chunking(key, read)
            if budget.used:
                results[key] = replaced(results[key], seconds=budget.used)
        return [results[key] for key in keys]

    def _load_embedder(self) -> Embedder | None:
        return embedder_of(self._config.embedding, self._config.description)

    def _read(self, tries: Mapping[Key, TimeBudget]) -> dict[Key, Outcome]:
        """Return the content of each blob, as far as the deadline allows."""
        images = [key[0] for key in tries if key[1] == IMAGE]
        seen = self._chunked_images(images) if images else {}
        found: dict[Key, Outcome] = {}
        for key, budget in tries.items():
            if self._config.mode.is_over:
                break
            found[key] = seen[key[0]] if key[1] == IMAGE else self._chunked(key, budget)
        return found

    def _chunked_images(self, images: Sequence[Oid]) -> Mapping[Oid, Outcome]:
        """Return the chunkings of images, stored or from a model."""
        return self._images.chunkings(images)

    def _finished(self, made: Sequence[_ChunkedBlob]) -> Iterator[BlobResult]:
        """Yield the results for chunked blobs, with the vectors of their chunks."""
        pieces: dict[bytes, Chunk] = {}
        private_keys: dict[bytes, int] = {}
        for one in made:
            for key, piece, count in zip(one.hashes, *one.clean, strict=True):
                pieces[key] = piece
                if count:
                    private_keys[key] = count
        plan = self._planned(pieces, private_keys)
        blobs = (one.chunking.chunks for one in made)
        words = self._splitter.split(blobs, many=not self._isolated)
        vectors, marks = self._embedded(plan, self._numbered(made, plan, words, private_keys))
        if plan:
            sent = (count for key, count in private_keys.items() if key in plan.texts)
            self._private_keys += sum(sent)
        costs = self._costs(plan, private_keys)
        pairs = zip(made, words.packed, strict=True)
        return (_result(one, packed, plan, vectors, marks, costs) for one, packed in pairs)

    def _costs(self, plan: Planned | None, private_keys: Mapping[bytes, int]) -> DryRunCosts | None:
        """Return the cost of a batch; None in a real run."""
        return None

    def _chunked(self, key: Key, budget: TimeBudget) -> Chunking | None:
        oid, language, fingerprint = key
        size = self._opened.sizes.get(oid)
        if size is None:
            header = self._objects.header(oid)
            if header is None:
                return None
            size = header[1]
        config = self._config
        if size > (
            config.max_document_bytes if chunk.is_document(language) else config.max_file_bytes
        ):
            return Chunking(language, (), TOO_LARGE)
        data = self._objects.read(oid)
        if data is None:
            return None
        chunking = self._chunks(data, key, budget)
        return (
            Chunking(chunking.language, (), TOO_MANY)
            if len(chunking.chunks) > postings.MAX_CHUNKS
            else chunking
        )

    def _chunks(self, data: bytes, key: Key, budget: TimeBudget) -> Chunking:
        _, language, fingerprint = key
        custom = self._config.chunkers.get(fingerprint)
        options = self._config.options
        if self._isolated or custom or chunk.is_document(language):
            return chunk.chunk(data, language, options, custom, budget)
        with chunk.bounded(len(data), budget):
            return chunk.chunk(data, language, options, budget=budget, isolated=False)

    def _planned(
        self, pieces: Mapping[bytes, Chunk], private_keys: Mapping[bytes, int]
    ) -> Planned | None:
        """Return the plan of vectors by the hash of the text; None without an embedder.

        `private_keys` is the number of removed parts, by hash.
        """
        config = self._config
        if config.fingerprints is None:
            return None
        descriptions: DescriptionsByHash | None = None
        if config.description.enabled:
            shown = {key: piece for key, piece in pieces.items() if piece.kind != IMAGE}
            descriptions = self.asker.chunks(shown, private_keys)
        return planned(
            pieces, config.fingerprints, None if config.mode.anew else self._store, descriptions
        )

    def _numbered(
        self,
        made: Sequence[_ChunkedBlob],
        plan: Planned | None,
        words: BatchWords,
        private_keys: Mapping[bytes, int],
    ) -> Texts | None:
        """Return the identifiers of the plan's texts; None if these are not the chunks' own, or
        the embedder needs the texts.
        """
        if plan is None or private_keys or not hasattr(self._embedder, "embed_numbered"):
            return None
        if self._config.embedding.document_prefix:
            return None
        places: dict[bytes, int] = {}
        for place, key in enumerate(chain.from_iterable(one.hashes for one in made)):
            places.setdefault(key, place)
        return words.embedded([places[key] for key in plan.texts])

    def _embedded(
        self, plan: Planned | None, numbered: Texts | None
    ) -> tuple[Mapping[bytes, Vector], tuple[bytes, ...]]:
        """Return the vectors of a batch by text hash, and the probe's if a server was asked."""
        if plan is None or self._embedder is None:
            return {}, ()
        if not plan.texts:
            return plan.stored, ()
        if numbered is not None:
            made = self._embedder.embed_numbered(numbered)  # type: ignore[attr-defined]
            return {**plan.stored, **dict(zip(plan.texts, quantize(made), strict=True))}, ()
        before = 0 if self._embedder.local else 1
        asked = self._requests
        made = self._embedder.embed([*[PROBE] * before, *plan.texts.values()])
        # In a request of its own: of several requests at once, the last one sent may be the first
        # answered.
        several = before and self._requests - asked > 1
        after = self._embedder.embed([PROBE]) if several else []
        fresh = zip(plan.texts, quantize(made[before:]), strict=True)
        return {**plan.stored, **dict(fresh)}, (*made[:before], *after)

    @property
    def _requests(self) -> int:
        """Number of requests that the server answered; 0 if the embedder does not count."""
        return getattr(served(self._embedder), "requests", 0)


class _ChunkedBlob(NamedTuple):
    """A chunked blob, and its chunks as they may be embedded."""

    key: Key
    chunking: Chunking
    clean: WithoutPrivateKeys
    hashes: Sequence[bytes]
    """Hashes of the embedded texts of its chunks."""


def _chunked_blobs(read: Mapping[Key, Outcome], timed_out: set[Key]) -> list[_ChunkedBlob]:
    """Return the chunked blobs whose time was enough, with chunks that may be embedded."""
    made = []
    for key, outcome in read.items():
        if isinstance(outcome, Chunking) and key not in timed_out:
            clean = without_private_keys(outcome.chunks)
            made.append(_ChunkedBlob(key, outcome, clean, list(map(text_hash, clean.chunks))))
    return made


def _without_chunking(key: Key, read: Mapping[Key, Outcome]) -> BlobResult:
    """Return the result for a blob without chunks: it waits, unless it is missing from the
    repository.
    """
    absent = key in read and read[key] is None
    return BlobResult(key, None, waits=not absent)


def _row(piece: Chunk, hashed: bytes) -> ChunkRow:
    place = (piece.start_line, piece.end_line, piece.start, piece.end)
    names = (piece.kind, piece.symbol, piece.parent, piece.signature, piece.place)
    return ChunkRow(hashed, *place, *names, pack_definitions(piece))


def _result(
    made: _ChunkedBlob,
    packed: Packed,
    plan: Planned | None,
    vectors: Mapping[bytes, Vector],
    marks: tuple[bytes, ...],
    costs: DryRunCosts | None,
) -> BlobResult:
    key, chunking = made.key, made.chunking
    rows = tuple(map(_row, made.clean.chunks, made.hashes))
    new = NewChunking(
        *key,
        resolved=chunking.language,
        skipped=chunking.skipped,
        length=packed.length,
        columns=packed.columns,
        forward=packed.forward,
        chunks=rows,
        vectors=tuple(vectors[row.hash] for row in rows) if vectors or not rows else None,
        derived=zlib.compress(chunk.kept(chunking)) if chunking.derived else b"",
        undescribed=plan.lacking(rows) if plan else (),
        references=chunking.references,
    )
    if plan is None:
        return BlobResult(key, new, costs=costs)
    words = zip(rows, packed.lengths, strict=True)
    fresh = {row.hash: count for row, count in words if row.hash in plan.texts}
    return BlobResult(key, new, fresh, marks=marks, costs=costs)
