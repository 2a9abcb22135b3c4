"""Tests of the tree that one query sees: shares of suffixes and files of one name, with any paths."""

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
def test_suffix_share_uses_the_last_suffix_and_none_for_dotfiles(path: str, files: int) -> None:
    count = len(PATHS)
    numbers = array("I", range(count))
    tree = FilteredTree(Snapshot(list(PATHS), numbers, numbers, {}), None)

    assert tree.suffix_share(path) == files / count


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/cart.h", True),
        ("include/shop/cart.h", True),
        ("include/ORDER.h", True),
        ("cart.h", True),
        ("zone.h", True),
        ("include/art.h", False),
        ("include/car.h", False),
        ("include/stock.h", False),
        ("types/index.d.ts", False),
        ("src/cart.c", False),
    ],
)
def test_bodies_of_a_header_are_found_by_name_in_any_folder(path: str, found: bool) -> None:
    paths = [b"order.c", b"src/cart.c", b"src/cart.h", b"src/stock.c.txt", b"zz/zone.c"]
    numbers = array("I", range(len(paths)))
    tree = FilteredTree(Snapshot(paths, numbers, numbers, {}), None)

    assert tree.has_other(path, {".h": (".c",), ".d.ts": (".js",)}) is found
