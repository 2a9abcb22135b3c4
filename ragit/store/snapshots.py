"""Cache which chunkings a tree consists of. The same can be computed from the tree, only slower."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, cast

import apsw

from ragit.records import Record
from ragit.store.connect import translated
from ragit.store.rows import DamagedRow, unpacked_oid, unpacking
from ragit.types import Oid

KEPT = 128
"""Trees that are kept; any other is resolved again from its entries in milliseconds."""

UNPACKED = 4
"""Trees that an open store remembers unpacked."""


class Snapshot(Record):
    """A tree of chunkings: the i-th path is the i-th chunking, whose blob has lengths[i] words."""

    paths: list[bytes]
    chunkings: array[int]
    lengths: array[int]
    skipped: Mapping[bytes, str]
    """Reason by path: skipped files, and files that are indexed by lines only."""


class Snapshots:
    """The cached trees of one open store, by tree and selection of files."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._unpacked: dict[tuple[Oid, str], tuple[tuple[Any, ...], Snapshot]] = {}
        """The last trees that were read, each with its packed columns."""

    def of(self, tree: Oid, selection: str) -> Snapshot | None:
        """Return a tree under a selection of files; None if it is not cached.

        As long as it is stored unchanged, an open store returns the same object.
        """
        with translated(self._path):
            row = self._db.execute(
                "SELECT paths, chunkings, skipped FROM snapshot WHERE tree = ? AND selection = ?",
                (bytes.fromhex(tree), selection),
            ).fetchone()
            known = self._unpacked.pop((tree, selection), None)
            if row is None:
                return None
            if known is None or known[0] != row:
                known = (row, unpacked(*row))
            self._unpacked[tree, selection] = known
            if len(self._unpacked) > UNPACKED:
                del self._unpacked[next(iter(self._unpacked))]
            return known[1]

    def trees(self, selection: str) -> list[Oid]:
        """Return the cached trees of a selection, newest first."""
        with translated(self._path):
            rows = self._db.execute(
                "SELECT tree FROM snapshot WHERE selection = ? ORDER BY id DESC", (selection,)
            )
            return [unpacked_oid(tree) for (tree,) in rows]

    def add(self, tree: Oid, selection: str, snapshot: Snapshot) -> None:
        """Cache a tree, and drop the oldest ones. To be called inside `writing`."""
        self._db.execute(
            "INSERT OR REPLACE INTO snapshot(tree, selection, paths, chunkings, skipped) "
            "VALUES(?,?,?,?,?)",
            (bytes.fromhex(tree), selection, *_packed(snapshot)),
        )
        self._db.execute(
            "DELETE FROM snapshot "
            "WHERE id <= (SELECT id FROM snapshot ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )

    def forget(self, reasons: Set[str]) -> None:
        """Delete trees that name one of these reasons for a path. To be called inside `writing`."""
        wanted = {reason.encode() for reason in reasons}
        rows = cast(
            "list[tuple[int, bytes]]",
            self._db.execute("SELECT id, skipped FROM snapshot").fetchall(),
        )
        for number, skipped in rows:
            with unpacking():
                reasons_of_tree = _split(zlib.decompress(skipped))[1::2]
            if not wanted.isdisjoint(reasons_of_tree):
                self._db.execute("DELETE FROM snapshot WHERE id = ?", (number,))

    def drop(self, chunkings: Set[int]) -> None:
        """Delete trees that consist of one of these. To be called inside `writing`."""
        rows = self._db.execute("SELECT id, paths, chunkings, skipped FROM snapshot").fetchall()
        for number, *packed in rows:
            if not chunkings.isdisjoint(unpacked(*packed).chunkings):
                self._db.execute("DELETE FROM snapshot WHERE id = ?", (number,))

    def drop_of(self, embedder: str) -> None:
        """Delete trees with vectors of this embedder. To be called inside `writing`."""
        sql = "DELETE FROM snapshot WHERE substr(selection, instr(selection, ' ') + 1) = ?"
        self._db.execute(sql, (embedder,))


def _packed(snapshot: Snapshot) -> tuple[bytes, ...]:
    numbers = array("Q", snapshot.chunkings).tobytes() + array("Q", snapshot.lengths).tobytes()
    skipped = b"\0".join(
        part for path, reason in snapshot.skipped.items() for part in (path, reason.encode())
    )
    return tuple(zlib.compress(part, 3) for part in (b"\0".join(snapshot.paths), numbers, skipped))


def unpacked(paths: Any, chunkings: Any, skipped: Any) -> Snapshot:
    """Return a cached tree from its columns. Raises DamagedRow."""
    numbers = array("Q")
    with unpacking():
        numbers.frombytes(zlib.decompress(chunkings))
        names = _split(zlib.decompress(paths))
        pairs = iter(_split(zlib.decompress(skipped)))
        reasons = {path: reason.decode() for path, reason in zip(pairs, pairs, strict=True)}
    if len(numbers) != 2 * len(names):
        raise DamagedRow("a cached tree has not as many files as paths")
    return Snapshot(names, numbers[: len(names)], numbers[len(names) :], reasons)


def _split(joined: bytes) -> list[bytes]:
    return joined.split(b"\0") if joined else []
