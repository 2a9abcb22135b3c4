"""Match the .ragitignore files of a tree, by git's rules for .gitignore, nested files included.

git itself matches, in an empty repository whose index holds the paths and the tree's .ragitignore
files, so that a pattern means the same to git and to ragit. Neither .gitignore nor any file of the
working tree counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from ragit.git import patterns
from ragit.git.command import NO_HOOKS
from ragit.git.empty import empty_repository
from ragit.git.layout import FILE_MODES, Layout
from ragit.git.private import Private
from ragit.types import Entry

NAME = b".ragitignore"

_NEVER_INDEXED = frozenset((b"", b".", b"..", b".git"))
"""Names that git's index refuses. A hand-made tree may have them; no pattern is tried on them."""


def ignored(
    layout: Layout, private: Private, entries: Iterable[Entry], paths: Collection[bytes]
) -> frozenset[bytes]:
    """Return the ignored ones of `paths`; `entries` are all files of the tree.

    Costs nothing if none of them is a .ragitignore.
    """
    files = [entry for entry in entries if entry.mode in FILE_MODES and is_ignore(entry.path)]
    if not files or not paths:
        return frozenset()
    import tempfile  # 10 ms, and most trees have no such file

    # The content of the paths does not matter: any object will do.
    held = {path: files[0].oid for path in paths} | {entry.path: entry.oid for entry in files}
    listed = b"".join(
        b"100644 %s\t%s\0" % (oid.encode(), path)
        for path, oid in held.items()
        if _may_be_indexed(path)
    )
    names = b"".join(entry.path + b"\0" for entry in files)
    with tempfile.TemporaryDirectory(prefix="ragit-") as folder:
        git = empty_repository(Path(folder), layout, private)
        git.run(*NO_HOOKS, "update-index", "--add", "--replace", "-z", "--index-info", stdin=listed)
        # git reads a file with this bit from the index, not from the working tree.
        git.run(*NO_HOOKS, "update-index", "--skip-worktree", "-z", "--stdin", stdin=names)
        ask = (
            "ls-files",
            "-z",
            "--cached",
            "--ignored",
            f"--exclude-per-directory={NAME.decode()}",
        )
        output = patterns.run(git, *ask, files=files, paths=len(paths))
    return frozenset(output.split(b"\0")).intersection(paths)


def is_ignore(path: bytes) -> bool:
    """Return whether a file of this path has patterns."""
    return path == NAME or path.endswith(b"/" + NAME)


def _may_be_indexed(path: bytes) -> bool:
    return _NEVER_INDEXED.isdisjoint(path.lower().split(b"/"))
