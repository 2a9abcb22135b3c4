"""One run of indexing: missing blobs in batches, by this process or by workers, written as they are done, and counted.

Loaded only where something is missing: a search of a complete tree runs nothing.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragit.chunk import is_document
from ragit.config import Config
from ragit.git import Objects, Repo
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED, names_of
from ragit.index.run.deferred import Batch, Slow
from ragit.index.run.stats import Tally
from ragit.index.run.workbench import Done, How, Key, Opened, Recipe, Workbench
from ragit.index.selection import Selector, chunk_options
from ragit.index.vectors import same_model
from ragit.store import Store
from ragit.types import DEFERRED, Embedder, Oid, Progress

if TYPE_CHECKING:
    from ragit.index.descriptions.requests import Keep

BATCH_FILES = 48
"""Blobs per batch and transaction: what a kill can lose, some tenths of a second of work."""

BATCH_SECONDS = 10.0
"""Time after which a batch that waits for a server is stored, roughly: the next has fewer files."""

DESCRIBED_FILES = 8
"""The same while models are asked: a file's chunks take seconds each, and what they say is kept at once anyway."""

DOCUMENT_WEIGHT = 8
"""As how many blobs a document counts in these and the next figure: a long one takes seconds."""

POOL_FROM = 128
"""Missing blobs from which worker processes pay for their start."""


class Setup(NamedTuple):
    """What a run works with: a repository, its settings, and the store that the rows go to."""

    repo: Repo
    config: Config
    store_path: Path
    selector: Selector
    embedder: Embedder | None

    def recipe(self, how: How, *, bulk: bool) -> Recipe:
        """The same for whoever does the work; `bulk` reads many objects."""
        config = self.config
        return Recipe(
            objects=self.repo.recipe(bulk=bulk),
            options=chunk_options(config),
            chunkers=dict(self.selector.chunkers),
            max_file_bytes=config.index.max_file_bytes,
            max_document_bytes=config.documents.max_file_bytes,
            embedding=config.embedding,
            description=config.description,
            image_description=config.image_description,
            names=names_of(self.embedder) if self.embedder else None,
            store=self.store_path,
            how=how,
            remote=self.is_remote,
        )

    @property
    def is_remote(self) -> bool:
        """True if a server makes the vectors."""
        return self.embedder is not None and not self.embedder.local

    @property
    def workers(self) -> int:
        """Processes that may work at once."""
        return self.config.index.workers or os.cpu_count() or 1


class Run:
    """Works off what trees lack, in one way. With `keep`, models are asked for descriptions."""

    def __init__(
        self,
        setup: Setup,
        how: How,
        tally: Tally,
        progress: Progress | None = None,
        keep: Keep | None = None,
        objects: Objects | None = None,
    ) -> None:
        """Work in one way. With `keep`, models are asked; `objects` are those that the caller has open."""
        self._setup = setup
        self._objects = objects
        self._how = how
        self._tally = tally
        self._progress = progress
        self._keep = keep
        self.absent: set[Oid] = set()
        """Blobs that the repository turned out not to have."""

    def fill(self, store: Store, lacking: Sequence[Key]) -> None:
        """Work, and write what was done batch by batch."""
        for batch in self.work(lacking, store):
            _write(store, batch, self._setup.embedder)

    def work(self, lacking: Sequence[Key], store: Store | None = None) -> Iterator[list[Done]]:
        """Chunk these blobs, and embed their chunks, or count what that would take; batch by batch."""
        stored = 0
        for batch in self._batches(lacking, store):
            last = [
                done for done in batch if not done.late or done.new is None
            ]  # the others come again
            for done in last:
                self._tally.count(done)
                if done.new is None and not (done.waits or done.late):
                    self.absent.add(done.key[0])
            yield batch
            for _ in last:
                stored += 1
                if self._progress:
                    self._progress(stored, len(lacking))

    def _opened(self, store: Store | None) -> Opened:
        """Return what a bench in this process need not open again."""
        return Opened(store, self._objects, self._setup.repo.sizes_here)

    def _batches(self, lacking: Sequence[Key], store: Store | None) -> Iterator[list[Done]]:
        if not lacking:
            return
        setup, tally = self._setup, self._tally
        recipe = setup.recipe(self._how, bulk=len(lacking) >= POOL_FROM)
        how = self._how
        allowance = -math.inf if how.quick else float(setup.config.documents.max_seconds)
        slow = Slow(lacking, tally.deferred, allowance)
        asks = setup.is_remote and not how.rehearses
        self._files = BATCH_FILES if self._keep is None else DESCRIBED_FILES
        self._most_files = self._files
        if asks:
            self._files = 1  # what is wrong with a server shows before much is sent to it
        cut = partial(_cut, size=lambda: self._files)
        first = takewhile(lambda _: not how.is_over, slow.first(cut))
        # Who waits for a server gains nothing by more processes: they would only send more requests at once.
        if asks or self._keep is not None:
            with closing(Workbench(recipe, self._keep, self._opened(store))) as bench:
                yield from slow.read(self._asking(bench, first))
                yield from slow.spend(self._asking(bench, slow.second(cut)))
                tally.spent = bench.asker.spent if self._keep is not None else tally.spent
                tally.sent = bench.sent
            return
        if sum(map(_weight, lacking)) >= POOL_FROM and setup.workers > 1:
            yield from slow.read(_together(recipe, setup.workers, first, ahead=2))
        else:
            with closing(Workbench(recipe, None, self._opened(store))) as bench:
                yield from slow.read(_alone(bench, first))
                if how.quick:
                    yield from slow.spend(_alone(bench, slow.second(cut)))
                    return
        if slow.count:
            workers = min(setup.workers, slow.count)
            yield from slow.spend(_together(recipe, workers, slow.second(cut), ahead=1))

    def _asking(self, bench: Workbench, batches: Iterable[Batch]) -> Iterator[list[Done]]:
        """Work on batches with a server, sized so that little is lost if the run is ended."""
        for batch in batches:
            started = time.monotonic()
            done = bench.work(batch.keys, batch.kind)
            share = BATCH_SECONDS / max(time.monotonic() - started, 0.001)
            self._files = min(max(1, int(sum(map(_weight, batch.keys)) * share)), self._most_files)
            rate = bench.texts_per_second
            if rate and self._progress is not None and hasattr(self._progress, "note"):
                self._progress.note(f"{rate:.1f} texts/s")
            yield done


def _alone(bench: Workbench, batches: Iterable[Batch]) -> Iterator[list[Done]]:
    """What this process makes of some batches."""
    for batch in batches:
        yield bench.work(batch.keys, batch.kind)


def _together(
    recipe: Recipe, workers: int, batches: Iterable[Batch], *, ahead: int
) -> Iterator[list[Done]]:
    """What worker processes make of them."""
    from ragit.index.run.worker_pool import Pool

    with closing(Pool(recipe, workers)) as pool:
        yield from pool.work(batches, ahead)


def _weight(key: Key) -> int:
    return DOCUMENT_WEIGHT if is_document(key[1]) else 1


def _cut(keys: Sequence[Key], *, size: Callable[[], int]) -> Iterator[list[Key]]:
    """Yield the keys in order, in batches of at most the weight that `size` gives when a batch
    begins; a batch holds one key at least.
    """
    batch: list[Key] = []
    room = size()
    for key in keys:
        if batch and room < _weight(key):
            yield batch
            batch, room = [], size()
        batch.append(key)
        room -= _weight(key)
    if batch:
        yield batch


def _write(store: Store, batch: Sequence[Done], embedder: Embedder | None) -> None:
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


def _table(store: Store, batch: Sequence[Done], embedder: Embedder) -> int | None:
    """The number of the embedder whose tables take the vectors of a batch; None while there are none.

    Raises EmbedderUnavailable for vectors of another length, or by another model, than those of its name that are
    stored: so no table ever holds both.
    """
    names = names_of(embedder)
    if embedder.local:
        return store.add_embedder(names.own, embedder.dimensions)
    vectors = next((done.new.vectors for done in batch if done.new and done.new.vectors), None)
    if vectors is None:
        return store.embedder(names.own)
    seen = dict.fromkeys(mark for done in batch for mark in done.marks)
    dimensions = len(vectors[0][1])
    tables = same_model.tables_of(store, names)
    for number in tables:
        store.check_dimensions(number, dimensions)
    marks = [*(store.mark(number) for number in tables), *seen]
    for mark in seen:
        same_model.confirm(embedder, marks, mark)
    return store.add_embedder(names.own, dimensions, next(filter(any, marks), b""))
