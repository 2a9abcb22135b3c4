"""Load a custom chunker, run it and check its results, inside the child process.

A faulty chunker costs only its file: an exception becomes the reason why the file has no chunks.
Every result is checked: ranges must lie inside the file, names are put on one line, long chunks are
cut as in any other file, and missing lines become separate chunks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
from types import CodeType, ModuleType
from typing import Any

from ragit.chunk.custom.chunker import Custom, Span
from ragit.chunk.documents.block import Block, Place, Unreadable
from ragit.chunk.documents.frame import NO_TEXT, REASON, TOO_MUCH_MEMORY, Read, bounded
from ragit.chunk.documents.group import compose, line_of
from ragit.chunk.encoding import text_of
from ragit.chunk.lines import Lines
from ragit.chunk.names import require
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.chunk.pieces import MAX_DOC, MAX_PARENT, MAX_SIGNATURE, MAX_SYMBOL, Piece, exact
from ragit.types import Chunking

_MOST = 1 << 16
"""Limit on the spans of one file."""
_MOST_BLOCKS = 1 << 20
_REPEATED = 8
"""Limit on the total size of overlapping spans, as a multiple of the text."""
_MODULE = "ragit_custom_chunker"
_METHOD = "chunk"
_SPAN = (int, int, str, str, str, str, str)


class Wrong(ValueError):
    """An invalid result of a chunker. The message continues the words "it gave".

    `short` is the counted reason, without the detail.
    """

    def __init__(self, short: str, detail: str = "") -> None:
        super().__init__(f"{short}{detail}")
        self.short = short


class NoChunker(TypeError):
    """A configured object that is not a chunker."""


class Runner:
    """Runs one chunker in a process of its own."""

    def __init__(self, custom: Custom, options: ChunkOptions) -> None:
        self._custom = custom
        self._options = options
        self._code: CodeType | None = None
        # Import hooks and the working directory must not decide where modules come from.
        sys.path[:] = custom.path
        sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]

    def read(self, data: bytes, language: str, options: DocumentOptions) -> Read:
        """Return the chunks of a file, or the reason why there are none; never raise."""
        try:
            items = items_of(self._chunking(), data)
        except NoChunker:
            return Read(language, self._reason(f"{self._custom.name} is no chunker"))
        except Unreadable as why:
            return Read(language, line_of(str(why), REASON) or "unreadable")
        except MemoryError:
            return Read(language, TOO_MUCH_MEMORY)
        except Wrong as why:
            return Read(language, self._reason(f"{self._custom.name} gave {why.short}"))
        except BaseException as error:  # SystemExit, too
            return Read(language, self._reason(self._raised(error)))
        try:
            return read_of(items, data, language, self._options)
        except Wrong as why:
            return Read(language, self._reason(f"{self._custom.name} gave {why.short}"))

    @staticmethod
    def _reason(text: str) -> str:
        """Return a reason on one line; of a long one the end, which is most specific."""
        return line_of(text, 4 * REASON)[-REASON:]

    def _chunking(self) -> Callable[[bytes], Iterable[object]]:
        custom = self._custom
        found: object = self._fresh(custom) if custom.source else import_module(custom.module)
        for name in custom.attribute.split("."):
            found = getattr(found, name, None)
        # Most installed functions do not expect untrusted bytes, and some would run them.
        if custom.declared or getattr(found, _METHOD, None) or name == _METHOD:
            return chunking_of(found)
        raise NoChunker

    def _fresh(self, custom: Custom) -> ModuleType:
        """Return a new module for each file, so that no state of one file reaches the next."""
        if self._code is None:
            self._code = compile(custom.source, custom.name, "exec", dont_inherit=True)
        module = sys.modules[_MODULE] = ModuleType(_MODULE)
        module.__file__ = custom.name
        exec(self._code, module.__dict__)
        return module

    def _raised(self, error: BaseException) -> str:
        lines = [error.lineno or 1] if isinstance(error, SyntaxError) else []
        trace = error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == self._custom.name:
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        where = f"{self._custom.name}:{lines[-1]}" if lines else self._custom.name
        return f"{where} raised {type(error).__name__}"


def preview(chunker: object, data: bytes, options: ChunkOptions) -> Chunking:
    """Implement `custom.preview`."""
    found = read_of(items_of(chunking_of(chunker), data), data, "text", options)
    return Chunking("text", found.chunks, found.skipped, found.text if found.derived else b"")


def chunking_of(found: object) -> Callable[[bytes], Iterable[object]]:
    """Return a chunker's function: itself or its method `chunk`; a class is called first.

    Raises NoChunker.
    """
    if isinstance(found, type):
        found = found()
    chunk: Any = getattr(found, _METHOD, found)
    if not callable(chunk):
        raise NoChunker(f"{type(found).__name__} is no function and has no method `{_METHOD}`")
    return chunk  # type: ignore[no-any-return]


def items_of(chunk: Callable[[bytes], Iterable[object]], data: bytes) -> list[Span] | list[Block]:
    """Return a chunker's spans or blocks of a file. Raises Wrong for other values."""
    spans: list[Span] = []
    blocks: list[Block] = []
    given = chunk(data)
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
        raise Wrong(f"{type(given).__name__} in place of chunks")
    for item in given:
        fields: tuple[Any, ...] = item if isinstance(item, tuple) else (item,)
        if fields and isinstance(fields[0], str):
            blocks.append(_block(fields))
        else:
            spans.append(_span(fields))
        if spans and blocks:
            raise Wrong("both lines and blocks of text")
        if len(spans) > _MOST or len(blocks) > _MOST_BLOCKS:
            raise Wrong("too many chunks")
    return blocks or spans


def _span(fields: tuple[Any, ...]) -> Span:
    kinds = tuple(map(type, fields))
    if not 2 <= len(kinds) <= len(_SPAN) or kinds != _SPAN[: len(kinds)]:
        raise Wrong("something that is neither lines nor text")
    return Span(*fields)


def _block(fields: tuple[Any, ...]) -> Block:
    if len(fields) > len(Block._fields):
        raise Wrong("a block of too many fields")
    block = Block(*fields)
    place, headings = block.place, block.headings
    if isinstance(place, str):
        place = Place(place)
    if (
        not isinstance(place, tuple)
        or not isinstance(headings, (tuple, list))
        or len(place) > len(Place._fields)
    ):
        raise Wrong("a block with fields of other types")
    texts = (*headings, *place[:2], block.kind, block.repeat)
    if not all(isinstance(text, str) for text in texts) or not all(
        type(number) is int for number in place[2:]
    ):
        raise Wrong("a block with fields of other types")
    return block._replace(place=Place(*place), headings=tuple(headings))


def read_of(
    items: Sequence[Span] | Sequence[Block], data: bytes, language: str, options: ChunkOptions
) -> Read:
    """Return the chunks of a file from its chunker's items. Raises Wrong for invalid ranges."""
    if items and isinstance(items[0], Block):
        blocks: Iterable[Any] = items
        text, made = compose(bounded(blocks, options.documents.max_text), options.documents)
        return Read(language, "", text, made) if made else Read(language, NO_TEXT)
    text_or_none = text_of(data)
    if text_or_none is None:
        return Read(language, "binary" if items else NO_TEXT)
    if not text_or_none or text_or_none.isspace():
        return Read(language, "empty")
    lines = Lines(text_or_none)
    pieces = _pieces(items, lines, _REPEATED * len(lines.text) + options.max_bytes)
    pieces += _rest(pieces, lines)
    pieces.sort(key=lambda piece: (piece.row, -piece.stop))
    chunks = exact(lines, pieces, options, require(language).join)
    return Read(language, "", lines.text, chunks, derived=False)


def _pieces(spans: Iterable[Any], lines: Lines, limit: int) -> list[Piece]:
    """Return the pieces of spans that are not blank. Raises Wrong above `limit` bytes in total."""
    pieces = []
    size = 0
    for span in spans:
        piece = _piece(span, lines)
        if piece.row < piece.stop:
            pieces.append(piece)
            size += lines.size(piece.row, piece.stop)
    if size > limit:
        raise Wrong("the same lines in too many chunks")
    return pieces


def _piece(span: Span, lines: Lines) -> Piece:
    last = span.last
    if last == lines.count + 1 and lines.text.endswith((b"\n", b"\r")):
        last -= 1  # `split("\n")` counts an empty line after the last line end
    if not 1 <= span.first <= last <= lines.count:
        raise Wrong(
            "lines that the file does not have", f": {span.first}-{span.last} of {lines.count}"
        )
    kind = line_of(span.kind, 20) or "text"
    names = (line_of(span.symbol, MAX_SYMBOL), line_of(span.parent, MAX_PARENT))
    about = (line_of(span.signature, MAX_SIGNATURE), line_of(span.doc, MAX_DOC))
    piece = Piece(span.first - 1, last - 1, kind, *names, *about)
    piece.row, piece.stop = lines.trimmed(piece.row, last)
    return piece


def _rest(pieces: Iterable[Piece], lines: Lines) -> list[Piece]:
    """Return the runs of lines outside all spans, without blank lines around them."""
    held = bytearray(lines.count + 1)
    for piece in pieces:
        held[piece.row : piece.stop] = b"\1" * (piece.stop - piece.row)
    held[lines.count] = 1
    rest: list[Piece] = []
    row = 0
    while row < lines.count:
        stop = held.index(1, row)
        first, end = lines.trimmed(row, stop)
        if first < end:
            rest.append(Piece(first, end - 1, "text"))
        row = stop + 1
    return rest
