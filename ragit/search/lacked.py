"""Tell which chunks of a tree another one lacks."""

from __future__ import annotations

from collections.abc import Iterable

from ragit.store import Snapshot, Store


class Lacked:
    """The chunks that a tree lacks: no file of it has one with the same text and the same names
    around it.

    Chunks are looked up when they are asked for: a query asks for its candidates, not for all that
    differs.
    """

    def __init__(self, store: Store, without: Snapshot) -> None:
        self._store = store
        self._there = frozenset(without.chunkings)

    def may_be_in(self, chunking: int) -> bool:
        """Return whether a file may have such chunks; one that the tree holds has none."""
        return chunking not in self._there

    def of(self, chunks: Iterable[int]) -> set[int]:
        """Return those of some chunks that the tree lacks."""
        from ragit.store import same_text  # only for a search of what differs

        wanted = set(chunks)
        held = {chunk for chunk, other in same_text(self._store, wanted) if other in self._there}
        return wanted - held
