"""Find a file or folder of an open tree, and read the outline of a file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ragit.errors import NoSuchPath, NotIndexed
from ragit.outline.outline import FileText, outline
from ragit.outlines import Item
from ragit.records import NamedTuple
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import index_command, path_text

LEAST_ALIKE = 0.75
"""Similarity from which a name is suggested for another, by difflib."""


class File(NamedTuple):
    """An indexed file of an open tree."""

    path: bytes
    chunking: int
    rows: list[ChunkRow]
    text: FileText

    @property
    def items(self) -> tuple[Item, ...]:
        """Return its definitions."""
        return outline(self.rows, self.text)


def read_file(opened: OpenTree, path: bytes, chunking: int) -> File:
    """Return a file with its chunks and its text."""
    text = opened.text_of(chunking).decode("utf-8", "replace")
    _, language = opened.texts.blobs[chunking]
    return File(path, chunking, opened.chunks_of(chunking), FileText(lines_of(text), language))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, without line ends; a final line end begins no new line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1:] == [""] else lines


def below(opened: OpenTree, folder: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield path and chunking of the indexed files in a folder, in order; `.` is the top."""
    snapshot = opened.tree.snapshot
    if folder == b".":
        yield from zip(snapshot.paths, snapshot.chunkings, strict=True)
        return
    prefix = folder + b"/"
    for place in range(bisect_left(snapshot.paths, prefix), len(snapshot.paths)):
        if not snapshot.paths[place].startswith(prefix):
            break
        yield snapshot.paths[place], snapshot.chunkings[place]


def skipped_below(opened: OpenTree, folder: bytes) -> list[tuple[bytes, str]]:
    """Return the files of a folder that are not indexed, with the reasons, in order."""
    found = sorted(opened.tree.skipped.items())
    return found if folder == b"." else [one for one in found if one[0].startswith(folder + b"/")]


def missing_below(opened: OpenTree, folder: bytes) -> int:
    """Return the number of files in a folder that are not indexed yet."""
    missing = opened.tree.missing
    if folder == b".":
        return len(missing)
    return sum(file.path.startswith(folder + b"/") for file in missing)


def is_folder(opened: OpenTree, path: bytes) -> bool:
    """Return whether a path is a folder of the tree, even if nothing in it is indexed."""
    if path == b".":
        return True
    prefix = path + b"/"
    listed = (*opened.tree.snapshot.skipped, *(file.path for file in opened.tree.missing))
    indexed = any(True for _ in below(opened, path))
    return indexed or any(each.startswith(prefix) for each in listed)


def check_indexed(opened: OpenTree, path: bytes) -> None:
    """Raise NotIndexed for a file that is not indexed yet."""
    if any(file.path == path for file in opened.tree.missing):
        ref = opened.target.name
        raise NotIndexed(f"{path_text(path)} is not indexed yet", f"Type: {index_command(ref)}")


def no_such_path(opened: OpenTree, path: bytes) -> NoSuchPath:
    """Return the error for a path missing from the tree, with similar paths in the hint."""
    name, ref = path_text(path), opened.target.name
    if path == b".." or path.startswith(b"../"):
        return NoSuchPath(f"{name} is outside the repository", "Name a file or folder of it")
    near = _alike(opened, name)
    hint = f"Did you mean {', '.join(near)}?" if near else "Paths count from the folder you are in"
    return NoSuchPath(f"there is no {name} in {ref}", hint)


def _alike(opened: OpenTree, name: str) -> list[str]:
    """Return paths of the tree whose last part equals that of `name`, or is similar."""
    from difflib import get_close_matches  # only on the way to an error message

    last = name.rsplit("/", 1)[-1]
    paths = [path_text(path) for path in opened.tree.snapshot.paths]
    same = [path for path in paths if path.rsplit("/", 1)[-1].lower() == last.lower()]
    if same:
        return same[:3]
    names = {path.rsplit("/", 1)[-1]: path for path in reversed(paths)}
    return [names[one] for one in get_close_matches(last, names, n=2, cutoff=LEAST_ALIKE)]
