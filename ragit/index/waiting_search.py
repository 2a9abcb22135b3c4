"""Pass open and resolved objects between a search and the indexer, so that none is created
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from ragit.git import Objects
from ragit.index.tree import IndexedTree
from ragit.store import Store


class WaitingSearch:
    """A search that waits for missing files to be indexed, with what it has resolved and opened."""

    def __init__(
        self,
        trees: Sequence[IndexedTree],
        reader: Store | None,
        objects: Objects,
        moment: ExitStack,
        is_in_place: Callable[[], bool],
        *,
        patient: bool = False,
    ) -> None:
        """Create it from trees resolved in the current moment of a reader, which `moment` holds.

        `is_in_place` tells whether the reader's file is still the store: a rebuild replaces it by
        one that numbers its chunkings anew.
        """
        self.trees = trees
        self.objects = objects
        self.patient = patient
        """True if it waits until everything is indexed."""
        self.taken = False
        """True once `trees` are the indexed trees, as the reader sees them in a new moment."""
        self._reader = reader
        self._is_in_place = is_in_place
        self._moment = moment
        self._version = reader.data_version() if reader else 0
        moment.close()

    def without_reader(self) -> WaitingSearch:
        """Return a search that waits for the same trees, and resolves them again afterwards."""
        return WaitingSearch(
            self.trees, None, self.objects, ExitStack(), self._is_in_place, patient=self.patient
        )

    @property
    def is_current(self) -> bool:
        """Return whether the store is unchanged since the trees were resolved.

        The caller holds the lock under which no other file replaces it.
        """
        if not self._is_in_place():
            self.leave()
        if self._reader is None or any(tree.without_vectors for tree in self.trees):
            return False
        return self._reader.data_version() == self._version

    def leave(self) -> None:
        """Record that the indexed trees will be in another store than the reader's."""
        self._reader = None

    def take(self, trees: Sequence[IndexedTree]) -> None:
        """Take the trees as they are now. The caller holds the lock under which nothing is
        dropped.
        """
        if self._reader is not None and self._is_in_place():
            self._moment.enter_context(self._reader.reading())
            self.trees = trees
            self.taken = True
