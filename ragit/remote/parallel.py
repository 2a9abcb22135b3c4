"""Runs calls in parallel threads, and cancels the others when one fails or the caller stops.

A call gets an Event with its item, which is set when its result is no longer wanted, so that it
need not wait for a retry. Threads are daemons: one that waits for a server does not delay exit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

NEVER_CANCELLED = threading.Event()
"""Event of a call that is never cancelled."""


def map_parallel(
    call: Callable[[_Item, threading.Event], _Result], items: Sequence[_Item], *, at_once: int
) -> list[_Result]:
    """Return the results in the order of the items, by `map_as_completed`, or without threads for
    one.
    """
    if len(items) < 2:
        return [call(item, NEVER_CANCELLED) for item in items]

    def numbered(item: tuple[int, _Item], over: threading.Event) -> tuple[int, _Result]:
        return item[0], call(item[1], over)

    found = dict(map_as_completed(numbered, enumerate(items), at_once=at_once))
    return [found[number] for number in range(len(items))]


def map_as_completed(
    call: Callable[[_Item, threading.Event], _Result], items: Iterable[_Item], *, at_once: int
) -> Iterator[_Result]:
    """Yield the result of each call when it is ready, in no order; at most `at_once` run.

    Items are drawn in the caller's thread, one when its call can start. The first exception is
    raised here. It, and closing the generator, set the event of the running calls, which are not
    waited for. A `call` that returns its failures as values does not stop the others.
    """
    if at_once == 1:
        yield from (call(item, NEVER_CANCELLED) for item in items)
        return
    over = threading.Event()
    done: SimpleQueue[tuple[_Result | None, BaseException | None]] = SimpleQueue()

    def run(item: _Item) -> None:
        try:
            done.put((call(item, over), None))
        except BaseException as error:
            done.put((None, error))

    under_way = 0
    try:
        for item in items:
            threading.Thread(target=run, args=(item,), daemon=True).start()
            under_way += 1
            if under_way == at_once:
                yield _result(done)
                under_way -= 1
        while under_way:
            yield _result(done)
            under_way -= 1
    except BaseException:
        over.set()
        raise


def _result(done: SimpleQueue[tuple[_Result | None, BaseException | None]]) -> _Result:
    result, error = done.get()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # None only beside an error, or if the call gave it
