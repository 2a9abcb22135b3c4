"""Define custom chunkers: their results, and a chunker named in the settings."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Protocol

from ragit import digests
from ragit.chunk.documents.block import Block
from ragit.records import NamedTuple

VERSION = 1
"""Part of the fingerprint; raise it when the same results of a chunker give other chunks."""


class Span(NamedTuple):
    """Lines of a text file that are one chunk."""

    first: int
    """First line, 1-based. Lines end at line feeds, or at carriage returns if there are none."""
    last: int
    """Last line, inclusive."""
    kind: str = "text"
    """One word: function, rule, record, ..."""
    symbol: str = ""
    """Name that it defines."""
    parent: str = ""
    """Names around it, joined by a dot."""
    signature: str = ""
    """Declaration on one line."""
    doc: str = ""
    """Comment, without comment marks."""


Item = Span | Block | str | tuple[object, ...]
"""A result of a chunker: a span or a tuple of its fields, or a block or its text.

All items of one file are spans, or all are blocks.
"""


class Chunker(Protocol):
    """An object that chunks files. Its result must depend on the bytes of the file alone."""

    def chunk(self, data: bytes) -> Iterable[Item]:
        """Return the chunks of a file. Lines outside all spans become chunks without a name.

        May raise `Unreadable` with the reason why a file has no chunks. Any other exception skips
        the file, too.
        """


class Custom(NamedTuple):
    """A chunker named in the settings, found and allowed. Picklable."""

    name: str
    """Module as configured, for messages and reasons."""
    digest: str
    """Digest of its content."""
    attribute: str
    """Function, object or class in the module."""
    source: bytes = b""
    """Bytes of a repository's file. Only allowed bytes are run."""
    module: str = ""
    """Dotted name of an installed module."""
    declared: bool = True
    """True if declared as a chunker: by a file of the repository or an entry point."""
    path: tuple[str, ...] = ()
    """Folders to import from: those of the user's Python, not of the repository."""

    @property
    def fingerprint(self) -> str:
        """Digest of everything in it that determines the chunks."""
        # The name is part of stored reasons why files have no chunks.
        one = (self.name, self.digest, self.attribute, self.declared)
        return digests.fingerprint(repr((VERSION, one, sys.version_info[:2])))
