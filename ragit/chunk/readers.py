"""Choose the reader of a blob, and skip blobs that no reader reads.

A reader is a function from lines, row and options to pieces. A document is read elsewhere, to text
and chunks at once: documents/ tells how.
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
from ragit.chunk.patience import NONE, Patience
from ragit.chunk.pieces import Piece, chunks_of
from ragit.chunk.row import Language
from ragit.types import DEFERRED, PARSER_TOO_LONG, SPENT, SPENT_BY_LINES, TOO_DEEP, Chunking

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom

TextReader = Callable[[bytes, str, ChunkOptions, "Patience"], Chunking]
"""Chunks a text: bytes, language, options and time budget in."""

MAX_PARSE = 2_000_000
"""Bytes above which no grammar is tried: a syntax tree takes some 20 times the text, and such files
hold data."""

_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE
)
"""What Word and Excel save as a web page keeps their suffix."""

_LONG_LINE = 1000
_MINIFIED_FROM = 5000
_HUGE_LINE = 1_000_000
_BROKEN_LINE = 120
"""Bytes of a line in a bundle that its bundler broke at 200 or 500 columns."""
_SPARSE = 9
"""Percent of white space in it at most; code that a person wrote has twice as much."""
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
    """Return the chunks of a blob that a chunker of the user's own reads, or the reason why it has
    none."""
    from ragit.chunk.child import FAILED, read_custom

    require(language)
    if lfs.is_pointer(data):
        return Chunking(language, (), lfs.POINTER)
    if not data:
        return Chunking(language, (), "empty")
    found = read_custom(data, language, options, custom)
    if found.derived:
        return Chunking(language, found.chunks, found.skipped, found.text)
    # Its lines are the file's: an answer about another text would be shown with the wrong one.
    return (
        Chunking(language, found.chunks)
        if found.text == text_of(data)
        else Chunking(language, (), FAILED)
    )


def read(
    data: bytes,
    language: str,
    options: ChunkOptions,
    patience: Patience,
    *,
    parse: TextReader | None = None,
) -> Chunking:
    """Return the chunks of a blob, or the reason why it has none.

    A document is read in a child process. A text is given to `parse`, or parsed in this process.
    """
    row = require(language)
    if row.reader == "none":
        return Chunking(language, (), f"no reader for {language}")
    if lfs.is_pointer(data):
        return Chunking(language, (), lfs.POINTER)
    if row.reader == "document":
        document = _document(data, row, options, patience)
        if document is not None:
            return document
        row = require("html" if "html" in row.also.split() and _HTML.match(data) else "text")
    if parse:
        return parse(data, row.name, options, patience)
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
    chunks = chunks_of(lines, _pieces(lines, row, options, patience), options, row)
    patience.used += thread_time() - started
    return Chunking(row.name, chunks, _why_by_lines(patience))


def _why_by_lines(patience: Patience) -> str:
    """Return why a grammar did not cut a text, or part of it; empty if it did."""
    if patience.too_deep:
        return TOO_DEEP
    if not patience.over:
        return ""
    return SPENT_BY_LINES if patience.kind == NONE else PARSER_TOO_LONG


def _document(
    data: bytes, row: Language, options: ChunkOptions, patience: Patience
) -> Chunking | None:
    """Return the text and chunks of a document, or why it has none; None if it is no document but
    plain text."""
    from ragit.chunk.documents import READERS, sniff

    is_text = READERS[row.name].is_text
    if not data:
        return Chunking(row.name, (), "empty")
    if not options.documents.enabled:
        return None if is_text else Chunking(row.name, (), "documents.enabled is false")
    if not is_text and not sniff.container(data):
        return None  # a note called .doc, a page of an error saved as .pdf
    if patience.kind == NONE:
        return Chunking(row.name, (), SPENT)
    from ragit.chunk.child import read_document

    found = read_document(data, row.name, options.documents, patience)
    if patience.over and patience.brief:
        return Chunking(row.name, (), found.skipped)
    if is_text and found.skipped and found.skipped not in DEFERRED:
        return None  # no table or notebook that can be read is still a text
    return Chunking(found.language, found.chunks, found.skipped, found.text)


def _pieces(lines: Lines, row: Language, options: ChunkOptions, patience: Patience) -> list[Piece]:
    if row.grammar and len(lines.text) <= MAX_PARSE:
        patience.too_deep = nesting.too_deep(row.grammar, lines.text)
        pieces = None
        if not patience.too_deep:
            from ragit.chunk import code

            pieces = code.pieces_of(lines, row, options, patience)
        if pieces is not None:
            return pieces
    pieces = _RULES["lines" if row.grammar else row.reader](lines, options)
    return razor.with_members(lines, pieces, options, patience) if row.name == "razor" else pieces


def _minified(lines: Lines, row: Language) -> bool:
    """Return True if nearly all bytes are in lines that no person wrote."""
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
    """Return True for a minified script or style whose lines were broken at some width."""
    broken = sum(length for length in lengths if length > _BROKEN_LINE)
    white = sum(map(text.count, (b" ", b"\t", b"\n")))
    return broken * 10 > len(text) * 8 and white * 100 < len(text) * _SPARSE
