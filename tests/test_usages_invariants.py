"""Tests that the usages of a name depend on the tree alone, not on the store or its history."""

from __future__ import annotations

import re
import subprocess

from histories import Step, apply, play, steps
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from test_invariants import FEW, sandbox, store

from ragit.records import replaced
from ragit.usages import Usages

NAMES = st.sampled_from(["commit", "offset", "parse", "commit_offset", "lock", "Partition", "café"])


def shape(found: Usages) -> Usages:
    """Return an answer without its time."""
    return replaced(found, took_ms=0.0)


@FEW
@given(steps(1, 4), st.lists(steps(1, 1).map(lambda one: one[0]), max_size=3), NAMES)
def test_usages_equal_those_of_a_new_index(
    history: list[Step], uncommitted: list[Step], name: str
) -> None:
    with sandbox() as repo, store(repo) as index:
        commits = play(repo, history)
        for commit in commits:
            index.usages(name, ref=commit)
        for step in uncommitted:
            apply(repo, step)
            index.usages(name)
        repo.git("add", "-A")
        asked = [{"ref": commits[0]}, *({"scope": one} for one in ("worktree", "staged"))]
        grown = [index.usages(name, top_k=1000, **one) for one in asked]  # type: ignore[arg-type]
        with store(repo, "fresh.db") as fresh:
            new = [fresh.usages(name, top_k=1000, **one) for one in asked]  # type: ignore[arg-type]
        assert list(map(shape, grown)) == list(map(shape, new))
        indexed = index.searched_paths(scope="staged")
        assert {one for one in grepped(repo, name) if one[0] in indexed} <= listed(grown[-1])


def grepped(repo: GitSandbox, name: str) -> set[tuple[str, int]]:
    """Return the lines that `git grep -w` finds in the index."""
    asked = ("grep", "--cached", "-nwIz", "-e", name, "--")
    try:
        lines = repo.git(*asked).split("\n")
    except subprocess.CalledProcessError:  # git's status 1: none
        return set()
    found = (re.match(r"(.*?)\0(\d+)\0", line, re.DOTALL) for line in lines)
    return {(match[1], int(match[2])) for match in found if match}


def listed(found: Usages) -> set[tuple[str, int]]:
    return {(one.path, one.line) for one in (*found.definitions, *found.uses)}
