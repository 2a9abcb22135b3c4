"""Resolve unions of trees: each file of any of them once, under an id like a tree's.

A union is used like a tree. Its statistics are those of its files, so an answer depends on the
trees alone, and on their order if two versions of a file are equally good.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence, Set
from itertools import chain

from ragit.digests import digest
from ragit.git import Repo
from ragit.index.selection import Selected, Selector
from ragit.index.tree import IndexedTree, TreeResolver
from ragit.store import Snapshot, Store
from ragit.types import Oid


class UnionResolver(TreeResolver):
    """Resolves trees, and named unions of trees."""

    def __init__(
        self,
        repo: Repo,
        selector: Selector,
        embedder: str,
        describer: str = "",
        *,
        unions: dict[Oid, tuple[Oid, ...]] | None = None,
    ) -> None:
        super().__init__(repo, selector, embedder, describer)
        self.unions = {} if unions is None else unions
        """The trees of each union by its name."""

    def union(self, trees: Sequence[Oid]) -> Oid:
        """Return the name of a union of trees, of which the later ones count as newer."""
        name = Oid(digest("\n".join(trees).encode()).hex())
        self.unions[name] = tuple(trees)
        return name

    def selection_of(self, tree: Oid) -> str:
        """Return the key of a tree's or union's selection; a union is a neighbour of no tree."""
        return f"union:{self.selection}" if tree in self.unions else self.selection

    def updated(self, store: Store, tree: IndexedTree, absent: Set[Oid]) -> IndexedTree:
        """Implement TreeResolver.updated."""
        if tree.tree in self.unions:
            return self.resolve(store, tree.tree, absent=absent)
        return super().updated(store, tree, absent)

    def resolve(
        self,
        store: Store | None,
        tree: Oid,
        *,
        near: Oid | None = None,
        absent: Set[Oid] = frozenset(),
        naming: Set[str] = frozenset(),
        anew: bool = False,
    ) -> IndexedTree:
        """Implement TreeResolver.resolve, for unions too."""
        if tree not in self.unions:
            return super().resolve(store, tree, near=near, absent=absent, naming=naming, anew=anew)
        cached = store.snapshots.of(tree, self.selection_of(tree)) if store else None
        if store and cached is not None and not self._restored(cached):
            return self._with_overdue(store, IndexedTree(tree, cached, [], cached=True))
        parts: list[IndexedTree] = []
        for one in self.unions[tree]:
            next_to = self._changed_from(store, parts[-1], one, absent) if parts else None
            parts.append(next_to or super().resolve(store, one, near=near, absent=absent))
        return joined(tree, parts)


def joined(name: Oid, parts: Sequence[IndexedTree]) -> IndexedTree:
    """Return the union of trees. It has a path once per version, the newest first."""
    newest: dict[tuple[bytes, int], int] = {}
    length_of: dict[int, int] = {}
    skipped: dict[bytes, str] = {}
    absent: dict[bytes, Oid] = {}
    for number, part in enumerate(parts):
        found = part.snapshot
        skipped.update(found.skipped)
        absent.update(found.absent)
        length_of.update(zip(found.chunkings, found.lengths, strict=True))
        newest.update(dict.fromkeys(zip(found.paths, found.chunkings, strict=True), number))
    rows = sorted(newest, key=lambda row: (row[0], -newest[row]))
    snapshot = Snapshot(
        [path for path, _ in rows],
        array("Q", [chunking for _, chunking in rows]),
        array("Q", [length_of[chunking] for _, chunking in rows]),
        skipped,
        absent,
    )
    return IndexedTree(
        name,
        snapshot,
        _each_once(parts, lambda part: part.missing),
        cached=False,
        without_vectors=dict(chain.from_iterable(one.without_vectors.items() for one in parts)),
        undescribed_images=_each_once(parts, lambda part: part.undescribed_images),
        deferred=_each_once(parts, lambda part: part.deferred),
        walked=True,
        incomplete_parts=sum(not part.complete for part in parts),
    )


def _each_once(
    parts: Sequence[IndexedTree], files: Callable[[IndexedTree], Sequence[Selected]]
) -> list[Selected]:
    """Return the files of one kind in any of the trees, the same file at the same path once."""
    found = {(file.path, file.key): file for part in parts for file in files(part)}
    return list(found.values())
