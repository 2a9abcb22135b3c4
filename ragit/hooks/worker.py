"""The worker: one process per store, started by hooks, which indexes the HEAD of every worktree.

Its work is a state (incomplete trees of HEADs), not a queue of events: twenty commits in a row are
one run. A hook first writes to PENDING, then starts a worker; the worker first takes PENDING, then
reads the HEADs, and checks again after it has released the lock. So no move of a HEAD is missed,
whichever of two workers gives way.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.hooks import failure, state_files
from ragit.hooks.state_files import LOCK, LOG, PENDING, take_pending
from ragit.locks import lock

if TYPE_CHECKING:
    from ragit.git import Repo, Worktree
    from ragit.reports import IndexReport
    from ragit.repository import Ragit

LOG_BYTES = 1 << 20
NICE = 10
_LOGGED = 50
"""Limit of files that one run names in the log."""

LOCK_WAIT_S = 0.2
"""`ragit status` holds the lock for a moment to check for a worker."""

REBASE_PATIENCE_S = 3.0
"""Longest wait in seconds for the end of a rebase, whose steps need no index."""


class _NewerHead(Exception):
    """A HEAD moved during indexing, and is indexed first."""


def main() -> None:
    """Run in the folder of a store, started by a hook. The output is the log."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".").absolute()
    if failure.waits(folder):
        take_pending(folder)  # the next worker looks at all HEADs
    else:
        run(folder)


def run(folder: Path) -> None:
    """Work until nothing is pending, unless another worker does."""
    state_files.remove_irregular(folder / PENDING)
    while (folder / PENDING).is_file():
        with lock(folder / LOCK, wait_s=LOCK_WAIT_S) as alone:
            if not alone or not _work(folder):
                return


def _work(folder: Path) -> bool:
    """Index everything pending, under the lock; return False after a failure."""
    _become_background(folder)
    try:
        while (hints := take_pending(folder)) is not None:
            try:
                _index_heads(folder, hints)
            except _NewerHead:
                continue
        failure.forget(folder)
    except Exception as error:  # nothing above reports it
        _record_failure(folder, error)
        return False
    return True


def _become_background(folder: Path) -> None:
    """Become a background process: low priority, no terminal, a bounded log, no leftovers."""
    if hasattr(os, "nice"):
        os.nice(NICE - os.nice(0))
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):  # it leads a group already
            os.setsid()
    for file in state_files.leftovers(folder):
        with contextlib.suppress(OSError):
            file.unlink()
    log = folder / LOG
    if log.is_file() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_name(log.name + ".1"))
        fresh = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        for descriptor in (1, 2):
            os.dup2(fresh, descriptor)
        os.close(fresh)


def _index_heads(folder: Path, hints: Iterable[str]) -> None:
    """Complete the HEAD of every worktree, the latest one first.

    Raises the first failure, after all were tried.
    """
    import ragit
    from ragit.errors import RagitError
    from ragit.git import Repo

    env = _environment()
    with Repo.open(folder.parent, env) as repo:
        _wait_for_rebase(repo)
        folders = _folders(repo, hints)
    failures: list[RagitError] = []
    for one in folders:
        try:
            with ragit.open(one, env=env) as index:
                report = index.index(retry=False, progress=_Watch(folder / PENDING))
                _log_report(index, report)
        except RagitError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _log_report(index: Ragit, report: IndexReport) -> None:
    """Log the report of a run, and the files of HEAD whose grammar failed."""
    from ragit.types import BY_LINES

    where = index.top or index.folder
    counts = f"{report.indexed} indexed, {report.embedded} embedded in {report.seconds:.2f} s"
    _log(f"{where}: {counts}")
    if not (report.indexed and report.by_lines):
        return
    found = index.check().by_lines
    for path, why in found[:_LOGGED]:
        _log(f"{where}: {path}: {why}")
    if len(found) > _LOGGED:
        _log(f"{where}: {len(found) - _LOGGED} more files {BY_LINES}")


class _Watch:
    """Stops indexing for a newer HEAD, at moments when all work is stored."""

    def __init__(self, pending: Path) -> None:
        from ragit.index import BATCH_FILES

        self._pending, self._batch = pending, BATCH_FILES

    def __call__(self, done: int, total: int) -> None:
        if done % self._batch == 0 and self._pending.exists():
            raise _NewerHead


def _environment() -> dict[str, str]:
    """Return the environment without the hook's repository, but with GIT_CONFIG_* settings."""
    from ragit.git import clean_env

    kept = {name: os.environ[name] for name in ("GIT_CONFIG_COUNT",) if name in os.environ}
    return {**clean_env(), **kept}


def _folders(repo: Repo, hints: Iterable[str]) -> list[Path]:
    """Return the folders of all worktrees, the latest first.

    git does not list those of a submodule: its hook names them in `hints`.
    """
    listed = sorted(repo.worktrees(), key=_last_move, reverse=True)
    folders = [*(Path(hint) for hint in reversed(list(hints))), *(tree.path for tree in listed)]
    seen = dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir())
    seen.pop(repo.common_dir, None)
    found = [folder for folder in seen if _belongs(folder, repo.common_dir)]
    return found or [repo.common_dir]  # a bare repository has a HEAD of its own


def _belongs(folder: Path, common_dir: Path) -> bool:
    from ragit.errors import NotARepository
    from ragit.git import Repo

    try:
        with Repo.open(folder, _environment()) as found:
            return found.common_dir == common_dir
    except NotARepository:
        return False


def _last_move(tree: Worktree) -> float:
    """Return when this worktree's HEAD last moved, by its files (reftable has only an index)."""
    files = (tree.git_dir / name for name in ("HEAD", "logs/HEAD", "index"))
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def _wait_for_rebase(repo: Repo) -> None:
    until = time.monotonic() + REBASE_PATIENCE_S
    folders = [
        tree.git_dir / name
        for tree in repo.worktrees()
        for name in ("rebase-merge", "rebase-apply")
    ]
    while any(folder.exists() for folder in folders) and time.monotonic() < until:
        time.sleep(0.05)


def _record_failure(folder: Path, error: Exception) -> None:
    """Log a failure, and keep it for the next command unless a newer ragit owns the store."""
    import traceback

    from ragit.errors import RagitError, StoreTooNew

    _log(f"failed: {error}")
    if isinstance(error, StoreTooNew):  # the newer ragit's hooks or searches do the work
        return
    if isinstance(error, RagitError):
        failure.record(folder, error.message, error.hint)
        return
    traceback.print_exc()
    message = f"unexpectedly, {type(error).__name__}: {error}"
    failure.record(folder, message, f"The details are in {folder / LOG}")


def _log(line: str) -> None:
    stamped = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n"
    sys.stdout.write(stamped.encode("utf-8", "backslashreplace").decode())
    sys.stdout.flush()


if __name__ == "__main__":
    main()
