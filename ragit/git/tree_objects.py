"""Read many trees at once, each shared tree object only once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragit.git.objects import Objects
from ragit.records import NamedTuple
from ragit.types import Oid

_TREE = b"40000"
_FILE = b"100"
"""First digits of the mode of a regular file: neither a link nor a submodule."""


class FilesOfTrees(NamedTuple):
    """The regular files of some trees, each with a number whose bit i is set if tree i has it."""

    files: dict[tuple[bytes, bytes], int]
    """Numbers by path and raw object id."""
    unread: int
    """A number whose bit i is set if a part of tree i is missing."""


def files_of_trees(objects: Objects, trees: Sequence[Oid]) -> FilesOfTrees:
    """Return the regular files of some trees, folder by folder from the top."""
    files: dict[tuple[bytes, bytes], int] = {}
    unread = 0
    level: _Folders = {}
    for number, tree in enumerate(trees):
        _add(level, bytes.fromhex(tree), b"", 1 << number)
    while level:
        below: _Folders = {}
        for oid, data in objects.read_many(Oid(oid.hex()) for oid in list(level)):
            raw = bytes.fromhex(oid)
            for folder, bits in level.pop(raw).items():
                if data is None:
                    unread |= bits
                    continue
                for mode, name, child in _entries(data, len(raw)):
                    if mode == _TREE:
                        _add(below, child, folder + name + b"/", bits)
                    elif mode.startswith(_FILE):
                        key = (folder + name, child)
                        files[key] = files.get(key, 0) | bits
        level = below
    return FilesOfTrees(files, unread)


_Folders = dict[bytes, dict[bytes, int]]
"""For the raw id of a tree object: its folders, each with the bits of the trees."""


def _add(folders: _Folders, oid: bytes, folder: bytes, bits: int) -> None:
    at = folders.setdefault(oid, {})
    at[folder] = at.get(folder, 0) | bits


def _entries(data: bytes, size: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield mode, name and raw object id of each entry of a tree object."""
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        zero = data.index(b"\0", space)
        after = zero + 1 + size
        yield data[at:space], data[space + 1 : zero], data[zero + 1 : after]
        at = after
