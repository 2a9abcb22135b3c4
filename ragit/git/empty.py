"""Make an empty repository with the real one's objects, in which git matches a tree's patterns.

Without the user's configuration, `info/` and working tree, the tree alone decides about ignored
files and attributes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.git.command import Git

if TYPE_CHECKING:
    from ragit.git.layout import Layout
    from ragit.git.private import Private

_TIES = (
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_ATTR_SOURCE",
)


def empty_repository(folder: Path, layout: Layout, private: Private) -> Git:
    """Make a repository in `folder`, without configuration, refs, index and files; return its git.

    Paths that other systems forbid are allowed: nothing is checked out.
    """
    version = 0 if layout.object_format == "sha1" else 1
    config = f"[core]\n\trepositoryFormatVersion = {version}\n"
    config += "\tprotectNTFS = false\n\tprotectHFS = false\n"
    if version:
        config += f"[extensions]\n\tobjectFormat = {layout.object_format}\n"
    (folder / "config").write_text(config)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    (folder / "refs").mkdir()
    worktree = folder / "worktree"
    worktree.mkdir()
    reader = private.reader(layout.git)
    env = {name: value for name, value in reader.env.items() if not name.startswith(_TIES)}
    env.update(
        GIT_DIR=str(folder),
        GIT_WORK_TREE=str(worktree),
        GIT_OBJECT_DIRECTORY=str(layout.objects),
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_ATTR_NOSYSTEM="1",
    )
    return Git(str(worktree), env)
