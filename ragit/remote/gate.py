"""How many requests may be under way at once: fewer when the server says it is busy, one more as all goes well."""

from __future__ import annotations

import threading
import time
from types import TracebackType


class Gate:
    """`with gate:` waits for a place. A 429 halves the places; as many good answers as there are places add one."""

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._places = self._most
        self._inside = 0
        self._well = 0
        self._lowered = 0.0
        self._free = threading.Condition()

    @property
    def places(self) -> int:
        """Requests that may be under way at once, as things stand."""
        return self._places

    def __enter__(self) -> None:
        with self._free:
            self._free.wait_for(lambda: self._inside < self._places)
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self._free:
            self._inside -= 1
            self._free.notify()

    def went_well(self) -> None:
        """An answer came."""
        with self._free:
            self._well += 1
            if self._places < self._most and self._well >= self._places:
                self._places, self._well = self._places + 1, 0
                self._free.notify()

    def is_busy(self, after: float) -> None:
        """The server asked for patience. Requests that were sent together and refused together count once."""
        with self._free:
            now = time.monotonic()
            if now >= self._lowered:
                self._places, self._lowered = max(1, self._places // 2), now + max(1.0, after)
            self._well = 0
