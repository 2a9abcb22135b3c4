"""A tree as the store knows it: which chunking each path is, and what is missing. Reads only.

A tree that was resolved before is taken from the cache. Another one is derived from a cached
neighbour and git's list of differing paths, or else from all its entries. All three ways give the
same snapshot.
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
from ragit.types import (
    BY_LINES,
    DEFERRED,
    LOST,
    NOT_DOWNLOADED,
    Completeness,
    Entry,
    Oid,
    WithoutVectors,
)


class IndexedTree(Record):
    """A tree, as far as it is stored."""

    tree: Oid
    snapshot: Snapshot
    """Stored files, which words find."""
    missing: list[Selected]
    """Files that are not stored yet."""
    cached: bool
    without_vectors: Mapping[int, int] = MappingProxyType({})
    """Number of chunks that lack a vector, or a vector made with their stored description, by
    chunking.
    """
    undescribed_images: Sequence[Selected] = ()
    """Images that wait for a model's description; complete only if that was asked for. The snapshot
    skips them.
    """
    deferred: Sequence[Selected] = ()
    """Files that an earlier run deferred; complete only if that was asked for."""
    walked: bool = False
    """True if it was made from all its files: no similar tree was known under these settings."""
    incomplete_parts: int = 0
    """Of a union, the number of its trees of which something is not stored."""

    def count_of(self, reasons: Set[str]) -> int:
        """Return how many files have one of these reasons."""
        return sum(why in reasons for why in self.snapshot.skipped.values())

    @property
    def skipped(self) -> dict[bytes, str]:
        """Paths that are not searched, with the reason."""
        skipped = self.snapshot.skipped.items()
        return {path: why for path, why in skipped if not why.startswith(BY_LINES)}

    @property
    def by_lines(self) -> dict[bytes, str]:
        """Paths that are chunked by lines instead of syntax, with the reason."""
        skipped = self.snapshot.skipped.items()
        return {path: why for path, why in skipped if why.startswith(BY_LINES)}

    @property
    def searches_nothing(self) -> bool:
        """True if the tree has files, the repository has them, and none is indexed or will be."""
        return bool(self.snapshot.skipped) and not (
            self.snapshot.paths or self.missing or self.absent
        )

    @property
    def reasons(self) -> dict[str, int]:
        """The number of files that are not searched, by reason."""
        return dict(sorted(Counter(self.skipped.values()).items()))

    @property
    def complete(self) -> bool:
        """True if all that the settings want of the tree is stored."""
        return not (self.missing or self.without_vectors)

    @property
    def absent(self) -> dict[str, int]:
        """Number of files that the repository lacks, by reason."""
        if self.cached:
            return {}
        counts = Counter(self.snapshot.skipped.values())
        return {reason: counts[reason] for reason in (NOT_DOWNLOADED, LOST) if counts[reason]}


def chunks_without_vectors(store: Store | None, *trees: IndexedTree) -> WithoutVectors | None:
    """Return how many chunks of some trees lack a wanted vector; None if none does."""
    lacking: dict[int, int] = {}
    for tree in trees:
        lacking.update(tree.without_vectors)
    if store is None or not lacking:
        return None
    whole = {chunking for tree in trees for chunking in tree.snapshot.chunkings}
    return WithoutVectors(sum(lacking.values()), store.chunk_count(whole))


def completeness_of(
    store: Store | None, trees: Sequence[IndexedTree], undescribed: int = 0
) -> Completeness:
    """Return how much of some trees is indexed, each file once. `undescribed` is the number of
    wanted descriptions that are not there yet.
    """
    nothing = all(tree.searches_nothing for tree in trees)
    return Completeness(
        missing=_missing_files(trees),
        without_vectors=chunks_without_vectors(store, *trees),
        undescribed=undescribed,
        absent=_absent_files(trees),
        deferred=sum(tree.count_of(DEFERRED) for tree in trees),
        unsearched=trees[0].reasons if nothing else {},
    )


def _missing_files(trees: Sequence[IndexedTree]) -> int:
    """Return how many files of some trees are not stored; the same file in several counts once."""
    return len({(file.path, file.key) for tree in trees for file in tree.missing})


def _absent_files(trees: Sequence[IndexedTree]) -> dict[str, int]:
    """Return how many files of some trees the repository lacks, by reason."""
    found: Counter[str] = Counter()
    for tree in trees:
        found.update(tree.absent)
    return dict(found)


class TreeResolver:
    """Resolves trees of one repository for one configuration, embedder and chunk describer."""

    def __init__(self, repo: Repo, selector: Selector, embedder: str, describer: str = "") -> None:
        self._repo = repo
        self._selector = selector
        self._embedder = embedder
        self._describer = describer
        self.selection = f"{selector.fingerprint} {embedder}"

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
        """Return the tree as stored now.

        `near` is a tree that is likely to differ little, `absent` are blobs that the repository
        lacks. `naming` asks for all files with one of these reasons, which a cached tree does not
        name, and `anew` for the tree as it would be if nothing were stored but descriptions.
        """
        if store is None or anew:
            return self._walked(tree, store, absent, anew=True)
        return self._with_overdue(store, self._resolved(store, tree, near, absent, naming))

    def selection_of(self, tree: Oid) -> str:
        """Return the key under which a tree is cached, together with its name."""
        return self.selection

    def _with_overdue(self, store: Store, found: IndexedTree) -> IndexedTree:
        """Return a tree that also lacks the vectors which a description came too late for."""
        if not (self._describer and self._embedder):
            return found
        overdue = self._overdue(store, found.snapshot)
        lacking = {**overdue, **found.without_vectors}
        return replaced(found, without_vectors=lacking) if overdue else found

    def updated(self, store: Store, tree: IndexedTree, absent: Set[Oid]) -> IndexedTree:
        """Return a tree after a run over what it lacked: only those files are looked up again.

        The caller holds the lock under which nothing is dropped since the tree was resolved.
        """
        if tree.without_vectors or tree.undescribed_images or tree.deferred:
            return self.resolve(store, tree.tree, near=tree.tree, absent=absent)
        if not tree.missing:
            return tree
        changed = {file.path for file in tree.missing}
        kept, skipped = _kept(tree.snapshot, changed), _still(tree.snapshot, changed)
        return self._assemble(tree.tree, store, Plan(tree.missing, {}), kept, absent, skipped)

    def _resolved(
        self, store: Store, tree: Oid, near: Oid | None, absent: Set[Oid], naming: Set[str]
    ) -> IndexedTree:
        cached = store.snapshots.of(tree, self.selection)
        if cached is not None and naming.isdisjoint(cached.skipped.values()):
            gone = absent_paths(cached)
            if gone:
                return self._with_absent(store, tree, cached, gone, absent)
            return IndexedTree(tree, cached, [], cached=True)
        base = self._neighbour(store, near)
        if base is not None and naming.isdisjoint(base[1].skipped.values()):
            found = self._difference(base[0], base[1], tree)
            if found is not None:
                plan, changed = found
                kept, skipped = _kept(base[1], changed), _still(base[1], changed)
                return self._assemble(tree, store, plan, kept, absent, skipped)
        return self._walked(tree, store, absent)

    def _next(
        self, store: Store | None, base: IndexedTree, tree: Oid, absent: Set[Oid]
    ) -> IndexedTree | None:
        """Return a tree by its difference from another, which may lack files itself; None if that
        cannot be told.
        """
        if absent_paths(base.snapshot):
            return None
        found = self._difference(base.tree, base.snapshot, tree)
        if found is None:
            return None
        plan, changed = found
        kept, skipped = _kept(base.snapshot, changed), _still(base.snapshot, changed)
        new = self._assemble(tree, store, plan, kept, absent, skipped)
        here = set(new.snapshot.chunkings)
        vectorless = {c: n for c, n in base.without_vectors.items() if c in here}
        return replaced(
            new,
            missing=[*(f for f in base.missing if f.path not in changed), *new.missing],
            without_vectors={**vectorless, **new.without_vectors},
            undescribed_images=[
                *(f for f in base.undescribed_images if f.path not in changed),
                *new.undescribed_images,
            ],
            deferred=[*(f for f in base.deferred if f.path not in changed), *new.deferred],
        )

    def _with_absent(
        self, store: Store, tree: Oid, cached: Snapshot, gone: Set[bytes], absent: Set[Oid]
    ) -> IndexedTree:
        """Return a cached tree after a new look at the files that the repository lacked."""
        entries = self._repo.entries(tree)
        wanted = [entry for entry in entries if entry.path in gone]
        rules = {entry.path for entry in entries if _rules(entry.path)}
        plan = self._plan(wanted, entries if rules else [], rules)
        kept, skipped = _kept(cached, gone), _still(cached, gone)
        return self._assemble(tree, store, plan, kept, absent, skipped)

    def _overdue(self, store: Store, snapshot: Snapshot) -> dict[int, int]:
        """Return chunkings whose vectors lack a stored description, as after a killed run."""
        number = store.embedder(self._embedder)
        if number is None:
            return {}
        found = store.descriptions.overdue(number, self._describer)
        here = found.keys() & set(snapshot.chunkings) if found else ()
        return {chunking: found[chunking] for chunking in here}

    def _walked(
        self, tree: Oid, store: Store | None, absent: Set[Oid], *, anew: bool = False
    ) -> IndexedTree:
        rows = None if anew else store
        found = self._assemble(tree, rows, self._whole(tree), {}, absent, descriptions=store)
        return replaced(found, walked=True)

    def _neighbour(self, store: Store, near: Oid | None) -> tuple[Oid, Snapshot] | None:
        known = store.snapshots.trees(self.selection)
        if not known:
            return None
        tree = near if near in known else known[0]
        snapshot = store.snapshots.of(tree, self.selection)
        if snapshot is None or absent_paths(snapshot):
            return None
        return tree, snapshot

    def _whole(self, tree: Oid) -> Plan:
        entries = self._repo.entries(tree)
        return self._plan(entries, entries, {entry.path for entry in entries if _rules(entry.path)})

    def _difference(self, old: Oid, base: Snapshot, new: Oid) -> tuple[Plan, set[bytes]] | None:
        """Return the plan of new and changed paths, and all that differ; None if rules changed."""
        try:
            changes = self._repo.diff(old, new)
        except GitFailed:  # `old` was pruned, or the store came from another clone: walk `new`
            return None
        if any(_rules(change.path) for change in changes):
            return None
        added: list[Entry] = [change.new for change in changes if change.new is not None]
        rules = set(filter(_rules, chain(base.paths, base.skipped))) if added else set()
        plan = self._plan(added, self._repo.entries(new) if rules else [], rules)
        return plan, {change.path for change in changes}

    def _plan(self, wanted: list[Entry], entries: list[Entry], rules: Set[bytes]) -> Plan:
        """Return the plan of `wanted` under the rules in the tree; `entries` are all its files."""
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
        descriptions: Store | None = None,
    ) -> IndexedTree:
        """Return a tree of the known paths in `found`, and of a plan looked up in a store.

        Stored descriptions of images are read from `descriptions`, by default from the same store.
        """
        parts = _Parts(found, {**(skipped or {}), **plan.skipped})
        for file, row in zip(plan.files, self._rows(store, plan.files), strict=True):
            if file.oid in absent:
                parts.skipped[file.path] = self._why_absent
            else:
                parts.add(file, row)
        if parts.images:
            parts.split_images(self._described(descriptions or store, parts.images))
        here_not = self._repo.absent({file.oid for file in parts.needed})
        if here_not:
            parts.remove(here_not, self._why_absent)
        return IndexedTree(
            tree,
            _snapshot(parts.found, parts.skipped),
            parts.missing,
            cached=False,
            without_vectors={row.number: row.chunks for row in parts.without_vectors.values()},
            undescribed_images=parts.images,
            deferred=parts.deferred,
        )

    @property
    def _why_absent(self) -> str:
        return NOT_DOWNLOADED if self._repo.partial else LOST

    def _described(self, store: Store | None, images: list[Selected]) -> set[Oid]:
        """Return the images with a stored description, though not yet under this chunker."""
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


class _Parts:
    """The files of a tree that is being assembled, by what is known of them."""

    def __init__(self, found: dict[bytes, tuple[int, int]], skipped: dict[bytes, str]) -> None:
        self.found = found
        self.skipped = skipped
        self.missing: list[Selected] = []
        self.images: list[Selected] = []
        self.deferred: list[Selected] = []
        self.without_vectors: dict[Selected, StoredChunking] = {}

    def add(self, file: Selected, row: StoredChunking | None) -> None:
        """Add a file with what is stored of it."""
        if row is None:
            (self.images if file.language == IMAGE else self.missing).append(file)
            return
        if row.skipped:
            self.skipped[file.path] = row.skipped
        if row.skipped in DEFERRED:
            self.deferred.append(file)
        if row.chunks or not row.skipped:
            self.found[file.path] = (row.number, row.length)
        if not row.embedded:
            self.without_vectors[file] = row

    def split_images(self, described: Set[Oid]) -> None:
        """Count the described images as missing, and skip the others."""
        self.missing += [file for file in self.images if file.oid in described]
        self.images = [file for file in self.images if file.oid not in described]
        self.skipped.update((file.path, NOT_DESCRIBED) for file in self.images)

    @property
    def needed(self) -> tuple[Selected, ...]:
        """Files whose blob has to be read."""
        return (*self.missing, *self.images, *self.without_vectors)

    def remove(self, blobs: Set[Oid], reason: str) -> None:
        """Skip the needed files with these blobs."""
        gone = {file.path for file in self.needed if file.oid in blobs}
        self.skipped.update((path, reason) for path in gone)
        self.found = {path: row for path, row in self.found.items() if path not in gone}
        self.missing = [file for file in self.missing if file.oid not in blobs]
        self.images = [file for file in self.images if file.oid not in blobs]
        lacking = self.without_vectors.items()
        self.without_vectors = {file: row for file, row in lacking if file.oid not in blobs}


_NAMES = (b".gitattributes", b".ragitignore")


def _rules(path: bytes) -> bool:
    """Return True for a file whose content decides which others are indexed, and as what."""
    # asked of every path of a tree: most differ in the last letter already
    return path.endswith(_NAMES) and (is_attributes(path) or is_ignore(path))


def absent_paths(snapshot: Snapshot) -> set[bytes]:
    """Return the paths of files that the repository lacked when the snapshot was made."""
    reasons = snapshot.skipped.items()
    return {path for path, why in reasons if why in (NOT_DOWNLOADED, LOST)}


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
