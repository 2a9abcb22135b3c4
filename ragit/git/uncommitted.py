"""Make tree objects of uncommitted work: of the index, and of the working tree.

A dirty working tree is then a tree like any other, with the object ids that git itself would give.
git finds modified and untracked files and turns them into blobs (line ends, filters, encodings);
this module chooses which files it may read. The user's index is copied, never written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ragit.errors import GitFailed
from ragit.git.command import NO_HOOKS, Git, Process, finish, stop
from ragit.git.layout import GITLINK, Layout
from ragit.git.private import Private
from ragit.records import NamedTuple
from ragit.types import Oid

_STATUS = (
    *NO_HOOKS,
    *("-c", "core.splitIndex=false"),  # it would write its shared part beside the user's
    *("-c", "status.showUntrackedFiles=all"),  # git's untracked cache ignores the flag
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",  # counting commits takes seconds in a large history
    "--no-renames",
    "--ignore-submodules=dirty",  # compares a submodule's commit, and starts no git in it
)
_PLAIN_INDEX = (
    *NO_HOOKS,
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.splitIndex=false"),
    *("-c", "core.safecrlf=false"),  # "true" refuses some files, which can be searched
)


class WorkingTree(NamedTuple):
    """The working tree as a tree object, as `git add --all` would stage it."""

    tree: Oid
    commit: Oid | None
    """HEAD at that moment; None before the first commit."""
    skipped: dict[bytes, str]
    """Skipped changed files, with the reason."""


class GitStatus:
    """A running `git status`. Pass it to `working_tree`, or stop it."""

    def __init__(self, layout: Layout, private: Private) -> None:
        self._process: Process | None = None
        self.index = layout.index
        if layout.top is None:
            return
        copy, git = private.refreshed_index(layout.index), layout.git_with_filters
        begins_cache = False
        if copy is not None:
            self.index = copy.path
            git = git.with_env(GIT_INDEX_FILE=str(copy.path), GIT_OPTIONAL_LOCKS="1")
            begins_cache = copy.new and _may_cache(layout.top)
        if begins_cache:
            self._process = git.start("-c", "core.untrackedCache=true", *_STATUS)
        else:
            self._process = git.start(*_STATUS)

    def output(self) -> bytes:
        """Wait for the output and return it; empty for a repository without a working tree."""
        process, self._process = self._process, None
        return b"" if process is None else finish(process, _STATUS)

    def stop(self) -> None:
        """End it without reading its output."""
        process, self._process = self._process, None
        if process is not None:
            stop(process)


def _may_cache(top: Path) -> bool:
    """Return whether it is safe to begin an untracked cache in a new copy of the index.

    It is kept later, unless the user's settings forbid it. With it git does not read unchanged
    folders again, which is half of the work.
    """
    from ragit.git.folder_times import have_times  # once for each state of the user's index

    return have_times(top)


class _Row(NamedTuple):
    """A path whose file differs from the index."""

    path: bytes
    tracked: bool
    gone: bool
    submodule: bool


class _Report:
    def __init__(self) -> None:
        self.commit: Oid | None = None
        self.staged = False
        """True if the index differs from HEAD."""
        self.rows: list[_Row] = []


class _Plan(NamedTuple):
    """Changes to a copy of the index."""

    add: list[bytes]
    remove: list[bytes]
    skipped: dict[bytes, str]


def staged_tree(layout: Layout, private: Private) -> Oid:
    """Write the tree of the index. Raises GitFailed during conflicts."""
    with private.scratch_index(layout.index) as index:
        return _write_tree(private.writer(layout.git, index, layout.objects))


def working_tree(
    layout: Layout, private: Private, status: GitStatus, max_bytes: Callable[[bytes], int]
) -> WorkingTree | None:
    """Write the working tree that `status` saw; None if HEAD has moved since `layout` was found.

    Starts no further process if nothing is changed. Files larger than `max_bytes` of their path are
    skipped, tracked or not.
    """
    if layout.top is None:
        return WorkingTree(layout.tree, layout.commit, {})
    report = _parse(status.output())
    if report.commit != layout.commit:
        return None
    plan = _plan(report.rows, os.fsencode(layout.top), max_bytes)
    if not (report.staged or plan.add or plan.remove):
        return WorkingTree(layout.tree, layout.commit, plan.skipped)
    with private.scratch_index(status.index) as index:
        git = private.writer(layout.git_with_filters, index, layout.objects)
        _update(git, ("--force-remove",), plan.remove)
        refused = _add(git, plan.add)
        _update(git, ("--force-remove",), list(refused))  # otherwise an older content would stay
        return WorkingTree(_write_tree(git), layout.commit, {**plan.skipped, **refused})


def _parse(output: bytes) -> _Report:
    """Parse porcelain v2.

    Records are `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path` and
    `# ...`.
    """
    report = _Report()
    for record in output.split(b"\0"):
        kind = record[:1]
        if kind == b"#":
            if record.startswith(b"# branch.oid ") and not record.endswith(b"(initial)"):
                report.commit = Oid(record.split()[2].decode())
        elif kind == b"?":
            report.rows.append(_Row(record[2:], tracked=False, gone=False, submodule=False))
        elif kind in (b"1", b"u"):
            _parse_tracked(record, report)
    return report


def _parse_tracked(record: bytes, report: _Report) -> None:
    unmerged = record[:1] == b"u"
    fields = record.split(b" ", 10 if unmerged else 8)
    in_index, in_files = fields[1][:1], fields[1][1:]
    mode = int(fields[6 if unmerged else 5], 8)
    report.staged |= unmerged or in_index != b"."
    if unmerged or in_files != b".":
        gone = not unmerged and in_files == b"D"
        report.rows.append(_Row(fields[-1], tracked=True, gone=gone, submodule=mode == GITLINK))


def _plan(rows: Iterable[_Row], top: bytes, max_bytes: Callable[[bytes], int]) -> _Plan:
    plan = _Plan([], [], {})
    for row in rows:
        why = "gone" if row.gone else _reason_to_skip(row, top, max_bytes)
        if not why:
            plan.add.append(row.path)
            continue
        if row.tracked:
            plan.remove.append(row.path)
        if why != "gone":
            plan.skipped[row.path.rstrip(b"/")] = why
    return plan


def _reason_to_skip(row: _Row, top: bytes, max_bytes: Callable[[bytes], int]) -> str:
    """Return why git cannot or should not read a file; empty if it may."""
    if row.path.endswith(b"/"):
        return "embedded repository"
    file = os.path.join(top, row.path)  # noqa: PTH118 - pathlib knows no bytes
    try:
        facts = os.lstat(file)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:
        return "unreadable"
    if stat.S_ISDIR(facts.st_mode):  # a conflict may leave a folder where the index has a file
        return "" if row.submodule else "gone"
    if stat.S_ISLNK(facts.st_mode):
        return ""
    if not stat.S_ISREG(facts.st_mode):
        return "special file"
    if facts.st_size > max_bytes(row.path):
        return "too large"
    return "" if os.access(file, os.R_OK) else "unreadable"


def _add(git: Git, paths: Sequence[bytes]) -> dict[bytes, str]:
    """Add files to the index; return those that git refuses (a failing filter, a forbidden name).

    update-index writes nothing if it refuses one file, so the list is halved until it is alone.
    """
    try:
        _update(git, ("--add", "--remove", "--replace"), paths)
    except GitFailed:
        if len(paths) > 1:
            half = len(paths) // 2
            return {**_add(git, paths[:half]), **_add(git, paths[half:])}
        _run_update(git, (), b"")  # raises if the fault is not this file's
        return {paths[0]: "refused by git"}
    return {}


def _update(git: Git, flags: tuple[str, ...], paths: Sequence[bytes]) -> None:
    if paths:
        _run_update(git, flags, b"".join(path + b"\0" for path in paths))


def _run_update(git: Git, flags: tuple[str, ...], stdin: bytes) -> None:
    git.run(*_PLAIN_INDEX, "update-index", *flags, "-z", "--stdin", stdin=stdin)


def _write_tree(git: Git) -> Oid:
    return Oid(git.run(*_PLAIN_INDEX, "write-tree", "--missing-ok").decode().strip())
