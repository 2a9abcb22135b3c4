"""Tell, without a process, that a repository's HEAD has not moved.

Compares HEAD, the branch's file and the repository's place. With other kinds of refs (reftable, a
symbolic branch, replace refs) nothing is known, and git has to be asked.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ragit.git.layout import Layout
from ragit.records import NamedTuple
from ragit.types import Oid

_OWN = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")
"""Refs that belong to one worktree."""

_HEX = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\n?")

Facts = tuple[int, int, int, int]
"""Device, inode, size and change time of a file."""


class HeadStamp(NamedTuple):
    """The state of the files that decide HEAD. Equal stamps mean the same commit."""

    head: bytes
    """Content of HEAD."""
    branch: bytes
    """Content of the branch's own file; empty if it has none."""
    packed: Facts | None
    """Stamp of packed-refs, if a branch has no file of its own."""
    places: tuple[Facts | None, ...]
    """Stamps of the repository's folders and settings."""


def head_stamp(path: str, layout: Layout) -> HeadStamp | None:
    """Return the stamp of the repository of `path`; None if files alone do not tell."""
    try:
        head = (layout.git_dir / "HEAD").read_bytes()
        branch = _branch_file(head, layout)
        content = _content(branch) if branch else b""
    except (OSError, ValueError):
        return None
    if (layout.common_dir / "refs" / "replace").exists() or _repository_between(path, layout):
        return None
    packed = None if content or not branch else _facts(layout.common_dir / "packed-refs")
    return HeadStamp(head, content, packed, tuple(map(_facts, _places(layout))))


def names_commit(stamp: HeadStamp, layout: Layout) -> bool:
    """Return whether the files of a stamp hold the commit that git found."""
    if layout.commit is None:
        return False
    if stamp.packed is None:
        held = stamp.branch or stamp.head
        return bool(_HEX.fullmatch(held)) and Oid(held.decode().strip()) == layout.commit
    name = stamp.head.removeprefix(b"ref: ").strip()
    try:
        refs = (layout.common_dir / "packed-refs").read_bytes()
    except OSError:
        return False
    return b"\n%s %s\n" % (layout.commit.encode(), name) in b"\n" + refs


def _branch_file(head: bytes, layout: Layout) -> Path | None:
    """Return the file of HEAD's branch; None if HEAD is detached. Raises ValueError for
    other refs.
    """
    if not head.startswith(b"ref: "):
        return None
    name = os.fsdecode(head.removeprefix(b"ref: ").strip())
    if name.startswith(_OWN) or not name.startswith("refs/") or ".." in name:
        raise ValueError(f"{name} is no branch")
    return layout.common_dir / name


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _places(layout: Layout) -> tuple[Path, ...]:
    found = (layout.common_dir / "config", layout.git_dir / "config.worktree")
    return (*found, layout.top / ".git") if layout.top else found


def _repository_between(path: str, layout: Layout) -> bool:
    """Return whether another repository lies between the opened folder and the top."""
    folder = Path(os.path.realpath(path))
    if layout.top is None or not folder.is_dir():
        return True
    while folder != layout.top:
        if folder == folder.parent or os.path.lexists(folder / ".git"):
            return True
        folder = folder.parent
    return False


def _facts(path: Path) -> Facts | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    # A folder's size and time change with its entries.
    is_file = not path.is_dir()
    size, time = (found.st_size, found.st_mtime_ns) if is_file else (0, 0)
    return found.st_dev, found.st_ino, size, time
