"""Keep a store, a git process and what is known of searched trees between the searches of one
process.

Nothing kept can be stale: a store remembers only rows that never change, and is opened anew when
its file was replaced.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.git import Objects, ObjectsRecipe, Repo
from ragit.index import Indexer
from ragit.remembered import Remembered
from ragit.search.whole_tree import TERM_FILES, Holders, WholeTree
from ragit.store import Snapshot, Store
from ragit.types import Oid

if TYPE_CHECKING:
    from ragit.search.sign_bits import SignBits

TREES = 4
"""Number of trees remembered."""

FEW_USES = 2
"""Questions after which a process is one that stays: to load numpy takes as long as ten searches
gain by it.
"""

TEXT_BYTES = 16 << 20
"""Limit of the texts kept, in bytes. A search of a large tree reads some hundred KB."""


class Kept:
    """The store and the git process that stay open between searches. `taken` gives them to one
    thread at a time.
    """

    def __init__(self, repo: Repo, indexer: Indexer) -> None:
        self._repo = repo
        self._indexer = indexer
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._identity: tuple[int, int] | None = None
        self._objects: Objects | None = None
        self._recipe: ObjectsRecipe | None = None
        self._trees: list[WholeTree] = []
        self._numbered = 0
        self._holders: Remembered[tuple[int, str], Holders] = Remembered(TERM_FILES)
        self.texts: Remembered[Oid, bytes] = Remembered(TEXT_BYTES)
        """Texts of blobs, in UTF-8."""
        self._uses = 0
        self._sign_bits: SignBits | None = None

    @contextmanager
    def taken(self) -> Iterator[Kept]:
        """Lend the open store and process to one caller; a second caller meanwhile gets new ones.

        After an error everything is closed: a process or a store may be in an undefined state.
        """
        if not self._lock.acquire(blocking=False):
            other = Kept(self._repo, self._indexer)
            try:
                yield other
            finally:
                other.close()
            return
        self._uses += 1
        try:
            yield self
        except BaseException:
            self.close()
            raise
        finally:
            self._lock.release()

    def release(self) -> None:
        """Close everything, unless a search is running."""
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()

    def close(self) -> None:
        """Close everything, and forget what was remembered."""
        self.close_store()
        if self._objects is not None:
            self._objects.close()
            self._objects = self._recipe = None
        self._trees.clear()
        self._holders.clear()
        self.texts.clear()

    def close_store(self) -> None:
        """Close the store, with everything it remembers."""
        if self._store is not None:
            self._store.close()
            self._store = self._identity = self._sign_bits = None

    def store(self) -> Store | None:
        """Return the open store; None if there is none to open."""
        path = self._indexer.store_path
        now = _identity(path)
        if self._store is not None and (now is None or now != self._identity):
            self.close_store()
        if self._store is None:
            self._store = self._indexer.open_store()
            # A store in a read-only folder may be open in immutable mode.
            writable = os.access(path.parent, os.W_OK)
            self._identity = now if writable and now == _identity(path) else None
        return self._store

    def is_in_place(self) -> bool:
        """Return whether the open store certainly is the file at its path now."""
        return self._identity is not None and self._identity == _identity(self._indexer.store_path)

    def objects(self) -> Objects:
        """Return the reader of git's objects."""
        recipe = self._repo.recipe()
        if self._objects is None or recipe != self._recipe:
            if self._objects is not None:
                self._objects.close()
            self._objects, self._recipe = self._repo.objects(), recipe
        return self._objects

    def tree(self, snapshot: Snapshot) -> WholeTree:
        """Return what is known about a tree of the store."""
        known = next((one for one in self._trees if one.snapshot is snapshot), None)
        if known is None:
            self._numbered += 1
            known = WholeTree(snapshot, self._holders, self._numbered)
            self._trees = [*self._trees[1 - TREES :], known]
        if self._uses > FEW_USES:
            from ragit.search.sign_bits import SignBits  # loads numpy

            self._sign_bits = self._sign_bits or SignBits()
        known.sign_bits = self._sign_bits
        known.questions += 1
        if known.questions > FEW_USES:
            from ragit.search.tree_arrays import TreeArrays

            known.arrays = known.arrays or TreeArrays(snapshot)
        return known


def _identity(path: Path) -> tuple[int, int] | None:
    """Return an identity of a file that differs for a file that replaced it; an open file keeps its
    inode.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def without_gc() -> Iterator[None]:
    """Pause the garbage collector inside, where thousands of small objects without cycles are
    created: it would take a seventh of a search, and a quarter of a comparison.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
