"""Caches answers with their age, for callers who accept answers up to some age."""

from __future__ import annotations

import time
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST = 16
"""Limit of cached answers."""


class Recent(Generic[K, V]):
    """The last answers by question."""

    def __init__(self) -> None:
        self._found: dict[K, tuple[V, float]] = {}

    def get(self, key: K, within_s: float) -> V | None:
        """Return the last answer, if it is at most `within_s` seconds old; never for 0 seconds."""
        found = self._found.get(key)
        if found is None or within_s <= 0 or time.monotonic() - found[1] > within_s:
            return None
        return found[0]

    def put(self, key: K, value: V) -> None:
        """Cache an answer as of now, and drop the oldest of too many."""
        self._found.pop(key, None)
        self._found[key] = value, time.monotonic()
        if len(self._found) > MOST:
            del self._found[next(iter(self._found))]
