"""Run indexing once: process missing blobs in batches, store the results and count them.

Imported only if something is missing.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragit.chunk import is_document
from ragit.config import Config
from ragit.git import Objects, Repo
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED, fingerprints_of
from ragit.index.run.deferred import Batch, DeferredFiles
from ragit.index.run.result import BlobResult, Key, RunMode, WorkerConfig
from ragit.index.run.stats import RunStats
from ragit.index.run.worker import IndexingWorker, Opened
from ragit.index.run.workers import open_worker
from ragit.index.selection import Selector, chunk_options
from ragit.index.vectors import same_model
from ragit.records import NamedTuple
from ragit.store import Store
from ragit.types import DEFERRED, Embedder, Oid, Progress

if TYPE_CHECKING:
    from ragit.index.descriptions.requests import Keep

BATCH_FILES = 48
"""Blobs per batch and transaction: a kill loses at most one batch, some tenths of a second
of work.
"""

BATCH_SECONDS = 10.0
"""Approximate time after which a batch that waits for a server is stored: the next has
fewer files.
"""

DESCRIBED_FILES = 8
"""Blobs per batch while models are asked: a file's chunks take seconds each, and answers are stored
at once anyway.
"""

DOCUMENT_WEIGHT = 8
"""Blobs as which a document counts in these figures and the next: a long one takes seconds."""

LARGE_BYTES = 32 << 10
"""Bytes of a text that count as one blob: a batch of translations, of a megabyte each, would take
hundreds of megabytes of memory.
"""

POOL_FROM = 128
"""Number of missing blobs from which worker processes pay."""


class Setup(NamedTuple):
    """The repository, settings and store of a run."""

    repo: Repo
    config: Config
    store_path: Path
    selector: Selector
    embedder: Embedder | None

    def worker_config(self, mode: RunMode, *, bulk: bool) -> WorkerConfig:
        """Return the configuration of a worker; `bulk` if it reads many objects."""
        config = self.config
        return WorkerConfig(
            objects=self.repo.recipe(bulk=bulk),
            options=chunk_options(config),
            chunkers=dict(self.selector.chunkers),
            max_file_bytes=config.index.max_file_bytes,
            max_document_bytes=config.documents.max_file_bytes,
            embedding=config.embedding,
            description=config.description,
            image_description=config.image_description,
            fingerprints=fingerprints_of(self.embedder) if self.embedder else None,
            store=self.store_path,
            mode=mode,
            remote=self.is_remote,
        )

    @property
    def is_remote(self) -> bool:
        """Return whether a server makes the vectors."""
        return self.embedder is not None and not self.embedder.local

    @property
    def workers(self) -> int:
        """Number of processes that may work at once."""
        return self.config.index.workers or os.cpu_count() or 1


class Run:
    """Indexes what trees lack, in one mode."""

    def __init__(
        self,
        setup: Setup,
        mode: RunMode,
        stats: RunStats,
        progress: Progress | None = None,
        keep: Keep | None = None,
        objects: Objects | None = None,
    ) -> None:
        """Prepare a run.

        With `keep`, models are asked for descriptions. `objects` is an open reader of the caller.
        """
        self._setup = setup
        self._objects = objects
        self._mode = mode
        self._stats = stats
        self._progress = progress
        self._keep = keep
        self._most_files = BATCH_FILES if keep is None else DESCRIBED_FILES
        self._files = self._most_files
        """Weight of the next batch."""
        self.absent: set[Oid] = set()
        """Blobs found missing from the repository."""

    def fill(self, store: Store, lacking: Sequence[Key]) -> None:
        """Index these blobs and store each finished batch."""
        for batch in self.work(lacking, store):
            _write(store, batch, self._setup.embedder)

    def work(
        self, lacking: Sequence[Key], store: Store | None = None
    ) -> Iterator[list[BlobResult]]:
        """Yield the results for these blobs by batch, and count them."""
        done = 0
        for batch in self._batches(lacking, store):
            final = [one for one in batch if not one.timed_out or one.new is None]
            for one in final:
                self._stats.count(one)
                if one.new is None and not (one.waits or one.timed_out):
                    self.absent.add(one.key[0])
            yield batch
            for _ in final:
                done += 1
                if self._progress:
                    self._progress(done, len(lacking))

    def _batches(self, lacking: Sequence[Key], store: Store | None) -> Iterator[list[BlobResult]]:
        if not lacking:
            return
        mode, setup = self._mode, self._setup
        allowance = -math.inf if mode.quick else float(setup.config.documents.max_seconds)
        files = DeferredFiles(lacking, self._stats.deferred, allowance)
        config = setup.worker_config(mode, bulk=len(lacking) >= POOL_FROM)
        opened = Opened(store, self._objects, setup.repo.sizes_here)
        if (setup.is_remote and not mode.dry_run) or self._keep is not None:
            with closing(open_worker(config, self._keep, opened)) as worker:
                yield from self._with_server(worker, files)
        elif sum(map(_weight, lacking)) >= POOL_FROM and setup.workers > 1:
            yield from self._with_pool(config, files)
        else:
            with closing(open_worker(config, None, opened)) as worker:
                yield from self._alone(worker, files)
            if files.count and not mode.quick:
                yield from files.spend(
                    _pool(config, min(setup.workers, files.count), self._second(files), 1)
                )

    def _first(self, files: DeferredFiles) -> Iterator[Batch]:
        """Yield the batches of the first round until the deadline."""
        return takewhile(lambda _: not self._mode.is_over, files.first(self._cut))

    def _second(self, files: DeferredFiles) -> Iterator[Batch]:
        return files.second(self._cut)

    def _cut(self, keys: Sequence[Key]) -> Iterator[list[Key]]:
        return _cut(keys, size=lambda: self._files, sizes=self._setup.repo.sizes_here)

    def _alone(self, worker: IndexingWorker, files: DeferredFiles) -> Iterator[list[BlobResult]]:
        """Work in this process; for a search, the second round too, without slow files."""
        yield from files.read(worker.work(*batch[:2]) for batch in self._first(files))
        if self._mode.quick:
            yield from files.spend(worker.work(*batch[:2]) for batch in self._second(files))

    def _with_pool(self, config: WorkerConfig, files: DeferredFiles) -> Iterator[list[BlobResult]]:
        """Work in several processes."""
        workers = self._setup.workers
        yield from files.read(_pool(config, workers, self._first(files), 2))
        if files.count:
            workers = min(workers, files.count)
            yield from files.spend(_pool(config, workers, self._second(files), 1))

    def _with_server(
        self, worker: IndexingWorker, files: DeferredFiles
    ) -> Iterator[list[BlobResult]]:
        """Work with a server in this process: more processes would only send more requests."""
        if self._setup.is_remote:
            self._files = 1  # what is wrong with a server shows before much is sent to it
        yield from files.read(self._asking(worker, self._first(files)))
        yield from files.spend(self._asking(worker, self._second(files)))
        if self._keep is not None:
            self._stats.spent = worker.asker.spent
        self._stats.sent = worker.sent

    def _asking(
        self, worker: IndexingWorker, batches: Iterable[Batch]
    ) -> Iterator[list[BlobResult]]:
        """Process batches with a server, sized so that little is lost if the run is ended."""
        for batch in batches:
            started = time.monotonic()
            done = worker.work(batch.keys, batch.kind)
            share = BATCH_SECONDS / max(time.monotonic() - started, 0.001)
            weight = sum(_weight(key, self._setup.repo.sizes_here) for key in batch.keys)
            self._files = min(max(1, int(weight * share)), self._most_files)
            rate = worker.texts_per_second
            if rate and self._progress is not None and hasattr(self._progress, "note"):
                self._progress.note(f"{rate:.1f} texts/s")
            yield done


def _pool(
    config: WorkerConfig, workers: int, batches: Iterable[Batch], ahead: int
) -> Iterator[list[BlobResult]]:
    """Yield worker processes' results of batches."""
    from ragit.index.run.worker_pool import WorkerPool

    with closing(WorkerPool(config, workers)) as pool:
        yield from pool.work(batches, ahead)


def _weight(key: Key, sizes: Mapping[Oid, int] = MappingProxyType({})) -> int:
    """Return as how many blobs one counts; `sizes` are those of blobs, in bytes."""
    if is_document(key[1]):
        return DOCUMENT_WEIGHT
    return max(1, sizes.get(key[0], 0) // LARGE_BYTES)


def _cut(
    keys: Sequence[Key],
    *,
    size: Callable[[], int],
    sizes: Mapping[Oid, int] = MappingProxyType({}),
) -> Iterator[list[Key]]:
    """Yield the keys in order, in batches of at least one key up to a weight.

    `size` gives the weight when a batch begins, and `sizes` the bytes of blobs.
    """
    batch: list[Key] = []
    room = size()
    for key in keys:
        weight = _weight(key, sizes)
        if batch and room < weight:
            yield batch
            batch, room = [], size()
        batch.append(key)
        room -= weight
    if batch:
        yield batch


def _write(store: Store, batch: Sequence[BlobResult], embedder: Embedder | None) -> None:
    with store.writing():
        number = _table(store, batch, embedder) if embedder else None
        outdated: set[str] = set()
        for done in batch:
            if done.new is not None and store.add(done.new, number):
                outdated |= DEFERRED
        if any(done.new is not None and done.key[1] == IMAGE for done in batch):
            outdated.add(NOT_DESCRIBED)
        if outdated:
            store.snapshots.forget(outdated)


def _table(store: Store, batch: Sequence[BlobResult], embedder: Embedder) -> int | None:
    """Return the number of the embedder of a batch's vectors; None while there are none.

    Raises EmbedderUnavailable if the vectors differ in length or model from the stored ones of that
    name: so no table ever mixes both.
    """
    fingerprints = fingerprints_of(embedder)
    if embedder.local:
        return store.add_embedder(fingerprints.own, embedder.dimensions)
    vectors = next((done.new.vectors for done in batch if done.new and done.new.vectors), None)
    if vectors is None:
        return store.embedder(fingerprints.own)
    seen = dict.fromkeys(mark for done in batch for mark in done.marks)
    dimensions = len(vectors[0][1])
    tables = same_model.tables_of(store, fingerprints)
    for number in tables:
        store.check_dimensions(number, dimensions)
    marks = [*(store.mark(number) for number in tables), *seen]
    for mark in seen:
        same_model.confirm(embedder, marks, mark)
    return store.add_embedder(fingerprints.own, dimensions, next(filter(any, marks), b""))
