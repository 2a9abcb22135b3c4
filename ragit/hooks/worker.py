"""The worker: one per store, started by hooks, indexing the HEAD of every worktree.

Its work is a state (trees of HEADs that are not complete), never a queue of events: twenty commits in a row are one
run. A hook first writes to `pending`, then starts a worker; the worker first takes `pending`, then reads the HEADs, and
looks again after it has let go of the lock. So nothing that moved a HEAD can go unnoticed, whoever gives way to whom.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.hooks import failure
from ragit.locks import lock

if TYPE_CHECKING:
    from ragit.git import Repo, Worktree
    from ragit.repository.repository import Ragit

PENDING, LOCK, LOG = "pending", "worker.lock", "worker.log"
LOG_BYTES = 1 << 20
NICE = 10
_LOGGED = 50
"""Files that one run names in the log at most."""
REBASE_PATIENCE_S = 3.0
"""How long a rebase is waited for, so that its end is indexed and none of its steps; one that stopped takes longer."""


class _NewerHead(Exception):
    """Something moved while we index: it comes first."""


def main() -> None:
    """What a hook starts, in the folder of the store. Its output is the log."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".").absolute()
    if failure.waits(folder):
        _take(folder)  # whenever a worker runs again, it looks at all HEADs
    else:
        run(folder)


def run(folder: Path) -> None:
    """Work until nothing is pending, unless another worker does."""
    while (folder / PENDING).exists():
        # A little patience: `ragit status` holds the lock for a moment to see whether a worker does.
        with lock(folder / LOCK, wait_s=0.2) as alone:
            if not alone or not _work(folder):
                return


def state(folder: Path) -> str:
    """In a few words what the worker of this folder does; empty if there is nothing to say."""
    if (folder / LOCK).exists():
        with lock(folder / LOCK) as free:
            if not free:
                return "running"
    failed = failure.last(folder)
    if failed is not None:
        until = time.strftime("%H:%M", time.localtime(failed.next_try))
        return f"failed ({failed.message}); hooks try again after {until}"
    return "waiting" if (folder / PENDING).exists() else ""


def _work(folder: Path) -> bool:
    """One turn under the lock; False after a failure."""
    _settle(folder)
    try:
        while (hints := _take(folder)) is not None:
            try:
                _index_heads(folder, hints)
            except _NewerHead:
                continue
        failure.forget(folder)
    except Exception as error:  # whatever it was: a hook's worker has nobody else to tell
        _note(folder, error)
        return False
    return True


def _settle(folder: Path) -> None:
    """Be a good background process: low priority, no terminal, a log that does not grow for ever."""
    if hasattr(os, "nice"):
        os.nice(NICE - os.nice(0))
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):  # the leader of a group already
            os.setsid()
    log = folder / LOG
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_name(log.name + ".1"))
        fresh = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        for descriptor in (1, 2):
            os.dup2(fresh, descriptor)
        os.close(fresh)


def _take(folder: Path) -> list[str] | None:
    """The worktrees that moved since the last time, in order; None if none did."""
    taken = folder / f"{PENDING}.{os.getpid()}"
    try:
        (folder / PENDING).replace(taken)
    except FileNotFoundError:
        return None
    lines = os.fsdecode(taken.read_bytes()).splitlines()
    taken.unlink()
    return lines


def _index_heads(folder: Path, hints: Iterable[str]) -> None:
    """Complete the HEAD of every worktree, the one that moved last first; raises the first failure at the end."""
    import ragit
    from ragit.errors import RagitError
    from ragit.git import Repo

    env = _environment()
    with Repo.open(folder.parent, env) as repo:
        _wait_for_rebase(repo)
        places = _places(repo, hints)
    failures: list[RagitError] = []
    for place in places:
        try:
            with ragit.open(place, env=env) as index:
                report = index.index(retry=False, progress=_Watch(folder / PENDING))
                _log(
                    f"{place}: {report.indexed} indexed, {report.embedded} embedded in {report.seconds:.2f} s"
                )
                if report.indexed and report.by_lines:
                    _log_by_lines(index)
        except RagitError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _log_by_lines(index: Ragit) -> None:
    """Log the files of HEAD that are indexed by lines because of their grammar, some dozens at most."""
    from ragit.types import BY_LINES

    found = index.check().by_lines
    for path, why in found[:_LOGGED]:
        _log(f"{index.top}: {path}: {why}")
    if len(found) > _LOGGED:
        _log(f"{index.top}: {len(found) - _LOGGED} more files {BY_LINES}")


class _Watch:
    """Progress of indexing that gives way to a HEAD that moved, at moments when all that is done is written."""

    def __init__(self, pending: Path) -> None:
        from ragit.index.run.run import BATCH_FILES

        self._pending, self._batch = pending, BATCH_FILES

    def __call__(self, done: int, total: int) -> None:
        if done % self._batch == 0 and self._pending.exists():
            raise _NewerHead


def _environment() -> dict[str, str]:
    """The environment without the repository whose hook we come from; settings of git in variables are the user's."""
    from ragit.git import clean_env

    kept = {name: os.environ[name] for name in ("GIT_CONFIG_COUNT",) if name in os.environ}
    return {**clean_env(), **kept}


def _places(repo: Repo, hints: Iterable[str]) -> list[Path]:
    """Folders of all worktrees, those that moved last first. git does not list a submodule's: its hook names it."""
    listed = sorted(repo.worktrees(), key=_moved, reverse=True)
    places = [*(Path(hint) for hint in reversed(list(hints))), *(tree.path for tree in listed)]
    seen = dict.fromkeys(place.resolve() for place in places if place.is_dir())
    found = [
        place for place in seen if place != repo.common_dir and _belongs(place, repo.common_dir)
    ]
    return found or [repo.common_dir]  # a bare repository has its own HEAD


def _belongs(place: Path, common_dir: Path) -> bool:
    from ragit.errors import NotARepository
    from ragit.git import Repo

    try:
        with Repo.open(place, _environment()) as found:
            return found.common_dir == common_dir
    except NotARepository:
        return False


def _moved(tree: Worktree) -> float:
    """When this worktree's HEAD moved last, as far as files tell (reftable has no log to look at, but an index)."""
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


def _note(folder: Path, error: Exception) -> None:
    import traceback

    from ragit.errors import RagitError, StoreTooNew

    _log(f"failed: {error}")
    if isinstance(
        error, StoreTooNew
    ):  # a newer ragit keeps this store: its own hooks or searches do the work
        return
    if isinstance(error, RagitError):
        failure.record(folder, error.message, error.hint)
    else:
        traceback.print_exc()
        failure.record(
            folder,
            f"unexpectedly, {type(error).__name__}: {error}",
            f"The details are in {folder / LOG}",
        )


def _log(line: str) -> None:
    sys.stdout.write(
        f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n".encode(
            "utf-8", "backslashreplace"
        ).decode()
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
