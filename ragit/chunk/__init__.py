"""Cuts the bytes of a file into chunks, by language.

Owns tree-sitter and the readers of documents. Takes bytes and a language; knows no path beyond a
file's name, no git and no SQL. Pure: the same bytes, language and options give the same chunks, and
no bytes raise. Grammars are loaded when a blob is parsed: a query only needs names and
fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragit.chunk.encoding import text_of
from ragit.chunk.names import dialects, language_of, languages, named, require
from ragit.chunk.options import ChunkOptions, DocumentOptions, fingerprint, table_fingerprint
from ragit.types import Chunking

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom
    from ragit.chunk.time_budget import TimeBudget
    from ragit.references import Bound

if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.chunk.custom import Custom
    from ragit.chunk.time_budget import BRIEF, FULL, NONE, TimeBudget
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "custom": ["Custom"],
            "time_budget": ["BRIEF", "FULL", "NONE", "TimeBudget"],
        },
    )


_DEFAULT = ChunkOptions()


def chunk(
    data: bytes,
    language: str,
    options: ChunkOptions = _DEFAULT,
    custom: Custom | None = None,
    budget: TimeBudget | None = None,
    *,
    isolated: bool = True,
) -> Chunking:
    """Return all chunks of a blob in order, by its language or a `custom` chunker.

    Reading runs in a child process. Such a child itself passes `isolated=False`, so that grammars
    run in it. `budget` limits the time and records its use; the default is a full try. No bytes
    raise. Raises UnknownLanguage, and WorkerDied if no child process can be kept alive.
    """
    from ragit.chunk.time_budget import TimeBudget

    budget = budget or TimeBudget()
    if custom:
        from ragit.chunk import readers

        return readers.by_custom(data, language, options, custom)
    if not isolated:
        from ragit.chunk import readers

        return readers.read(data, language, options, budget)
    from ragit.chunk import texts

    if not is_document(language):
        return texts.read(data, language, options, budget)
    from ragit.chunk import readers

    return readers.read(data, language, options, budget, parse=texts.read)


@contextmanager
def bounded(size: int, budget: TimeBudget) -> Iterator[None]:
    """Let the system end this process if chunking `size` bytes takes far longer than its budget."""
    from ragit.chunk.reader_server import end_after
    from ragit.chunk.texts import time_for

    end_after(*time_for(size, budget.kind).within(budget.most))
    try:
        yield
    finally:
        end_after(0, 0)


def check_node_types(node_types: Mapping[str, Iterable[str]]) -> None:
    """Raise ConfigError for a node type that a grammar lacks, with the nearest one.

    Loads the grammars of these languages.
    """
    if node_types:
        from ragit.chunk.node_types import check

        for language, types in node_types.items():
            check(require(language), types)


def is_document(language: str) -> bool:
    """Return whether files of a language are unpacked or decoded, and may be larger than code."""
    return require(language).reader == "document"


def prepare() -> None:
    """Start the process that chunks texts, ahead of the first text."""
    from ragit.chunk import texts

    texts.start()


def end_children() -> None:
    """End the processes that read files, if any."""
    import sys

    for name in ("ragit.chunk.child", "ragit.chunk.texts"):
        if name in sys.modules:
            sys.modules[name].end_children()


def part_of(place: str) -> str:
    """Return the part of a document that a place is in, such as its sheet; empty for pages."""
    from ragit.chunk.documents.place import part

    return part(place)


def pages_of(place: str) -> tuple[int, int]:
    """Return the first and last page (slide, chapter) of a chunk's place; zeros without pages."""
    from ragit.chunk.documents.place import pages

    return pages(place)


def first_of(place: str) -> int:
    """Return the first row or page of a chunk's place in a document; 0 if none."""
    from ragit.chunk.documents.place import first

    return first(place)


def share_of(start: int, end: int, size: int) -> str:
    """Return a label such as `40 % in` for a range of the text of a document of `size` bytes."""
    from ragit.chunk.documents.place import share

    return share(start, end, size)


def kept(chunking: Chunking) -> bytes:
    """Return the stored form of a document, for `parted`: its text and its rows or pages."""
    from ragit.chunk.documents.numbers import kept

    return kept(chunking.derived, chunking.chunks)


def parted(data: bytes) -> tuple[bytes, bytes]:
    """Return a document's stored form as its text and the rest, for `numbers_of`."""
    from ragit.chunk.documents.numbers import parted

    return parted(data)


def numbers_of(rest: bytes, start_line: int) -> tuple[int, ...]:
    """Return the row or page of each line of the chunk that begins at a line; empty if all are on
    one.
    """
    from ragit.chunk.documents.numbers import numbers_of

    return numbers_of(rest, start_line)


def imports_of(language: str, statement: str) -> Iterator[tuple[str, tuple[Bound, ...]]]:
    """Yield the modules of an import statement with the imported names."""
    from ragit.chunk.imports import imports_of

    return imports_of(language, statement)


def plain_comment(comment: str, limit: int) -> str:
    """Return the words of a comment without its marks, on one line, at most `limit` characters."""
    from ragit.chunk.comments import plain

    return plain(comment, limit)


def joined_places(places: Iterable[str]) -> str:
    """Join the places of neighbouring chunks: `rows 2-9` and `rows 10-12` become `rows 2-12`."""
    from ragit.chunk.documents.place import joined

    return joined(places)
