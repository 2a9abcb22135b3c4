"""An end to waiting: what asks another machine gets so long, and then the search goes on without it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ragit.errors import RemoteFailed
from ragit.remote.client import RetryPolicy

_T = TypeVar("_T")


class NoAnswer(Exception):
    """Why a search has to do without what was asked for, in words."""


def in_time(call: Callable[[RetryPolicy], _T], timeout_ms: int, section: str) -> _T:
    """The result of a call that asks a server, as patiently as it is told to. Raises NoAnswer.

    `section` is the table of settings that the limit stands in.
    """
    seconds = timeout_ms / 1000
    policy = RetryPolicy(retries=1, longest_wait=seconds, within=seconds)
    try:
        return within(seconds, lambda: call(policy))
    except TimeoutError as error:
        raise NoAnswer(f"no answer within {timeout_ms} ms ({section}.timeoutMs)") from error
    except RemoteFailed as error:
        raise NoAnswer(error.message) from error


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
