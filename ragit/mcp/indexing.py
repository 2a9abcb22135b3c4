"""Index a large tree in its own thread, while calls are answered from the indexed part."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from ragit.mcp.call import Call
from ragit.repository import Ragit

ANSWER_AFTER_S = 20.0
"""Seconds after which a call is answered from the indexed part. Clients wait 60 or more."""

_POLL_S = 0.1


class _Stopped(Exception):
    """No call waits for this run."""


class Indexing:
    """One run that indexes a tree. Its work is kept, however it ends."""

    def __init__(self, open_index: Callable[[], Ragit], ref: str | None) -> None:
        """Start to index the tree of a revision, or the working tree if `ref` is None."""
        self.error: Exception | None = None
        """Reason for an early end, such as a server that does not answer."""
        self._open = open_index
        self._ref = ref
        self._started = time.monotonic()
        self._done = self._total = 0
        self._waiting = 0
        self._answered = False
        self._stop = False
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def running(self) -> bool:
        """True until it has ended."""
        return not self._ended.is_set()

    @property
    def ending(self) -> bool:
        """Return whether it has ended or is about to."""
        return self._stop or not self.running

    def wait(self, call: Call) -> None:
        """Wait until the run ends or has taken ANSWER_AFTER_S, and report its progress.

        After that time a run continues by itself. It is stopped if all waiting calls are cancelled
        before. Raises Cancelled.
        """
        self._waiting += 1
        try:
            while self.running and time.monotonic() - self._started < ANSWER_AFTER_S:
                self._ended.wait(_POLL_S)
                call.progress(self._done, self._total)
            self._answered = True
        finally:
            self._waiting -= 1
            if not self._waiting and not self._answered:
                self.stop()

    def stop(self) -> None:
        """End the run after the current files."""
        self._stop = True

    def _run(self) -> None:
        named = () if self._ref is None else (self._ref,)
        try:
            with self._open() as index, suppress(_Stopped):
                index.index(
                    *named, scope="worktree", describe=False, retry=False, progress=self._progress
                )
        except Exception as error:
            self.error = error  # raised by the call that waits
        finally:
            self._ended.set()

    def _progress(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if self._stop:
            raise _Stopped
