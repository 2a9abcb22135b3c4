"""The heavy part of indexing: blobs to chunks, words and vectors. Runs in this process or in workers; writes
nothing.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ragit import chunk, postings
from ragit.chunk.patience import FULL, Patience
from ragit.config import Description, Embedding, ImageDescription
from ragit.embed.quantize import quantize
from ragit.git import Objects, ObjectsRecipe
from ragit.index.descriptions.settings import IMAGE, Names
from ragit.index.vectors.embedder import embedder_of, sent_by, served
from ragit.index.vectors.private_keys import Sealed, sealed
from ragit.index.vectors.reuse import Planned, Said, Vector, planned
from ragit.index.vectors.same_model import PROBE
from ragit.index.vectors.text import text_hash
from ragit.records import Record, replaced
from ragit.reports import Sent
from ragit.store import ChunkRow, NewChunking, Store, pack_definitions
from ragit.types import Chunk, Chunking, Oid

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom
    from ragit.index.descriptions.images import Images, Outcome
    from ragit.index.descriptions.requests import Asker, Keep
    from ragit.index.run.dry_run import ForeseeingAsker, Foreseen

Key = tuple[Oid, str, str]
"""Blob, language, fingerprint."""

TOO_LARGE = "too large"
"""The reason for a file above index.maxFileBytes (documents.maxFileBytes), which is not even read."""

TOO_MANY = f"more than {postings.MAX_CHUNKS:,} chunks"
"""The reason where a chunk's number would not fit: only settings that make tiny chunks of a huge file lead there."""


class How(NamedTuple):
    """In which way missing blobs are worked off."""

    reuse: bool
    """Whether the store may hold vectors, or descriptions, to take over; a first run need not look."""
    describes: bool = False
    """Models are asked for descriptions."""
    rehearses: bool = False
    """Nothing is embedded, nobody is asked: what would be is counted."""
    anew: bool = False
    """No vector is taken over, as where a store is rebuilt; descriptions are."""
    deadline: float = math.inf
    """When to stop, by `time.monotonic`: what is not done by then stays missing."""
    most: float = math.inf
    """Seconds of processor time for one file, in every try."""

    @property
    def quick(self) -> bool:
        """True if somebody waits for an answer: what is slow is left to the next `ragit index`."""
        return self.most < math.inf

    @property
    def is_over(self) -> bool:
        """True once the deadline has passed."""
        return time.monotonic() > self.deadline


class Recipe(Record):
    """All that a worker needs to know; it can be sent to another process."""

    objects: ObjectsRecipe
    options: chunk.ChunkOptions
    chunkers: Mapping[str, Custom]
    """Chunkers of the user's own, by the fingerprint in the keys of their files."""
    max_file_bytes: int
    max_document_bytes: int
    embedding: Embedding
    description: Description
    image_description: ImageDescription
    names: Names | None
    """Whose vectors are wanted; None for words alone."""
    store: Path
    how: How
    remote: bool
    """A server makes the vectors."""


class Done(Record):
    """One blob's result. `new` is None if the repository does not have the blob (a partial clone), or if it is an image
    that waits for its description.
    """

    key: Key
    new: NewChunking | None
    fresh: Mapping[bytes, int] | None = None
    """The texts that its batch had to have embedded, by their hashes, with the words of each; None where there are to
    be no vectors.
    """
    waits: bool = False
    """It is an image that waits."""
    marks: tuple[bytes, ...] = ()
    """What the embedder made of the probe before these texts, and behind them if it took several requests; none if it
    had to make nothing, or needs no proof."""
    foreseen: Foreseen | None = None
    """Of a rehearsal: what its texts would cost."""
    seconds: float = 0.0
    """Of processor time that reading it took."""
    late: bool = False
    """The time was not enough, and it is to be tried again. What is there to write says no more than that."""


class Opened(NamedTuple):
    """What the caller of a bench has open or knows already; the bench closes none of it."""

    store: Store | None = None
    objects: Objects | None = None
    sizes: Mapping[Oid, int] = MappingProxyType({})
    """Sizes of blobs in bytes."""


class Workbench:
    """Chunks and embeds blobs. Holds what is opened once: the objects, the embedder and a reader of the store.

    With `keep`, which stores what they say, models are asked for descriptions; without, stored ones are used.
    """

    def __init__(
        self, recipe: Recipe, keep: Keep | None = None, opened: Opened | None = None
    ) -> None:
        self._recipe = recipe
        self._keep = keep
        self._opened = opened = opened or Opened()
        self._objects = opened.objects or recipe.objects.open()
        self._embedder = (
            None if recipe.how.rehearses else embedder_of(recipe.embedding, recipe.description)
        )
        self._store: Store | None = None
        if recipe.how.reuse:
            self._store = opened.store or Store(recipe.store, writable=False)
        self._isolated = True
        self._private_keys = 0
        """Parts of private keys that were taken out of texts before the embedder had them."""

    def close(self) -> None:
        """Close what was opened here, and end the processes that read files."""
        chunk.end_children()
        if self._objects is not self._opened.objects:
            self._objects.close()
        if self._store and self._store is not self._opened.store:
            self._store.close()

    @property
    def sent(self) -> Sent | None:
        """What the embedder sent so far; None where it sends nothing."""
        sent = sent_by(self._embedder)
        return sent and replaced(sent, secrets=sent.secrets + self._private_keys)

    @property
    def texts_per_second(self) -> float:
        """Throughput of the server that makes the vectors; 0 where none does."""
        return getattr(served(self._embedder), "texts_per_second", 0.0)

    @cached_property
    def asker(self) -> Asker:
        """Where descriptions come from."""
        if self._recipe.how.rehearses:
            return self._foreseeing
        from ragit.index.descriptions.requests import (
            Asker,  # as long as nobody wants any, nobody pays for it
        )

        return Asker(
            self._recipe.description, self._recipe.image_description, self._store, self._keep
        )

    @cached_property
    def _foreseeing(self) -> ForeseeingAsker:
        from ragit.index.run.dry_run import ForeseeingAsker

        recipe = self._recipe
        settings = (recipe.description, recipe.image_description, self._store)
        return ForeseeingAsker(*settings, describes=recipe.how.describes)

    @cached_property
    def _images(self) -> Images:
        from ragit.index.descriptions.images import Images

        return Images(self._objects, self._recipe.image_description, self.asker)

    def work(self, keys: Sequence[Key], kind: str = FULL, *, isolated: bool = True) -> list[Done]:
        """Chunk the blobs, each by a try of this kind (`chunk.patience`), and embed the chunks of all together.

        Grammars run in a child process, unless this is a worker and `isolated` is False.
        """
        self._isolated = isolated
        tries = {key: Patience(kind, self._recipe.how.most) for key in keys}
        read = self._read(tries)
        late = {key for key, patience in tries.items() if patience.over and patience.brief}
        made = [
            _Made(key, one, sealed(one.chunks))
            for key, one in read.items()
            if isinstance(one, Chunking) and key not in late
        ]
        done = {one.key: one for one in self._finished(made)}
        given = [
            done.get(key) or Done(key, None, waits=key not in read or read[key] is not None)
            for key in keys
            if key not in late
        ]
        given += [Done(key, None, late=True) for key in keys if key in late]
        return [
            replaced(one, seconds=tries[one.key].used) if tries[one.key].used else one
            for one in given
        ]

    def _read(self, tries: Mapping[Key, Patience]) -> dict[Key, Outcome]:
        """Return what is in each blob, as far as the deadline allows."""
        images = [key[0] for key in tries if key[1] == IMAGE]
        seen = self._seen(images) if images else {}
        found: dict[Key, Outcome] = {}
        for key, patience in tries.items():
            if self._recipe.how.is_over:
                break
            found[key] = seen[key[0]] if key[1] == IMAGE else self._chunked(key, patience)
        return found

    def _finished(self, made: Sequence[_Made]) -> Iterator[Done]:
        """Chunked blobs with the vectors of their chunks, or with what these would cost."""
        pieces = {text_hash(piece): piece for one in made for piece in one.sealed.chunks}
        sealed_of = (
            (text_hash(piece), count)
            for one in made
            for piece, count in zip(*one.sealed, strict=True)
        )
        private_keys = {key: count for key, count in sealed_of if count}
        plan = self._planned(pieces, private_keys)
        vectors, marks = self._embedded(plan)
        if plan:
            self._private_keys += sum(
                count for key, count in private_keys.items() if key in plan.texts
            )
        costs = None
        if self._recipe.how.rehearses:
            costs = self._foreseeing.foreseen(plan, private_keys, remote=self._recipe.remote)
        return (_done(one, plan, vectors, marks, costs) for one in made)

    def _seen(self, images: Sequence[Oid]) -> Mapping[Oid, Outcome]:
        """What is known of images, or can be learnt."""
        found = self._images.chunkings(images)
        return self._foreseeing.images(found) if self._recipe.how.rehearses else found

    def _chunked(self, key: Key, patience: Patience) -> Chunking | None:
        oid, language, fingerprint = key
        size = self._opened.sizes.get(oid)
        if size is None:
            header = self._objects.header(oid)
            if header is None:
                return None
            size = header[1]
        recipe = self._recipe
        if size > (
            recipe.max_document_bytes if chunk.is_document(language) else recipe.max_file_bytes
        ):
            return Chunking(language, (), TOO_LARGE)
        data = self._objects.read(oid)
        if data is None:
            return None
        chunking = self._chunks(data, key, patience)
        return (
            Chunking(chunking.language, (), TOO_MANY)
            if len(chunking.chunks) > postings.MAX_CHUNKS
            else chunking
        )

    def _chunks(self, data: bytes, key: Key, patience: Patience) -> Chunking:
        _, language, fingerprint = key
        custom = self._recipe.chunkers.get(fingerprint)
        options = self._recipe.options
        if self._isolated or custom or chunk.is_document(language):
            return chunk.chunk(data, language, options, custom, patience)
        with chunk.bounded(len(data), patience):
            return chunk.chunk(data, language, options, patience=patience, isolated=False)

    def _planned(
        self, pieces: Mapping[bytes, Chunk], private_keys: Mapping[bytes, int]
    ) -> Planned | None:
        """What the vectors of chunks are made of, by the hash of their text; None where there are to be none.

        `private_keys` says how many were taken out of which.
        """
        recipe = self._recipe
        if recipe.names is None:
            return None
        said: Said | None = None
        if recipe.description.enabled:
            shown = {key: piece for key, piece in pieces.items() if piece.kind != IMAGE}
            said = self.asker.chunks(shown, private_keys)
        return planned(pieces, recipe.names, None if recipe.how.anew else self._store, said)

    def _embedded(self, plan: Planned | None) -> tuple[Mapping[bytes, Vector], tuple[bytes, ...]]:
        """The vectors of a batch by the hash of the text; and those of the probe, where a server was asked."""
        if plan is None or self._embedder is None:
            return {}, ()
        if not plan.texts:
            return plan.stored, ()
        before = 0 if self._embedder.local else 1
        asked = self._requests
        made = self._embedder.embed([*[PROBE] * before, *plan.texts.values()])
        # By itself: of several requests at once, the last to be sent may be the first to be answered.
        several = before and self._requests - asked > 1
        after = self._embedder.embed([PROBE]) if several else []
        fresh = zip(plan.texts, quantize(made[before:]), strict=True)
        return {**plan.stored, **dict(fresh)}, (*made[:before], *after)

    @property
    def _requests(self) -> int:
        """Requests that the server answered so far; 0 for an embedder that does not say."""
        return getattr(served(self._embedder), "requests", 0)


class _Made(NamedTuple):
    """A blob that was chunked, and its chunks as they may be embedded."""

    key: Key
    chunking: Chunking
    sealed: Sealed


def without_chunks(key: Key, reason: str) -> NewChunking:
    """What is stored of a blob that has none, for a reason that nobody looked into it for."""
    return NewChunking(*key, key[1], reason, 0, ("",) * len(postings.COLUMNS), b"", (), ())


def lost(key: Key) -> Done:
    """Return the result for a blob over which every worker crashes: it is skipped, and not tried again."""
    return Done(key, without_chunks(key, "its parser failed"))


def _row(piece: Chunk) -> ChunkRow:
    place = (piece.start_line, piece.end_line, piece.start, piece.end)
    names = (piece.kind, piece.symbol, piece.parent, piece.signature, piece.place)
    return ChunkRow(text_hash(piece), *place, *names, pack_definitions(piece))


def _done(
    made: _Made,
    plan: Planned | None,
    vectors: Mapping[bytes, Vector],
    marks: tuple[bytes, ...],
    foreseen: Foreseen | None,
) -> Done:
    key, chunking = made.key, made.chunking
    rows = tuple(map(_row, made.sealed.chunks))
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
        derived=zlib.compress(chunk.kept(chunking)) if chunking.derived else b"",
        undescribed=plan.lacking(rows) if plan else (),
    )
    if plan is None:
        return Done(key, new, foreseen=foreseen)
    words = zip(rows, packed.lengths, strict=True)
    fresh = {row.hash: count for row, count in words if row.hash in plan.texts}
    return Done(key, new, fresh, marks=marks, foreseen=foreseen)
