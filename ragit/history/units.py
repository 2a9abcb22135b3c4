"""Find the chunks with definitions that two trees do not share.

Files with the same content are skipped, and of the others only chunks are compared whose text is
not in the same file of the other tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from ragit.records import NamedTuple
from ragit.store import ORDINAL_BITS, ChunkRow, Snapshot, Store, chunk_hashes, chunk_rows
from ragit.types import path_text

Hashed = list[tuple[int, bytes]]
"""The chunks of a file, as numbers and hashes."""


class Unit(NamedTuple):
    """A chunk that defines names, with the chunks that continue a cut definition."""

    path: bytes
    text_path: str
    chunk: int
    row: ChunkRow
    digest: bytes
    """The hashes of those of its chunks that the other tree's file lacks."""
    end_line: int


class Touched(NamedTuple):
    """The chunks and files that two trees do not share."""

    old: list[Unit]
    new: list[Unit]
    files: int
    """Number of files that differ."""
    unnamed: list[bytes]
    """Paths of files with differences outside of definitions."""


class _Pair(NamedTuple):
    """A file that differs, with its chunks in both trees, and those in only one."""

    path: bytes
    old: Hashed
    new: Hashed
    only_old: list[int]
    only_new: list[int]


def touched(store: Store, old: Snapshot, new: Snapshot) -> Touched:
    """Return the differences between two trees, in order of path and line."""
    pairs = list(_pairs(store, old, new))
    wanted = (chunk for pair in pairs for chunk in (*pair.only_old, *pair.only_new))
    rows = _Rows(store, chunk_rows(store, wanted))
    units = _Units(rows)
    unnamed = [pair.path for pair in pairs if units.add(pair)]
    return Touched(units.old, units.new, len(pairs), unnamed)


def differing(old: Snapshot, new: Snapshot) -> Iterator[tuple[bytes, int | None, int | None]]:
    """Yield each path whose file differs, with its chunking in both trees, in path order."""
    before = dict(zip(old.paths, old.chunkings, strict=True))
    after = dict(zip(new.paths, new.chunkings, strict=True))
    for path in sorted(before.keys() | after.keys()):
        one, other = before.get(path), after.get(path)
        if one != other:
            yield path, one, other


def _pairs(store: Store, old: Snapshot, new: Snapshot) -> Iterator[_Pair]:
    files = list(differing(old, new))
    numbers = {number for _, *both in files for number in both if number is not None}
    hashes = chunk_hashes(store, numbers).items()
    chunks: dict[int | None, Hashed] = {
        chunking: list(rows)
        for chunking, rows in groupby(hashes, lambda row: row[0] >> ORDINAL_BITS)
    }
    for path, one, other in files:
        before, after = chunks.get(one, []), chunks.get(other, [])
        yield _Pair(path, before, after, *_unshared(before, after))


def _unshared(old: Hashed, new: Hashed) -> tuple[list[int], list[int]]:
    """Return the chunks of each side without a counterpart on the other."""
    waiting: dict[bytes, list[int]] = {}
    for chunk, digest in old:
        waiting.setdefault(digest, []).append(chunk)
    only_new = []
    for chunk, digest in new:
        same = waiting.get(digest)
        if same:
            same.pop(0)
        else:
            only_new.append(chunk)
    return sorted(chunk for rest in waiting.values() for chunk in rest), only_new


class _Rows:
    """Chunk rows by number, read on demand."""

    def __init__(self, store: Store, rows: dict[int, ChunkRow]) -> None:
        self._store = store
        self._rows = rows

    def __getitem__(self, chunk: int) -> ChunkRow:
        if chunk not in self._rows:
            self._rows.update(self._store.chunks([chunk]))
        return self._rows[chunk]

    def owner(self, chunk: int) -> int | None:
        """Return the chunk that a nameless one continues; None if it is independent."""
        row = self[chunk]
        if not row.parent:
            return None
        for before in range(chunk - 1, chunk >> ORDINAL_BITS << ORDINAL_BITS, -1):
            if self[before].packed:
                return before if _continues(row, self[before]) else None
        first = chunk >> ORDINAL_BITS << ORDINAL_BITS
        return first if chunk > first and _continues(row, self[first]) else None


def _continues(row: ChunkRow, owner: ChunkRow) -> bool:
    """Return whether a nameless chunk continues the definition in another."""
    name = owner.definitions[0].name if owner.packed else ""
    return bool(name) and row.kind == owner.kind and row.parent.endswith(name)


class _Units:
    """Collects the units of both trees."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows
        self.old: list[Unit] = []
        self.new: list[Unit] = []

    def add(self, pair: _Pair) -> bool:
        """Add the units of one file; return whether text outside of definitions differs, too."""
        old, old_rest = self._gathered(pair.only_old)
        new, new_rest = self._gathered(pair.only_new)
        for chunk in old.keys() - set(pair.only_old):
            new.setdefault(_counterpart(chunk, pair.old, pair.new), [])
        for chunk in new.keys() - set(pair.only_new):
            old.setdefault(_counterpart(chunk, pair.new, pair.old), [])
        self.old += self._new_units(pair.path, old, dict(pair.old))
        self.new += self._new_units(pair.path, new, dict(pair.new))
        return old_rest or new_rest

    def _gathered(self, chunks: list[int]) -> tuple[dict[int, list[int]], bool]:
        """Return chunks that define names, each with the chunks that continue it; and whether there
        are others.
        """
        found: dict[int, list[int]] = {}
        rest = False
        for chunk in chunks:
            if self._rows[chunk].packed:
                found.setdefault(chunk, [])
                continue
            owner = self._rows.owner(chunk)
            if owner is None:
                rest = True
            else:
                found.setdefault(owner, []).append(chunk)
        return found, rest

    def _new_units(
        self, path: bytes, units: Mapping[int, list[int]], hashes: Mapping[int, bytes]
    ) -> Iterable[Unit]:
        text = path_text(path)
        for chunk in sorted(units):
            row, parts = self._rows[chunk], units[chunk]
            if not parts:
                yield Unit(path, text, chunk, row, row.hash, row.end_line)
                continue
            digest = b"".join((row.hash, *(hashes[part] for part in parts)))
            yield Unit(path, text, chunk, row, digest, self._rows[parts[-1]].end_line)


def _counterpart(chunk: int, here: Hashed, there: Hashed) -> int:
    """Return the chunk with the same text in the other tree's file."""
    digest = dict(here)[chunk]
    same = [number for number, other in here if other == digest]
    others = [number for number, other in there if other == digest]
    return others[min(same.index(chunk), len(others) - 1)]
