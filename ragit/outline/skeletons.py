"""Return the skeleton of a file, or of a folder with a line for each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragit.outline.files import (
    below,
    check_indexed,
    is_folder,
    missing_below,
    no_such_path,
    read_file,
    skipped_below,
)
from ragit.outline.outline import VALUES
from ragit.outlines import FileLine, FileSkeleton, FolderSkeleton, Subfolder
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import path_text

MOST_FILES = 200
"""Limit of a folder's files that are listed one by one; of a larger one, only those not in a
subfolder.
"""

NAMES = 6
"""Number of names shown in the line of a file."""


def skeleton(opened: OpenTree, path: bytes) -> FileSkeleton | FolderSkeleton:
    """Return the definitions of a file, or a line for each file of a folder.

    A file that is not indexed has no definitions, and the reason. Raises NoSuchPath, and
    NotIndexed for a file that is to be indexed but was not.
    """
    chunking = opened.chunking_at(path)
    if chunking is not None:
        return _of_file(opened, path, chunking)
    if path in opened.tree.snapshot.skipped:
        why = opened.tree.snapshot.skipped[path]
        return FileSkeleton(path_text(path), opened.target.name, opened.target.tree, "", 0, (), why)
    check_indexed(opened, path)
    if is_folder(opened, path):
        return _of_folder(opened, path)
    raise no_such_path(opened, path)


def _of_file(opened: OpenTree, path: bytes, chunking: int) -> FileSkeleton:
    file = read_file(opened, path, chunking)
    return FileSkeleton(
        path_text(path),
        opened.target.name,
        opened.target.tree,
        file.text.language,
        len(file.text.lines),
        file.items,
        opened.tree.snapshot.skipped.get(path, ""),
        len(opened.text_of(chunking)),
    )


def _of_folder(opened: OpenTree, folder: bytes) -> FolderSkeleton:
    files = list(below(opened, folder))
    skipped = skipped_below(opened, folder)
    folders: tuple[Subfolder, ...] = ()
    if len(files) + len(skipped) > MOST_FILES:
        depth = 0 if folder == b"." else folder.count(b"/") + 1
        folders = _subfolders([path for path, _ in (*files, *skipped)], depth)
        files = [one for one in files if one[0].count(b"/") == depth]
        skipped = [one for one in skipped if one[0].count(b"/") == depth]
    lines = [_line(path_text(path), opened.chunks_of(number)) for path, number in files]
    lines += [FileLine(path_text(path), 0, skipped=why) for path, why in skipped]
    return FolderSkeleton(
        "" if folder == b"." else path_text(folder),
        opened.target.name,
        opened.target.tree,
        tuple(sorted(lines, key=lambda line: line.path)),
        folders,
        missing_below(opened, folder),
    )


def _subfolders(paths: Sequence[bytes], depth: int) -> tuple[Subfolder, ...]:
    """Return the subfolders at a depth below the top, with the number of their files."""
    parts = (path.split(b"/") for path in paths)
    counts = Counter(b"/".join(part[: depth + 1]) for part in parts if len(part) > depth + 1)
    return tuple(Subfolder(path_text(path), counts[path]) for path in sorted(counts))


def _line(path: str, rows: Sequence[ChunkRow]) -> FileLine:
    found = [each for row in rows if not row.parent for each in _top(row)]
    first = [name for name, kind in found if kind not in VALUES]
    names = list(dict.fromkeys(first + [name for name, kind in found if kind in VALUES]))
    lines = max((row.end_line for row in rows), default=0)
    return FileLine(path, lines, tuple(names[:NAMES]), max(0, len(names) - NAMES))


def _top(row: ChunkRow) -> list[tuple[str, str]]:
    """Return names and kinds of the definitions of a chunk outside of all definitions.

    The members of a type that share its chunk are left out.
    """
    if row.kind == "section":
        return [(each.name, each.kind) for each in row.definitions]
    names = row.symbol.split()
    found = [(each.name, each.kind) for each in row.definitions if each.name in names]
    members = ("field", "method", "property", "constructor", "value")
    return [one for at, one in enumerate(found) if not at or one[1] not in members]
