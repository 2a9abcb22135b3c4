"""The order of work: what is missing, in which batches, and when it is written."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.chunk import is_document
from ragit.config import Config
from ragit.errors import RagitError, StoreTooOld, StoreUnreadable
from ragit.git import Repo
from ragit.index.compose import NOT_DOWNLOADED, Composed, Composer
from ragit.index.describing import IMAGE, NOT_DESCRIBED, chunk_asking, wanted
from ragit.index.embedder import embedder_of
from ragit.index.plan import Selected, Selector, chunk_options
from ragit.locks import held
from ragit.records import replaced
from ragit.reports import GcReport, IndexReport, Sent
from ragit.store import OF_CHUNK, OF_IMAGE, Store, is_store, remove_store, replace_store
from ragit.types import Oid, Progress

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom
    from ragit.index.asker import Keep
    from ragit.index.costs import Spent
    from ragit.index.work import Done, Key, Recipe

BATCH_FILES = 48
"""Blobs per batch and transaction: what a kill can lose, some tenths of a second of work."""

DOCUMENT_WEIGHT = 8
"""Files of code whose work a document's is like: a long one takes seconds."""

DESCRIBED_FILES = 8
"""The same while models are asked: a file's chunks take seconds each, and what they say is kept at once anyway."""

POOL_FROM = 128
"""Missing blobs from which worker processes pay for their start."""


@dataclass(slots=True)
class _Tally:
    again: frozenset[Key] = frozenset()
    """Chunkings that are there, but for their descriptions."""
    done: int = 0
    indexed: int = 0
    embedded: int = 0
    reused: int = 0
    words: int = 0
    chunks: int = 0
    asked: dict[str, Spent] | None = None
    """What models were asked, by kind; None where none are to be."""
    sent: Sent | None = None
    """What a server was sent that makes vectors."""


class Indexer:
    """Makes trees of one repository complete in its store."""

    def __init__(
        self, repo: Repo, config: Config, store_path: Path, chunkers: Mapping[str, Custom] | None = None
    ) -> None:
        self.repo = repo
        self.chunkers = chunkers
        self.config = config
        self.store_path = store_path
        self.embedder = embedder_of(config.embedding, config.description)
        fingerprint = self.embedder.fingerprint if self.embedder else ""
        self.selector = Selector(config, chunkers)
        self.composer = Composer(repo, self.selector, fingerprint)
        self.describes = wanted(config, self.embedder)
        self.absent: set[Oid] = set()

    def without_vectors(self) -> Indexer:
        """The same for words alone: what an embedding server that does not answer leaves possible."""
        settings = replaced(self.config, embedding=replaced(self.config.embedding, provider="none"))
        return Indexer(self.repo, settings, self.store_path, self.chunkers)

    def open_store(self) -> Store | None:
        """A reader of the store; None if there is no store yet, or one that has to be brought up to date first."""
        if not self.store_path.exists():
            return None
        try:
            return Store(self.store_path, writable=False)
        except StoreTooOld:  # an older ragit's, or of one that was killed as it made it: indexing migrates it
            return None

    def complete(
        self,
        trees: Sequence[Oid],
        *,
        near: Oid | None = None,
        progress: Progress | None = None,
        describe: bool = False,
    ) -> IndexReport:
        """Index what these trees lack. What is done is kept if this is interrupted.

        Models are asked only to `describe`, which may take long: without it, stored descriptions are used, what has
        none is embedded by its code alone, and is described by the next run that may.
        """
        started = time.perf_counter()
        tally = _Tally(asked={} if describe and self.describes else None)
        with held(self._lock, shared=True, by="a running gc"), Store(self.store_path, writable=True) as store:
            composed, lacking = self._lacking(store, trees, near, tally)
            if lacking:
                self._fill(store, lacking, tally, progress)
            latest = self._moment(store)
            if lacking:
                composed = [self.composer.compose(store, tree, near=near, absent=self.absent) for tree in trees]
            self._remember(store, composed, latest)
            chunks = store.chunk_count({c for part in composed for c in part.snapshot.chunkings})
        return self._report(composed, chunks, tally, time.perf_counter() - started)

    def _lacking(
        self, store: Store | None, trees: Sequence[Oid], near: Oid | None, tally: _Tally
    ) -> tuple[list[Composed], list[Key]]:
        """The trees as they are, and the keys of what has to be worked on."""
        asks = tally.asked is not None
        composed = [self.composer.compose(store, tree, near=near, absent=self.absent, waiting=asks) for tree in trees]
        lacking = _missing(composed, waiting=asks)
        if asks and store:
            tally.again = frozenset(self._undescribed(store, composed)).difference(lacking)
            lacking += sorted(tally.again)
        return composed, lacking

    def _undescribed(self, store: Store, composed: Iterable[Composed]) -> list[Key]:
        """Keys of chunkings of these trees that have vectors without descriptions."""
        number = store.embedder(self.embedder.fingerprint) if self.embedder else None
        lacking = store.descriptions.lacking(number).keys() if number is not None else set()
        return store.keys_of(sorted(lacking & {c for part in composed for c in part.snapshot.chunkings}))

    def undescribed(self, store: Store | None, composed: Composed) -> int:
        """How many chunks and images of a tree lack a description that they are to have."""
        if not self.describes:
            return 0
        number = store.embedder(self.embedder.fingerprint) if store and self.embedder else None
        lacking = store.descriptions.lacking(number) if store and number is not None else {}
        chunks = sum(lacking.get(chunking, 0) for chunking in set(composed.snapshot.chunkings)) if lacking else 0
        return chunks + sum(reason == NOT_DESCRIBED for reason in composed.snapshot.skipped.values())

    def has_descriptions(self, store: Store) -> int:
        """How many are stored of those that the settings want."""
        asking = ((OF_CHUNK, chunk_asking(self.config.description)), (OF_IMAGE, self.selector.images))
        return sum(store.descriptions.count(kind, one.fingerprint) for kind, one in asking if one)

    def described(self, blob: Oid) -> str:
        """What is stored about an image; empty if nothing is."""
        images = self.selector.images
        key = bytes.fromhex(blob)
        with self.reading() as store:
            return store.descriptions.of(OF_IMAGE, images.fingerprint, [key]).get(key, "") if store and images else ""

    def describe(self, blob: Oid) -> str:
        """Have an image described, unless it is already, and keep that. Raises RemoteFailed and NotDescribed."""
        from ragit.index.images import only

        with held(self._lock, shared=True, by="a running gc"), Store(self.store_path, writable=True) as store:
            recipe = self._recipe(bulk=False, reuse=True, embed=False)
            return only(blob, recipe, store, _keeping(store))

    def keep(self, tree: Oid) -> None:
        """Cache a tree that lacks nothing, so that the next search need not walk it; or not, where that cannot be
        written. A changed setting or an updated library leaves this to do where it changes no chunk of the tree.
        """
        shared = held(self._lock, shared=True, by="a running gc")
        with suppress(RagitError), shared, Store(self.store_path, writable=True) as store:
            latest = self._moment(store)
            # Once more, under the lock: gc may have dropped since what a reader saw.
            self._remember(store, [self.composer.compose(store, tree, absent=self.absent)], latest)

    def fetch(self, trees: Sequence[Oid]) -> None:
        """Download the files that a partial clone lacks of these trees, in one call."""
        absent: dict[Oid, None] = {}
        with self.reading() as store:
            for tree in trees:
                skipped = self.composer.compose(store, tree).snapshot.skipped
                absent.update((e.oid, None) for e in self.repo.entries(tree) if skipped.get(e.path) == NOT_DOWNLOADED)
        self.repo.fetch(absent)

    def rehearse(
        self,
        trees: Sequence[Oid],
        *,
        progress: Progress | None = None,
        describe: bool = False,
        anew: bool = False,
    ) -> IndexReport:
        """What `complete` would do, descriptions included, found by chunking what is missing and writing nothing; or
        what `rebuild` would, to make all of it `anew`.
        """
        from ragit.index.foresee import Foresight

        started = time.perf_counter()
        tally = _Tally(asked={} if describe and self.describes else None)
        with self.reading() as store:
            known = None if anew else store
            composed, lacking = self._lacking(known, trees, None, tally)
            tally.chunks = known.chunk_count({c for part in composed for c in part.snapshot.chunkings}) if known else 0
            seen = Foresight(self.config, self.embedder, store, anew)
            for done in self._work(lacking, tally, reuse=store is not None, embed=False):
                self._count(done, tally)
                seen.see(done)
                if progress:
                    progress(tally.done, len(lacking))
        tally.embedded, tally.reused, tally.words = seen.embedded, seen.reused, seen.words
        tally.asked, tally.sent = None if tally.asked is None else seen.asked, seen.sent
        return replaced(self._report(composed, tally.chunks, tally, time.perf_counter() - started), dry_run=True)

    def rebuild(self, trees: Sequence[Oid], *, progress: Progress | None = None, describe: bool = False) -> IndexReport:
        """Index from nothing, beside the old store, which is replaced only at the end. Descriptions are kept."""
        beside = self.store_path.with_name(self.store_path.name + ".new")
        fresh = Indexer(self.repo, self.config, beside, self.chunkers)
        remove_store(fresh.store_path)
        self._carry_over(fresh.store_path)
        report = fresh.complete(trees, progress=progress, describe=describe)
        with Store(fresh.store_path, writable=True) as store:
            store.checkpoint()
        with held(self._lock, by="a running index"):
            replace_store(self.store_path, fresh.store_path)
        return report

    def _carry_over(self, fresh: Path) -> None:
        """Copy all descriptions to a new store: they were paid for, and cannot be made again as they were."""
        if not is_store(self.store_path):
            return
        try:
            with Store(self.store_path, writable=False) as old, Store(fresh, writable=True) as store, store.writing():
                for row in old.descriptions.all():
                    store.descriptions.keep(row.kind, row.asked, {row.subject: row.text})
        except StoreTooOld:
            return  # it has none
        except StoreUnreadable as error:
            if self.describes:
                hint = f"To pay for all of them again, move {self.store_path} away, and type: ragit index"
                raise StoreUnreadable(f"the descriptions cannot be carried over: {error.message}", hint) from error

    @contextmanager
    def reading(self) -> Iterator[Store | None]:
        """A reader of the store for a while; None if there is no store yet."""
        store = self.open_store()
        try:
            yield store
        finally:
            if store:
                store.close()

    def collect(self, trees: Iterable[Oid]) -> GcReport:
        """Drop every chunking that none of these trees can use under this configuration, and all other embedders."""
        with held(self._lock, by="a running index"), Store(self.store_path, writable=True) as store:
            before = store.info()
            blobs = {entry.oid for tree in trees for entry in self.repo.entries_here(tree)}
            keep = {
                chunking
                for chunking, oid, language, fingerprint in store.all_keys()
                if oid in blobs and self.selector.usable(language, fingerprint)
            }
            number = store.embedder(self.embedder.fingerprint) if self.embedder else None
            with store.writing():
                dropped = store.drop_except(keep, set() if number is None else {number})
                store.descriptions.drop_unused({bytes.fromhex(blob) for blob in blobs})
            store.compact()
            after = store.info()
        return GcReport(dropped, after.chunkings, before.bytes, after.bytes)

    @property
    def _lock(self) -> Path:
        return self.store_path.with_name(self.store_path.name + ".lock")

    def _fill(self, store: Store, lacking: list[Key], tally: _Tally, progress: Progress | None) -> None:
        number = None
        if self.embedder:
            with store.writing():
                number = store.add_embedder(self.embedder.fingerprint, self.embedder.dimensions)
        keep = _keeping(store) if tally.asked is not None else None
        waiting: list[Done] = []
        room = _batch(keep)
        for done in self._work(lacking, tally, reuse=self.describes or store.has_chunks(), embed=True, keep=keep):
            self._count(done, tally)
            waiting.append(done)
            room -= _weight(done.key)
            if room <= 0:
                _write(store, waiting, number)
                room = _batch(keep)
            if progress:
                progress(tally.done, len(lacking))
        _write(store, waiting, number)

    def _count(self, done: Done, tally: _Tally) -> None:
        tally.done += 1
        if done.new is None:
            if not done.waiting:
                self.absent.add(done.key[0])
            return
        tally.embedded += done.embedded
        tally.reused += done.reused
        if done.key not in tally.again:
            tally.indexed += 1
            tally.chunks += len(done.new.chunks)
            tally.words += done.words

    def _work(
        self, lacking: list[Key], tally: _Tally, *, reuse: bool, embed: bool, keep: Keep | None = None
    ) -> Iterator[Done]:
        if not lacking:
            return
        recipe = self._recipe(bulk=len(lacking) >= POOL_FROM, reuse=reuse, embed=embed)
        batches = list(_batches(lacking, _batch(keep)))
        # Who waits for a server gains nothing by more processes: they would only send more requests at once.
        remote = keep is not None or (embed and self.embedder is not None and not self.embedder.local)
        if sum(map(_weight, lacking)) >= POOL_FROM and self._workers() > 1 and not remote:
            from ragit.index.worker import Pool

            with closing(Pool(recipe, self._workers())) as pool:
                for batch in pool.work(batches):
                    yield from batch
        else:
            from ragit.index.work import Workbench

            with closing(Workbench(recipe, keep)) as bench:
                for keys in batches:
                    yield from bench.work(keys)
                if keep is not None:
                    tally.asked = bench.asker.asked
                tally.sent = bench.sent

    def _recipe(self, *, bulk: bool, reuse: bool, embed: bool) -> Recipe:
        from ragit.index.work import Recipe  # with what it imports, 15 ms that a search of a complete tree saves

        return Recipe(
            objects=self.repo.recipe(bulk=bulk),
            options=chunk_options(self.config),
            chunkers=dict(self.selector.chunkers),
            max_file_bytes=self.config.index.max_file_bytes,
            max_document_bytes=self.config.documents.max_file_bytes,
            embedding=self.config.embedding if embed else replaced(self.config.embedding, provider="none"),
            description=self.config.description,
            image_description=self.config.image_description,
            store=self.store_path,
            reuse=reuse,
            count_secrets=not embed and self.embedder is not None and not self.embedder.local,
        )

    def _workers(self) -> int:
        return self.config.index.workers or os.cpu_count() or 1

    def _report(self, composed: Sequence[Composed], chunks: int, tally: _Tally, seconds: float) -> IndexReport:
        from ragit.index import costs  # for who indexes: a search of a complete tree has no report

        skipped: dict[bytes, str] = {}
        paths: set[bytes] = set()
        for part in composed:
            skipped.update(part.snapshot.skipped)
            paths.update(part.snapshot.paths, (file.path for file in part.missing))
        return IndexReport(
            trees=len(composed),
            files=len(paths),
            chunks=chunks,
            indexed=tally.indexed,
            embedded=tally.embedded,
            reused=tally.reused,
            tokens=tally.words,
            skipped=dict(sorted(Counter(skipped.values()).items())),
            seconds=seconds,
            described=None if tally.asked is None else costs.described(self.config, tally.asked),
            sent=None if tally.sent is None else costs.priced(self.config, tally.sent),
        )

    def _moment(self, store: Store) -> tuple[int, int]:
        """Another one as soon as an image that waited does not wait any more."""
        images = self.selector.images
        return store.last_chunking(), store.descriptions.count(OF_IMAGE, images.fingerprint) if images else 0

    def _remember(self, store: Store, composed: Sequence[Composed], latest: tuple[int, int]) -> None:
        """Cache the trees, which were composed after the given moment."""
        # Without its absent blobs a tree is not what it will be once they are fetched: not to be cached.
        whole = (part for part in composed if not part.cached and not part.missing)
        new = [part for part in whole if NOT_DOWNLOADED not in part.snapshot.skipped.values()]
        if new:
            with store.writing():
                later = self._moment(store) != latest  # another process added what these trees do not have
                for part in new:
                    if later and NOT_DESCRIBED in part.snapshot.skipped.values():
                        continue
                    store.add_snapshot(part.tree, self.composer.selection, part.snapshot)


def _batch(keep: Keep | None) -> int:
    """Blobs worked on, and written, together."""
    return BATCH_FILES if keep is None else DESCRIBED_FILES


def _weight(key: Key) -> int:
    return DOCUMENT_WEIGHT if is_document(key[1]) else 1


def _batches(keys: Sequence[Key], size: int) -> Iterator[list[Key]]:
    """The keys in order, in runs of at most this weight, of one at least."""
    batch: list[Key] = []
    room = size
    for key in keys:
        room -= _weight(key)
        if batch and room < 0:
            yield batch
            batch, room = [], size - _weight(key)
        batch.append(key)
    if batch:
        yield batch


def _keeping(store: Store) -> Keep:
    """What stores descriptions as soon as they are there."""

    def keep(kind: str, asked: str, said: Mapping[bytes, str]) -> None:
        with store.writing():
            store.descriptions.keep(kind, asked, said)
            if kind == OF_IMAGE:
                store.forget_snapshots(NOT_DESCRIBED)

    return keep


def _missing(composed: Sequence[Composed], *, waiting: bool) -> list[Key]:
    """Keys to index, each once, in the order of the first tree's paths: neighbours in a folder share words and
    pages.
    """
    files: Iterator[Selected] = (
        file for part in composed for file in (*part.missing, *(part.waiting if waiting else ()))
    )
    return list(dict.fromkeys(file.key for file in files))


def _write(store: Store, waiting: list[Done], embedder: int | None) -> None:
    with store.writing():
        for done in waiting:
            if done.new is not None:
                store.add(done.new, embedder)
        if any(done.new is not None and done.key[1] == IMAGE for done in waiting):
            store.forget_snapshots(NOT_DESCRIBED)
    waiting.clear()
