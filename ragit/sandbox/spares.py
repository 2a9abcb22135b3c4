"""Keep idle child processes for the next task, shared by the threads of one process."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Spare(Protocol):
    """A child process that may be kept for another task."""

    parent: int
    """Process id of the process that started it."""

    def end(self) -> None:
        """End the process and wait until it is gone."""

    def forget(self) -> None:
        """Close this process's end of the pipes."""


_Child = TypeVar("_Child", bound=Spare)


class Spares(Generic[_Child]):
    """The idle children of one kind, ended when this process exits."""

    def __init__(self) -> None:
        self._idle: list[_Child] = []
        self._lock = threading.Lock()
        atexit.register(self.end_all)

    def __len__(self) -> int:
        return len(self._idle)

    def take(self, fits: Callable[[_Child], bool] = lambda child: True) -> _Child | None:
        """Remove and return an idle child that fits; None if there is none."""
        here = os.getpid()
        with self._lock:
            for child in [child for child in self._idle if child.parent != here]:
                self._idle.remove(child)  # this process is a fork: the child belongs to its parent
                child.forget()
            found = next(filter(fits, self._idle), None)
            if found is not None:
                self._idle.remove(found)
            return found

    def add(self, child: _Child) -> None:
        """Keep a child for another task."""
        with self._lock:
            self._idle.append(child)

    def end_all(self) -> None:
        """End all idle children."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            if child.parent == os.getpid():
                child.end()
