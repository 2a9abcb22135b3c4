"""Tests of answers joined with those of submodules, and of trees without an index."""

from __future__ import annotations

import json

import pytest
from sandbox import GitSandbox
from terminal import Terminal

from ragit.repository.submodules import Inner, joined
from ragit.types import NO_FILE_PASSES, NO_WORD_FOUND, Answer, Completeness, Hit, Oid


def answer(*paths: str, degraded: str = "", notes: tuple[str, ...] = ()) -> Answer:
    hits = tuple(
        Hit(path, 1, 1, 0.5, "python", "function", "f", "", "x", Oid("b" * 40)) for path in paths
    )
    return Answer("q", "HEAD", Oid("a" * 40), Completeness(), degraded, 1.0, hits, notes=notes)


NO_WORD = f"no file {NO_WORD_FOUND}: ranked by meaning alone"


@pytest.mark.parametrize(
    ("outer", "inner", "degraded", "notes"),
    [
        (answer(degraded=NO_WORD), answer("a.py"), "", ()),
        (answer("o.py"), answer(degraded=NO_WORD), "", ()),
        (answer("o.py", degraded=NO_WORD), answer("a.py", degraded=NO_WORD), NO_WORD, ()),
        (answer("o.py"), answer("a.py", degraded="no server"), "lib: no server", ()),
        (answer(notes=(NO_FILE_PASSES,)), answer("a.py"), "", ()),
        (answer(notes=(NO_FILE_PASSES,)), answer(notes=(NO_FILE_PASSES,)), "", (NO_FILE_PASSES,)),
        (answer(notes=(f"no file {NO_WORD_FOUND}",)), answer("a.py"), "", ()),
        (answer("o.py", notes=("outer",)), answer(notes=("inner",)), "", ("outer", "lib: inner")),
    ],
)
def test_notes_of_one_repository_are_dropped_if_another_has_hits(
    outer: Answer, inner: Answer, degraded: str, notes: tuple[str, ...]
) -> None:
    one = joined(outer, [Inner("lib", inner)], 10)
    assert (one.degraded, one.notes) == (degraded, notes)


def test_weak_answer_notes_unsearched_submodules(
    repo: GitSandbox, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = GitSandbox(tmp_path_factory.mktemp("other") / "lib")
    other.write("paint.py", "def dark_obsidian():\n    return 1\n")
    other.commit()
    repo.write("a.py", "def widget():\n    return 1\n")
    repo.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.path), "lib")
    repo.commit()
    shell = Terminal(repo.path)
    note = "note: 1 submodule is not searched; --recurse-submodules"
    assert note in shell.ragit("search", "dark_obsidian").err
    assert note not in shell.ragit("search", "widget", code=0).err
    result = shell.ragit("search", "--recurse-submodules", "dark_obsidian", code=0)
    assert result.out.startswith("lib/paint.py:1\n")
    assert "note: " not in result.err


def test_tree_without_indexed_files_is_noted(repo: GitSandbox) -> None:
    repo.write("a.py", "def widget():\n    return 1\n")
    repo.write("b.py", "def gadget():\n    return 1\n")
    repo.commit()
    shell = Terminal(repo.path)
    none = ("-c", "index.include=['nosuch/']")
    result = shell.ragit(*none, "search", "widget", code=1)
    assert "note: none of 2 files is indexed (not included 2)" in result.err
    found = json.loads(shell.ragit(*none, "search", "--json", "widget", code=1).out)
    assert found["unsearched"] == {"not included": 2}
    result = shell.ragit(*none, "check")
    assert "none of 2 files is indexed (not included 2)" in result.out
    assert json.loads(shell.ragit(*none, "check", "--json").out)["unsearched"]
    assert "unsearched" not in json.loads(shell.ragit("search", "--json", "widget", code=0).out)
