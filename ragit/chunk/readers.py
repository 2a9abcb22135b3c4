"""Choose the reader of a blob, and skip blobs without one.

A reader of text is a function from lines and options to pieces. The readers of documents, which
return a text and its chunks, are in documents/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from time import thread_time
from typing import TYPE_CHECKING

from ragit import lfs
from ragit.chunk import delimited, nesting, razor, rules, titles
from ragit.chunk.content import resolve
from ragit.chunk.encoding import text_of
from ragit.chunk.lines import Lines
from ragit.chunk.names import require
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import Piece, chunks_of
from ragit.chunk.row import Language
from ragit.chunk.time_budget import NONE, TimeBudget
from ragit.types import DEFERRED, PARSER_TOO_LONG, SPENT, SPENT_BY_LINES, TOO_DEEP, Chunking

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom

TextReader = Callable[[bytes, str, ChunkOptions, "TimeBudget"], Chunking]
"""A function that chunks a text."""

MAX_PARSE = 2_000_000
"""Size in bytes above which no grammar is used.

A syntax tree takes about 20 times the memory of its text, and such large files are data.
"""

_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE
)
"""Start of a web page: one saved by Word or Excel keeps the suffix of a document."""

_LONG_LINE = 1000
_MINIFIED_FROM = 5000
_HUGE_LINE = 1_000_000
_BROKEN_LINE = 120
"""Bytes of a long line. Some bundlers break lines at 200 or 500 columns."""
_SPARSE = 9
"""Largest percentage of white space in a bundle; code written by people has twice as much."""
_BUNDLED = frozenset(("javascript", "typescript", "tsx", "css"))

_RULES: Mapping[str, Callable[[Lines, ChunkOptions], list[Piece]]] = {
    "lines": rules.by_lines,
    "latex": rules.latex,
    "razor": razor.razor,
    "sln": rules.sln,
    "rst": titles.rst,
    "asciidoc": titles.asciidoc,
    "delimited": delimited.delimited,
}


def by_custom(data: bytes, language: str, options: ChunkOptions, custom: Custom) -> Chunking:
    """Return a custom chunker's chunks of a blob, or why there are none."""
    from ragit.chunk.child import FAILED, read_custom

    require(language)
    if lfs.is_pointer(data):
        return Chunking(language, (), lfs.POINTER)
    if not data:
        return Chunking(language, (), "empty")
    found = read_custom(data, language, options, custom)
    if found.derived:
        return Chunking(language, found.chunks, found.skipped, found.text)
    # Lines refer to the file, so chunks of another text would have wrong lines.
    return (
        Chunking(language, found.chunks)
        if found.text == text_of(data)
        else Chunking(language, (), FAILED)
    )


def read(
    data: bytes,
    language: str,
    options: ChunkOptions,
    budget: TimeBudget,
    *,
    parse: TextReader | None = None,
) -> Chunking:
    """Return the chunks of a blob, or why it has none.

    A document is read in a child process. A text is passed to `parse`, or parsed in this process.
    """
    row = require(language)
    if row.reader == "none":
        return Chunking(language, (), f"no reader for {language}")
    if lfs.is_pointer(data):
        return Chunking(language, (), lfs.POINTER)
    if row.reader == "document":
        document = _document(data, row, options, budget)
        if document is not None:
            return document
        row = require("html" if "html" in row.also.split() and _HTML.match(data) else "text")
    if parse:
        return parse(data, row.name, options, budget)
    text = text_of(data)
    if text is None:
        return Chunking(language, (), "binary")
    if not text or text.isspace():
        return Chunking(language, (), "empty")
    row = resolve(row, text)
    lines = Lines(text)
    if _minified(lines, row):
        return Chunking(row.name, (), "minified")
    started = thread_time()
    pieces, references = _parsed(lines, row, options, budget)
    chunks = chunks_of(lines, pieces, options, row)
    budget.used += thread_time() - started
    return Chunking(row.name, chunks, _why_by_lines(budget), references=references)


def _why_by_lines(budget: TimeBudget) -> str:
    """Return why a text, or part of it, was cut without its grammar; empty if it was not."""
    if budget.too_deep:
        return TOO_DEEP
    if not budget.over:
        return ""
    return SPENT_BY_LINES if budget.kind == NONE else PARSER_TOO_LONG


def _document(
    data: bytes, row: Language, options: ChunkOptions, budget: TimeBudget
) -> Chunking | None:
    """Return the text and chunks of a document, or why it has none; None if it is plain text."""
    from ragit.chunk.documents import READERS, sniff

    is_text = READERS[row.name].is_text
    if not data:
        return Chunking(row.name, (), "empty")
    if not options.documents.enabled:
        return None if is_text else Chunking(row.name, (), "documents.enabled is false")
    if not is_text and not sniff.container(data):
        return None  # such as a note called .doc, or an error page saved as .pdf
    if budget.kind == NONE:
        return Chunking(row.name, (), SPENT)
    from ragit.chunk.child import read_document

    found = read_document(data, row.name, options.documents, budget)
    if budget.over and budget.brief:
        return Chunking(row.name, (), found.skipped)
    if is_text and found.skipped and found.skipped not in DEFERRED:
        return None  # an invalid table or notebook is still text
    return Chunking(found.language, found.chunks, found.skipped, found.text)


def _parsed(
    lines: Lines, row: Language, options: ChunkOptions, budget: TimeBudget
) -> tuple[list[Piece], bytes]:
    """Return the pieces of a text, and its references, packed; empty without rules for them."""
    if row.grammar and len(lines.text) <= MAX_PARSE:
        budget.too_deep = nesting.too_deep(row.grammar, lines.text)
        found = None
        if not budget.too_deep:
            from ragit.chunk import code

            found = code.parsed(lines, row, options, budget)
        if found is not None:
            return found
    pieces = _RULES["lines" if row.grammar else row.reader](lines, options)
    if row.name == "razor":
        pieces = razor.with_members(lines, pieces, options, budget)
    return pieces, b""


def _minified(lines: Lines, row: Language) -> bool:
    """Return whether nearly all bytes are in lines too long to be written by hand."""
    size = len(lines.text)
    if size < _MINIFIED_FROM or not (row.minifies or size > _HUGE_LINE):
        return False
    limit = _LONG_LINE if row.minifies else _HUGE_LINE
    if size / lines.count < limit / 100:
        return False
    starts = lines.starts
    lengths = [starts[i + 1] - starts[i] for i in range(lines.count)]
    if sum(length for length in lengths if length > limit) * 10 > size * 8:
        return True
    return row.name in _BUNDLED and _is_bundle(lines.text, lengths)


def _is_bundle(text: bytes, lengths: list[int]) -> bool:
    """Return whether a script or style is minified, with lines broken at a fixed width."""
    broken = sum(length for length in lengths if length > _BROKEN_LINE)
    white = sum(map(text.count, (b" ", b"\t", b"\n")))
    return broken * 10 > len(text) * 8 and white * 100 < len(text) * _SPARSE
