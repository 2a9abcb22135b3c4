"""Tests of ragit/git/ranges.py: A..B, A...B, and a branch since it left its upstream."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import GitSandbox

from ragit.errors import UnknownRevision
from ragit.git import Repo


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return main and topic, which forked after `first`; `apart` shares no commit with them."""
    repo = GitSandbox(tmp_path_factory.mktemp("forked") / "repo")
    repo.write("a.txt", "one\n")
    repo.commit("first")
    repo.tag("first", annotated=True)
    repo.branch("topic")
    repo.write("a.txt", "two\n")
    repo.commit("second")
    repo.switch("main")
    repo.write("b.txt", "three\n")
    repo.commit("third")
    repo.git("checkout", "-q", "--orphan", "apart")
    repo.write("c.txt", "four\n")
    repo.commit("alone")
    repo.switch("main")
    return repo


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("first..main", "first", "main"),
        ("main..topic", "main", "topic"),
        ("main...topic", "first", "topic"),
        ("first..", "first", "HEAD"),
        ("...topic", "first", "topic"),
        ("main..main", "main", "main"),
        ("apart..main", "apart", "main"),
    ],
)
def test_range_has_two_trees(forked: GitSandbox, text: str, old: str, new: str) -> None:
    with Repo.open(forked.path) as repo:
        found = repo.range(text)
        assert found.name == text
        assert found.new is not None
        assert (found.old.tree, found.new.tree) == (forked.tree(old), forked.tree(new))


def test_range_of_trees(forked: GitSandbox) -> None:
    with Repo.open(forked.path) as repo:
        found = repo.range("main^{tree}..first^{tree}")  # trees have no order
    assert found.old.tree == forked.tree("main")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("main", "not a range", "v1..v2"),
        ("nothing..main", "'nothing'", ""),
        ("main..first", "wrong order: main comes after first", "first..main"),
        ("topic...first", "wrong order", "first...topic"),
        ("apart...main", "no common commit", "apart..main"),
        ("first..main..topic", "is a range", ""),
        ("first....main", "'.main'", ""),
    ],
)
def test_invalid_range_is_refused(forked: GitSandbox, text: str, message: str, hint: str) -> None:
    with Repo.open(forked.path) as repo, pytest.raises(UnknownRevision) as error:
        repo.range(text)
    assert message in error.value.message
    assert hint in error.value.hint


def test_empty_range_starts_at_the_upstream(forked: GitSandbox, tmp_path: Path) -> None:
    clone = forked.clone(tmp_path / "clone")
    clone.write("mine.txt", "five\n")
    clone.commit("mine")
    for prepare, name in (
        ((), "origin/main..."),
        (("switch", "-q", "-c", "mine"), "origin/main..."),  # the default branch of the remote
        (("branch", "-q", "--set-upstream-to", "origin/topic"), "origin/topic..."),
    ):
        if prepare:
            clone.git(*prepare)
        with Repo.open(clone.path) as repo:
            found = repo.range("")
        assert (found.name, found.new) == (name, None)
        old = "origin/main" if "main" in name else "first"
        assert found.old.tree == clone.tree(old)


def test_empty_range_without_an_upstream_is_refused(forked: GitSandbox) -> None:
    with Repo.open(forked.path) as repo, pytest.raises(UnknownRevision, match="no upstream"):
        repo.range("")


def test_shallow_clone_without_a_common_commit_hints_at_unshallow(
    forked: GitSandbox, tmp_path: Path
) -> None:
    clone = forked.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    with Repo.open(clone.path) as repo:
        assert repo.range("origin/main..origin/topic").old.tree == forked.tree("main")
        with pytest.raises(UnknownRevision, match="no common commit") as error:
            repo.range("origin/main...origin/topic")
    assert "git fetch --unshallow" in error.value.hint
