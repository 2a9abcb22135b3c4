"""Limits concurrent requests, and lowers the limit while a server is busy."""

from __future__ import annotations

import threading
import time


class ConcurrencyLimit:
    """A semaphore that adapts: a 429 halves its size, as many good answers as its size add one."""

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._size = self._most
        self._inside = 0
        self._answered = 0
        self._lowered = 0.0
        self._free = threading.Condition()

    @property
    def size(self) -> int:
        """Current limit of concurrent requests."""
        return self._size

    def __enter__(self) -> None:
        with self._free:
            self._free.wait_for(lambda: self._inside < self._size)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._free:
            self._inside -= 1
            self._free.notify()

    def succeeded(self) -> None:
        """Count a good answer."""
        with self._free:
            self._answered += 1
            if self._size < self._most and self._answered >= self._size:
                self._size, self._answered = self._size + 1, 0
                self._free.notify()

    def is_busy(self, after: float) -> None:
        """Halve the size. Requests sent together and refused together count once."""
        with self._free:
            now = time.monotonic()
            if now >= self._lowered:
                self._size, self._lowered = max(1, self._size // 2), now + max(1.0, after)
            self._answered = 0
