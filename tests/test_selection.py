"""Tests of the selection of a tree's files, and of the reasons for skipping others."""

from __future__ import annotations

from collections.abc import Mapping, Set

import pytest

from ragit.config import load
from ragit.index.selection import IGNORED, Selector
from ragit.types import Entry, Oid

FILE = 0o100644
SYMLINK = 0o120000
GITLINK = 0o160000


def plan(
    *paths: str,
    attributes: Mapping[bytes, Mapping[str, str]] | None = None,
    ignored: Set[bytes] = frozenset(),
    mode: int = FILE,
    **flags: str,
) -> tuple[list[str], dict[str, str]]:
    """Return the selected paths, and the reasons for skipping others."""
    settings = {name.replace("__", "."): value for name, value in flags.items()}
    entries = [Entry(path.encode(), mode, Oid(f"{at:040x}")) for at, path in enumerate(paths)]
    found = Selector(load(flags=settings).config).select(entries, attributes or {}, ignored)
    skipped = {path.decode(): reason for path, reason in found.skipped.items()}
    return [file.path.decode() for file in found.files], skipped


def test_excluded_files_are_skipped() -> None:
    selected, skipped = plan("a.py", "gen/a.py", index__exclude="gen/**")
    assert (selected, skipped) == (["a.py"], {"gen/a.py": "excluded"})


def test_files_not_included_are_skipped() -> None:
    selected, skipped = plan("a.py", "src/a.py", index__include="src/**")
    assert (selected, skipped) == (["src/a.py"], {"a.py": "not included"})


def test_ignored_files_are_skipped() -> None:
    assert plan("a.py", "b.py", ignored={b"b.py"}) == (["a.py"], {"b.py": IGNORED})


@pytest.mark.parametrize(("mode", "reason"), [(SYMLINK, "symlink"), (GITLINK, "submodule")])
def test_symlinks_and_submodules_are_skipped(mode: int, reason: str) -> None:
    assert plan("a.py", mode=mode) == ([], {"a.py": reason})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"ragit": "unset"}, "ragit=false"),
        ({"ragit": "false"}, "ragit=false"),
        ({"linguist-generated": "set"}, "generated"),
        ({"linguist-vendored": "true"}, "vendored"),
        ({"diff": "unset"}, "binary by attribute"),
        ({"binary": "set"}, "binary by attribute"),
    ],
)
def test_attributes_exclude_a_file(given: Mapping[str, str], reason: str) -> None:
    assert plan("a.py", attributes={b"a.py": given}) == ([], {"a.py": reason})


@pytest.mark.parametrize(
    "given", [{"ragit": "set"}, {"linguist-generated": "unset"}, {"diff": "set"}]
)
def test_opposite_attributes_keep_a_file(given: Mapping[str, str]) -> None:
    assert plan("a.py", attributes={b"a.py": given}) == (["a.py"], {})


def test_binary_attribute_does_not_exclude_documents() -> None:
    attributes = {name: {"diff": "unset", "binary": "set"} for name in (b"a.pdf", b"a.py")}
    assert plan("a.pdf", "a.py", attributes=attributes) == (
        ["a.pdf"],
        {"a.py": "binary by attribute"},
    )
