"""Keep a worker's last failure for the next command in the foreground, and the time of the next
try.

A hook is silent, so its worker's failure would not be seen; and an unreachable server must not be
tried at every commit. Both files are beside the store, like git's gc.log.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from pathlib import Path

from ragit.hooks import state_files
from ragit.hooks.state_files import LOCK, PENDING
from ragit.locks import lock
from ragit.records import NamedTuple

FIRST_WAIT_S, LONGEST_WAIT_S = 60.0, 3600.0
_UNSEEN, _FAILURES = "last-error", "failures.json"
_LATEST = 4e9
"""Limit of plausible times, in seconds since 1970: a damaged file may contain any number."""


class Failure(NamedTuple):
    """The last failure of a worker."""

    message: str
    hint: str
    seconds: float
    """Time of the failure, since 1970."""
    times: int
    """Failures in a row."""

    @property
    def next_try(self) -> float:
        """Time of the next try by a hook, in seconds since 1970. The wait doubles at each
        failure.
        """
        return self.seconds + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.times - 1, 16))


def last(folder: Path) -> Failure | None:
    """Return the last failure; None if there was none, or if a run succeeded since."""
    try:
        found = json.loads(state_files.read(folder / _FAILURES) or b"null")
        failure = Failure(
            str(found["message"]), str(found["hint"]), float(found["seconds"]), int(found["times"])
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    sound = math.isfinite(failure.seconds) and 0 <= failure.seconds < _LATEST and failure.times > 0
    return failure if sound else None


def waits(folder: Path) -> bool:
    """Return whether it is too early for a try. A clock that was set back ends the wait."""
    failure = last(folder)
    if failure is None:
        return False
    return abs(time.time() - failure.seconds) < failure.next_try - failure.seconds


def record(folder: Path, message: str, hint: str) -> None:
    """Keep a failure; the next command shows a new message."""
    before = last(folder)
    failure = Failure(message, hint, time.time(), before.times + 1 if before else 1)
    state_files.replace(folder / _FAILURES, json.dumps(failure._asdict()))
    if before is None or before.message != message:
        state_files.replace(folder / _UNSEEN, f"{message}\n{hint}\n")


def forget(folder: Path) -> None:
    """Forget the failure, after a success."""
    for name in (_UNSEEN, _FAILURES):
        with contextlib.suppress(OSError):  # the folder is read-only
            state_files.remove(folder / name)


def unseen(folder: Path) -> tuple[str, str] | None:
    """Return the message and hint of a failure not shown yet, and mark it as shown."""
    path = folder / _UNSEEN
    try:
        data = state_files.read(path)
        state_files.remove(path)
    except OSError:  # another command has just shown it, or the folder is read-only
        return None
    if data is None:
        return None
    message, _, hint = data.decode("utf-8", "replace").partition("\n")
    return message, hint.strip()


def state(folder: Path) -> str:
    """Describe the worker's state in a few words; empty if it is idle and healthy."""
    if (folder / LOCK).is_file():
        with lock(folder / LOCK) as free:
            if not free:
                return "running"
    failed = last(folder)
    if failed is not None:
        until = time.strftime("%H:%M", time.localtime(failed.next_try))
        return f"failed ({failed.message}); hooks try again after {until}"
    return "waiting" if state_files.read(folder / PENDING) else ""
