"""Take advisory locks on files, shared or exclusive, which end with their process."""

from __future__ import annotations

import contextlib
import errno
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ragit.errors import StoreBusy, StoreUnreadable

_ELSEWHERE = "Keep the index on a local disk: git config ragit.index.storePath FILE"

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes], shared: bool) -> bool:
        # Windows has no shared locks here, so indexers take turns: slower, but correct.
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: IO[bytes], shared: bool) -> bool:
        """Try to take a lock; return False if others hold it.

        Some network file systems have no flock, but locks by fcntl. These belong to a process, not
        to an open file, so they do not separate threads.
        """
        how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        try:
            fcntl.flock(file, how)
        except OSError as error:
            if error.errno in _HELD:
                return False
            fcntl.lockf(file, how)
        return True


_HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}
"""Errors that mean that others hold the lock; all others mean that locking is impossible."""


def _try(path: Path, file: IO[bytes], shared: bool) -> bool:
    try:
        return _take(file, shared)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise StoreUnreadable(
            f"the file system of {path} has no file locks: {error.strerror}", _ELSEWHERE
        ) from error


def _opened(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+b")
    except OSError as error:
        raise StoreUnreadable(
            f"cannot write {path}: {error.strerror}",
            "Check its folder and the disk, or name another file: "
            "ragit -c index.storePath=FILE ...",
        ) from error


@contextlib.contextmanager
def lock(path: Path, *, shared: bool = False, wait_s: float = 0.0) -> Iterator[bool]:
    """Hold the lock during the block; yield False at once, or after `wait_s` seconds, if others
    hold it.

    Raises StoreUnreadable if the lock's file cannot be created or locked.
    """
    with _opened(path) as file:
        until = time.monotonic() + wait_s
        while not (taken := _try(path, file, shared)) and time.monotonic() < until:
            time.sleep(0.02)
        yield taken


@contextlib.contextmanager
def held(
    path: Path, *, shared: bool = False, wait_s: float = 60.0, by: str = "another ragit"
) -> Iterator[None]:
    """Hold the lock like `lock`, but raise StoreBusy, naming the process, if others hold it."""
    with lock(path, shared=shared, wait_s=wait_s) as taken:
        if not taken:
            raise busy(f"{by}{by_process(path)} has held {path} for {wait_s:.0f} s", path)
        yield


def busy(message: str, *files: Path, readers: bool = False) -> StoreBusy:
    """Return the error for a lock that others hold, with a hint that names them."""
    found = holders(*files, readers=readers)
    if not found:
        return StoreBusy(message, "Wait for it to end, then type the command again")
    pids = " ".join(map(str, found))
    return StoreBusy(message, f"Wait for it to end, or end it: kill {pids}")


def by_process(*files: Path) -> str:
    """Return " (process N)" for the holders of locks on files; empty if unknown."""
    found = holders(*files)
    kind = "process" if len(found) == 1 else "processes"
    return f" ({kind} {', '.join(map(str, found))})" if found else ""


def holders(*files: Path, readers: bool = False) -> list[int]:
    """Return the processes that hold an flock or a write lock on one of these files (Linux).

    With `readers`, also those that only keep a database open.
    """
    inodes = set()
    for file in files:
        with contextlib.suppress(OSError):
            inodes.add(str(file.stat().st_ino))
    try:
        listed = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return []
    rows = [line.split() for line in listed if "->" not in line]  # "->" marks a waiting one
    found = {
        int(pid)
        for _, kind, _, mode, pid, where, *_ in rows
        if where.rpartition(":")[2] in inodes and (readers or kind == "FLOCK" or mode == "WRITE")
    }
    return sorted(pid for pid in found if pid > 0)
