"""A map from files to the trees that contain them, derived from git alone, stored and extended by
new trees.

Only checksums of paths are kept. Two paths with the same one only cost reading a file too many.
"""

from __future__ import annotations

import os
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from ragit.digests import SIZE, digest
from ragit.git import FilesOfTrees
from ragit.types import Oid

_MAGIC = b"ragit map 2 " + sys.byteorder.encode() + b"\n"
_HEAD = struct.Struct("<5Q")
_DEAD = 64
"""Number of trees that a map keeps beyond the requested ones."""

MOST = 400
"""Limit of files of the same name that are searched for a piece of code. If there are more
(`__init__.py`), only those at its own path are.
"""

_SAMPLE = 2_048
"""Approximate number of rows compared to estimate the similarity of two trees."""

_Row = tuple[int, int, int, bytes]
"""Checksums of name, path and folder, and a raw object id."""


class FileMap:
    """The files of several trees. Row i is a file at a path; bit t of its number means that tree t
    contains it.
    """

    def __init__(
        self,
        trees: Sequence[str],
        names: array[int],
        paths: array[int],
        folders: array[int],
        oids: Sequence[bytes],
        bits: bytes,
    ) -> None:
        self.trees = tuple(trees)
        """Ids of the trees; empty for a tree of which git lacks a part."""
        self._names = names
        self._paths = paths
        self._folders = folders
        self._oids = oids
        self._bits = bits
        self._width = _width(trees)

    @classmethod
    def of(cls, trees: Sequence[str], rows: Mapping[_Row, int]) -> FileMap:
        """Return the map of rows in any order."""
        ordered = sorted(rows)
        width = _width(trees)
        return cls(
            trees,
            array("I", [row[0] for row in ordered]),
            array("I", [row[1] for row in ordered]),
            array("I", [row[2] for row in ordered]),
            [row[3] for row in ordered],
            b"".join(rows[row].to_bytes(width, "little") for row in ordered),
        )

    def mask(self, trees: Iterable[Oid]) -> int:
        """Return a bit mask of these trees, except unknown ones."""
        number_of = {tree: number for number, tree in enumerate(self.trees)}
        return sum(1 << number_of[tree] for tree in set(trees) if tree in number_of)

    def bits(self, row: int) -> int:
        """Return a bit mask of the trees that contain the file of a row."""
        at = row * self._width
        return int.from_bytes(self._bits[at : at + self._width], "little")

    def blob(self, row: int) -> Oid:
        """Return the blob of a row."""
        return Oid(self._oids[row].hex())

    def having(self, path: bytes, blob: Oid, mask: int) -> int:
        """Return the trees in `mask` that have a blob at a path, as a bit mask."""
        name, whole, oid = checksum(path.rpartition(b"/")[2]), checksum(path), bytes.fromhex(blob)
        first, after = bisect_left(self._names, name), bisect_right(self._names, name)
        return sum(
            self.bits(row) & mask
            for row in range(first, after)
            if self._paths[row] == whole and self._oids[row] == oid
        )

    def like_path(self, path: bytes, mask: int) -> list[int]:
        """Return the rows of trees in `mask` with the same name as a path, in any folder; if more
        than MOST, only those at the path itself.
        """
        return self._like(checksum(path.rpartition(b"/")[2]), checksum(path), mask)

    def like_row(self, row: int, mask: int) -> list[int]:
        """Return the rows with the same name as a row's file, as `like_path`."""
        return self._like(self._names[row], self._paths[row], mask)

    def _like(self, name: int, path: int, mask: int) -> list[int]:
        first, after = bisect_left(self._names, name), bisect_right(self._names, name)
        rows = [row for row in range(first, after) if self.bits(row) & mask]
        if len(rows) <= MOST:
            return rows
        return [row for row in rows if self._paths[row] == path]

    def only_in(self, tree: int, other: int) -> list[int]:
        """Return the rows that one tree has and another lacks, by their numbers in the map."""
        columns = (self._bits[number >> 3 :: self._width] for number in (tree, other))
        here, there = 1 << (tree & 7), 1 << (other & 7)
        pairs = enumerate(zip(*columns, strict=True))
        return [row for row, (one, two) in pairs if one & here and not two & there]

    def without(self, tree: int, blobs: Set[bytes]) -> list[int]:
        """Return the rows of a tree whose blob (as raw id) is not in `blobs`."""
        column, here = self._bits[tree >> 3 :: self._width], 1 << (tree & 7)
        pairs = enumerate(zip(column, self._oids, strict=True))
        return [row for row, (bits, oid) in pairs if bits & here and oid not in blobs]

    def nearest(self, blobs: Set[bytes], trees: Iterable[int]) -> int:
        """Return the tree with most of the blobs, by a sample; the last among equals."""
        sampled = range(0, len(self._oids), 1 + len(self._oids) // _SAMPLE)
        common = [self.bits(row) for row in sampled if self._oids[row] in blobs]
        return max(trees, key=lambda tree: sum(bits >> tree & 1 for bits in common))

    def in_folders(self, rows: Iterable[int], folders: Iterable[bytes]) -> list[int]:
        """Return the rows in any of the folders."""
        wanted = set(map(checksum, folders))
        return [row for row in rows if self._folders[row] in wanted]

    def of_blob(self, blob: Oid, mask: int) -> list[int]:
        """Return the rows of a blob in the trees of `mask`."""
        return [r for r in self._by_blob.get(bytes.fromhex(blob), ()) if self.bits(r) & mask]

    @cached_property
    def _by_blob(self) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = {}
        for row, oid in enumerate(self._oids):
            found.setdefault(oid, []).append(row)
        return found

    def rows(self) -> Iterator[tuple[_Row, int]]:
        """Yield all rows with their bit masks."""
        columns = self._names, self._paths, self._folders, self._oids
        for row, key in enumerate(zip(*columns, strict=True)):
            yield key, self.bits(row)

    def packed(self) -> bytes:
        """Return the map as bytes, for `unpacked` on the same machine."""
        size = len(self._oids[0]) if self._oids else 0
        parts = (
            "\n".join(self.trees).encode(),
            self._names.tobytes() + self._paths.tobytes() + self._folders.tobytes(),
            b"".join(self._oids),
            self._bits,
        )
        packed = [zlib.compress(part, 1) for part in parts]
        body = _HEAD.pack(size, *map(len, packed)) + b"".join(packed)
        return _MAGIC + digest(body) + body


def unpacked(data: bytes) -> FileMap | None:
    """Return a packed map; None if it is damaged, or by another version."""
    start = len(_MAGIC) + SIZE
    body = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or digest(body) != data[len(_MAGIC) : start]:
        return None
    try:
        return _parsed(body)
    except (struct.error, zlib.error, ValueError):  # written by no version of ragit
        return None


def _parsed(body: bytes) -> FileMap:
    size, *lengths = _HEAD.unpack_from(body)
    at, parts = _HEAD.size, []
    for length in lengths:
        parts.append(zlib.decompress(body[at : at + length]))
        at += length
    sums = array("I", parts[1])
    count = len(sums) // 3
    oids = [parts[2][at : at + size] for at in range(0, len(parts[2]), size or 1)]
    trees = parts[0].decode().split("\n")
    if not len(oids) * 3 == count * 3 == len(sums) or len(parts[3]) != count * _width(trees):
        raise ValueError("the parts of a map are of different lengths")
    names, paths, folders = (sums[at : at + count] for at in (0, count, 2 * count))
    return FileMap(trees, names, paths, folders, oids, parts[3])


def extended(
    old: FileMap | None, trees: Sequence[Oid], read: Callable[[Sequence[Oid]], FilesOfTrees]
) -> FileMap:
    """Return a map with all of the trees, whose files `read` gives; the old map if it has them."""
    known = old.trees if old else ()
    missing = [tree for tree in dict.fromkeys(trees) if tree not in known]
    if old and not missing:
        return old
    if len(known) + len(missing) > len(set(trees)) + _DEAD:
        known, missing, old = (), list(dict.fromkeys(trees)), None
    found = read(missing)
    rows = dict(old.rows()) if old else {}
    for (path, oid), bits in found.files.items():
        folder, _, name = path.rpartition(b"/")
        key = (checksum(name), checksum(path), checksum(folder), oid)
        whole = bits & ~found.unread
        if whole:
            rows[key] = rows.get(key, 0) | whole << len(known)
    new = ("" if found.unread >> number & 1 else tree for number, tree in enumerate(missing))
    return FileMap.of((*known, *new), rows)


def load(file: Path) -> FileMap | None:
    """Return the map stored in a file; None if there is none, or it is unusable."""
    try:
        return unpacked(file.read_bytes())
    except OSError:
        return None


def save(file: Path, data: FileMap) -> None:
    """Write a map to a file atomically; if that fails, it is computed again next time."""
    part = file.with_name(f"{file.name}.{os.urandom(4).hex()}")
    with suppress(OSError):
        try:
            part.write_bytes(data.packed())
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


def checksum(text: bytes) -> int:
    """Return the checksum of a name or a path."""
    return zlib.crc32(text)


def _width(trees: Sequence[str]) -> int:
    """Return the bytes of a bit mask of the trees."""
    return (len(trees) + 7) // 8
