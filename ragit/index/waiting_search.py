"""Pass open and resolved objects between a search and the indexer, so none is made twice."""

from __future__ import annotations

from contextlib import ExitStack

from ragit.git import Objects
from ragit.index.tree import IndexedTree
from ragit.store import Store


class WaitingSearch:
    """A search that waits for missing files to be indexed, with what it has resolved and opened."""

    def __init__(
        self, tree: IndexedTree, reader: Store | None, objects: Objects, moment: ExitStack
    ) -> None:
        """Take a tree that was resolved in the current moment of a reader, which `moment` holds."""
        self.tree = tree
        self.objects = objects
        self.taken = False
        """True once `tree` is the indexed tree, as the reader sees it in a new moment."""
        self._reader = reader
        self._moment = moment
        self._version = reader.data_version() if reader else 0
        moment.close()

    @property
    def is_current(self) -> bool:
        """True if nothing was written to the store since the tree was resolved."""
        if self._reader is None or self.tree.without_vectors:
            return False
        return self._reader.data_version() == self._version

    def leave(self) -> None:
        """Note that the indexed tree will be in another store than the reader's."""
        self._reader = None

    def take(self, tree: IndexedTree) -> None:
        """Take the tree as it is now. The caller holds the lock under which nothing is dropped."""
        if self._reader is not None:
            self._moment.enter_context(self._reader.reading())
            self.tree = tree
            self.taken = True
