"""Read commits one after another from one process: who made each, and what it changed."""

from __future__ import annotations

import os
import subprocess

from ragit.changes import CommitFacts
from ragit.errors import GitFailed
from ragit.git.command import SPARING, Git, Process, failure, stop
from ragit.git.raw import change_of
from ragit.records import NamedTuple
from ragit.types import Change, Oid

_FORM = "tformat:commit %H%x00%P%x00%aI%x00%an%x00%ae%x00%s"
_PLAIN = ("--no-abbrev", "--no-renames", "--ignore-submodules=none", "--encoding=UTF-8")
_FIELDS = 6
"""Fields of `_FORM`."""

_READ = 1 << 16


class Commit(NamedTuple):
    """A commit, and what it changed."""

    facts: CommitFacts
    changes: list[Change] | None
    """Compared with its parent; None for a first commit and for a merge."""


class Commits:
    """Reads commits, each once. Close it."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: Process | None = None
        self._known: dict[Oid, Commit] = {}
        self._mark = f"end {os.urandom(6).hex()}\n".encode()

    def close(self) -> None:
        """Stop git."""
        if self._process:
            stop(self._process)
        self._process = None

    def read(self, commit: Oid) -> Commit:
        """Return a commit. Raises GitFailed if a part of it is not in the repository."""
        if commit not in self._known:
            self._known[commit] = _parsed(self._asked(commit))
        return self._known[commit]

    def _asked(self, commit: Oid) -> bytes:
        """Return what git writes of a commit. git repeats a line that names none, and then writes
        all that it held back.
        """
        if self._process is None:
            self._process = self._git.start(
                *(*SPARING, "diff-tree", "--stdin", "--always", "-r", "-z", "--raw", *_PLAIN),
                f"--format={_FORM}",
                stdin=subprocess.PIPE,
            )
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        try:
            process.stdin.write(f"{commit}\n".encode() + self._mark)
            process.stdin.flush()
        except BrokenPipeError:  # it has died, and says why below
            pass
        said = b""
        while not said.endswith(self._mark):
            data = process.stdout.read1(_READ)  # type: ignore[attr-defined]
            if not data:
                self._process = None
                raise failure(("diff-tree",), process.wait(), process.stderr.read())
            said += data
        return said.removesuffix(self._mark)


def _parsed(said: bytes) -> Commit:
    *head, rest = said.split(b"\0", _FIELDS)
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
