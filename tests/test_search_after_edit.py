"""Tests that a search after an edit resolves the tree once, and opens the store and runs git no
more than needed.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from sandbox import GitSandbox

import ragit
from ragit.git import Repo
from ragit.git.command import Git
from ragit.index import TreeResolver
from ragit.query import Query
from ragit.store import Store
from ragit.types import ToIndex

CODE = "def turbine_{0}(blade):\n    return blade + {0}\n"


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count resolved trees, opened stores and git commands from now on."""
    counts: Counter[str] = Counter()

    def count(owner: type, method: str, name: Any) -> None:
        real = getattr(owner, method)

        def called(self: Any, *args: Any, **options: Any) -> Any:
            counts[name(*args)] += 1
            return real(self, *args, **options)

        monkeypatch.setattr(owner, method, called)

    count(TreeResolver, "resolve", lambda *args: "resolve")
    count(Store, "__init__", lambda *args: "open store")
    count(Git, "start", lambda *args: f"git {subcommand(*args)}")
    return counts


def subcommand(*args: str) -> str:
    """Return the git command and its first argument, without git's own options."""
    words = list(args)
    while words[0] == "-c":
        del words[:2]
    return " ".join(words[:2])


def git_commands(counts: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in counts.items() if name.startswith("git ")})


@pytest.fixture
def edited(repo: GitSandbox) -> GitSandbox:
    for number in range(5):
        repo.write(f"{number}.py", CODE.format(number))
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
        repo.write("0.py", CODE.format(100))
        index.search("turbine")  # a first state of uncommitted work
    repo.write("0.py", CODE.format(200))
    return repo


def test_search_after_an_edit_does_its_work_once(
    edited: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ragit.open(edited.path) as index:
        counts = counted(monkeypatch)
        answer = index.search("turbine_200")
    assert (answer.complete, answer.hits[0].symbol) == (True, "turbine_200")
    assert counts["resolve"] == 1
    assert counts["open store"] <= 3, "to read, to write, and to drop the previous state"
    commands = git_commands(counts)
    assert commands["git diff-tree -r"] <= 1, commands
    sizes = [name for name in commands if "cat-file --batch-check" in name]
    assert all(commands.pop(name) <= 2 for name in sizes), "of new files, and of the previous state"
    assert set(commands.values()) == {1}, commands


def test_search_after_an_edit_reads_no_row_of_unchanged_files(
    edited: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Store, "chunk_count")  # only a report of `ragit index` needs it
    monkeypatch.delattr(Repo, "entries")
    with ragit.open(edited.path) as index:
        answer = index.search("turbine_200")
    assert (answer.complete, answer.hits[0].symbol) == (True, "turbine_200")


def test_tree_changed_by_another_process_is_resolved_again(
    edited: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gc may run between the first look and the lock."""
    with ragit.open(edited.path) as index, ragit.open(edited.path) as other:
        real = type(index._indexer).prepare

        def prepare(tree: Any) -> None:
            edited.git("checkout", "-q", "--", "0.py")
            other.gc()
            edited.write("0.py", CODE.format(200))
            real(tree)

        monkeypatch.setattr(type(index._indexer), "prepare", staticmethod(prepare))
        counts = counted(monkeypatch)
        answer = index.search("turbine_200")
        assert counts["resolve"] > 1
    assert (answer.complete, answer.hits[0].symbol) == (True, "turbine_200")
    with ragit.open(edited.path) as index:
        assert {hit.path for hit in index.search("turbine blade", top_k=9).hits} == {
            f"{number}.py" for number in range(5)
        }


def test_tree_with_absent_files_is_cached(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        repo.write(f"{number}.py", CODE.format(number))
    repo.commit()
    blob = repo.git("rev-parse", "HEAD:3.py")
    lost = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    data = lost.read_bytes()
    lost.unlink()
    with ragit.open(repo.path) as index:
        index.index()
    walked: list[object] = []
    real = TreeResolver._walked

    def walk(self: TreeResolver, *args: Any, **options: Any) -> Any:
        walked.append(args)
        return real(self, *args, **options)

    monkeypatch.setattr(TreeResolver, "_walked", walk)
    for _ in range(2):
        with ragit.open(repo.path) as index:
            answer = index.search("turbine_1", ref="HEAD")
            assert (sum(answer.completeness.absent.values()), answer.hits[0].symbol) == (
                1,
                "turbine_1",
            )
    assert walked == []
    lost.write_bytes(data)
    with ragit.open(repo.path) as index:
        answer = index.search("turbine_3", ref="HEAD")
    assert (dict(answer.completeness.absent), answer.hits[0].symbol) == ({}, "turbine_3")


def test_search_process_loads_no_grammar(edited: GitSandbox) -> None:
    """No grammar is loaded for the edited file, and no child starts for a complete tree."""
    probe = """
import sys
from ragit.__main__ import run
assert run(["search", "turbine_200"]) == 0
print([name for name in sys.modules if name.startswith(("tree_sitter", "ragit.chunk.code"))])
print("ragit.chunk.texts" in sys.modules)
"""
    for child in ("True", "False"):
        typed = [sys.executable, "-c", probe]
        done = subprocess.run(typed, cwd=edited.path, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-2:] == ["[]", child]


def test_rebuild_before_a_search_indexes_is_handled(repo: GitSandbox) -> None:
    """A rebuilt store has new numbers, so rows resolved in the old one are not used."""
    for name in "abcdef":
        repo.write(f"{name}.py", f"def marker_{name}():\n    return 'old'\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    for name in "bdf":
        repo.write(f"{name}.py", f"def marker_{name}():\n    return 'new'\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    repo.write("g.py", "def marker_g():\n    return 'uncommitted'\n")

    def rebuild(_: ToIndex) -> None:
        with ragit.open(repo.path) as other:
            other.index(rebuild=True)

    with ragit.open(repo.path) as index:
        answer = index.ask(Query("marker", top_k=20), rebuild)
        assert answer.complete
        again = index.search("marker", top_k=20)
    with ragit.open(repo.path) as index:
        fresh = index.search("marker", top_k=20)
        assert index.check(scope="worktree").fresh
    assert len(fresh.hits) == 7
    assert answer.hits == again.hits == fresh.hits
