"""Chunkers of the user's own.

A chunker is a function `chunk(data: bytes)`, or an object or class with such a method. It is given
a file's bytes and gives `Span`s, lines of the text that the file is, or `Block`s, the text of a
file that is none; a plain tuple or string does for either. docs/chunkers.md is written for its
author, `preview` is for the author's tests.

A chunker runs in the child process that reads documents (serve.py), and only if the user allowed it
(`repository.custom_chunkers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ragit.chunk.custom.chunker import VERSION, Chunker, Custom, Item, Span
from ragit.chunk.documents.block import Block, Place, Unreadable
from ragit.chunk.options import ChunkOptions
from ragit.types import Chunking

__all__ = [
    "VERSION",
    "Block",
    "Chunker",
    "Custom",
    "Item",
    "Place",
    "Span",
    "Unreadable",
    "preview",
]


def preview(
    chunker: Chunker | type[Chunker] | Callable[[bytes], Iterable[Item]],
    data: bytes,
    options: ChunkOptions = ChunkOptions(),  # noqa: B008 - frozen
) -> Chunking:
    """What ragit makes of a chunker's answer about a file: for its author's tests.

    Runs it here and now. What it raises is raised; ValueError says what is wrong with what it gave,
    and TypeError that it is no chunker.
    """
    from ragit.chunk.custom import run

    return run.preview(chunker, data, options)
