"""Talk to a child process that reads documents, texts with a grammar, or files of custom chunkers.

The protocol is JSON lines and bytes. The child's answer is not trusted: its size is limited, its
values are checked, and it is never a pickle.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from typing import Any

from ragit.records import NamedTuple
from ragit.sandbox import ChildProcess
from ragit.types import Chunk, Definition

_HEAD = 64 << 20
"""Limit in bytes of an answer's first line, which lists the chunks."""
_READY = 1 << 10
_START_S = 30.0
"""Wall seconds for a child to be ready. An idle machine needs 0.05."""
_CLOCK = 4
_CLOCK_AT_LEAST = 10.0
"""Wall seconds for each second of processor time, since other processes run, and their minimum."""
_REPEATED = 16
"""Limit of the total size of an answer's chunks, as a multiple of its text."""
_NUMBERS = 1 << 32
"""Limit of row, page and cell numbers, above those of any document."""

NOT_STARTED = "not started"
CRASHED = "crashed"
KILLED = "killed"
TOO_LONG = "too long"
WAITED = "waited"

_FROM_OUTSIDE = frozenset(
    getattr(signal, name, None) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
)
"""Signals from the kernel when memory is short, or from a user, not from a reader."""


class Time(NamedTuple):
    """The time limits for reading one file."""

    processor: float
    """Seconds of processor time; 0 for no limit."""
    clock: float
    """Seconds of wall time."""

    def within(self, most: float) -> Time:
        """Return this limit cut to `most` seconds of processor time, with the wall time in
        proportion.
        """
        if most >= self.processor:
            return self
        return Time(most, min(self.clock, max(_CLOCK * most, _CLOCK_AT_LEAST)))


class Ended(Exception):
    """The child ended, or was ended, instead of answering."""

    def __init__(self, how: str, room: bool, status: int | None) -> None:
        super().__init__(how)
        self.how = how
        """NOT_STARTED, CRASHED, KILLED, TOO_LONG (processor time) or WAITED (wall time)."""
        self.blames_file = how == CRASHED and room
        """True if the file is the likely cause: no kill, and memory was not short."""
        self.status = status

    def __str__(self) -> str:
        status = self.status
        if self.how == NOT_STARTED and status is None:
            return "it did not start in time"
        if status is None:
            return self.how
        return f"signal {-status}" if status < 0 else f"exit status {status}"


class ReaderProcess:
    """One child process, which reads one file after another for one thread at a time."""

    def __init__(
        self,
        start: str,
        *arguments: str,
        kind: tuple[int, bytes],
        environ: Mapping[str, str] | None = None,
        site: bool = True,
    ) -> None:
        """Start it. Raises OSError.

        `kind` is its memory limit, and a line sent to it before the first file.
        """
        self.parent = os.getpid()
        self.kind = kind
        self._unsent = kind[1]
        self.process = ChildProcess(start, *arguments, environ=environ, site=site)
        self.usable = True
        self.used = 0.0
        """Processor time of the last file in seconds; the limit if there was no answer."""
        self.room = False
        """True if half of its memory limit was free when it started."""
        self._ready = False

    @property
    def late(self) -> bool:
        """True if its time ran out, perhaps just after it answered."""
        return self.process.late

    def ask(
        self, head: Mapping[str, object], data: bytes, time: Time, text: bytes | None = None
    ) -> tuple[dict[str, Any], bytes, tuple[Chunk, ...]]:
        """Return the answer about one file: its first line, the text, and the chunks of that text.

        With `text`, the chunks divide this text, and the child sends none. Raises Ended after
        ending the child.
        """
        self.used = time.processor
        try:
            self._wait_until_ready()
            with self.process.within(time.clock):
                return self._answer(head, data, time, text)
        except (OSError, EOFError):
            ended = self._ended(time)
            self.end()
            raise ended from None
        except (ValueError, TypeError, KeyError, RecursionError):  # an invalid answer
            self.end()
            raise Ended(CRASHED, self.room, None) from None
        except BaseException:  # interrupted during an answer
            self.end()
            raise

    def end(self) -> None:
        """End the process and wait until it is gone."""
        self.usable = False
        self.process.end()

    def forget(self) -> None:
        """Close this process's end of the pipes."""
        self.process.forget()

    def _wait_until_ready(self) -> None:
        if self._ready:
            return
        with self.process.within(_START_S):
            self.room = json.loads(self.process.line(_READY))["room"] is True
        self._ready = True

    def _answer(
        self, head: Mapping[str, object], data: bytes, time: Time, text: bytes | None
    ) -> tuple[dict[str, Any], bytes, tuple[Chunk, ...]]:
        unsent, self._unsent = self._unsent, b""
        line = json.dumps({**head, "size": len(data), "time": time}).encode() + b"\n"
        self.process.write(unsent, line, data)
        answer = json.loads(self.process.line(_HEAD))
        if text is None:
            size = answer["size"]
            if not 0 <= size <= head["most"]:
                raise ValueError
            text = self.process.exactly(size)
        self.usable = answer["usable"] is True
        self.used = max(0.0, float(answer["used"]))
        if time.processor:
            self.used = min(self.used, time.processor)
        return answer, text, tuple(_chunks(answer["chunks"], text))

    def _ended(self, time: Time) -> Ended:
        """Return how the process ended."""
        if not self._ready:
            late = self.process.late
            return Ended(NOT_STARTED, False, None if late else self.process.status())
        status = self.process.status()
        if self.process.late:
            # If processor time is limited, the file did not use all of it.
            bounded = time.processor and hasattr(signal, "setitimer")
            return Ended(WAITED if bounded else TOO_LONG, self.room, status)
        if status is not None and status == -getattr(signal, "SIGPROF", 0):
            return Ended(TOO_LONG, self.room, status)
        killed = status is not None and status < 0 and -status in _FROM_OUTSIDE
        return Ended(KILLED if killed else CRASHED, self.room, status)


def _chunks(rows: Any, text: bytes) -> Iterator[Chunk]:
    """Yield the chunks of an answer.

    Raises ValueError or TypeError for invalid values, or if the chunks repeat too much of the text.
    """
    room = _REPEATED * len(text) + (1 << 20)
    for row in rows:
        chunk = _chunk(row, text)
        room -= chunk.end - chunk.start
        if room < 0:
            raise ValueError
        yield chunk


def _chunk(row: Any, text: bytes) -> Chunk:
    first, last, start, end, *words, numbers, definitions = row
    kind, symbol, parent, signature, doc, place = map(str, words)
    if not (1 <= first <= last and 0 <= start < end <= len(text)):
        raise ValueError
    if numbers and len(numbers) != last - first + 1:
        raise ValueError
    if not all(0 <= number < _NUMBERS for number in numbers):
        raise ValueError
    names = (kind, symbol, parent, signature, doc, place)
    defined = tuple(Definition(str(name), str(of), int(line)) for name, of, line in definitions)
    if not all(first <= each.line <= last for each in defined):
        raise ValueError
    lines = (first, last, start, end, text[start:end].decode())
    return Chunk(*lines, *names, tuple(map(int, numbers)), defined)
