"""The heavy part of indexing: blobs to chunks, words and vectors. Runs in this process or in workers; writes
nothing.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragit import chunk, postings
from ragit.chunk.patience import FULL, Patience
from ragit.config import Description, Embedding, ImageDescription
from ragit.embed.quantize import quantize
from ragit.git import ObjectsRecipe
from ragit.index.embedded import embedded_text, text_hash
from ragit.index.embedder import embedder_of, sent_by
from ragit.index.sealed import Sealed, sealed
from ragit.index.wanted import IMAGE, undescribed_in
from ragit.records import Record, replaced
from ragit.reports import Sent
from ragit.store import ChunkRow, NewChunking, Store
from ragit.types import BY_LINES, Chunk, Chunking, Embedder, Oid

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom
    from ragit.index.asker import Asker, Keep
    from ragit.index.images import Images, Outcome

Vector = tuple[bytes, bytes]
"""Its sign bits, and its bytes."""

Key = tuple[Oid, str, str]
"""Blob, language, fingerprint."""

TOO_LARGE = "too large"
"""The reason for a file above index.maxFileBytes (documents.maxFileBytes), which is not even read."""

PARSER_FAILED = f"{BY_LINES}: its parser failed"
"""The reason for a text whose grammar no process survived: it was cut without."""

TOO_MANY = f"more than {postings.MAX_CHUNKS:,} chunks"
"""The reason where a chunk's number would not fit: only settings that make tiny chunks of a huge file lead there."""


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
    store: Path
    reuse: bool
    """Whether the store may hold vectors, or descriptions, to take over; a first run need not look."""
    count_secrets: bool = False
    """Look for what would be taken out of texts before they are sent, although none is."""


class Done(Record):
    """One blob's result. `new` is None if the repository does not have the blob (a partial clone), or if it is an image
    that waits for its description.
    """

    key: Key
    new: NewChunking | None
    embedded: int = 0
    reused: int = 0
    words: int = 0
    secrets: Mapping[bytes, int] | None = None
    """How many would be taken out of a chunk before it is sent, by its hash, where the recipe asks for that."""
    seconds: float = 0.0
    """Of processor time that reading it took."""
    late: bool = False
    """The time was not enough, and it is to be tried again. What is there to write says no more than that."""
    waiting: int = 0
    """What a model would have to read of an image that waits, in tokens, by estimate."""


class Workbench:
    """Holds what is opened once: the objects, the embedder and a reader of the store.

    With `keep`, which stores what they say, models are asked for descriptions; without, those that are stored are used.
    """

    def __init__(self, recipe: Recipe, keep: Keep | None = None) -> None:
        self._recipe = recipe
        self._keep = keep
        self._objects = recipe.objects.open()
        self._embedder = embedder_of(recipe.embedding, recipe.description)
        self._store = Store(recipe.store, writable=False) if recipe.reuse else None
        self._private_keys = 0
        """Parts of them that were taken out of texts before the embedder had them."""

    def close(self) -> None:
        """Let go of the repository, the store and the processes that read documents."""
        chunk.end_children()
        self._objects.close()
        if self._store:
            self._store.close()

    @property
    def sent(self) -> Sent | None:
        """What the embedder sent so far; None where it sends nothing."""
        sent = sent_by(self._embedder)
        return sent and replaced(sent, secrets=sent.secrets + self._private_keys)

    @cached_property
    def asker(self) -> Asker:
        """Where descriptions come from."""
        from ragit.index.asker import Asker  # as long as nobody wants any, nobody pays for it

        return Asker(self._recipe.description, self._recipe.image_description, self._store, self._keep)

    @cached_property
    def _images(self) -> Images:
        from ragit.index.images import Images

        return Images(self._objects, self._recipe.image_description, self.asker)

    def work(self, keys: Sequence[Key], kind: str = FULL) -> list[Done]:
        """Chunk the blobs, each by a try of this kind (`chunk.patience`), and embed their chunks, all texts of the
        batch together."""
        images = [key[0] for key in keys if key[1] == IMAGE]
        seen: Mapping[Oid, Outcome] = self._images.chunkings(images) if images else {}
        tries = {key: Patience(kind) for key in keys}
        tried = [(key, seen[key[0]] if key[1] == IMAGE else self._chunked(key, tries[key])) for key in keys]
        late = {key for key, patience in tries.items() if patience.over and patience.brief}
        chunkings = [(key, one) for key, one in tried if key not in late]
        made = [_Made(key, one, sealed(one.chunks)) for key, one in chunkings if isinstance(one, Chunking)]
        pieces = {text_hash(piece): piece for one in made for piece in one.sealed.chunks}
        sealed_of = ((text_hash(piece), count) for one in made for piece, count in zip(*one.sealed, strict=True))
        private_keys = {key: count for key, count in sealed_of if count}
        vectors = self._vectors(pieces, private_keys)
        self._private_keys += sum(count for key, count in private_keys.items() if key not in vectors.stored)
        done = {one.key: _done(one, vectors) for one in made}
        if self._recipe.count_secrets:
            done = {one.key: _with_secrets(done[one.key], one.sealed, private_keys) for one in made}
        given = [done.get(key) or Done(key, None, waiting=_tokens(chunking)) for key, chunking in chunkings]
        given += [Done(key, None, late=True) for key in keys if key in late]
        return [replaced(one, seconds=tries[one.key].used) if tries[one.key].used else one for one in given]

    def _chunked(self, key: Key, patience: Patience) -> Chunking | None:
        oid, language, fingerprint = key
        header = self._objects.header(oid)
        if header is None:
            return None
        recipe = self._recipe
        if header[1] > (recipe.max_document_bytes if chunk.is_document(language) else recipe.max_file_bytes):
            return Chunking(language, (), TOO_LARGE)
        data = self._objects.read(oid)
        if data is None:
            return None
        chunking = chunk.chunk(data, language, recipe.options, recipe.chunkers.get(fingerprint), patience)
        return Chunking(chunking.language, (), TOO_MANY) if len(chunking.chunks) > postings.MAX_CHUNKS else chunking

    def _vectors(self, pieces: Mapping[bytes, Chunk], private_keys: Mapping[bytes, int]) -> Vectors:
        """A vector for every chunk, by the hash of its text; `private_keys`: how many were taken out of it."""
        embedder = self._embedder
        if embedder is None:
            return Vectors({})
        said = None
        if self._recipe.description.enabled:
            from ragit.describe import code

            shown = {key: piece for key, piece in pieces.items() if piece.kind != IMAGE}
            said = self.asker.chunks(shown, private_keys)
        stored = self._stored(pieces, embedder, said)
        wanted = [key for key in pieces if key not in stored]
        texts = [embedded_text(pieces[key]) for key in wanted]
        if said is not None:
            texts = [code.joined(said[k], text) if k in said else text for k, text in zip(wanted, texts, strict=True)]
        fresh = quantize(embedder.embed(texts))
        return Vectors({**stored, **dict(zip(wanted, fresh, strict=True))}, frozenset(stored), said)

    def _stored(
        self, hashes: Mapping[bytes, Chunk], embedder: Embedder, said: Mapping[bytes, str] | None
    ) -> dict[bytes, Vector]:
        store = self._store
        if store is None:
            return {}
        known = store.embedders()
        whole = None if said is None else {key for key, piece in hashes.items() if key in said or piece.kind == IMAGE}
        found = store.vectors_of(hashes, known.get(embedder.fingerprint), whole)
        # Without a description it is the vector of the code alone, whoever was to describe it.
        for other, describes in undescribed_in(embedder, known):
            lacking = [key for key in hashes if key not in (whole or ()) and key not in found]
            found |= store.vectors_of(lacking, other, frozenset() if describes else None)
        return found


class _Made(NamedTuple):
    """A blob that was chunked, and its chunks as they may be embedded."""

    key: Key
    chunking: Chunking
    sealed: Sealed


class Vectors(NamedTuple):
    """Vectors of a batch by the hash of the text, and where they come from."""

    of: Mapping[bytes, Vector]
    stored: frozenset[bytes] = frozenset()
    """Those that were there already."""
    said: Mapping[bytes, str] | None = None
    """Descriptions that are in them; None where there are to be none."""

    def lacking(self, chunks: Sequence[Chunk], rows: Sequence[ChunkRow]) -> tuple[int, ...]:
        """Ordinals of the chunks whose vectors lack their descriptions."""
        said = self.said
        if said is None:
            return ()
        both = enumerate(zip(chunks, rows, strict=True))
        return tuple(i for i, (piece, row) in both if row.hash not in said and piece.kind != IMAGE)


def by_lines(done: Done) -> Done:
    """The result for a blob whose grammar no process survived, and which was cut without it."""
    return done if done.new is None else replaced(done, new=replaced(done.new, skipped=PARSER_FAILED))


def without_chunks(key: Key, reason: str) -> NewChunking:
    """What is stored of a blob that has none, for a reason that nobody looked into it for."""
    return NewChunking(*key, key[1], reason, 0, ("",) * len(postings.COLUMNS), b"", (), ())


def lost(key: Key) -> Done:
    """The result for a blob whose chunking no process survived: it is skipped, and not tried again."""
    return Done(key, without_chunks(key, "its parser failed"))


def _tokens(outcome: Outcome) -> int:
    """Those of an image that waits; 0 for a blob that is not there."""
    return outcome.tokens if outcome and not isinstance(outcome, Chunking) else 0


def _row(piece: Chunk) -> ChunkRow:
    place = (piece.start_line, piece.end_line, piece.start, piece.end)
    names = (piece.kind, piece.symbol, piece.parent, piece.signature, piece.place)
    return ChunkRow(text_hash(piece), *place, *names)


def _with_secrets(done: Done, sealed: Sealed, private_keys: Mapping[bytes, int]) -> Done:
    """With what would be taken out of the chunks' texts before they are sent, and the keys that were already."""
    from ragit.remote.secrets import redact

    secrets: dict[bytes, int] = {}
    for piece in sealed.chunks:
        found: Counter[str] = Counter()
        redact(embedded_text(piece), found)
        key = text_hash(piece)
        if found or key in private_keys:
            secrets[key] = sum(found.values()) + private_keys.get(key, 0)
    return replaced(done, secrets=secrets) if secrets else done


def _done(made: _Made, vectors: Vectors) -> Done:
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
        vectors=tuple(vectors.of[row.hash] for row in rows) if vectors.of or not rows else None,
        derived=zlib.compress(chunking.derived) if chunking.derived else b"",
        undescribed=vectors.lacking(chunking.chunks, rows),
    )
    reused = sum(row.hash in vectors.stored for row in rows)
    embedded = len(rows) - reused if new.vectors is not None else 0
    return Done(key, new, embedded, reused, packed.length)
