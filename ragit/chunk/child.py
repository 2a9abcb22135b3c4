"""Read documents, and files of custom chunkers, in child processes (serve.py).

Document readers are large programs, not written for hostile input, so none runs in the indexing
process.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragit.chunk.documents.frame import REASON, TOO_MUCH_MEMORY, Read
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.chunk.reader_process import TOO_LONG as TIME_OVER
from ragit.chunk.reader_process import WAITED, Ended, ReaderProcess, Time
from ragit.chunk.time_budget import TimeBudget
from ragit.errors import WorkerDied
from ragit.sandbox import Spares
from ragit.types import BUSY, SHORT_OF_MEMORY

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom

TOO_LONG = "took too long"
FAILED = "its reader failed"

_START = "from ragit.chunk.serve import serve; serve()"
_TRIES = 3
"""Limit of processes for one file. After two crashes the file is to blame."""

_SMALL = 1 / 12
"""Share of the configured time for the smallest document."""
_LARGE = 6_000_000
"""Bytes of a document that add all of the configured time to that share.

With 120 seconds that is 10 seconds, and 20 for each million bytes. The slowest documents measured,
test data of libraries, take less than 1 second, and 3 for each million bytes.
"""
_BRIEF = 1 / 240
_BRIEF_LARGE = 2 * _LARGE
"""The same for a brief try: 0.5 seconds, and 10 for each million bytes.

One in a hundred of the measured documents takes more than 0.3 seconds, and none more than half of
this time.
"""
_WAITED = 4
"""Wall time as a multiple of the processor time, because other processes run too."""
_WAITED_AT_LEAST = 30.0 if hasattr(signal, "setitimer") else 0.0
"""Least wall time: a busy machine may take as long to start a process.

If processor time cannot be limited, this is the only limit.
"""


def time_for(size: int, options: DocumentOptions, *, brief: bool = False) -> Time:
    """Return the time limit of a document of `size` bytes."""
    smallest, large, least = (_BRIEF, _BRIEF_LARGE, 0.5) if brief else (_SMALL, _LARGE, 1.0)
    share = options.max_seconds * min(1.0, smallest + size / large)
    processor = min(options.max_seconds, max(share, least))
    return Time(processor, max(processor * _WAITED, _WAITED_AT_LEAST))


_spares: Spares[ReaderProcess] = Spares()


def read_document(
    data: bytes, language: str, options: DocumentOptions, budget: TimeBudget | None = None
) -> Read:
    """Return a document's text and chunks, or why there are none. Thread-safe. Raises
    WorkerDied.
    """
    budget = budget or TimeBudget()
    time = time_for(len(data), options, brief=budget.brief).within(budget.most)
    answer, used = _ask_until_answered(data, language, options, time, b"")
    budget.used += used
    budget.over = answer.skipped in (TOO_LONG, BUSY)
    return answer


def read_custom(data: bytes, language: str, options: ChunkOptions, custom: Custom) -> Read:
    """Return a custom chunker's chunks of a file, and the text that they divide."""
    bounds = options.documents
    about = {**custom._asdict(), "source": custom.source.decode("latin-1")}
    sizes = {"max_lines": options.max_lines, "max_bytes": options.max_bytes, "documents": bounds}
    setup = json.dumps({"custom": about, "sizes": sizes}).encode() + b"\n"
    answer, _ = _ask_until_answered(data, language, bounds, Time(0, options.chunker_seconds), setup)
    reason = _OF_A_CHUNKER.get(answer.skipped)
    return answer._replace(skipped=f"{custom.name} {reason}"[-REASON:]) if reason else answer


_OF_A_CHUNKER = {TOO_LONG: TOO_LONG, TOO_MUCH_MEMORY: TOO_MUCH_MEMORY, FAILED: "ended its process"}


def end_children() -> None:
    """End the idle reader processes."""
    _spares.end_all()


def _ask_until_answered(
    data: bytes, language: str, options: DocumentOptions, time: Time, setup: bytes
) -> tuple[Read, float]:
    """Return the answer, and the seconds of processor time of all tries."""
    used = 0.0
    crashes = 0
    for _ in range(_TRIES):
        child = _borrow(options.max_memory, setup)
        try:
            return _read(child, data, language, options, time), used + child.used
        except Ended as ended:
            used += child.used
            if ended.how == TIME_OVER:
                return Read(language, TOO_LONG), used
            if ended.how == WAITED:
                return Read(language, BUSY), used
            crashes += ended.blames_file
            if crashes == 2:
                # pdfium aborts when an allocation fails
                aborted = ended.status == -getattr(signal, "SIGABRT", 0)
                return Read(language, TOO_MUCH_MEMORY if aborted else FAILED), used
    return Read(language, SHORT_OF_MEMORY), used


def _read(
    child: ReaderProcess, data: bytes, language: str, options: DocumentOptions, time: Time
) -> Read:
    """Return one child's answer about one file. Raises Ended."""
    most = 4 * max(options.max_text, len(data)) + (1 << 20)
    head = {"language": language, "options": options, "most": most}
    answer, text, chunks = child.ask(head, data, time)
    read = Read(
        str(answer["language"]), str(answer["skipped"]), text, chunks, answer["derived"] is True
    )
    if child.usable and not child.late:
        _spares.add(child)
    else:
        child.end()
    if read.skipped == TOO_MUCH_MEMORY and not child.room:
        return read._replace(skipped=SHORT_OF_MEMORY)
    return read


def _borrow(limit: int, setup: bytes) -> ReaderProcess:
    """Return an idle child of this kind, or start one. Raises WorkerDied."""
    kind = (limit, setup)
    spare = _spares.take(lambda child: child.kind == kind)
    if spare:
        return spare
    arguments = (str(limit), *(["custom"] if setup else []))
    try:
        return ReaderProcess(
            _START, *arguments, kind=kind, environ=_plain(os.environ) if setup else None
        )
    except OSError as error:
        raise WorkerDied(
            f"cannot start the process that reads documents: {error.strerror}", "Try again"
        ) from error


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without Python's variables, and with a fixed hash seed."""
    kept = {
        name: value
        for name, value in environ.items()
        if name == "PYTHONHOME" or not name.startswith("PYTHON")
    }
    return {**kept, "PYTHONHASHSEED": "0"}
