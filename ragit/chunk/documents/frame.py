"""Read one document to its text and chunks, in the limited process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module

from ragit.chunk.documents import READERS
from ragit.chunk.documents.block import NO_LIBRARY, Block, Bounds, Unreadable
from ragit.chunk.documents.group import compose, line_of
from ragit.chunk.documents.sniff import reader_for
from ragit.chunk.options import DocumentOptions
from ragit.records import NamedTuple
from ragit.types import Chunk

TOO_MUCH_MEMORY = "needs too much memory"
TOO_DEEP = "nested too deeply"
NO_TEXT = "no text"
SHORTEST = 32
"""Characters that a shorter block counts as; a row of a table counts half as many.

Each block takes time and memory, and a small file can contain millions.
"""
REASON = 80
"""Limit of a reason in characters."""


class Read(NamedTuple):
    """The text and chunks of a document, or why there are none."""

    language: str
    skipped: str = ""
    text: bytes = b""
    chunks: tuple[Chunk, ...] = ()
    derived: bool = True
    """False if the text is the file itself."""


def read(data: bytes, language: str, options: DocumentOptions) -> Read:
    """Read a document; never raise for any bytes, as long as memory lasts."""
    actual = language
    try:
        actual = reader_for(data, language)
        text, chunks = compose(blocks_of(data, actual, options), options)
    except Unreadable as why:
        return Read(actual, line_of(str(why), REASON) or "unreadable")
    except MemoryError:
        return Read(actual, TOO_MUCH_MEMORY)
    except RecursionError:
        return Read(actual, TOO_DEEP)
    except ImportError:
        return Read(actual, NO_LIBRARY)
    except Exception:  # a library met unexpected bytes: there is no list of its exceptions
        return Read(actual, f"damaged {actual}")
    return Read(actual, "", text, chunks) if chunks else Read(actual, NO_TEXT)


def prepare(language: str) -> None:
    """Load the reader of a language ahead, so that it does not count as a document's time."""
    reader = READERS[language]
    with suppress(Exception):  # `read` meets it again, and reports it
        for name in (f"ragit.chunk.documents.{reader.module}", *reader.packages.split()[:1]):
            import_module(name)


def blocks_of(data: bytes, language: str, options: DocumentOptions) -> Iterator[Block]:
    """Yield the blocks of a document, within the bounds."""
    module = import_module(f"ragit.chunk.documents.{READERS[language].module}")
    bounds = Bounds(options.max_unpacked, options.max_text, options.max_pages)
    return bounded(module.read(data, bounds), bounds.text)


def bounded(blocks: Iterable[Block], most: int) -> Iterator[Block]:
    """Yield blocks up to `most` characters; the last one tells if there was more."""
    used = 0
    for block in blocks:
        room = most - used
        least = SHORTEST // 2 if block.kind == "table" else SHORTEST
        used += max(len(block.text) + len(block.repeat) // 8, least)
        if used > most:
            yield block._replace(
                text=f"{block.text[: max(room, 0)]}\n[The text goes on: the rest is left out.]"
            )
            return
        yield block
