"""An end to waiting: what asks another machine gets so many seconds, and then the search goes on without it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def within(seconds: float, call: Callable[[], _T]) -> _T:
    """The result of a call, or TimeoutError. What it raises is raised here.

    In a thread, since a client's own limits do not cover all that it waits for: looking up a name takes as long as the
    system likes. A call that is late ends by itself, unheard; it keeps no process alive.
    """
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError
    return done[0]
