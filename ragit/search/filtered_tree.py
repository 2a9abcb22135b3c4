"""An indexed tree with the filters of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from ragit.search.whole_tree import WholeTree
from ragit.store import ORDINAL_BITS, Snapshot, Store

if TYPE_CHECKING:
    from ragit.search.lacked import Lacked


class FilteredTree:
    """A snapshot with a query's filters applied: of files, and of chunks if `lacked` says which
    another tree lacks. Statistics always cover the whole tree.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        allowed: Callable[[int, bytes], bool] | None,
        lacked: Lacked | None = None,
        whole: WholeTree | None = None,
        *,
        union: bool = False,
    ) -> None:
        """Apply the filters. `whole` is what is known about the snapshot already. In a `union` of
        trees, a path may occur once per version.
        """
        self.union = union
        self.snapshot = snapshot
        self._lacked = lacked
        rows = enumerate(zip(snapshot.chunkings, snapshot.paths, strict=True))
        self.places: Sequence[int] = (
            range(len(snapshot.paths))
            if allowed is None
            else [i for i, (c, path) in rows if allowed(c, path)]
        )
        self.whole = whole or WholeTree(snapshot)
        self.path = self.whole.path
        self.first_version = self.whole.first_version
        self.paths_with = self.whole.paths_with
        self.paths_ending = self.whole.paths_ending
        self.ends_with = self.whole.ends_with
        self.has_in_path = self.whole.has_in_path
        self.has_other = self.whole.has_other
        self.is_outdated = self.whole.is_outdated
        self.suffix_share = self.whole.suffix_share

    @property
    def place_of(self) -> dict[int, tuple[int, ...]]:
        """Indices of each chunking in the whole tree: the same blob may be at several paths."""
        return self.whole.place_of

    @cached_property
    def members(self) -> Sequence[int]:
        """The chunkings of the files that pass, in ascending order."""
        if isinstance(self.places, range):
            return self.whole.members
        return sorted({self.snapshot.chunkings[place] for place in self.places})

    @cached_property
    def allowed(self) -> frozenset[int] | range:
        """The indices of files that pass, for look-ups."""
        return self.places if isinstance(self.places, range) else frozenset(self.places)

    def passing(self, chunks: Iterable[int]) -> Set[int] | None:
        """Return the chunks that pass; None if all do."""
        return self._lacked.of(chunks) if self._lacked else None

    def distinct(self, places: Iterable[int]) -> list[int]:
        """Return the first index of each path, in order."""
        if not self.union:
            return list(places)
        first: dict[bytes, int] = {}
        for place in places:
            first.setdefault(self.snapshot.paths[place], place)
        return list(first.values())

    def hashes(self, store: Store, chunks: Iterable[int]) -> dict[int, bytes] | None:
        """Return the hashes of the texts of a union's chunks, and of the others in their files;
        None for any other tree, where equal texts count as separate places.
        """
        if not self.union:
            return None
        from ragit.store import chunk_hashes  # only for a union of trees

        return chunk_hashes(store, {chunk >> ORDINAL_BITS for chunk in chunks})
