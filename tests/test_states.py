"""Tests that superseded states of uncommitted work are dropped, so that the store stays small."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.index import upkeep
from ragit.store import Store

BUDGET = 2_000_000
"""Bytes by which any number of edits may grow the store."""


def source(functions: int) -> str:
    return "".join(
        f"def compute_{i}(value, other):\n    total = value * {i}\n    return total - other\n\n\n"
        for i in range(functions)
    )


def size(repo: GitSandbox) -> int:
    """Return the bytes on disk of the store and of the objects of uncommitted work."""
    files = [file for file in repo.store.parent.rglob("*") if file.is_file()]
    return sum(file.stat().st_blocks * 512 for file in files)


def chunkings(repo: GitSandbox) -> int:
    with Store(repo.store, writable=False) as store:
        return store.info().chunkings


def search(repo: GitSandbox, query: str = "compute", **options: object) -> ragit.Answer:
    with ragit.open(repo.path) as index:
        answer = index.search(query, **options)  # type: ignore[arg-type]
        assert answer.complete
        return answer


def edit(repo: GitSandbox, text: str, number: int) -> None:
    """Change one line, and search for it."""
    repo.write("a.py", text.replace("value * 3\n", f"value * {number}_000\n", 1))
    assert search(repo, f"{number}_000").hits[0].path == "a.py"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete objects of superseded states at once, without the time for running searches."""
    monkeypatch.setattr(upkeep, "_GRACE_S", -1.0)


@pytest.fixture
def source_repo(repo: GitSandbox) -> GitSandbox:
    repo.write("a.py", source(60))
    repo.write("b.py", "def other(): ...\n")
    repo.commit()
    search(repo)
    return repo


@pytest.mark.usefixtures("quick")
def test_edits_keep_only_the_last_states(source_repo: GitSandbox) -> None:
    text = source(60)
    for number in range(20):
        edit(source_repo, text, number)
    assert chunkings(source_repo) <= 2 + 1
    objects = [p for p in (source_repo.store.parent / "objects").rglob("*") if p.is_file()]
    assert len(objects) <= upkeep._MANY_OBJECTS + 2
    with Store(source_repo.store, writable=True) as store:
        assert store.problems() == []
        assert len(store.states.trees()) == 1
        assert (
            store._db.pragma("freelist_count") == 0
        )  # empty pages are returned to the file system


def test_search_after_an_edit_leaves_an_empty_log(source_repo: GitSandbox) -> None:
    text = source(60)
    log = source_repo.store.with_name(f"{source_repo.store.name}-wal")
    with ragit.open(source_repo.path) as index:  # the reader stays open between searches
        for number in range(3):
            source_repo.write("a.py", text.replace("value * 3\n", f"value * {number}_000\n", 1))
            assert index.search(f"{number}_000").hits[0].path == "a.py"
            assert log.stat().st_size == 0
    with ragit.open(source_repo.path) as index:
        assert "2_000" in index.search("2_000").hits[0].text


def test_search_does_not_wait_for_readers(source_repo: GitSandbox) -> None:
    text = source(60)
    with Store(source_repo.store, writable=False) as other, other.reading():
        assert other.info().chunkings == 2
        began = time.monotonic()
        edit(source_repo, text, 7)
        assert time.monotonic() - began < 8
        assert other.info().chunkings == 2


@pytest.mark.slow
@pytest.mark.parametrize("functions", [20, 2500])
def test_a_thousand_edits_grow_the_store_by_at_most_2_mb(repo: GitSandbox, functions: int) -> None:
    text = source(functions)
    repo.write("a.py", text)
    repo.commit()
    search(repo)
    before = size(repo)
    for number in range(1000):
        edit(repo, text, number)
    assert size(repo) - before <= BUDGET


@pytest.mark.usefixtures("quick")
def test_committed_state_is_kept(source_repo: GitSandbox) -> None:
    text = source(60)
    edit(source_repo, text, 1)
    source_repo.commit("edit 1")
    kept = source_repo.git("rev-parse", "HEAD")
    source_repo.git("reset", "-q", "--hard", "HEAD~1")
    for number in range(2, 12):
        edit(source_repo, text, number)
    with ragit.open(source_repo.path) as index:
        assert index.check(kept).fresh
    assert "1_000" in search(source_repo, "1_000", ref=kept, index=False).hits[0].text


@pytest.mark.usefixtures("quick")
def test_states_of_another_worktree_are_kept(source_repo: GitSandbox, tmp_path: Path) -> None:
    text = source(60)
    source_repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    other = GitSandbox(tmp_path / "other")
    other.write("a.py", text.replace("value * 3\n", "value * foreign_value\n", 1))
    with ragit.open(other.path) as index:
        index.search("foreign_value")
    for number in range(12):
        edit(source_repo, text, number)
    with ragit.open(other.path) as index:
        answer = index.search("foreign_value", index=False)
        assert answer.complete
        assert "foreign_value" in answer.hits[0].text


@pytest.mark.usefixtures("quick")
def test_states_are_kept_during_a_running_index(source_repo: GitSandbox) -> None:
    """A state is kept while a search of another process indexes, and dropped after a later edit."""
    text = source(60)
    with upkeep.held(upkeep.index_lock(source_repo.store), shared=True):
        for number in range(8):
            edit(source_repo, text, number)
        assert chunkings(source_repo) == 2 + 8
    edit(source_repo, text, 8)
    assert chunkings(source_repo) <= 2 + 1


def test_dropping_states_is_bounded_in_time_and_continues_later(
    source_repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = source(60)
    monkeypatch.setattr(upkeep, "_DROP_S", -1.0)
    for number in range(8):
        edit(source_repo, text, number)
    assert chunkings(source_repo) == 2 + 8
    monkeypatch.setattr(upkeep, "_DROP_S", 1.0)
    edit(source_repo, text, 8)
    assert chunkings(source_repo) <= 2 + 1


def test_recent_objects_are_kept_for_running_searches(source_repo: GitSandbox) -> None:
    text = source(60)
    for number in range(8):
        edit(source_repo, text, number)
    objects = [p for p in (source_repo.store.parent / "objects").rglob("*") if p.is_file()]
    assert len(objects) >= 16


def test_indexing_a_commit_stores_no_state(source_repo: GitSandbox) -> None:
    with ragit.open(source_repo.path) as index:
        index.index("HEAD")
    with Store(source_repo.store, writable=False) as store:
        assert store.states.trees() == []
