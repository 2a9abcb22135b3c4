"""What the .ragitignore files of a tree take out of the index: git's rules for .gitignore, nested files and all.

git itself is asked, in an empty repository whose index holds the paths in question and the tree's .ragitignore files,
so that no pattern means one thing to git and another to us. The tree alone decides: neither .gitignore (what is
committed is meant to be seen) nor any file of the working tree has a say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from ragit.git import patterns
from ragit.git.command import NO_HOOKS
from ragit.git.empty import empty_repository
from ragit.git.place import FILE_MODES, Place
from ragit.git.private import Private
from ragit.types import Entry

NAME = b".ragitignore"

_UNSPEAKABLE = frozenset((b"", b".", b"..", b".git"))
"""Names that no index takes: a tree that holds one was made by hand, and no pattern is asked about it."""


def ignored(
    place: Place, private: Private, entries: Iterable[Entry], paths: Collection[bytes]
) -> frozenset[bytes]:
    """Those of `paths` that the .ragitignore files among `entries`, all files of the tree, take out.

    Costs nothing if there is no such file.
    """
    files = [entry for entry in entries if entry.mode in FILE_MODES and is_ignore(entry.path)]
    if not files or not paths:
        return frozenset()
    import tempfile  # 10 ms, and most trees have no such file

    # What the paths hold is not asked for: any object will do.
    held = {path: files[0].oid for path in paths} | {entry.path: entry.oid for entry in files}
    listed = b"".join(
        b"100644 %s\t%s\0" % (oid.encode(), path) for path, oid in held.items() if _speakable(path)
    )
    names = b"".join(entry.path + b"\0" for entry in files)
    with tempfile.TemporaryDirectory(prefix="ragit-") as folder:
        git = empty_repository(Path(folder), place, private)
        git.run(*NO_HOOKS, "update-index", "--add", "--replace", "-z", "--index-info", stdin=listed)
        # A file that is not checked out on purpose is read from the index.
        git.run(*NO_HOOKS, "update-index", "--skip-worktree", "-z", "--stdin", stdin=names)
        ask = (
            "ls-files",
            "-z",
            "--cached",
            "--ignored",
            f"--exclude-per-directory={NAME.decode()}",
        )
        said = patterns.run(git, *ask, files=files, paths=len(paths))
    return frozenset(said.split(b"\0")).intersection(paths)


def is_ignore(path: bytes) -> bool:
    """Whether patterns are read from a file of this path."""
    return path == NAME or path.endswith(b"/" + NAME)


def _speakable(path: bytes) -> bool:
    return _UNSPEAKABLE.isdisjoint(path.lower().split(b"/"))
