"""Tell which chunks of a tree another tree lacks."""

from __future__ import annotations

from collections.abc import Iterable

from ragit.store import Snapshot, Store


class Lacked:
    """The chunks that a tree lacks: none of its files has a chunk with the same text and the same
    names around it.

    Chunks are looked up on demand: a query needs its candidates only, not every difference.
    """

    def __init__(self, store: Store, without: Snapshot) -> None:
        self._store = store
        self._there = frozenset(without.chunkings)

    def may_be_in(self, chunking: int) -> bool:
        """Return whether a file may have such chunks; a file that the other tree contains
        has none.
        """
        return chunking not in self._there

    def of(self, chunks: Iterable[int]) -> set[int]:
        """Return the chunks that the tree lacks."""
        from ragit.store import same_text  # only for a search of what differs

        wanted = set(chunks)
        held = {chunk for chunk, other in same_text(self._store, wanted) if other in self._there}
        return wanted - held
