"""Tests of the tree that one query sees: shares of suffixes, with any paths."""

from __future__ import annotations

from array import array

import pytest

from ragit.search.filtered_tree import FilteredTree
from ragit.store import Snapshot

PATHS = (
    b".gitignore",
    b"..rc",
    b"LICENSE",
    b"a/.gitignore",
    b"a/main.py",
    b"a/x.gitignore",
    b"b.d/Makefile",
    b"b.d/main.py",
    b"b.d/types.d.ts",
    b"end.",
    b"\xff\xfe.\xff",
    b"m",
)


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("z.py", 2),
        ("z.gitignore", 1),
        ("z.ts", 1),
        ("z.rc", 1),
        ("z.", 1),
        ("z.\udcff", 1),
        ("z.rs", 0),
        ("Makefile", 5),
        ("b.d/.gitignore", 5),
    ],
)
def test_files_are_counted_by_their_last_suffix_and_hidden_ones_have_none(
    path: str, files: int
) -> None:
    count = len(PATHS)
    numbers = array("I", range(count))
    tree = FilteredTree(Snapshot(list(PATHS), numbers, numbers, {}), None)

    assert tree.suffix_share(path) == files / count
