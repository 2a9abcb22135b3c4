"""Find the commits that removed a word, by `git diff-tree -S` over lists of commits.

git log would do the same without reporting progress.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

from ragit.git.command import SPARING, Git
from ragit.git.diff_tree import DiffTree
from ragit.git.raw import PLAIN, ChangedIn, logged
from ragit.types import Oid, Progress

_FIRST, _MOST = 16, 256
"""Commits passed to git at once: few at first, since most answers are recent."""


class Removals:
    """The commits reachable from a head that reduced the number of a word's occurrences in a file.

    Merges come after the others, compared with their first parents; each part newest first.
    """

    def __init__(self, git: Git, word: str, head: Oid) -> None:
        self._git = git
        self._word = word
        words = (head, "--")
        plain = git.run("rev-list", "--no-merges", words=words)
        merges = git.run("rev-list", "--first-parent", "--merges", words=words)
        self._commits = (plain + merges).decode().split()
        self.done = 0
        """Commits that git has searched; all of them that removed the word were yielded."""
        self.seen = 0
        """Commits passed to git so far."""

    @property
    def total(self) -> int:
        """Number of commits to search."""
        return len(self._commits)

    def found(self, progress: Progress | None, until: float | None) -> Iterator[ChangedIn]:
        """Yield the commits, until the time `until` of the monotonic clock."""
        process = self._git.start(
            *(*SPARING, "diff-tree", "--stdin", "-r", "--diff-merges=first-parent"),
            *PLAIN,
            f"-S{self._word}",
            stdin=subprocess.PIPE,
        )
        tree = DiffTree(process)
        size = _FIRST
        try:
            while self.done < self.total:
                some = self._commits[self.done : self.done + size]
                self.seen += len(some)
                for commit in logged(iter(tree.ask(some).split(b"\0"))):
                    if _is_over(until):
                        return
                    yield commit
                self.done = self.seen
                size = min(2 * size, _MOST)
                if progress:
                    progress(self.done, self.total)
                if _is_over(until):
                    return
        finally:
            tree.close()


def _is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
