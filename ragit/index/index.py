"""The order of work: what is missing, in which batches, and when it is written."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.config import Config
from ragit.errors import StoreTooOld, StoreUnreadable
from ragit.git import Repo
from ragit.index.compose import NOT_DOWNLOADED, Composed, Composer
from ragit.index.embedder import embedder_of
from ragit.index.plan import Selected, Selector, chunk_options
from ragit.locks import held
from ragit.postings import Forward
from ragit.records import replaced
from ragit.store import NewChunking, Store, is_store
from ragit.types import GcReport, IndexReport, Oid, Progress

if TYPE_CHECKING:
    from ragit.index.work import Done, Key, Recipe

BATCH_FILES = 48
"""Blobs per batch and transaction: what a kill can lose, some tenths of a second of work."""

POOL_FROM = 128
"""Missing blobs from which worker processes pay for their start."""


@dataclass(slots=True)
class _Tally:
    indexed: int = 0
    embedded: int = 0
    reused: int = 0
    words: int = 0
    chunks: int = 0


class Indexer:
    """Makes trees of one repository complete in its store."""

    def __init__(self, repo: Repo, config: Config, store_path: Path) -> None:
        self.repo = repo
        self.config = config
        self.store_path = store_path
        self.embedder = embedder_of(config.embedding)
        fingerprint = self.embedder.fingerprint if self.embedder else ""
        self.selector = Selector(config)
        self.composer = Composer(repo, self.selector, fingerprint)
        self.absent: set[Oid] = set()

    def without_vectors(self) -> Indexer:
        """The same for words alone: what an embedding server that does not answer leaves possible."""
        settings = replaced(self.config, embedding=replaced(self.config.embedding, provider="none"))
        return Indexer(self.repo, settings, self.store_path)

    def open_store(self) -> Store | None:
        """A reader of the store; None if there is no store yet, or one that has to be brought up to date first."""
        if not self.store_path.exists():
            return None
        try:
            return Store(self.store_path, writable=False)
        except StoreTooOld:  # an older ragit's, or of one that was killed as it made it: indexing migrates it
            return None

    def complete(
        self, trees: Sequence[Oid], *, near: Oid | None = None, progress: Progress | None = None
    ) -> IndexReport:
        """Index what these trees lack. What is done is kept if this is interrupted."""
        started = time.perf_counter()
        tally = _Tally()
        with held(self._lock, shared=True, by="a running gc"), Store(self.store_path, writable=True) as store:
            composed = [self.composer.compose(store, tree, near=near, absent=self.absent) for tree in trees]
            missing = _missing(composed)
            if missing:
                self._fill(store, missing, tally, progress)
                composed = [self.composer.compose(store, tree, near=near, absent=self.absent) for tree in trees]
            self._remember(store, composed)
            chunks = store.chunk_count({c for part in composed for c in part.snapshot.chunkings})
        return _report(composed, chunks, tally, time.perf_counter() - started)

    def fetch(self, trees: Sequence[Oid]) -> None:
        """Download the files that a partial clone lacks of these trees, in one call."""
        absent: dict[Oid, None] = {}
        with self.reading() as store:
            for tree in trees:
                skipped = self.composer.compose(store, tree).snapshot.skipped
                absent.update((e.oid, None) for e in self.repo.entries(tree) if skipped.get(e.path) == NOT_DOWNLOADED)
        self.repo.fetch(absent)

    def rehearse(self, trees: Sequence[Oid], *, progress: Progress | None = None) -> IndexReport:
        """What `complete` would do, found by chunking what is missing and writing nothing."""
        started = time.perf_counter()
        tally = _Tally()
        with self.reading() as store:
            composed = [self.composer.compose(store, tree) for tree in trees]
            missing = _missing(composed)
            tally.chunks = store.chunk_count({c for part in composed for c in part.snapshot.chunkings}) if store else 0
            foreseen: set[bytes] = set()
            for done in self._work(missing, reuse=False, embed=False):
                self._count(done, tally)
                if done.new is not None:
                    self._foresee(store, done.new, foreseen, tally)
                if progress:
                    progress(tally.indexed, len(missing))
        return replaced(_report(composed, tally.chunks, tally, time.perf_counter() - started), dry_run=True)

    def _foresee(self, store: Store | None, new: NewChunking, foreseen: set[bytes], tally: _Tally) -> None:
        """Count what of a blob would be embedded: each text once, and none whose vector is stored."""
        tally.words -= new.length
        if self.embedder is None or not new.chunks:
            return
        number = store.embedder(self.embedder.fingerprint) if store else None
        known = store.vectors_of((row.hash for row in new.chunks), number) if store else {}
        for row, words in zip(new.chunks, Forward(new.forward).lengths, strict=True):
            if row.hash in known or row.hash in foreseen:
                tally.reused += 1
            else:
                foreseen.add(row.hash)
                tally.embedded += 1
                tally.words += words

    def rebuild(self, trees: Sequence[Oid], *, progress: Progress | None = None) -> IndexReport:
        """Index from nothing, beside the old store, which is replaced only at the end."""
        fresh = Indexer(self.repo, self.config, self.store_path.with_name(self.store_path.name + ".new"))
        _remove(fresh.store_path)
        report = fresh.complete(trees, progress=progress)
        with Store(fresh.store_path, writable=True) as store:
            store.checkpoint()
        with held(self._lock, by="a running index"):
            _replace(self.store_path, fresh.store_path)
        return report

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
                if oid in blobs and fingerprint == self.selector.fingerprint_of(language)
            }
            number = store.embedder(self.embedder.fingerprint) if self.embedder else None
            with store.writing():
                dropped = store.drop_except(keep, set() if number is None else {number})
            store.compact()
            after = store.info()
        return GcReport(dropped, after.chunkings, before.bytes, after.bytes)

    @property
    def _lock(self) -> Path:
        return self.store_path.with_name(self.store_path.name + ".lock")

    def _fill(self, store: Store, missing: list[Key], tally: _Tally, progress: Progress | None) -> None:
        number = None
        if self.embedder:
            with store.writing():
                number = store.add_embedder(self.embedder.fingerprint, self.embedder.dimensions)
        reuse = bool(number) and store.has_chunks()
        waiting: list[Done] = []
        for done in self._work(missing, reuse=reuse, embed=True):
            self._count(done, tally)
            waiting.append(done)
            if len(waiting) >= BATCH_FILES:
                _write(store, waiting, number)
            if progress:
                progress(tally.indexed, len(missing))
        _write(store, waiting, number)

    def _count(self, done: Done, tally: _Tally) -> None:
        tally.indexed += 1
        if done.new is None:
            self.absent.add(done.key[0])
            return
        tally.chunks += len(done.new.chunks)
        tally.embedded += done.embedded
        tally.reused += done.reused
        tally.words += done.words

    def _work(self, missing: list[Key], *, reuse: bool, embed: bool) -> Iterator[Done]:
        if not missing:
            return
        recipe = self._recipe(bulk=len(missing) >= POOL_FROM, reuse=reuse, embed=embed)
        batches = [missing[i : i + BATCH_FILES] for i in range(0, len(missing), BATCH_FILES)]
        # A remote embedder waits for its server: more processes would only chunk faster, and send more requests at
        # once.
        if (
            len(missing) >= POOL_FROM
            and self._workers() > 1
            and (not embed or not self.embedder or self.embedder.local)
        ):
            from ragit.index.worker import Pool

            with closing(Pool(recipe, self._workers())) as pool:
                for batch in pool.work(batches):
                    yield from batch
        else:
            from ragit.index.work import Workbench

            with closing(Workbench(recipe)) as bench:
                for keys in batches:
                    yield from bench.work(keys)

    def _recipe(self, *, bulk: bool, reuse: bool, embed: bool) -> Recipe:
        from ragit.index.work import Recipe  # with what it imports, 15 ms that a search of a complete tree saves

        return Recipe(
            objects=self.repo.recipe(bulk=bulk),
            options=chunk_options(self.config),
            max_file_bytes=self.config.index.max_file_bytes,
            max_document_bytes=self.config.documents.max_file_bytes,
            embedding=self.config.embedding if embed else replaced(self.config.embedding, provider="none"),
            store=self.store_path,
            reuse=reuse,
        )

    def _workers(self) -> int:
        return self.config.index.workers or os.cpu_count() or 1

    def _remember(self, store: Store, composed: Sequence[Composed]) -> None:
        # Without its absent blobs a tree is not what it will be once they are fetched: not to be cached.
        whole = (part for part in composed if not part.cached and not part.missing)
        new = [part for part in whole if NOT_DOWNLOADED not in part.snapshot.skipped.values()]
        if new:
            with store.writing():
                for part in new:
                    store.add_snapshot(part.tree, self.composer.selection, part.snapshot)


def _missing(composed: Sequence[Composed]) -> list[Key]:
    """Keys to index, each once, in the order of the first tree's paths: neighbours in a folder share words and
    pages.
    """
    files: Iterator[Selected] = (file for part in composed for file in part.missing)
    return list(dict.fromkeys(file.key for file in files))


def _write(store: Store, waiting: list[Done], embedder: int | None) -> None:
    with store.writing():
        for done in waiting:
            if done.new is not None:
                store.add(done.new, embedder)
    waiting.clear()


def _report(composed: Sequence[Composed], chunks: int, tally: _Tally, seconds: float) -> IndexReport:
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
    )


def _replace(old: Path, new: Path) -> None:
    try:
        if old.exists() and not is_store(old):  # it may be somebody's, named by mistake
            old.rename(_aside(old))
        _remove(old)
        new.replace(old)
        _remove(new)
        Path(f"{new}.lock").unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnreadable(
            f"cannot replace the index {old}: {error.strerror}", "Check the folder's permissions and free space"
        ) from error


def _aside(path: Path) -> Path:
    """A free name beside a file that has to make room."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def _remove(store_path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{store_path}{suffix}").unlink(missing_ok=True)
