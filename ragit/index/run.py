"""One run of indexing: missing blobs in batches, by this process or by workers, written as they are done, and counted.

Loaded only where something is missing: a search of a complete tree runs nothing.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragit.chunk import is_document
from ragit.config import Config
from ragit.git import Repo
from ragit.index import costs
from ragit.index.compose import Composed
from ragit.index.costs import Spent
from ragit.index.plan import Selector, chunk_options
from ragit.index.slow import Batch, Slow
from ragit.index.wanted import IMAGE, NOT_DESCRIBED
from ragit.index.work import Done, Key, Recipe, Workbench
from ragit.records import replaced
from ragit.reports import IndexReport, Sent
from ragit.store import Store
from ragit.types import PUT_OFF, Embedder, Oid, Progress

if TYPE_CHECKING:
    from ragit.index.asker import Keep

BATCH_FILES = 48
"""Blobs per batch and transaction: what a kill can lose, some tenths of a second of work."""

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

    def recipe(self, *, bulk: bool, reuse: bool, embed: bool) -> Recipe:
        """The same for whoever does the work; `bulk` reads many objects."""
        config = self.config
        return Recipe(
            objects=self.repo.recipe(bulk=bulk),
            options=chunk_options(config),
            chunkers=dict(self.selector.chunkers),
            max_file_bytes=config.index.max_file_bytes,
            max_document_bytes=config.documents.max_file_bytes,
            embedding=config.embedding if embed else replaced(config.embedding, provider="none"),
            description=config.description,
            image_description=config.image_description,
            store=self.store_path,
            reuse=reuse,
            count_secrets=not embed and self.is_remote,
        )

    @property
    def is_remote(self) -> bool:
        """True if a server makes the vectors."""
        return self.embedder is not None and not self.embedder.local

    @property
    def workers(self) -> int:
        """Processes that may work at once."""
        return self.config.index.workers or os.cpu_count() or 1


@dataclass(slots=True)
class Tally:
    """What a run came to so far."""

    again: frozenset[Key] = frozenset()
    """Chunkings that are there, but for their descriptions."""
    put_off: frozenset[Key] = frozenset()
    """Blobs that an earlier run put off, and this one tries again."""
    done: int = 0
    indexed: int = 0
    embedded: int = 0
    reused: int = 0
    words: int = 0
    chunks: int = 0
    spent: dict[str, Spent] | None = None
    """What models were asked, by kind; None where none are to be."""
    sent: Sent | None = None
    """What a server was sent that makes vectors."""
    started: float = field(default_factory=time.perf_counter)

    def count(self, done: Done) -> None:
        """Count one blob that the repository has."""
        if done.new is None:
            return
        self.embedded += done.embedded
        self.reused += done.reused
        if done.key not in self.again:
            self.indexed += 1
            self.chunks += len(done.new.chunks)
            self.words += done.words

    def report(self, config: Config, composed: Sequence[Composed], chunks: int) -> IndexReport:
        """The run as it is shown; `chunks` are those of its trees."""
        skipped: dict[bytes, str] = {}
        by_lines: dict[bytes, str] = {}
        paths: set[bytes] = set()
        for part in composed:
            skipped.update(part.skipped)
            by_lines.update(part.by_lines)
            paths.update(part.snapshot.paths, (file.path for file in part.missing))
        return IndexReport(
            trees=len(composed),
            files=len(paths),
            chunks=chunks,
            indexed=self.indexed,
            embedded=self.embedded,
            reused=self.reused,
            words=self.words,
            skipped=dict(sorted(Counter(skipped.values()).items())),
            by_lines=dict(sorted(Counter(by_lines.values()).items())),
            seconds=time.perf_counter() - self.started,
            described=None if self.spent is None else costs.of_descriptions(config, self.spent),
            sent=None if self.sent is None else costs.of_vectors(config, self.sent),
        )


class Run:
    """Works off what trees lack."""

    def __init__(self, setup: Setup, tally: Tally, progress: Progress | None) -> None:
        self._setup = setup
        self._tally = tally
        self._progress = progress
        self.absent: set[Oid] = set()
        """Blobs that the repository turned out not to have."""

    def fill(self, store: Store, lacking: Sequence[Key], keep: Keep | None, *, reuse: bool) -> None:
        """Work, and write what was done batch by batch."""
        embedder = self._setup.embedder
        number = None
        if embedder:
            with store.writing():
                number = store.add_embedder(embedder.fingerprint, embedder.dimensions)
        waiting: list[Done] = []
        room = _batch(keep)
        for done in self.work(lacking, reuse=reuse, embed=True, keep=keep):
            waiting.append(done)
            room -= _weight(done.key)
            if room <= 0:
                _write(store, waiting, number)
                room = _batch(keep)
        _write(store, waiting, number)

    def work(self, lacking: Sequence[Key], *, reuse: bool, embed: bool, keep: Keep | None = None) -> Iterator[Done]:
        """Chunk these blobs, and `embed` their chunks. With `keep`, models are asked for descriptions."""
        for done in self._each(lacking, reuse=reuse, embed=embed, keep=keep):
            if done.late and done.new is not None:
                yield done  # it comes again
                continue
            self._tally.done += 1
            self._tally.count(done)
            if done.new is None and not (done.waiting or done.late):
                self.absent.add(done.key[0])
            yield done
            if self._progress:
                self._progress(self._tally.done, len(lacking))

    def _each(self, lacking: Sequence[Key], *, reuse: bool, embed: bool, keep: Keep | None) -> Iterator[Done]:
        if not lacking:
            return
        setup, tally = self._setup, self._tally
        recipe = setup.recipe(bulk=len(lacking) >= POOL_FROM, reuse=reuse, embed=embed)
        slow = Slow(lacking, tally.put_off, setup.config.documents.max_seconds)
        cut = partial(_batches, size=_batch(keep))
        # Who waits for a server gains nothing by more processes: they would only send more requests at once.
        if keep is not None or (embed and setup.is_remote):
            with closing(Workbench(recipe, keep)) as bench:
                yield from slow.read(_alone(bench, slow.first(cut)))
                yield from slow.spend(_alone(bench, slow.second(cut)))
                tally.spent = bench.asker.spent if keep is not None else tally.spent
                tally.sent = bench.sent
            return
        if sum(map(_weight, lacking)) >= POOL_FROM and setup.workers > 1:
            yield from slow.read(_together(recipe, setup.workers, slow.first(cut), ahead=2))
        else:
            with closing(Workbench(recipe)) as bench:
                yield from slow.read(_alone(bench, slow.first(cut)))
        if slow.count:  # what hurts a grammar may take all memory, too, or its process's life
            yield from slow.spend(_together(recipe, min(setup.workers, slow.count), slow.second(cut), ahead=1))


def _alone(bench: Workbench, batches: Iterable[Batch]) -> Iterator[Done]:
    """What this process makes of some batches."""
    for keys, kind in batches:
        yield from bench.work(keys, kind)


def _together(recipe: Recipe, workers: int, batches: Iterable[Batch], *, ahead: int) -> Iterator[Done]:
    """What worker processes make of them."""
    from ragit.index.worker import Pool

    with closing(Pool(recipe, workers)) as pool:
        for done in pool.work(batches, ahead):
            yield from done


def _batch(keep: Keep | None) -> int:
    """The weight of the blobs that are worked on, and written, together."""
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


def _write(store: Store, waiting: list[Done], embedder: int | None) -> None:
    outdated: set[str] = set()
    with store.writing():
        for done in waiting:
            if done.new is not None and store.add(done.new, embedder):
                outdated |= PUT_OFF
        if any(done.new is not None and done.key[1] == IMAGE for done in waiting):
            outdated.add(NOT_DESCRIBED)
        if outdated:
            store.snapshots.forget(outdated)
    waiting.clear()
