"""Chunks texts in a child process (serve_texts.py): a grammar is native code that reads untrusted
bytes.

A text over which the child crashes twice, while it chunks others, is cut by lines for good. One
whose child was killed or short of memory is cut by lines for now.
"""

from __future__ import annotations

from ragit.chunk.encoding import text_of
from ragit.chunk.options import ChunkOptions
from ragit.chunk.patience import BRIEF, NONE, Patience
from ragit.chunk.reader_process import TOO_LONG, WAITED, Ended, ReaderProcess, Time
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
"""Bytes that chunking one text may take. A few kilobytes of unclosed comments make some parsers
want more than that.
"""

_TRIES = 3
"""Processes that are tried for one text. Two that crash over it make it the text's fault."""

_SIZES = ("node_types", "max_lines", "max_bytes", "min_bytes", "item_bytes")
_HINT = "What was done is kept. If memory is short, free some and type: ragit index"

_spares: Spares[ReaderProcess] = Spares()
_answered = False
"""True once any child has answered in this process."""


def time_for(size: int, kind: str) -> Time:
    """Return the time after which the child is ended, some times what `grammars.parse` allows a
    text of this size.

    It is needed where a grammar does not look at the time, and where a page holds many scripts.
    """
    processor = 1.0 + size / 200_000 if kind == BRIEF else 6.0 + size / 33_000
    return Time(processor, max(4 * processor, 30.0))


def start() -> None:
    """Start a child ahead of the first text, unless one waits already."""
    if not len(_spares):
        _spares.add(_started())


def end_children() -> None:
    """End the processes that wait for another text."""
    _spares.end_all()


def read(data: bytes, language: str, options: ChunkOptions, patience: Patience) -> Chunking:
    """Return the chunks of a text, or the reason why it has none. Thread-safe.

    Raises WorkerDied if no child process could be started or kept alive so far.
    """
    crashes = 0
    for _ in range(_TRIES):
        child = _spares.take() or _started()
        try:
            return _asked(child, data, language, options, patience)
        except Ended as ended:
            patience.used += child.used
            if ended.how in (TOO_LONG, WAITED):
                patience.over = True
                if patience.brief:
                    return Chunking(language, ())
                if patience.kind == NONE:
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


def _asked(
    child: ReaderProcess, data: bytes, language: str, options: ChunkOptions, patience: Patience
) -> Chunking:
    """Return the answer of one child about one text. Raises Ended."""
    global _answered
    text = text_of(data) or b""
    sizes = {name: getattr(options, name) for name in _SIZES}
    head = {"language": language, "kind": patience.kind, "options": sizes}
    time = time_for(len(data), patience.kind).within(patience.most)
    answer, _, chunks = child.ask(head, data, time, text)
    _answered = True
    if child.usable and not child.late:
        _spares.add(child)
    else:
        child.end()
    patience.used += child.used
    patience.over = answer["over"] is True
    return Chunking(str(answer["language"]), chunks, str(answer["skipped"]))


def _by_lines(data: bytes, language: str, options: ChunkOptions, reason: str) -> Chunking:
    """Return the chunks of a text without its grammar, for a reason.

    That a child can do it proves that children live. Without a child it is done here, where no
    grammar runs either.
    """
    try:
        found = _asked(_spares.take() or _started(), data, language, options, Patience(NONE))
    except Ended as ended:
        if ended.how in (TOO_LONG, WAITED):
            return Chunking(language, (), BUSY)
        from ragit.chunk import readers

        found = readers.read(data, language, options, Patience(NONE))
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
