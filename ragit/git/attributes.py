"""Read the .gitattributes files of a tree, and no file of the user.

git 2.39 cannot read attributes from a tree, and its `--cached` adds those of the user and of
`info/attributes`. So git runs in an empty repository whose index holds only the tree's
.gitattributes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ragit.git import patterns
from ragit.git.command import NO_HOOKS
from ragit.git.empty import empty_repository
from ragit.git.layout import FILE_MODES, Layout
from ragit.git.private import Private
from ragit.types import Entry

ASKED = ("linguist-generated", "linguist-vendored", "linguist-language", "diff", "binary", "ragit")
_NAME = b".gitattributes"


def attributes(
    layout: Layout, private: Private, entries: Iterable[Entry], paths: Sequence[bytes]
) -> dict[bytes, dict[str, str]]:
    """Return, for each of `paths` with any of ASKED: "set", "unset" or the text after "=".

    `entries` are all files of the tree. Costs nothing if none of them is a .gitattributes.
    """
    files = [entry for entry in entries if entry.mode in FILE_MODES and is_attributes(entry.path)]
    if not files or not paths:
        return {}
    import tempfile  # 10 ms, and a query reads no attributes

    with tempfile.TemporaryDirectory(prefix="ragit-") as folder:
        git = empty_repository(Path(folder), layout, private)
        listed = b"".join(
            b"%o %s\t%s\0" % (entry.mode, entry.oid.encode(), entry.path) for entry in files
        )
        git.run(*NO_HOOKS, "update-index", "--add", "-z", "--index-info", stdin=listed)
        asked = b"".join(path + b"\0" for path in paths)
        ask = (*_NO_USER_ATTRIBUTES, "check-attr", "-z", "--cached", "--stdin", *ASKED)
        output = patterns.run(git, *ask, files=files, paths=len(paths), stdin=asked)
    return _parse(output)


_NO_USER_ATTRIBUTES = ("-c", f"core.attributesFile={os.devnull}")


def is_attributes(path: bytes) -> bool:
    """Return whether git reads attributes from a file of this path."""
    return path == _NAME or path.endswith(b"/" + _NAME)


def _parse(output: bytes) -> dict[bytes, dict[str, str]]:
    """Read `path NUL attribute NUL value NUL`, repeated."""
    fields = output.split(b"\0")
    found: dict[bytes, dict[str, str]] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value != b"unspecified":
            found.setdefault(path, {})[name.decode()] = value.decode("utf-8", "replace")
    return found
