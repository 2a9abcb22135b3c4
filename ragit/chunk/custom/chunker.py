"""Define a chunker of the user's own: what it answers, and which one the settings name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ragit import digests
from ragit.chunk.documents.block import Block

VERSION = 1
"""Part of the fingerprint: raise it when what is made of a chunker's answer changes."""


class Span(NamedTuple):
    """Lines of a text file that are one chunk."""

    first: int
    """1-based; lines end at a line feed, in a text without any at a carriage return."""
    last: int
    """Inclusive."""
    kind: str = "text"
    """What it is, in one word: function, rule, record, ..."""
    symbol: str = ""
    """The name that it defines."""
    parent: str = ""
    """Names around it, joined by a dot."""
    signature: str = ""
    """Its declaration on one line."""
    doc: str = ""
    """Its comment, without comment marks."""


Item = Span | Block | str | tuple[object, ...]
"""What a chunker gives: a span or a tuple of its fields, a block or its text. One file's are all of
one sort."""


class Chunker(Protocol):
    """An object that chunks. It must answer the same for the same bytes, whatever it was asked
    before."""

    def chunk(self, data: bytes) -> Iterable[Item]:
        """The chunks of a file. Lines that no span holds become chunks without a name.

        May raise `Unreadable` with the reason why a file gives none; any other exception leaves the
        file out as well.
        """


class Custom(NamedTuple):
    """A chunker as the settings name it, found and allowed. Picklable."""

    name: str
    """The module as configured: what reasons and messages call it."""
    digest: str
    """Names the content that it was found with."""
    attribute: str
    """The function, object or class in it."""
    source: bytes = b""
    """The file's bytes, if it is a file of the repository: exactly those that were allowed are run.
    """
    module: str = ""
    """The module's dotted name, if it is installed."""
    declared: bool = True
    """Whether whoever wrote it says that it is a chunker: in a file of the repository, or by an
    entry point."""
    path: tuple[str, ...] = ()
    """Folders to import from: those of the user's Python, and none of the repository."""

    @property
    def fingerprint(self) -> str:
        """Names everything of it that decides its chunks."""
        # Its name stands in the reasons why files have no chunks, which are stored.
        one = (self.name, self.digest, self.attribute, self.declared)
        return digests.fingerprint(repr((VERSION, one, sys.version_info[:2])))
