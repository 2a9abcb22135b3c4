"""Cache the chunkings of trees. They could also be computed from the tree, only slower.

A cached tree is a listing, shared by many trees, and its differences from it. So an edit or a
commit adds some hundred bytes, and only a tree that is far from all others adds its own listing.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import apsw

from ragit.records import NamedTuple, Record
from ragit.store.connect import translated
from ragit.store.rows import DamagedRow, checked, unpacked_oid, unpacking
from ragit.types import Oid

KEPT = 128
"""Limit of cached trees; any other is resolved again from its entries in milliseconds."""

UNPACKED = 4
"""Limit of unpacked trees, and of unpacked listings, that an open store remembers."""

_CLOSE = 4
"""A tree shares a listing with at least this many times as many files as differ."""

_T = TypeVar("_T")


class Snapshot(Record):
    """A tree of chunkings: the i-th path has the i-th chunking, whose blob has lengths[i] words."""

    paths: list[bytes]
    """In order. In a union of trees, a path occurs once per version."""
    chunkings: array[int]
    lengths: array[int]
    skipped: Mapping[bytes, str]
    """Reason by path, for skipped files and files indexed by lines only."""
    absent: Mapping[bytes, Oid] = MappingProxyType({})
    """Blob by path, for files skipped because the repository lacks them."""


class Base(NamedTuple):
    """A cached tree from which another one was derived."""

    number: int
    """Number of the cached tree, never reused."""
    changed: Set[bytes]
    """Paths that may differ."""


def patched(base: Snapshot, changed: Collection[bytes], new: Snapshot) -> Snapshot:
    """Return a tree with the entries of another one at some paths; that one has no further
    paths.
    """
    rows = Snapshot([], array("Q"), array("Q"), {})
    at = 0
    for path in sorted(changed):
        here, there = bisect_left(base.paths, path, at), bisect_left(new.paths, path)
        _append(rows, base, slice(at, here))
        at = here + _is_at(base, here, path)
        _append(rows, new, slice(there, there + _is_at(new, there, path)))
    _append(rows, base, slice(at, None))
    skipped = _replaced(base.skipped, changed, new.skipped)
    absent = _replaced(base.absent, changed, new.absent)
    return Snapshot(rows.paths, rows.chunkings, rows.lengths, skipped, absent)


def _append(rows: Snapshot, of: Snapshot, places: slice) -> None:
    rows.paths.extend(of.paths[places])
    rows.chunkings.extend(of.chunkings[places])
    rows.lengths.extend(of.lengths[places])


def _is_at(tree: Snapshot, place: int, path: bytes) -> bool:
    return place < len(tree.paths) and tree.paths[place] == path


def _replaced(
    old: Mapping[bytes, _T], changed: Collection[bytes], new: Mapping[bytes, _T]
) -> dict[bytes, _T]:
    found = dict(old)
    for path in changed:
        found.pop(path, None)
    found.update(new)
    return found


def _part(tree: Snapshot, paths: Collection[bytes]) -> Snapshot:
    """Return a tree's entries at some paths."""
    rows = Snapshot([], array("Q"), array("Q"), {})
    for path in sorted(paths):
        place = bisect_left(tree.paths, path)
        _append(rows, tree, slice(place, place + _is_at(tree, place, path)))
    skipped = {path: tree.skipped[path] for path in paths if path in tree.skipped}
    absent = {path: tree.absent[path] for path in paths if path in tree.absent}
    return Snapshot(rows.paths, rows.chunkings, rows.lengths, skipped, absent)


class Snapshots:
    """The cached trees of one open store, by tree and selection of files."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._trees: dict[int, Snapshot] = {}
        """The last trees read, by number; likewise for listings."""
        self._listings: dict[int, Snapshot] = {}

    def of(self, tree: Oid, selection: str) -> Snapshot | None:
        """Return a tree under a selection of files; None if not cached.

        While it is stored unchanged, an open store returns the same object.
        """
        found = self.numbered(tree, selection)
        return None if found is None else found[1]

    def numbered(self, tree: Oid, selection: str) -> tuple[int, Snapshot] | None:
        """Return the number of the cached tree with the result of `of`."""
        with translated(self._path):
            number: int | None = self._db.execute(
                "SELECT id FROM snapshot WHERE tree = ? AND selection = ?",
                (bytes.fromhex(tree), selection),
            ).get
            if number is None:
                return None
            found = self._trees.pop(number, None) or self._read(number)
            _remember(self._trees, number, found)
            return number, found

    def _read(self, number: int) -> Snapshot:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM snapshot WHERE id = ?", (number,))
        listing, changed, part = _unpacked_row(row.fetchone())
        base = self._listings.pop(listing, None) or self._listing(listing)
        _remember(self._listings, listing, base)
        return patched(base, changed, part) if changed else base

    def _listing(self, number: int) -> Snapshot:
        sql = "SELECT paths, chunkings, skipped, absent FROM listing WHERE id = ?"
        row = self._db.execute(sql, (number,)).fetchone()
        if row is None:
            raise DamagedRow("a cached tree has no listing")
        return unpacked(*row)

    def all(self) -> Iterator[Snapshot]:
        """Yield every cached tree. Raises DamagedRow."""
        for number in self._numbers():
            yield self._read(number)

    def _numbers(self) -> list[int]:
        rows = self._db.execute("SELECT id FROM snapshot ORDER BY id")
        return [number for (number,) in cast("Iterable[tuple[int]]", rows)]

    def trees(self, selection: str) -> list[Oid]:
        """Return the cached trees of a selection, newest first."""
        with translated(self._path):
            rows = self._db.execute(
                "SELECT tree FROM snapshot WHERE selection = ? ORDER BY id DESC", (selection,)
            )
            return [unpacked_oid(tree) for (tree,) in rows]

    def add(self, tree: Oid, selection: str, snapshot: Snapshot, base: Base | None = None) -> None:
        """Cache a tree, and drop the oldest ones. Call it inside `writing`.

        One derived from a cached tree is stored as differences from that one's listing.
        """
        listing, changed = self._shared(snapshot, base) or (self._add_listing(snapshot), set())
        self._db.execute(
            f"INSERT OR REPLACE INTO snapshot(tree, selection, {_COLUMNS}) VALUES(?,?,?,?,?,?,?,?)",
            (
                bytes.fromhex(tree),
                selection,
                listing,
                _joined(sorted(changed)),
                *_packed(_part(snapshot, changed)),
            ),
        )
        self._db.execute(
            "DELETE FROM snapshot "
            "WHERE id <= (SELECT id FROM snapshot ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )
        self.drop_unused_listings()

    def _shared(self, snapshot: Snapshot, base: Base | None) -> tuple[int, Set[bytes]] | None:
        """Return the listing of a base and the paths in which a tree may differ from it; None if
        the listing is gone, or differs too much.
        """
        if base is None:
            return None
        sql = "SELECT listing, changed FROM snapshot WHERE id = ?"
        row = self._db.execute(sql, (base.number,)).fetchone()
        if row is None:
            return None
        with unpacking():
            changed = base.changed | set(_split(zlib.decompress(row[1])))
        return (row[0], changed) if len(changed) * _CLOSE <= len(snapshot.paths) else None

    def _add_listing(self, snapshot: Snapshot) -> int:
        sql = "INSERT INTO listing(paths, chunkings, skipped, absent) VALUES(?,?,?,?)"
        self._db.execute(sql, _packed(snapshot))
        return self._db.last_insert_rowid()

    def drop_unused_listings(self) -> None:
        """Delete listings that no cached tree uses. Call it inside `writing`."""
        self._db.execute("DELETE FROM listing WHERE id NOT IN (SELECT listing FROM snapshot)")

    def forget(self, reasons: Set[str]) -> None:
        """Delete trees with one of these reasons for a path. Call it inside `writing`."""
        self._drop_where(lambda tree: not reasons.isdisjoint(tree.skipped.values()))

    def drop(self, chunkings: Set[int]) -> None:
        """Delete trees that contain one of these chunkings. Call it inside `writing`."""
        self._drop_where(lambda tree: not chunkings.isdisjoint(tree.chunkings))

    def _drop_where(self, is_wanted: Callable[[Snapshot], bool]) -> None:
        for number in self._numbers():
            if is_wanted(self._read(number)):
                self._db.execute("DELETE FROM snapshot WHERE id = ?", (number,))
        self.drop_unused_listings()

    def drop_of(self, embedder: str) -> None:
        """Delete trees with vectors of this embedder. Call it inside `writing`."""
        sql = "DELETE FROM snapshot WHERE substr(selection, instr(selection, ' ') + 1) = ?"
        self._db.execute(sql, (embedder,))
        self.drop_unused_listings()


_COLUMNS = "listing, changed, paths, chunkings, skipped, absent"
"""Columns of the table `snapshot`: a listing, the paths in which the tree may differ from it, and
the tree's entries there.
"""


def _remember(known: dict[int, Snapshot], number: int, tree: Snapshot) -> None:
    """Add a tree to the last ones read."""
    known[number] = tree
    if len(known) > UNPACKED:
        del known[next(iter(known))]


def _packed(tree: Snapshot) -> tuple[bytes, ...]:
    numbers = array("Q", tree.chunkings).tobytes() + array("Q", tree.lengths).tobytes()
    return (
        _joined(tree.paths),
        zlib.compress(numbers, 3),
        _joined(part for path, reason in tree.skipped.items() for part in (path, reason.encode())),
        _joined(part for path, blob in tree.absent.items() for part in (path, blob.encode())),
    )


def unpacked(paths: Any, chunkings: Any, skipped: Any, absent: Any) -> Snapshot:
    """Return a cached tree from its columns. Raises DamagedRow."""
    numbers = array("Q")
    with unpacking():
        numbers.frombytes(zlib.decompress(chunkings))
        names = _split(zlib.decompress(paths))
        reasons = _pairs(skipped)
        blobs = {path: Oid(blob) for path, blob in _pairs(absent).items()}
    if len(numbers) != 2 * len(names):
        raise DamagedRow("a cached tree has not as many files as paths")
    return Snapshot(names, numbers[: len(names)], numbers[len(names) :], reasons, blobs)


def _unpacked_row(row: Any) -> tuple[int, list[bytes], Snapshot]:
    """Return a listing's number, the paths that differ, and the tree's entries there."""
    listing, changed, *part = checked(row or (), (int, *[bytes] * 5))
    with unpacking():
        return listing, _split(zlib.decompress(changed)), unpacked(*part)


def _joined(parts: Iterable[bytes]) -> bytes:
    return zlib.compress(b"\0".join(parts), 3)


def _pairs(packed: Any) -> dict[bytes, str]:
    pairs = iter(_split(zlib.decompress(packed)))
    return {path: reason.decode() for path, reason in zip(pairs, pairs, strict=True)}


def _split(joined: bytes) -> list[bytes]:
    return joined.split(b"\0") if joined else []
