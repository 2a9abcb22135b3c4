"""A call that is running: its way to report progress, and whether its client still waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

REPORT_EVERY_S = 0.5
"""Seconds between two reports of progress: a client shows them, and each is a message."""

Report = Callable[[int, int], None]


class Cancelled(Exception):
    """The client does not want the answer any more."""


class Call:
    """One call of a tool. `report` is given how many of how many files are indexed."""

    def __init__(self, report: Report | None = None) -> None:
        self.started = time.monotonic()
        self._report = report
        self._reported = 0.0
        self._done = -1
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Note that the client does not wait any more."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """True if the client does not wait any more."""
        return self._cancelled.is_set()

    def progress(self, done: int, total: int) -> None:
        """Report progress now and then, always more than before. Raises Cancelled."""
        if self.cancelled:
            raise Cancelled
        now = time.monotonic()
        if self._report is None or done <= self._done or now - self._reported < REPORT_EVERY_S:
            return
        self._done, self._reported = done, now
        self._report(done, total)
