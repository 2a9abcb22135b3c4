"""Follow one file through the commits, and find commits that removed a word. Reads only.

git's output is read as it is written, and git is stopped once enough is known: the first commits of
a path take milliseconds, all of them a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ragit.changes import CommitFacts
from ragit.git.command import SPARING, Git, Process, failure, stop
from ragit.git.commits import Commits
from ragit.git.raw import PLAIN, blob_of, logged
from ragit.git.removals import Removals
from ragit.records import NamedTuple
from ragit.types import Change, Oid

_READ = 1 << 16
_ROOM = 1 << 14
"""Bytes that git may write ahead of the reader: some 60 commits of a file."""


class Node(NamedTuple):
    """A commit in the history of one file."""

    commit: Oid
    parents: tuple[Oid, ...]
    """The commits before it that changed the file, one for each line of history."""
    blob: Oid | None
    """The file after it; None if removed."""


class FileHistory:
    """The history of one file, read as needed. Close it.

    Where a merge took the file of one side unchanged, only that side is followed. It ends where the
    file was added: older files of that name are not in it.
    """

    def __init__(self, git: Git, start: Oid, path: bytes) -> None:
        words = (start, "--", os.fsdecode(path))
        self._git, self._path = git, path
        # Merges with a difference to show would also be listed if both sides lack the file.
        self._process = git.start(
            *(*SPARING, "--literal-pathspecs", "log", "--parents", "--remove-empty"),
            *("--diff-merges=off", "--no-decorate"),
            *PLAIN,
            words=words,
        )
        _narrow(self._process)
        self._rest = logged(_fields(self._process))
        self._known: dict[Oid, Node] = {}

    def close(self) -> None:
        """Stop git."""
        self._rest.close()
        stop(self._process)

    @property
    def seen(self) -> int:
        """Return the number of commits read so far."""
        return len(self._known)

    def newest(self) -> Node | None:
        """Return the newest commit; None if the file has no history."""
        if not self._known:
            self._read_on()
        return next(iter(self._known.values()), None)

    def node(self, commit: Oid) -> Node | None:
        """Return a commit by its id; None if it is not in the history."""
        while commit not in self._known:
            if not self._read_on():
                return None
        return self._known[commit]

    def _read_on(self) -> bool:
        """Read the next commit; return False at the end."""
        logged = next(self._rest, None)
        if logged is None:
            return False
        commit, parents, changes = logged
        blob = changes[0].new if changes else blob_at(self._git, commit, self._path)
        self._known[commit] = Node(commit, parents, blob)
        return True


class Ancestry:
    """Questions about the commits of one repository. Close it, or use it in a `with`."""

    def __init__(
        self, git: Git, common_dir: Path, diff: Callable[[Oid, Oid], list[Change]]
    ) -> None:
        self._git = git
        self._common_dir = common_dir
        self._diff = diff
        self._commits = Commits(git)
        self._histories: dict[tuple[Oid, bytes], FileHistory] = {}

    def __enter__(self) -> Ancestry:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def history(self, start: Oid, path: bytes) -> FileHistory:
        """Return the history of a file up to a commit. git begins to read it at once."""
        key = start, path
        if key not in self._histories:
            self._histories[key] = FileHistory(self._git, start, path)
        return self._histories[key]

    def close(self) -> None:
        """Stop the processes of git that are still there."""
        self._commits.close()
        for history in self._histories.values():
            history.close()
        self._histories.clear()

    @property
    def seen(self) -> int:
        """Return the number of commits in the histories of files that were read so far."""
        return sum(history.seen for history in self._histories.values())

    def facts(self, commit: Oid) -> CommitFacts:
        """Return who made a commit, when, and what for."""
        return self._commits.read(commit).facts

    def changes(self, commit: Oid) -> Iterator[tuple[Oid, list[Change]]]:
        """Yield each parent of a commit, with what the commit changed in it."""
        facts, changes = self._commits.read(commit)
        for parent in facts.parents:
            yield parent, self._diff(parent, commit) if changes is None else changes

    def is_ancestor(self, old: Oid, new: Oid) -> bool:
        """Return whether `new` reaches `old`, or is the same."""
        output = self._git.run("merge-base", words=(old, new), accept=(0, 1))
        return output.strip().decode() == old

    def is_cut(self, commit: Oid) -> bool:
        """Return whether a shallow clone lacks the parents of a commit."""
        try:
            listed = (self._common_dir / "shallow").read_text("ascii")
        except OSError:
            return False
        return commit in listed.split()

    def blob_at(self, tree: Oid, path: bytes) -> Oid | None:
        """Return the blob of an ordinary file in a commit or tree."""
        return blob_at(self._git, tree, path)

    def blobs_at(self, trees: Iterable[Oid], paths: Sequence[bytes]) -> list[list[Oid]]:
        """Return, for each tree, the blobs at some paths in it."""
        wanted = list(trees)
        usable = [os.fsdecode(path) for path in paths if b"\n" not in path]
        asked = "".join(f"{tree}:{path}\n" for tree in wanted for path in usable)
        if not asked:
            return [[] for _ in wanted]
        form = "--batch-check=%(objecttype) %(objectname)"
        lines = self._git.run("cat-file", form, stdin=os.fsencode(asked)).split(b"\n")
        found = []
        for at in range(0, len(wanted) * len(usable), len(usable)):
            words = (line.split(b" ") for line in lines[at : at + len(usable)])
            found.append([Oid(word[1].decode()) for word in words if word[0] == b"blob"])
        return found

    def removals(self, word: str, head: Oid) -> Removals:
        """Return the commits that reduced the number of a word's occurrences in a file."""
        return Removals(self._git, word, head)


def blob_at(git: Git, tree: Oid, path: bytes) -> Oid | None:
    """Return the blob of an ordinary file in a commit or tree."""
    words = (tree, os.fsdecode(path))
    output = git.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", words=words)
    found = output.partition(b"\t")[0].split()
    return blob_of(found[0], found[2]) if found else None


def _narrow(process: Process) -> None:
    """Make the pipe of a process small, if possible (Linux), so that git waits for the reader.

    In the usual 64 kB it would write the whole history of most files, which takes ten times as long
    as the part that is read.
    """
    try:
        import fcntl

        assert process.stdout is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _ROOM)  # type: ignore[attr-defined,unused-ignore]
    except (ImportError, AttributeError, OSError):
        return


def _fields(process: Process) -> Iterator[bytes]:
    """Yield the NUL-separated fields of git's output. Raises GitFailed if git fails."""
    assert process.stdout and process.stderr
    rest = b""
    while data := process.stdout.read1(_READ):  # type: ignore[attr-defined]
        *fields, rest = (rest + data).split(b"\0")
        yield from fields
    if rest:
        yield rest
    if process.wait():
        raise failure(("log",), process.returncode, process.stderr.read())
