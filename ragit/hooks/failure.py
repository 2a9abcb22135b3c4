"""What a failed worker leaves behind: a sentence for the next command in the foreground, and when to try again.

A hook is silent, so its worker's failure would stay unseen; and a server that does not answer must not be asked at
every commit. Both are files beside the store, as git's own gc.log is.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import NamedTuple

FIRST_WAIT_S, LONGEST_WAIT_S = 60.0, 3600.0
_UNSEEN, _FAILURES = "last-error", "failures.json"


class Failure(NamedTuple):
    """The last failure of a worker."""

    message: str
    hint: str
    seconds: float
    """When, since 1970."""
    times: int
    """How often in a row."""

    @property
    def next_try(self) -> float:
        """When a hook may start the worker again, in seconds since 1970: twice as late after each failure."""
        return self.seconds + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.times - 1, 16))


def last(folder: Path) -> Failure | None:
    """The failure that no success followed, if there is one."""
    try:
        found = json.loads((folder / _FAILURES).read_bytes())
        return Failure(
            str(found["message"]), str(found["hint"]), float(found["seconds"]), int(found["times"])
        )
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
    ):  # none, or half written when the power went: as good as none
        return None


def waits(folder: Path) -> bool:
    """True while it is too early to try again. A clock that was set back does not stop us for long."""
    failure = last(folder)
    return (
        failure is not None
        and abs(time.time() - failure.seconds) < failure.next_try - failure.seconds
    )


def record(folder: Path, message: str, hint: str) -> None:
    """Note a failure."""
    before = last(folder)
    failure = Failure(message, hint, time.time(), before.times + 1 if before else 1)
    _replace(folder / _FAILURES, json.dumps(failure._asdict()))
    if before is None or before.message != message:
        _replace(folder / _UNSEEN, f"{message}\n{hint}\n")


def forget(folder: Path) -> None:
    """All went well: nothing to wait for, nothing to say."""
    for name in (_UNSEEN, _FAILURES):
        (folder / name).unlink(missing_ok=True)


def unseen(folder: Path) -> tuple[str, str] | None:
    """The message and hint of a failure that nobody has read, once."""
    path = folder / _UNSEEN
    try:
        message, _, hint = path.read_text("utf-8", "replace").partition("\n")
        path.unlink()
    except OSError:  # the usual case; or another command has just shown it
        return None
    return message, hint.strip()


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8", errors="backslashreplace")
    fresh.replace(path)
