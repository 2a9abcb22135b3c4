"""Calls side by side, in threads: as many at once as are allowed, and an end to all of them when one fails.

A call is handed an Event beside its item. It is set when nobody waits for the call any more, because one beside it
failed or the caller stopped listening: what it means to wait for then, a next try for example, it need not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

_Subject = TypeVar("_Subject")
_Result = TypeVar("_Result")

NEVER = threading.Event()
"""Of a call that somebody waits for to its end. Nobody sets it."""


def each(
    call: Callable[[_Subject, threading.Event], _Result], items: Sequence[_Subject], *, at_once: int
) -> list[_Result]:
    """As `as_ready`, in the order of the items. One of them, which a query sends, needs no thread."""
    if len(items) < 2:
        return [call(item, NEVER) for item in items]

    def numbered(item: tuple[int, _Subject], over: threading.Event) -> tuple[int, _Result]:
        return item[0], call(item[1], over)

    found = dict(as_ready(numbered, enumerate(items), at_once=at_once))
    return [found[number] for number in range(len(items))]


def as_ready(
    call: Callable[[_Subject, threading.Event], _Result], items: Iterable[_Subject], *, at_once: int
) -> Iterator[_Result]:
    """`call` of every item, each as soon as it is there, in no order; so many `at_once`.

    Items are drawn in the caller's thread, a few ahead. The first failure is raised, and so ends it as does a caller
    that stops listening: those under way are not waited for, and told that it is over. A `call` that returns its
    failures as values goes on with the rest.
    """
    if at_once == 1:
        yield from (call(item, NEVER) for item in items)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    over = threading.Event()
    pool = ThreadPoolExecutor(at_once)
    under_way: set[Future[_Result]] = set()
    try:
        for item in items:
            under_way.add(pool.submit(call, item, over))
            if len(under_way) > at_once:
                ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ready)
        while under_way:
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ready)
    except BaseException:
        # Whoever interrupts does not wait for what is under way, a minute perhaps; nothing more is sent.
        over.set()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
