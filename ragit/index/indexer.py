"""Complete trees in the store: find missing files, index them and cache complete trees.

Also acts on a whole store: dry run, rebuild, and garbage collection.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragit import chunk
from ragit.chunk import is_document
from ragit.config import Config
from ragit.errors import EmbedderUnavailable, RagitError, StoreTooOld, StoreUnreadable
from ragit.git import Repo
from ragit.index.descriptions.settings import NOT_DESCRIBED, chunk_task
from ragit.index.descriptions.stored import Descriptions, keeping
from ragit.index.keys import append_new, missing_keys
from ragit.index.selection import Selector
from ragit.index.tree import IndexedTree, chunks_without_vectors
from ragit.index.union import UnionResolver
from ragit.index.upkeep import Upkeep, index_lock, rebuild_lock
from ragit.index.vectors.embedder import embedder_of, sent_by, server_name
from ragit.index.waiting_search import WaitingSearch
from ragit.locks import held
from ragit.records import replaced
from ragit.store import (
    Store,
    copy_store,
    install_store,
    is_store,
    new_store_path,
    unfinished_stores,
)
from ragit.types import DEFERRED, NOT_DOWNLOADED, Oid, Progress, ToIndex
from ragit.types import lacking as lacking_words

if TYPE_CHECKING:
    from ragit.chunk import Custom
    from ragit.index.run.result import Key
    from ragit.index.run.run import Setup
    from ragit.index.run.stats import RunStats
    from ragit.reports import GcReport, IndexReport


_INSTALL_WAIT_S = 600.0
"""Seconds that a finished rebuild waits for processes that index into the old store."""

SEARCH_S = 60.0
"""Seconds of wall time after which a search stops indexing and answers from the stored part."""
SEARCH_FILE_S = 2.0
"""Seconds of processor time that a search spends on one file. Few documents and no usual source
file take more than 0.3.
"""

HANDFUL = 64
"""Number of missing files up to which one process chunks them: for so few, worker processes do not
pay.
"""


_WAIT_S = 60.0
"""Seconds that an indexing run waits for gc, or for a rebuild that is replacing the store."""

QUICK_WAIT_S = 2.0
"""Limit of a search's wait in seconds; it then answers from the stored part."""


class Indexer:
    """Completes trees of one repository in its store."""

    def __init__(
        self,
        repo: Repo,
        config: Config,
        store_path: Path,
        chunkers: Mapping[str, Custom] | None = None,
        unions: dict[Oid, tuple[Oid, ...]] | None = None,
    ) -> None:
        self.repo = repo
        self.chunkers = chunkers
        self.config = config
        self.store_path = store_path
        self.embedder = embedder_of(config.embedding, config.description)
        fingerprint = self.embedder.fingerprint if self.embedder else ""
        self.selector = Selector(config, chunkers)
        described = chunk_task(config.description)
        self.trees = UnionResolver(
            repo,
            self.selector,
            fingerprint,
            described.fingerprint if described else "",
            unions=unions,
        )
        self.descriptions = Descriptions(repo, config, self.embedder)
        self.elsewhere: Path | None = None
        """Path for a copy of a store that can be read but not written."""
        self.absent: set[Oid] = set()
        """Blobs found missing from the repository."""

    def without_vectors(self) -> Indexer:
        """Return an indexer of words only, for when the embedding server does not answer."""
        settings = replaced(self.config, embedding=replaced(self.config.embedding, provider="none"))
        return Indexer(self.repo, settings, self.store_path, self.chunkers, self.trees.unions)

    def open_store(self) -> Store | None:
        """Open the store for reading; None if it is missing or has to be migrated."""
        if not self.store_path.exists():
            return None
        try:
            return Store(self.store_path, writable=False)
        except (
            StoreTooOld
        ):  # an older ragit's, or of one that was killed as it made it: indexing migrates it
            return None

    def complete(
        self,
        trees: Sequence[Oid],
        *,
        near: Oid | None = None,
        progress: Progress | None = None,
        describe: bool = False,
        retry: bool = False,
    ) -> IndexReport:
        """Index what these trees lack. Finished batches are kept if this is interrupted.

        Models are asked only with `describe`, which may take long: without it, stored descriptions
        are used, and other chunks are embedded by code alone and described by a later run with
        `describe`. `retry` reads files that earlier runs deferred, as far as its time allows.
        """
        from ragit.index.run.stats import seen

        self._go_elsewhere()
        stats = self._new_stats(describe)
        with self._completed(trees, near, stats, progress, retry=retry) as (store, resolved):
            whole = {chunking for part in resolved for chunking in part.snapshot.chunkings}
            chunks = store.chunk_count(whole)
        self.tidy()
        return stats.report(self.config, seen(resolved), chunks)

    def complete_for(
        self,
        search: WaitingSearch,
        trees: Sequence[Oid],
        *,
        near: Oid | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Index what these trees lack, for a waiting search. Finished batches are kept if this is
        interrupted.

        The search passes in what it has resolved and opened, and gets the trees as they are
        afterwards. A file that takes longer than SEARCH_FILE_S is deferred, and files left after
        SEARCH_S stay missing, unless the search is patient.
        """
        if self._go_elsewhere():
            search.leave()
        stats = self._new_stats(describe=False)
        with self._completed(trees, near, stats, progress, search) as (_, resolved):
            search.take(resolved)

    @contextmanager
    def _completed(
        self,
        trees: Sequence[Oid],
        near: Oid | None,
        stats: RunStats,
        progress: Progress | None,
        search: WaitingSearch | None = None,
        *,
        retry: bool = False,
    ) -> Iterator[tuple[Store, Sequence[IndexedTree]]]:
        """Index what these trees lack, and give the resulting store and trees, while nothing can be
        dropped.
        """
        wait_s = QUICK_WAIT_S if search else _WAIT_S
        with (
            held(self._lock, shared=True, by="a running gc", wait_s=wait_s),
            Store(self.store_path, writable=True, wait_ms=int(min(wait_s, 10) * 1000)) as store,
        ):
            latest = self._moment(store)
            if search and search.is_current:
                resolved, lacking = list(search.trees), missing_keys(search.trees, images=False)
            else:
                resolved, lacking = self._lacking(store, trees, near, stats, retry)
            if lacking:
                try:
                    self._fill(store, lacking, stats, progress, search)
                except EmbedderUnavailable as error:
                    raise self._unavailable(error, store, trees, near) from error
                latest = self._moment(store)
                resolved = [self.trees.updated(store, part, self.absent) for part in resolved]
            self._remember(store, resolved, latest)
            self._upkeep.note_states(store, resolved)
            yield store, resolved

    def _go_elsewhere(self) -> bool:
        """Continue a store that cannot be written, on a read-only mount, in a copy.

        Return whether the store has changed thereby.
        """
        if self.elsewhere is None or self.elsewhere == self.store_path:
            return False
        copy_store(self.store_path, self.elsewhere)
        self.store_path, self.elsewhere = self.elsewhere, None
        return True

    def _fill(
        self,
        store: Store,
        lacking: Sequence[Key],
        stats: RunStats,
        progress: Progress | None,
        search: WaitingSearch | None,
    ) -> None:
        from ragit.index.run.result import RunMode
        from ragit.index.run.run import Run

        asks = stats.spent is not None
        # Vectors from a server must not be requested again by the next batch, even if the store was
        # empty at first.
        reuse = self.descriptions.wanted or store.has_chunks() or self._setup.is_remote
        mode = RunMode(reuse, describes=asks)
        if search and not search.patient:
            mode = mode._replace(deadline=time.monotonic() + SEARCH_S, most=SEARCH_FILE_S)
        objects = search.objects if search else None
        run = Run(self._setup, mode, stats, progress, keeping(store) if asks else None, objects)
        try:
            run.fill(store, lacking)
        finally:
            self.absent |= run.absent

    def _unavailable(
        self, error: EmbedderUnavailable, store: Store, trees: Sequence[Oid], near: Oid | None
    ) -> EmbedderUnavailable:
        """Return the error with a hint about what trees still lack."""
        from ragit.index.vectors.same_model import doubt

        doubt(self.store_path)
        resolved = [
            self.trees.resolve(store, tree, near=near, absent=self.absent) for tree in trees
        ]
        files = {file.key for part in resolved for file in part.missing}
        vectorless = chunks_without_vectors(store, *resolved)
        left = lacking_words(len(files), vectorless, "what was asked for")
        hint = error.hint if error.hint.endswith("?") else f"{error.hint}."
        return EmbedderUnavailable(error.message, f"{hint} What was done is kept: {left}")

    @staticmethod
    def prepare(trees: Sequence[IndexedTree]) -> None:
        """Start the process that will chunk missing files, while this one prepares."""
        missing = [file for tree in trees for file in tree.missing]
        if 0 < len(missing) < HANDFUL and not all(is_document(file.language) for file in missing):
            chunk.prepare()

    def announced(self, trees: Sequence[IndexedTree]) -> ToIndex:
        """Return how much of the trees there is to index.

        Files of the same content count once, as in the progress.
        """
        missing = {file.key: file for tree in trees for file in tree.missing}.values()
        vectorless = {chunking for tree in trees for chunking in tree.without_vectors}
        documents = 0
        if self.config.documents.enabled:
            documents = sum(is_document(file.language) for file in missing)
        files = len(missing) + len(vectorless)
        return ToIndex(files, documents, server_name(self.config.embedding, self.embedder))

    def _new_stats(self, describe: bool) -> RunStats:
        from ragit.index.run.stats import (
            RunStats,  # with what it imports, 15 ms that a search of a complete tree saves
        )

        return RunStats(spent={} if describe and self.descriptions.wanted else None)

    @cached_property
    def _setup(self) -> Setup:
        from ragit.index.run.run import Setup

        return Setup(self.repo, self.config, self.store_path, self.selector, self.embedder)

    def _lacking(
        self,
        store: Store | None,
        trees: Sequence[Oid],
        near: Oid | None,
        stats: RunStats,
        retry: bool,
        *,
        anew: bool = False,
    ) -> tuple[list[IndexedTree], list[Key]]:
        """Return the resolved trees, and the keys of what has to be indexed."""
        asks = stats.spent is not None
        naming: set[str] = set()
        if retry:
            naming |= DEFERRED
        if asks:
            naming.add(NOT_DESCRIBED)
        resolved = [
            self.trees.resolve(store, tree, near=near, absent=self.absent, naming=naming, anew=anew)
            for tree in trees
        ]
        lacking = missing_keys(resolved, images=asks)
        if retry:
            deferred = dict.fromkeys(file.key for part in resolved for file in part.deferred)
            stats.deferred = append_new(lacking, deferred)
        if store and not anew:
            stats.again = append_new(lacking, self._incomplete_keys(store, resolved, asks))
        return resolved, lacking

    def _incomplete_keys(
        self, store: Store, resolved: Sequence[IndexedTree], asks: bool
    ) -> list[Key]:
        """Return the keys of stored chunkings that lack vectors or descriptions."""
        chunkings = sorted({chunking for part in resolved for chunking in part.without_vectors})
        keys = store.keys_of(chunkings)
        if asks:
            keys += self.descriptions.lacking(store, resolved)
        return list(dict.fromkeys(keys))

    def describe(self, blob: Oid) -> str:
        """Have an image described, unless it already is, and store the description.

        Raises RemoteFailed and NotDescribed.
        """
        from ragit.index.descriptions.images import only

        shared = held(self._lock, shared=True, by="a running gc")
        with shared, Store(self.store_path, writable=True) as store, self.repo.objects() as objects:
            return only(blob, objects, self.config, store, keeping(store))

    def keep(self, tree: Oid) -> None:
        """Cache a complete tree, so that the next search need not walk it.

        Does nothing if the store cannot be written. It is needed after a change of settings or
        libraries that changes no chunk of the tree.
        """
        shared = held(self._lock, shared=True, by="a running gc")
        with suppress(RagitError), shared, Store(self.store_path, writable=True) as store:
            latest = self._moment(store)
            # Again, under the lock: gc may have dropped rows since they were read.
            resolved = [self.trees.resolve(store, tree, absent=self.absent)]
            self._remember(store, resolved, latest)
            self._upkeep.note_states(store, resolved)

    def fetch(self, trees: Sequence[Oid]) -> None:
        """Download the files of these trees that a partial clone lacks, in one call."""
        absent: dict[Oid, None] = {}
        with self.reading() as store:
            for tree in trees:
                skipped = self.trees.resolve(store, tree).snapshot.skipped
                absent.update(
                    (e.oid, None)
                    for e in self.repo.entries(tree)
                    if skipped.get(e.path) == NOT_DOWNLOADED
                )
        self.repo.fetch(absent)

    def dry_run(
        self,
        trees: Sequence[Oid],
        *,
        progress: Progress | None = None,
        describe: bool = False,
        retry: bool = False,
        anew: bool = False,
    ) -> IndexReport:
        """Return what `complete`, or `rebuild` with `anew`, would do, without writing anything.

        Missing files are chunked.
        """
        from ragit.index.run.dry_run import DryRunStats
        from ragit.index.run.result import RunMode
        from ragit.index.run.run import Run

        stats = DryRunStats(spent={} if describe and self.descriptions.wanted else None)
        with self.reading() as store:
            resolved, lacking = self._lacking(store, trees, None, stats, retry, anew=anew)
            vectorless = chunks_without_vectors(store, *resolved)
            mode = RunMode(
                store is not None, describes=stats.spent is not None, dry_run=True, anew=anew
            )
            run = Run(self._setup, mode, stats, progress)
            for _ in run.work(lacking):
                pass  # they are counted
            self.absent |= run.absent
            if run.absent:
                resolved, _ = self._lacking(store, trees, None, stats, retry, anew=anew)
            stored = store.chunk_count(stats.stays(resolved)) if store else 0
        stats.sent = stats.sent_by(sent_by(self.embedder))
        report = stats.report(self.config, stats.seen_after(resolved), stored + stats.chunks)
        older = store is None and is_store(self.store_path)
        return replaced(report, dry_run=True, without_vectors=vectorless, older=older)

    def rebuild(
        self,
        trees: Sequence[Oid],
        *,
        progress: Progress | None = None,
        describe: bool = False,
        retry: bool = False,
    ) -> IndexReport:
        """Index everything into a new store beside the old one, which is replaced at the end.

        Descriptions are kept: of the old store, of killed rebuilds, and those that other processes
        store meanwhile. One rebuild runs at a time. Raises StoreBusy.
        """
        self._go_elsewhere()
        with held(rebuild_lock(self.store_path), by="another `ragit index --rebuild`"):
            earlier = (self.store_path, *unfinished_stores(self.store_path))
            new = new_store_path(self.store_path)
            fresh = Indexer(self.repo, self.config, new, self.chunkers)
            try:
                for store_path in earlier:
                    self.descriptions.carry_over(
                        store_path, new, required=store_path == self.store_path
                    )
                report = fresh.complete(trees, progress=progress, describe=describe, retry=retry)
                with held(self._lock, by="a running index", wait_s=_INSTALL_WAIT_S):
                    self.descriptions.carry_over(self.store_path, new, required=True)
                    fresh._check_whole(trees)
                    install_store(self.store_path, new)
            finally:
                self._upkeep.clear_unfinished()
        return report

    def _check_whole(self, trees: Sequence[Oid]) -> None:
        """Raise StoreUnreadable unless the store contains these trees; close the log, too."""
        with Store(self.store_path, writable=True) as store:
            parts = [self.trees.resolve(store, tree, absent=self.absent) for tree in trees]
            store.checkpoint()
        if not all(part.complete for part in parts):
            raise StoreUnreadable(
                "the new index was changed by another program, so the old one stays",
                "Type the command again",
            )

    @contextmanager
    def reading(self) -> Iterator[Store | None]:
        """Open the store for reading; None if there is none yet."""
        store = self.open_store()
        try:
            yield store
        finally:
            if store:
                store.close()

    @contextmanager
    def one_moment(self) -> Iterator[Store | None]:
        """Open the store for short reads of one state of it."""
        with self.reading() as store, store.reading() if store else nullcontext():
            yield store

    def collect(self, trees: Iterable[Oid]) -> GcReport:
        """Drop what none of these trees can use under this configuration."""
        self._go_elsewhere()
        return self._upkeep.collect(trees)

    def tidy(self) -> None:
        """Drop superseded states of uncommitted work, after a search has closed its reader."""
        self._upkeep.tidy()

    @property
    def _upkeep(self) -> Upkeep:
        fingerprint = self.embedder.fingerprint if self.embedder else ""
        return Upkeep(self.repo, self.store_path, self.selector, fingerprint, self.descriptions)

    @property
    def _lock(self) -> Path:
        return index_lock(self.store_path)

    def _moment(self, store: Store) -> tuple[int, int]:
        """Return a value that changes when a waiting image gets its description."""
        return store.last_chunking(), self.descriptions.of_images(store)

    def _remember(
        self, store: Store, resolved: Sequence[IndexedTree], latest: tuple[int, int]
    ) -> None:
        """Cache complete trees that were resolved after the given moment."""
        new = [part for part in resolved if not part.cached and part.complete]
        if new:
            with store.writing():
                later = (
                    self._moment(store) != latest
                )  # another process added what these trees do not have
                for part in new:
                    if later and not _WAITING.isdisjoint(part.snapshot.skipped.values()):
                        continue
                    selection = self.trees.selection_of(part.tree)
                    store.snapshots.add(part.tree, selection, part.snapshot, part.base)


_WAITING = DEFERRED | {NOT_DESCRIBED}
"""Reasons that vanish when another process has done the work."""
