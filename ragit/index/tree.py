"""A tree as the store knows it: which chunking each path is, and what is missing. Reads only.

A tree that was composed before is taken from the cache. Another one is composed from a neighbour that was, by the
paths in which git says they differ, or else from all its entries. All three ways give the same snapshot.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from types import MappingProxyType

from ragit.errors import GitFailed
from ragit.git import Repo, is_attributes, is_ignore
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED
from ragit.index.selection import Plan, Selected, Selector
from ragit.records import Record, replaced
from ragit.store import OF_IMAGE, Snapshot, Store, StoredChunking
from ragit.types import BY_LINES, DEFERRED, LOST, NOT_DOWNLOADED, Entry, Oid, WithoutVectors


class Composed(Record):
    """A tree, as far as it is stored."""

    tree: Oid
    snapshot: Snapshot
    """What words find."""
    missing: list[Selected]
    """What they do not, since it is not stored."""
    cached: bool
    bare: Mapping[int, int] = MappingProxyType({})
    """Chunkings of the snapshot that lack vectors, or have some that lack a description which is stored: how many of
    their chunks do.
    """
    waiting: Sequence[Selected] = ()
    """Images that only a model can make searchable; where that was not asked for, not all of them. The snapshot counts
    them as left out.
    """
    deferred: Sequence[Selected] = ()
    """Files that an earlier run deferred, likewise."""
    walked: bool = False
    """It was composed from all its files: nothing like it was known under these settings."""

    def count_of(self, reasons: Set[str]) -> int:
        """How many files one of these reasons is given for."""
        return sum(why in reasons for why in self.snapshot.skipped.values())

    @property
    def skipped(self) -> dict[bytes, str]:
        """Paths that are not searched, each with the reason."""
        return {
            path: why for path, why in self.snapshot.skipped.items() if not why.startswith(BY_LINES)
        }

    @property
    def by_lines(self) -> dict[bytes, str]:
        """Paths that are searched, but not by what their grammar would say, likewise."""
        return {
            path: why for path, why in self.snapshot.skipped.items() if why.startswith(BY_LINES)
        }

    @property
    def searches_nothing(self) -> bool:
        """True if the tree has files and none of them is indexed or will be."""
        return not self.snapshot.paths and not self.missing and bool(self.snapshot.skipped)

    @property
    def reasons(self) -> dict[str, int]:
        """The number of files that are not searched, by reason."""
        return dict(sorted(Counter(self.skipped.values()).items()))

    @property
    def complete(self) -> bool:
        """All that the settings want of it is stored: every command calls the same tree complete."""
        return not (self.missing or self.bare)

    @property
    def absent(self) -> dict[str, int]:
        """How many files the repository does not have, by reason. Such a tree is not what it will be: never cached."""
        if self.cached:
            return {}
        counts = Counter(self.snapshot.skipped.values())
        return {reason: counts[reason] for reason in (NOT_DOWNLOADED, LOST) if counts[reason]}


def without_vectors(store: Store | None, *composed: Composed) -> WithoutVectors | None:
    """How many chunks of some trees have not the vectors that they are to have; None if all have."""
    bare = {chunking: chunks for part in composed for chunking, chunks in part.bare.items()}
    if store is None or not bare:
        return None
    whole = {chunking for part in composed for chunking in part.snapshot.chunkings}
    return WithoutVectors(sum(bare.values()), store.chunk_count(whole))


class Composer:
    """Composes trees of one repository under one configuration and embedder; `describer` is asked about its chunks."""

    def __init__(self, repo: Repo, selector: Selector, embedder: str, describer: str = "") -> None:
        self._repo = repo
        self._selector = selector
        self._embedder = embedder
        self._describer = describer
        self.selection = f"{selector.fingerprint} {embedder}"

    def compose(
        self,
        store: Store | None,
        tree: Oid,
        *,
        near: Oid | None = None,
        absent: Set[Oid] = frozenset(),
        naming: Set[str] = frozenset(),
        anew: bool = False,
    ) -> Composed:
        """The tree as stored now. `near` is a tree likely to differ little; `absent` are blobs the repository lacks.

        `naming` asks for all files that wait for one of these reasons, which a cached tree does not name, and `anew`
        for the tree as it would be if nothing were stored but descriptions.
        """
        if store is None or anew:
            return self._walked(tree, store, absent, anew=True)
        composed = self._composed(store, tree, near, absent, naming)
        overdue = (
            self._overdue(store, composed.snapshot) if self._describer and self._embedder else {}
        )
        return replaced(composed, bare={**overdue, **composed.bare}) if overdue else composed

    def _composed(
        self, store: Store, tree: Oid, near: Oid | None, absent: Set[Oid], naming: Set[str]
    ) -> Composed:
        cached = store.snapshots.of(tree, self.selection)
        if cached is not None and naming.isdisjoint(cached.skipped.values()):
            return Composed(tree, cached, [], cached=True)
        base = self._neighbour(store, near)
        if base is not None and naming.isdisjoint(base[1].skipped.values()):
            plan = self._difference(base[0], base[1], tree)
            if plan is not None:
                return self._assemble(
                    tree, store, plan[0], _kept(base[1], plan[1]), absent, _still(base[1], plan[1])
                )
        return self._walked(tree, store, absent)

    def _overdue(self, store: Store, snapshot: Snapshot) -> dict[int, int]:
        """Chunkings with vectors that lack a description although it is stored: a kill came between the two."""
        number = store.embedder(self._embedder)
        found = {} if number is None else store.descriptions.overdue(number, self._describer)
        return (
            {chunking: found[chunking] for chunking in found.keys() & set(snapshot.chunkings)}
            if found
            else {}
        )

    def _walked(
        self, tree: Oid, store: Store | None, absent: Set[Oid], *, anew: bool = False
    ) -> Composed:
        return replaced(
            self._assemble(tree, store, self._whole(tree), {}, absent, anew=anew), walked=True
        )

    def _neighbour(self, store: Store, near: Oid | None) -> tuple[Oid, Snapshot] | None:
        known = store.snapshots.trees(self.selection)
        if not known:
            return None
        tree = near if near in known else known[0]
        snapshot = store.snapshots.of(tree, self.selection)
        return None if snapshot is None else (tree, snapshot)

    def _whole(self, tree: Oid) -> Plan:
        entries = self._repo.entries(tree)
        return self._plan(entries, entries, {entry.path for entry in entries if _rules(entry.path)})

    def _difference(self, old: Oid, base: Snapshot, new: Oid) -> tuple[Plan, set[bytes]] | None:
        """The plan of the paths that are new or changed, and all paths that differ; None if the rules changed."""
        try:
            changes = self._repo.diff(old, new)
        except GitFailed:  # `old` was pruned, or the store came from another clone: walk `new`
            return None
        if any(_rules(change.path) for change in changes):
            return None
        added: list[Entry] = [change.new for change in changes if change.new is not None]
        rules = set(filter(_rules, chain(base.paths, base.skipped))) if added else set()
        return self._plan(added, self._repo.entries(new) if rules else [], rules), {
            change.path for change in changes
        }

    def _plan(self, wanted: list[Entry], entries: list[Entry], rules: Set[bytes]) -> Plan:
        """The plan of `wanted` under the rules that the tree holds itself; `entries` are all its files, if it does."""
        attributes: Mapping[bytes, Mapping[str, str]] = {}
        ignored: Set[bytes] = frozenset()
        paths = [entry.path for entry in wanted] if rules else []
        if any(map(is_attributes, rules)):
            attributes = self._repo.attributes(entries, paths)
        if any(map(is_ignore, rules)):
            ignored = self._repo.ignored(entries, paths)
        return self._selector.select(wanted, attributes, ignored)

    def _assemble(
        self,
        tree: Oid,
        store: Store | None,
        plan: Plan,
        found: dict[bytes, tuple[int, int]],
        absent: Set[Oid],
        skipped: dict[bytes, str] | None = None,
        *,
        anew: bool = False,
    ) -> Composed:
        skipped = {**(skipped or {}), **plan.skipped}
        missing: list[Selected] = []
        waiting: list[Selected] = []
        deferred: list[Selected] = []
        bare: dict[Selected, StoredChunking] = {}
        for file, row in zip(
            plan.files, self._rows(None if anew else store, plan.files), strict=True
        ):
            if file.oid in absent:
                skipped[file.path] = self._why_absent
            elif row is None:
                (waiting if file.language == IMAGE else missing).append(file)
            else:
                if row.skipped:
                    skipped[file.path] = row.skipped
                if row.skipped in DEFERRED:
                    deferred.append(file)
                if row.chunks or not row.skipped:
                    found[file.path] = (row.number, row.length)
                if not row.embedded:
                    bare[file] = row
        described = self._described(store, waiting) if waiting else set()
        missing += [file for file in waiting if file.oid in described]
        waiting = [file for file in waiting if file.oid not in described]
        skipped.update((file.path, NOT_DESCRIBED) for file in waiting)
        needed = (*missing, *waiting, *bare)
        lacking = self._repo.absent({file.oid for file in needed})
        if lacking:
            gone = {file.path for file in needed if file.oid in lacking}
            skipped.update((path, self._why_absent) for path in gone)
            found = {path: row for path, row in found.items() if path not in gone}
            missing, waiting = (
                [file for file in files if file.oid not in lacking] for files in (missing, waiting)
            )
        counts = {row.number: row.chunks for file, row in bare.items() if file.oid not in lacking}
        snapshot = _snapshot(found, skipped)
        return Composed(
            tree, snapshot, missing, cached=False, bare=counts, waiting=waiting, deferred=deferred
        )

    @property
    def _why_absent(self) -> str:
        return NOT_DOWNLOADED if self._repo.partial else LOST

    def _described(self, store: Store | None, images: list[Selected]) -> set[Oid]:
        """Those of which there is a description, though not yet under this chunker."""
        if store is None or self._selector.images is None:
            return set()
        subjects = (bytes.fromhex(file.oid) for file in images)
        return {
            Oid(blob.hex())
            for blob in store.descriptions.of(OF_IMAGE, self._selector.images.fingerprint, subjects)
        }

    def _rows(self, store: Store | None, files: list[Selected]) -> Iterator[StoredChunking | None]:
        if store is None:
            return iter([None] * len(files))
        number = store.embedder(self._embedder) if self._embedder else None
        rows = store.find((file.key for file in files), number)
        if self._embedder:
            return rows
        return (row and row._replace(embedded=True) for row in rows)


_NAMES = (
    b".gitattributes",
    b".ragitignore",
)  # asked of every path of a tree: most are told by their last letter


def _rules(path: bytes) -> bool:
    """Whether a file of this path says which others are indexed, and as what."""
    return path.endswith(_NAMES) and (is_attributes(path) or is_ignore(path))


def _kept(base: Snapshot, changed: Set[bytes]) -> dict[bytes, tuple[int, int]]:
    rows = zip(base.paths, base.chunkings, base.lengths, strict=True)
    return {path: (chunking, length) for path, chunking, length in rows if path not in changed}


def _still(base: Snapshot, changed: Set[bytes]) -> dict[bytes, str]:
    return {path: reason for path, reason in base.skipped.items() if path not in changed}


def _snapshot(found: Mapping[bytes, tuple[int, int]], skipped: Mapping[bytes, str]) -> Snapshot:
    paths = sorted(found)
    chunkings = array("Q", (found[path][0] for path in paths))
    lengths = array("Q", (found[path][1] for path in paths))
    return Snapshot(paths, chunkings, lengths, skipped)
