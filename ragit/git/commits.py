"""Read commits with authors and changes, one after another, from one process."""

from __future__ import annotations

import subprocess

from ragit.changes import CommitFacts
from ragit.errors import GitFailed
from ragit.git.command import SPARING, Git
from ragit.git.diff_tree import DiffTree
from ragit.git.raw import change_of
from ragit.records import NamedTuple
from ragit.types import Change, Oid

_FORM = "tformat:commit %H%x00%P%x00%aI%x00%an%x00%ae%x00%s"
_PLAIN = ("--no-abbrev", "--no-renames", "--ignore-submodules=none", "--encoding=UTF-8")
_FIELDS = 6
"""Fields of `_FORM`."""


class Commit(NamedTuple):
    """A commit with its changes."""

    facts: CommitFacts
    changes: list[Change] | None
    """Changes from its parent; None for a first commit and for a merge."""


class Commits:
    """Reads commits, each once. Close it."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._asked: DiffTree | None = None
        self._known: dict[Oid, Commit] = {}

    def close(self) -> None:
        """Stop git."""
        if self._asked:
            self._asked.close()
        self._asked = None

    def read(self, commit: Oid) -> Commit:
        """Return a commit. Raises GitFailed if a part of it is missing from the repository."""
        if commit not in self._known:
            self._asked = self._asked or self._tree()
            self._known[commit] = _parsed(self._asked.ask([commit]))
        return self._known[commit]

    def _tree(self) -> DiffTree:
        return DiffTree(
            self._git.start(
                *(*SPARING, "diff-tree", "--stdin", "--always", "-r", "-z", "--raw", *_PLAIN),
                f"--format={_FORM}",
                stdin=subprocess.PIPE,
            )
        )


def _parsed(record: bytes) -> Commit:
    *head, rest = record.split(b"\0", _FIELDS)
    if len(head) < _FIELDS:
        raise GitFailed("git cannot read a commit of the history", "Run `git fsck` to see which")
    name, parents, date, author, email, subject = (
        field.decode("utf-8", "replace") for field in head
    )
    facts = CommitFacts(
        Oid(name.removeprefix("commit ")),
        tuple(map(Oid, parents.split())),
        date,
        author,
        email,
        subject,
    )
    if len(facts.parents) != 1:
        return Commit(facts, None)
    fields = rest.lstrip(b"\n").split(b"\0")
    changes = [change_of(*pair) for pair in zip(fields[::2], fields[1::2], strict=False)]
    return Commit(facts, changes)
