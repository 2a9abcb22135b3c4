"""A running call: reports progress, and knows whether its client still waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

REPORT_EVERY_S = 0.5
"""Seconds between two reports of progress: a client shows them, and each is a message."""

Report = Callable[[int, int], None]


class Cancelled(Exception):
    """The client no longer wants the answer."""


class Call:
    """One call of a tool. `report` gets the numbers of indexed files and of all."""

    def __init__(self, report: Report | None = None) -> None:
        self.started = time.monotonic()
        self._report = report
        self._reported = 0.0
        self._done = -1
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Record that the client no longer waits."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Return whether the client no longer waits."""
        return self._cancelled.is_set()

    def progress(self, done: int, total: int) -> None:
        """Report progress at intervals, always more than before. Raises Cancelled."""
        if self.cancelled:
            raise Cancelled
        now = time.monotonic()
        if self._report is None or done <= self._done or now - self._reported < REPORT_EVERY_S:
            return
        self._done, self._reported = done, now
        self._report(done, total)
