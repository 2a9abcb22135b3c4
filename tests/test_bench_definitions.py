"""Tests of the comparison with ctags."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))
import definitions  # noqa: E402

from ragit.chunk import chunk  # noqa: E402
from ragit.types import Chunk, Chunking, Definition  # noqa: E402


def line(name: str, kind: str, number: int, pattern: str = "") -> str:
    tag = {"name": name, "path": "a", "line": number, "kind": kind, "pattern": f"/^{pattern}$/"}
    return json.dumps(tag)


def test_only_definition_kinds_are_kept() -> None:
    lines = "\n".join((line("f", "function", 1), line("v", "variable", 2), line("m", "member", 3)))
    assert [tag.name for tag in definitions.parsed(lines, "Python")] == ["f", "m"]
    assert [tag.name for tag in definitions.parsed(lines, "C")] == ["f"]


@pytest.mark.parametrize(
    ("language", "kind", "pattern"),
    [
        ("JavaScript", "class", "const options = {"),
        ("Kotlin", "method", "files.use { handle ->"),
        ("Lua", "function", "local a = wrap(function()"),
        ("C++", "function", "TEST_F(Suite, name) {"),
    ],
)
def test_spurious_ctags_entries_are_dropped(language: str, kind: str, pattern: str) -> None:
    assert not list(definitions.parsed(line("x", kind, 1, pattern), language))


def test_definition_matches_by_name_and_line() -> None:
    chunking = chunk(b"def f():\n    pass\n", "python")
    assert definitions.bears(chunking, definitions.Tag("a", 1, "f", "function"))
    assert not definitions.bears(chunking, definitions.Tag("a", 2, "f", "function"))
    assert not definitions.bears(chunking, definitions.Tag("a", 1, "g", "function"))


def test_definition_with_invalid_name_is_reported() -> None:
    bad = Chunk(1, 1, 0, 1, "x", definitions=(Definition("(a b)", "function", 1),))
    assert list(definitions.no_names({"a.py": Chunking("python", (bad,))})) == [
        "a.py:1: function '(a b)'"
    ]
