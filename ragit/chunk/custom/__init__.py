"""Run users' custom chunkers.

A chunker is a function `chunk(data: bytes)`, or an object or class with such a method. It gets a
file's bytes and yields `Span`s (lines of a text file) or `Block`s (text extracted from other
files), or plain tuples or strings. docs/chunkers.md explains how to write one; `preview` is for its
tests.

A chunker runs in the child process that reads documents (serve.py), and only if the user allowed it
(`repository.custom_chunkers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ragit.chunk.custom.chunker import VERSION, Chunker, Custom, Item, Span
from ragit.chunk.documents.block import Block, Place, Unreadable
from ragit.chunk.options import ChunkOptions
from ragit.types import Chunking


def preview(
    chunker: Chunker | type[Chunker] | Callable[[bytes], Iterable[Item]],
    data: bytes,
    options: ChunkOptions = ChunkOptions(),  # noqa: B008 - frozen
) -> Chunking:
    """Return the chunks that ragit makes with a chunker, for the tests of its author.

    The chunker runs in this process. Raises its exceptions, ValueError for an invalid result, and
    TypeError for an object that is not a chunker.
    """
    from ragit.chunk.custom import run

    return run.preview(chunker, data, options)
