"""Limit the time that a search waits for another machine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ragit.errors import RemoteFailed
from ragit.remote import RetryPolicy

_T = TypeVar("_T")


class NoAnswer(Exception):
    """A server gave no answer; the message has the reason."""


def in_time(call: Callable[[RetryPolicy], _T], timeout_ms: int, section: str) -> _T:
    """Return the result of a call to a server, or raise NoAnswer after `timeout_ms`.

    `section` is the table of settings with the timeout.
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
    """Return the result of a call, raise its error, or raise TimeoutError.

    The call runs in a daemon thread, since a client's own timeouts do not cover everything: a DNS
    look-up takes as long as the system likes.
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
