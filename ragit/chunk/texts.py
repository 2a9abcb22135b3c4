"""Chunk texts in a child process (serve_texts.py).

A grammar is native code that reads untrusted bytes, so it may crash. A text that crashes two
children is cut by lines for good. A text whose child was killed or short of memory is cut by lines
until a later run.
"""

from __future__ import annotations

from base64 import b64decode

from ragit import references
from ragit.chunk.encoding import text_of
from ragit.chunk.options import ChunkOptions
from ragit.chunk.reader_process import CRASHED, TOO_LONG, WAITED, Ended, ReaderProcess, Time
from ragit.chunk.time_budget import BRIEF, NONE, TimeBudget
from ragit.errors import WorkerDied
from ragit.sandbox import Spares
from ragit.types import (
    BUSY,
    BUSY_BY_LINES,
    PARSER_FAILED,
    PARSER_TOO_LONG,
    SHORT_BY_LINES,
    SPENT,
    SPENT_BY_LINES,
    Chunking,
)

_START = "from ragit.chunk.serve_texts import serve; serve()"

MEMORY = 2 << 30
"""Limit of memory in bytes for chunking one text.

Some parsers want more for a few kilobytes of unclosed comments.
"""

_TRIES = 3
"""Limit of processes for one text. After two crashes the text is to blame."""

_SIZES = ("max_lines", "max_bytes", "min_bytes", "item_bytes")
_HINT = "What was done is kept. If memory is short, free some and type: ragit index"

_spares: Spares[ReaderProcess] = Spares()
_answered = False
"""True once any child has answered in this process."""


def time_for(size: int, kind: str) -> Time:
    """Return the time after which the child is ended, for a text of `size` bytes.

    It is several times the limit of `grammars.parse`, for grammars that do not check the time, and
    pages with many scripts.
    """
    processor = 1.0 + size / 200_000 if kind == BRIEF else 6.0 + size / 33_000
    return Time(processor, max(4 * processor, 30.0))


def start() -> None:
    """Start a child ahead of the first text, unless one is idle."""
    if not len(_spares):
        _spares.add(_started())


def end_children() -> None:
    """End the idle child processes."""
    _spares.end_all()


def read(data: bytes, language: str, options: ChunkOptions, budget: TimeBudget) -> Chunking:
    """Return the chunks of a text, or why it has none. Thread-safe.

    Raises WorkerDied if no child process could be started or kept alive so far.
    """
    crashes = 0
    for _ in range(_TRIES):
        child = _spares.take() or _started()
        try:
            return _ask(child, data, language, options, budget)
        except Ended as ended:
            budget.used += child.used
            if ended.how in (TOO_LONG, WAITED):
                budget.over = True
                if budget.brief:
                    return Chunking(language, ())
                if budget.kind == NONE:
                    return Chunking(language, (), SPENT)
                reason = PARSER_TOO_LONG if ended.how == TOO_LONG else BUSY_BY_LINES
                return _by_lines(data, language, options, reason)
            crashes += ended.blames_file
            if crashes == 2:
                return _by_lines(data, language, options, PARSER_FAILED)
            last = ended
    if not _answered:
        raise WorkerDied(f"the processes that read files end without an answer ({last})", _HINT)
    return _by_lines(data, language, options, SHORT_BY_LINES)


def _ask(
    child: ReaderProcess, data: bytes, language: str, options: ChunkOptions, budget: TimeBudget
) -> Chunking:
    """Return one child's answer about one text. Raises Ended."""
    global _answered
    text = text_of(data) or b""
    sizes = {name: getattr(options, name) for name in _SIZES}
    given = {**sizes, "node_types": dict(options.node_types)}
    head = {"language": language, "kind": budget.kind, "options": given}
    time = time_for(len(data), budget.kind).within(budget.most)
    answer, _, chunks = child.ask(head, data, time, text)
    _answered = True
    if child.usable and not child.late:
        _spares.add(child)
    else:
        child.end()
    budget.used += child.used
    budget.over = answer["over"] is True
    return Chunking(
        str(answer["language"]),
        chunks,
        str(answer["skipped"]),
        references=_references(child, str(answer["references"])),
    )


def _references(child: ReaderProcess, given: str) -> bytes:
    """Return a child's references of a text. Raises Ended if they are invalid."""
    packed = b64decode(given)
    try:
        return references.checked(packed) if packed else b""
    except ValueError:
        child.end()
        raise Ended(CRASHED, child.room, None) from None


def _by_lines(data: bytes, language: str, options: ChunkOptions, reason: str) -> Chunking:
    """Return the chunks of a text cut by lines, with the reason.

    A child that does this shows that children can run. If it ends too, the text is cut in this
    process, still without a grammar.
    """
    try:
        found = _ask(_spares.take() or _started(), data, language, options, TimeBudget(NONE))
    except Ended as ended:
        if ended.how in (TOO_LONG, WAITED):
            return Chunking(language, (), BUSY)
        from ragit.chunk import readers

        found = readers.read(data, language, options, TimeBudget(NONE))
        reason = SHORT_BY_LINES
    if found.skipped == SPENT_BY_LINES:
        return Chunking(found.language, found.chunks, reason)
    return found  # no grammar reads this language


def _started() -> ReaderProcess:
    try:
        return ReaderProcess(_START, str(MEMORY), kind=(MEMORY, b""), site=False)
    except OSError as error:
        raise WorkerDied(
            f"cannot start the process that reads files: {error.strerror}", _HINT
        ) from error
