"""A tree as stored: the chunking of each path, and what is missing. Reads only.

A tree resolved before is taken from the cache. Another one is derived from a cached neighbour and
git's list of differing paths, or else from all its entries. All three ways give the same snapshot.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from ragit.errors import GitFailed
from ragit.git import Repo, is_attributes, is_ignore
from ragit.index.descriptions.settings import IMAGE, NOT_DESCRIBED
from ragit.index.selection import Plan, Selected, Selector
from ragit.records import NamedTuple, Record, replaced
from ragit.store import OF_IMAGE, Base, Snapshot, Store, StoredChunking, patched
from ragit.types import (
    BY_LINES,
    DEFERRED,
    LOST,
    NOT_DOWNLOADED,
    Change,
    Completeness,
    Entry,
    Oid,
    WithoutVectors,
)


class IndexedTree(Record):
    """A tree, as far as it is stored."""

    tree: Oid
    snapshot: Snapshot
    """Stored files, searchable by words."""
    missing: list[Selected]
    """Files that are not stored yet."""
    cached: bool
    without_vectors: Mapping[int, int] = MappingProxyType({})
    """Number of chunks by chunking that lack a vector, or a vector made with their stored
    description.
    """
    undescribed_images: Sequence[Selected] = ()
    """Images that wait for a model's description; complete only if requested. The snapshot skips
    them.
    """
    deferred: Sequence[Selected] = ()
    """Files that an earlier run deferred; complete only if requested."""
    walked: bool = False
    """True if it was resolved from all its files: no similar tree was known under these
    settings.
    """
    base: Base | None = None
    """The cached tree from which it was derived, if any."""
    incomplete_parts: int = 0
    """Number of trees in a union that are not completely stored."""

    def count_of(self, reasons: Set[str]) -> int:
        """Return the number of files with one of these reasons."""
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
        """Return whether the tree has files, none of which is indexed, missing or absent."""
        return bool(self.snapshot.skipped) and not (
            self.snapshot.paths or self.missing or self.absent
        )

    @property
    def reasons(self) -> dict[str, int]:
        """Number of files that are not searched, by reason."""
        return dict(sorted(Counter(self.skipped.values()).items()))

    @property
    def complete(self) -> bool:
        """Return whether everything that the settings require of the tree is stored."""
        return not (self.missing or self.without_vectors)

    @property
    def absent(self) -> dict[str, int]:
        """Number of files that the repository lacks, by reason."""
        counts = Counter(self.snapshot.skipped[path] for path in self.snapshot.absent)
        return {reason: counts[reason] for reason in (NOT_DOWNLOADED, LOST) if counts[reason]}


def chunks_without_vectors(store: Store | None, *trees: IndexedTree) -> WithoutVectors | None:
    """Return the number of the trees' chunks that lack a configured vector; None if none does."""
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
    """Return how much of the trees is indexed, each file once. `undescribed` is the number of
    missing descriptions.
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
    """Return the number of the trees' files that are not stored; the same file in several counts
    once.
    """
    return len({(file.path, file.key) for tree in trees for file in tree.missing})


def _absent_files(trees: Sequence[IndexedTree]) -> dict[str, int]:
    """Return the number of the trees' files that the repository lacks, by reason."""
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

        `near` is a tree likely to differ little, `absent` are blobs that the repository lacks.
        `naming` asks for all files with one of these reasons, which a cached tree does not list,
        and `anew` for the tree as if nothing were stored but descriptions.
        """
        if store is None or anew:
            return self._walked(tree, store, absent, anew=True)
        return self._with_overdue(store, self._resolved(store, tree, near, absent, naming))

    def selection_of(self, tree: Oid) -> str:
        """Return the key of a tree's selection, part of its key in the cache."""
        return self.selection

    def _with_overdue(self, store: Store, found: IndexedTree) -> IndexedTree:
        """Count vectors without a description that is stored by now as missing."""
        if not (self._describer and self._embedder):
            return found
        overdue = self._overdue(store, found.snapshot)
        lacking = {**overdue, **found.without_vectors}
        return replaced(found, without_vectors=lacking) if overdue else found

    def updated(self, store: Store, tree: IndexedTree, absent: Set[Oid]) -> IndexedTree:
        """Return a tree after a run over its missing files: only these are looked up again.

        The caller holds the lock under which nothing has been dropped since the tree was resolved.
        """
        if tree.without_vectors or tree.undescribed_images or tree.deferred:
            return self.resolve(store, tree.tree, near=tree.tree, absent=absent)
        if not tree.missing:
            return tree
        changed = {file.path for file in tree.missing}
        new = self._assembled(store, Plan(tree.missing, {}), absent)
        base = tree.base and tree.base._replace(changed=tree.base.changed | changed)
        return new.merged_into(tree.tree, tree.snapshot, changed, base)

    def _resolved(
        self, store: Store, tree: Oid, near: Oid | None, absent: Set[Oid], naming: Set[str]
    ) -> IndexedTree:
        base = self._known(store, tree, naming)
        if base is not None:
            restored = self._restored(base.snapshot)
            if not restored:
                return IndexedTree(tree, base.snapshot, [], cached=True)
            return self._derived(store, base, tree, [], restored, absent)
        base = self._neighbour(store, near, naming)
        if base is not None:
            changes = self._changes(base.tree, tree)
            if changes is not None:
                return self._derived(
                    store, base, tree, changes, self._restored(base.snapshot), absent
                )
        return self._walked(tree, store, absent)

    def _changed_from(
        self, store: Store | None, base: IndexedTree, tree: Oid, absent: Set[Oid]
    ) -> IndexedTree | None:
        """Return a tree by its difference from another, which may lack files itself; None if that
        cannot be determined.
        """
        changes = self._changes(base.tree, tree)
        if changes is None:
            return None
        known = _Known(base.tree, 0, base.snapshot, {file.path for file in base.missing})
        restored = self._restored(known.snapshot)
        new = self._derived(store, known, tree, changes, restored, absent)
        changed = restored.keys() | {change.path for change in changes}
        here = set(new.snapshot.chunkings)
        vectorless = {c: n for c, n in base.without_vectors.items() if c in here}
        return replaced(
            new,
            base=None,
            missing=[*(f for f in base.missing if f.path not in changed), *new.missing],
            without_vectors={**vectorless, **new.without_vectors},
            undescribed_images=[
                *(f for f in base.undescribed_images if f.path not in changed),
                *new.undescribed_images,
            ],
            deferred=[*(f for f in base.deferred if f.path not in changed), *new.deferred],
        )

    def _derived(
        self,
        store: Store | None,
        base: _Known,
        tree: Oid,
        changes: Sequence[Change],
        restored: Mapping[bytes, Oid],
        absent: Set[Oid],
    ) -> IndexedTree:
        """Return a tree by its changes since another; `restored` are blobs that the repository
        lacked then, by path.
        """
        changed = {change.path for change in changes}
        wanted: list[Entry] = [change.new for change in changes if change.new is not None]
        wanted += [Entry(path, _FILE, oid) for path, oid in restored.items() if path not in changed]
        plan = self._plan(wanted, self._rules_above(base, tree, wanted))
        changed.update(restored)
        new = self._assembled(store, plan, absent)
        return new.merged_into(tree, base.snapshot, changed, Base(base.number, changed))

    def _known(self, store: Store, tree: Oid, naming: Set[str]) -> _Known | None:
        """Return a cached tree; None if there is none, or it has a file to look up again."""
        found = store.snapshots.numbered(tree, self.selection)
        if found is None or not naming.isdisjoint(found[1].skipped.values()):
            return None
        return _Known(tree, *found)

    def _restored(self, snapshot: Snapshot) -> dict[bytes, Oid]:
        """Return by path the blobs that the repository lacked then, and has now."""
        lacked = snapshot.absent
        if not lacked:
            return {}
        still = self._repo.absent(set(lacked.values()))
        return {path: oid for path, oid in lacked.items() if oid not in still}

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
        entries = self._repo.entries(tree)
        plan = self._plan(entries, [entry for entry in entries if _is_rules(entry.path)])
        new = self._assembled(None if anew else store, plan, absent, descriptions=store)
        return replaced(new.as_tree(tree), walked=True)

    def _neighbour(self, store: Store, near: Oid | None, naming: Set[str]) -> _Known | None:
        known = store.snapshots.trees(self.selection)
        if not known:
            return None
        return self._known(store, near if near in known else known[0], naming)

    def _changes(self, old: Oid, new: Oid) -> list[Change] | None:
        """Return the differences between two trees; None if they concern rules, or cannot be
        determined.
        """
        try:
            changes = self._repo.diff(old, new)
        except GitFailed:  # `old` was pruned, or the store came from another clone
            return None
        return None if any(_is_rules(change.path) for change in changes) else changes

    def _rules_above(self, base: _Known, tree: Oid, wanted: list[Entry]) -> list[Entry]:
        """Return the rule files that may concern some files of a tree with the same rules as
        another.
        """
        folders = {folder for entry in wanted for folder in _folders(entry.path)}
        rules = [folder + name for folder in folders for name in _RULES]
        return self._repo.entries_at(tree, sorted(filter(base.has, rules)))

    def _plan(self, wanted: list[Entry], rules: list[Entry]) -> Plan:
        """Return the plan of some files under the rules in others."""
        paths = [entry.path for entry in wanted] if rules else []
        attributes = self._repo.attributes(rules, paths)
        ignored = self._repo.ignored(rules, paths)
        return self._selector.select(wanted, attributes, ignored)

    def _assembled(
        self,
        store: Store | None,
        plan: Plan,
        absent: Set[Oid],
        *,
        descriptions: Store | None = None,
    ) -> _Parts:
        """Return the files of a plan with their stored chunkings.

        Stored descriptions of images are read from `descriptions`, by default from the same store.
        """
        parts = _Parts(plan.skipped)
        for file, row in zip(plan.files, self._rows(store, plan.files), strict=True):
            if file.oid in absent:
                parts.lack(file, self._why_absent)
            else:
                parts.add(file, row)
        if parts.images:
            parts.split_images(self._described(descriptions or store, parts.images))
        unavailable = self._repo.absent({file.oid for file in parts.needed})
        if unavailable:
            parts.remove(unavailable, self._why_absent)
        return parts

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


class _Known(NamedTuple):
    """A tree that was resolved before."""

    tree: Oid
    number: int
    """Number of the cached tree; 0 if it is none."""
    snapshot: Snapshot
    lacking: Set[bytes] = frozenset()
    """Paths missing from the snapshot because they are not stored yet."""

    def has(self, path: bytes) -> bool:
        """Return whether the tree has a file of this path."""
        paths = self.snapshot.paths
        place = bisect_left(paths, path)
        listed = place < len(paths) and paths[place] == path
        return listed or path in self.snapshot.skipped or path in self.lacking


class _Parts:
    """Files of a tree that is being assembled, by their state."""

    def __init__(
        self, skipped: dict[bytes, str], found: dict[bytes, tuple[int, int]] | None = None
    ) -> None:
        self.skipped = skipped
        self.found = found or {}
        self.absent: dict[bytes, Oid] = {}
        self.missing: list[Selected] = []
        self.images: list[Selected] = []
        self.deferred: list[Selected] = []
        self.without_vectors: dict[Selected, StoredChunking] = {}

    def add(self, file: Selected, row: StoredChunking | None) -> None:
        """Add a file with its stored chunking."""
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

    def lack(self, file: Selected, reason: str) -> None:
        """Skip a file whose blob is missing."""
        self.skipped[file.path] = reason
        self.absent[file.path] = file.oid

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
        for file in self.needed:
            if file.oid in blobs:
                self.found.pop(file.path, None)
                self.lack(file, reason)
        self.missing = [file for file in self.missing if file.oid not in blobs]
        self.images = [file for file in self.images if file.oid not in blobs]
        lacking = self.without_vectors.items()
        self.without_vectors = {file: row for file, row in lacking if file.oid not in blobs}

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot of these files alone."""
        paths = sorted(self.found)
        return Snapshot(
            paths,
            array("Q", [self.found[path][0] for path in paths]),
            array("Q", [self.found[path][1] for path in paths]),
            self.skipped,
            self.absent,
        )

    def merged_into(
        self, tree: Oid, base: Snapshot, changed: Set[bytes], by: Base | None
    ) -> IndexedTree:
        """Return a tree with these files at the changed paths, and those of a base elsewhere."""
        return replaced(self.as_tree(tree), snapshot=patched(base, changed, self.snapshot), base=by)

    def as_tree(self, tree: Oid) -> IndexedTree:
        """Return a tree that consists of these files."""
        return IndexedTree(
            tree,
            self.snapshot,
            self.missing,
            cached=False,
            without_vectors={row.number: row.chunks for row in self.without_vectors.values()},
            undescribed_images=self.images,
            deferred=self.deferred,
        )


_FILE = 0o100644

_RULES = (b".gitattributes", b".ragitignore")
"""Names of files that decide which others are indexed, and as what."""


def _is_rules(path: bytes) -> bool:
    # called for every path of a tree: most already differ in the last letter
    return path.endswith(_RULES) and (is_attributes(path) or is_ignore(path))


def _folders(path: bytes) -> Iterator[bytes]:
    """Yield the folders that contain a path, each but the top with a slash at its end."""
    at = 0
    while at >= 0:
        yield path[: at + 1] if at else b""
        at = path.find(b"/", at + 1)
