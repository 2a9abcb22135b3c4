"""Caches values up to a total size. No IO."""

from __future__ import annotations

from typing import Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class Remembered(Generic[_K, _V]):
    """Values by key. Beyond a limit of their total size, the oldest ones are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._values: dict[_K, tuple[_V, int]] = {}

    def get(self, key: _K) -> _V | None:
        """Return a value; None if it is not cached."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def add(self, key: _K, value: _V, size: int = 1) -> None:
        """Cache a value of some size, in place of one with its key."""
        known = self._values.pop(key, None)
        self._size += size - (known[1] if known else 0)
        self._values[key] = (value, size)
        while self._size > self._most:
            _, oldest = self._values.pop(next(iter(self._values)))
            self._size -= oldest

    def clear(self) -> None:
        """Drop all values."""
        self._values.clear()
        self._size = 0
