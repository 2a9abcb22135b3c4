"""An empty repository beside the real one: git's own rules, asked without anything that is not the tree's.

What the user's configuration, `info/` or working tree say about ignored files and attributes would make an answer
depend on them. Here git finds the real objects and nothing else.
"""

from __future__ import annotations

import os
from pathlib import Path

from ragit.git.command import Git
from ragit.git.place import Place
from ragit.git.private import Private

_TIES = (
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_ATTR_SOURCE",
)


def empty_repository(folder: Path, place: Place, private: Private) -> Git:
    """Git on a repository made in `folder`: no configuration, no refs, no index and no file in its working tree.

    Its paths are taken as bytes, whatever other systems make of them: there is nothing to be checked out.
    """
    version = 0 if place.object_format == "sha1" else 1
    config = f"[core]\n\trepositoryFormatVersion = {version}\n\tprotectNTFS = false\n\tprotectHFS = false\n"
    if version:
        config += f"[extensions]\n\tobjectFormat = {place.object_format}\n"
    (folder / "config").write_text(config)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    (folder / "refs").mkdir()
    worktree = folder / "worktree"
    worktree.mkdir()
    reader = private.reader(place.git)
    env = {name: value for name, value in reader.env.items() if not name.startswith(_TIES)}
    env.update(
        GIT_DIR=str(folder),
        GIT_WORK_TREE=str(worktree),
        GIT_OBJECT_DIRECTORY=str(place.objects),
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_ATTR_NOSYSTEM="1",
    )
    return Git(str(worktree), env)
