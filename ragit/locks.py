"""Advisory locks on a file, shared or exclusive, freed by the system when their holder dies. Knows no tables and no
git.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ragit.errors import StoreBusy, StoreUnreadable

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes], shared: bool) -> bool:
        # Windows has no shared form here; indexers then take turns, which is slower and still right.
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: IO[bytes], shared: bool) -> bool:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def _opened(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError as error:
        raise StoreUnreadable(
            f"cannot write {path}: {error.strerror}",
            "Check its folder and the disk, or name another file: ragit -c index.storePath=FILE ...",
        ) from error


@contextlib.contextmanager
def lock(path: Path, *, shared: bool = False, wait_s: float = 0.0) -> Iterator[bool]:
    """Hold the lock while inside; gives False at once, or after `wait_s` seconds, if others hold it.

    Raises StoreUnreadable if the lock's own file cannot be made.
    """
    with _opened(path) as file:
        until = time.monotonic() + wait_s
        while not (taken := _take(file, shared)) and time.monotonic() < until:
            time.sleep(0.02)
        yield taken


@contextlib.contextmanager
def held(
    path: Path, *, shared: bool = False, wait_s: float = 60.0, by: str = "another ragit"
) -> Iterator[None]:
    """Like `lock`, but failing to get it is an error."""
    with lock(path, shared=shared, wait_s=wait_s) as taken:
        if not taken:
            raise StoreBusy(
                f"{by} has held {path} for {wait_s:.0f} s",
                "Wait for it to end, then type the command again",
            )
        yield
