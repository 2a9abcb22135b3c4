"""Keep a store small: drop superseded states, rows that no tree needs, and the rests of killed
rebuilds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.errors import RagitError, StoreFull, StoreUnreadable
from ragit.locks import held, lock
from ragit.store import Store, remove_store, unfinished_files, unfinished_stores

if TYPE_CHECKING:
    from ragit.git import Repo
    from ragit.index.descriptions.stored import Descriptions
    from ragit.index.selection import Selector
    from ragit.index.tree import IndexedTree
    from ragit.reports import GcReport
    from ragit.types import Oid

_DROP_S = 0.1
"""Seconds that dropping superseded states may add to a search."""

_MANY_OBJECTS = 24
"""Limit of objects of uncommitted work that are left alone: looking for unneeded ones
starts git.
"""

_GRACE_S = 4.0
"""Seconds that an object of a superseded state stays, for a search that is about to show it."""


def index_lock(store_path: Path) -> Path:
    """Return the lock shared by indexing runs, and held exclusively to drop rows."""
    return store_path.with_name(f"{store_path.name}.lock")


def rebuild_lock(store_path: Path) -> Path:
    """Return the lock of rebuilds, which run one at a time."""
    return store_path.with_name(f"{store_path.name}.rebuild.lock")


class Upkeep:
    """Drops rows of one store."""

    def __init__(
        self,
        repo: Repo,
        store_path: Path,
        selector: Selector,
        embedder: str,
        descriptions: Descriptions,
    ) -> None:
        self._repo = repo
        self._store_path = store_path
        self._selector = selector
        self._embedder = embedder
        self._descriptions = descriptions

    def clear_unfinished(self) -> None:
        """Remove unfinished stores of rebuilds, after carrying over their descriptions; the caller
        holds the rebuild lock.

        Files whose descriptions cannot be carried over now stay for a later run.
        """
        with (
            suppress(RagitError, OSError),
            held(index_lock(self._store_path), shared=True, by="a running gc", wait_s=1),
        ):
            for path in unfinished_stores(self._store_path):
                self._descriptions.carry_over(path, self._store_path, required=False)
                remove_store(path)
            for file in unfinished_files(self._store_path):
                file.unlink(missing_ok=True)

    def collect(self, trees: Iterable[Oid]) -> GcReport:
        """Drop every chunking that none of these trees can use under this configuration, all other
        embedders, and the rests of killed rebuilds.
        """
        with suppress(StoreUnreadable), lock(rebuild_lock(self._store_path)) as idle:
            if idle:
                self.clear_unfinished()
        blobs = {entry.oid for tree in trees for entry in self._repo.entries_here(tree)}
        with held(index_lock(self._store_path), by="a running index"):
            try:
                with Store(self._store_path, writable=True) as store:
                    return self._collect(store, blobs)
            except StoreFull:
                with Store.in_place(self._store_path) as store:
                    return self._collect(store, blobs)

    def _collect(self, store: Store, blobs: set[Oid]) -> GcReport:
        from ragit.reports import GcReport

        before = store.info()
        keep = {
            chunking
            for chunking, oid, language, fingerprint in store.all_keys()
            if oid in blobs and self._selector.usable(language, fingerprint)
        }
        number = store.embedder(self._embedder) if self._embedder else None
        with store.writing():
            dropped = store.drop_except(keep, set() if number is None else {number})
            store.descriptions.drop_unused({bytes.fromhex(blob) for blob in blobs})
        store.compact()
        after = store.info()
        return GcReport(dropped, after.chunkings, before.bytes, after.bytes)

    def note_states(self, store: Store, resolved: Sequence[IndexedTree]) -> None:
        """Record which of the trees are uncommitted work: each supersedes the one before."""
        new = [part for part in resolved if self._repo.is_uncommitted(part.tree)]
        if not new:
            return
        with store.writing():
            for part in new:
                store.states.add(
                    str(self._repo.git_dir),
                    part.tree,
                    set(part.snapshot.chunkings),
                    self._repo.is_uncommitted,
                )

    def tidy(self) -> None:
        """Drop superseded states of uncommitted work, unless other processes index now.

        Call it after `complete` for a search, once the search has stopped reading: then the log is
        moved into the file, which closing the store does not do beside an open reader.
        """
        with suppress(RagitError), Store(self._store_path, writable=True) as store:
            if store.states.has_superseded():
                with lock(index_lock(self._store_path)) as alone:
                    if alone:
                        self._drop_superseded(store)
            store.checkpoint(wait_ms=0)

    def _drop_superseded(self, store: Store) -> None:
        with store.writing():
            store.states.drop_superseded(self._repo.committed, _DROP_S)
        store.states.free_pages()
        if self._repo.count_private_objects() > _MANY_OBJECTS:
            self._repo.prune_private_objects(store.states.trees(), _GRACE_S)
