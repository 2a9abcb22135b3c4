"""Read many trees at once: each tree object is read a single time, however many trees share it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragit.git.objects import Objects
from ragit.types import Oid

_TREE = b"40000"
_FILE = b"100"
"""How the mode of a regular file begins: neither a link nor a submodule."""


class FilesOfTrees(NamedTuple):
    """The regular files of some trees, each with a number whose bit i is set if tree i has it."""

    files: dict[tuple[bytes, bytes], int]
    """By path and raw object id."""
    unread: int
    """A number whose bit i is set if a part of tree i is not in the repository."""


def files_of_trees(objects: Objects, trees: Sequence[Oid]) -> FilesOfTrees:
    """Return the regular files of some trees, folder by folder from the top."""
    files: dict[tuple[bytes, bytes], int] = {}
    level: dict[tuple[bytes, bytes], int] = {}
    unread = 0
    for number, tree in enumerate(trees):
        key = (b"", bytes.fromhex(tree))
        level[key] = level.get(key, 0) | 1 << number
    while level:
        read = dict(objects.read_many(dict.fromkeys(Oid(oid.hex()) for _, oid in level)))
        below: dict[tuple[bytes, bytes], int] = {}
        for (folder, oid), bits in level.items():
            data = read[Oid(oid.hex())]
            if data is None:
                unread |= bits
                continue
            for mode, name, child in _entries(data, len(oid)):
                found = below if mode == _TREE else files
                if mode == _TREE or mode.startswith(_FILE):
                    key = (folder + name + b"/" if mode == _TREE else folder + name, child)
                    found[key] = found.get(key, 0) | bits
        level = below
    return FilesOfTrees(files, unread)


def _entries(data: bytes, size: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield mode, name and raw object id of each entry of a tree object."""
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        zero = data.index(b"\0", space)
        after = zero + 1 + size
        yield data[at:space], data[space + 1 : zero], data[zero + 1 : after]
        at = after
