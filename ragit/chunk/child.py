"""Asks the process in which documents are read (serve.py), and chunkers of the user's own run, one process each.

A document is somebody's bytes, and its format a program of thousands of rules, in libraries that were written for
documents of good will. So no reader runs where the index is made. The process is started when the first document
comes, asked for one after another, ended by its parent, and ends itself with it. What it answers is not trusted
either: JSON and text, bounded and checked, never a pickle.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragit.chunk.documents.frame import REASON, TOO_MUCH_MEMORY, Read
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.chunk.patience import Patience
from ragit.errors import WorkerDied
from ragit.sandbox.child_process import Confined
from ragit.types import BUSY, Chunk

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom

TOO_LONG = "took too long"
FAILED = "its reader failed"

_START = "from ragit.chunk.serve import serve; serve()"
_HEAD = 64 << 20
"""Bytes of the list of chunks in an answer; more is no answer."""
_REPEATED = 16
"""How often the chunks of an answer may hold its whole text together."""

_NUMBERS = 1 << 32
"""No document has as many rows, pages or cells."""

_SMALL = 1 / 12
"""Share of the configured time that the smallest document may take."""
_LARGE = 6_000_000
"""Bytes that add all of the configured time to it. With 120 seconds that makes ten, and twenty for each million bytes;
the hardest documents at hand, test data of libraries, take less than one, and three for each million."""
_BRIEF = 1 / 240
_BRIEF_LARGE = 2 * _LARGE
"""The same for a try that is soon given up: half a second, and ten for each million bytes. One of a hundred of the
documents at hand takes more than 0.3 seconds, and none more than half of what this allows."""
_WAITED = 4
"""How much longer than a document's processor time is waited for it: beside others at work, it gets only a part."""
_WAITED_AT_LEAST = 30.0 if hasattr(signal, "setitimer") else 0.0
"""Seconds on the clock: a machine that is busy may take as long to start a process. Where nothing else bounds a
document, the clock is its only bound."""


class Time(NamedTuple):
    """What reading one file may take."""

    processor: float
    """Seconds of processor time, which do not depend on what else the machine does; 0 for any."""
    clock: float
    """Seconds on the clock."""


def time_for(size: int, options: DocumentOptions, *, brief: bool = False) -> Time:
    """The time of a document by its bytes: a small one has no claim to what a large one may need."""
    smallest, large, least = (_BRIEF, _BRIEF_LARGE, 0.5) if brief else (_SMALL, _LARGE, 1.0)
    share = options.max_seconds * min(1.0, smallest + size / large)
    processor = min(options.max_seconds, max(share, least))
    return Time(processor, max(processor * _WAITED, _WAITED_AT_LEAST))


class _Child:
    """One process, seen from its parent. `setup` is the line that tells it its chunker; empty for documents."""

    def __init__(self, limit: int, setup: bytes) -> None:
        self.limit = limit
        self.setup = setup
        self._unsaid = setup
        self.parent = os.getpid()
        arguments = (str(limit), *(["custom"] if setup else []))
        self.confined = Confined(_START, *arguments, environ=_plain(os.environ) if setup else None)
        self.usable = True
        self.used = 0.0
        """Seconds of processor time that the last answer took, as it says itself; all there were, if it gave none."""

    def ask(self, data: bytes, language: str, options: DocumentOptions, time: Time) -> Read:
        """The answer about one document; the process is dead afterwards if it gave none."""
        self.used = time.processor
        try:
            with self.confined.within(time.clock):
                return self._answer(data, language, options, time)
        except (OSError, EOFError):  # it has ended
            why = self._how(time)
            self.end()
            return Read(language, why)
        except (ValueError, TypeError, KeyError, RecursionError):  # it says what no reader says
            self.end()
            return Read(language, FAILED)
        except BaseException:  # interrupted in the middle of an answer, which nobody will read
            self.end()
            raise

    def _answer(self, data: bytes, language: str, options: DocumentOptions, time: Time) -> Read:
        head = {"language": language, "size": len(data), "options": options, "time": time}
        unsaid, self._unsaid = self._unsaid, b""
        self.confined.write(unsaid, json.dumps(head).encode() + b"\n", data)
        answer = json.loads(self.confined.line(_HEAD))
        size = answer["size"]
        if not 0 <= size <= 4 * max(options.max_text, len(data)) + (1 << 20):
            raise ValueError
        text = self.confined.exactly(size)
        self.usable = answer["usable"] is True
        self.used = min(self.used, max(0.0, float(answer["used"])))
        chunks = tuple(_chunks(answer["chunks"], text))
        return Read(
            str(answer["language"]), str(answer["skipped"]), text, chunks, answer["derived"] is True
        )

    def _how(self, time: Time) -> str:
        """Why the process ended by itself: the kernel kills what takes the machine's last memory."""
        status = self.confined.status()
        if self.confined.late:  # where processor time is bounded, it did not get what it is allowed
            return BUSY if time.processor and hasattr(signal, "setitimer") else TOO_LONG
        if status is not None and status == -getattr(signal, "SIGPROF", 0):
            return TOO_LONG
        return TOO_MUCH_MEMORY if status == -9 else FAILED

    def end(self) -> None:
        self.usable = False
        self.confined.end()


def _chunks(rows: Any, text: bytes) -> Iterator[Chunk]:
    """The chunks of an answer. ValueError or TypeError for what is none, or if they hold the text too often."""
    room = _REPEATED * len(text) + (1 << 20)
    for row in rows:
        chunk = _chunk(row, text)
        room -= chunk.end - chunk.start
        if room < 0:
            raise ValueError
        yield chunk


def _chunk(row: Any, text: bytes) -> Chunk:
    """One chunk of an answer. ValueError or TypeError if it is none."""
    first, last, start, end, *words, numbers = row
    kind, symbol, parent, signature, doc, place = map(str, words)
    if not (1 <= first <= last and 0 <= start < end <= len(text)):
        raise ValueError
    if numbers and (
        len(numbers) != last - first + 1 or not all(0 <= number < _NUMBERS for number in numbers)
    ):
        raise ValueError
    names = (kind, symbol, parent, signature, doc, place)
    return Chunk(
        first, last, start, end, text[start:end].decode(), *names, tuple(map(int, numbers))
    )


_idle: list[_Child] = []
_lock = threading.Lock()


def read_document(
    data: bytes, language: str, options: DocumentOptions, patience: Patience | None = None
) -> Read:
    """A document's text and chunks, or the reason why there are none, read in a process of its own. Thread-safe."""
    patience = patience or Patience()
    answer, used = _asked(
        data, language, options, time_for(len(data), options, brief=patience.brief), b""
    )
    patience.used += used
    patience.over = answer.skipped in (TOO_LONG, BUSY)
    return answer


def read_custom(data: bytes, language: str, options: ChunkOptions, custom: Custom) -> Read:
    """The same for a file that a chunker of the user's own reads, with the text that its chunks are lines of."""
    bounds = options.documents
    told = {**custom._asdict(), "source": custom.source.decode("latin-1")}
    sizes = {"max_lines": options.max_lines, "max_bytes": options.max_bytes, "documents": bounds}
    setup = json.dumps({"custom": told, "sizes": sizes}).encode() + b"\n"
    answer, _ = _asked(data, language, bounds, Time(0, options.chunker_seconds), setup)
    said = _OF_A_CHUNKER.get(answer.skipped)
    return answer._replace(skipped=f"{custom.name} {said}"[-REASON:]) if said else answer


_OF_A_CHUNKER = {TOO_LONG: TOO_LONG, TOO_MUCH_MEMORY: TOO_MUCH_MEMORY, FAILED: "ended its process"}


def _asked(
    data: bytes, language: str, options: DocumentOptions, time: Time, setup: bytes
) -> tuple[Read, float]:
    """The answer, and the seconds of processor time that it took."""
    child = _borrow(options.max_memory, setup)
    answer = child.ask(data, language, options, time)
    if child.usable and not child.confined.late:
        with _lock:
            _idle.append(child)
    else:
        child.end()
    return answer, child.used


def _borrow(limit: int, setup: bytes) -> _Child:
    here = os.getpid()
    with _lock:
        for child in [child for child in _idle if child.parent != here]:
            _idle.remove(child)  # this process is a fork of the one that has it
            child.confined.forget()
        found = next(
            (child for child in _idle if (child.limit, child.setup) == (limit, setup)), None
        )
        if found:
            _idle.remove(found)
            return found
    try:
        return _Child(limit, setup)
    except OSError as error:
        raise WorkerDied(
            f"cannot start the process that reads documents: {error.strerror}", "Try again"
        ) from error


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which Python takes nothing from variables, and sets have the same order in every process."""
    kept = {
        name: value
        for name, value in environ.items()
        if name == "PYTHONHOME" or not name.startswith("PYTHON")
    }
    return {**kept, "PYTHONHASHSEED": "0"}


def end_children() -> None:
    """End the processes that wait for another document."""
    with _lock:
        waiting, _idle[:] = _idle[:], []
    for child in waiting:
        if child.parent == os.getpid():
            child.end()


atexit.register(end_children)
