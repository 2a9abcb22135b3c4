"""Blocks, the output of every reader, and the bounds of a reader.

A reader is a function `read(data: bytes, bounds: Bounds) -> Iterator[Block]` on untrusted bytes. It
unpacks no more than the bounds allow, opens no file and no connection, and raises Unreadable with
the reason why there is nothing to read.
"""

from __future__ import annotations

from ragit.records import NamedTuple


class Place(NamedTuple):
    """The position of a block in the document, for example `page 12`; all fields empty if
    unknown.
    """

    within: str = ""
    """Named part: `sheet Budget`, `sheet Costs (hidden)`, `header`; empty if there is none."""
    unit: str = ""
    """Counted unit in the singular: page, row, slide, cell, chapter; empty if none."""
    first: int = 0
    """First unit, 1-based, numbered as in the program that shows the document."""
    last: int = 0


class Block(NamedTuple):
    """One paragraph, table row, list item or cell, in reading order."""

    text: str
    """Not blank, perhaps of several lines, without a final line end."""
    place: Place = Place()
    headings: tuple[str, ...] = ()
    """Titles above it, outermost first. A block of kind `heading` has its own title last."""
    kind: str = "text"
    """text, heading, table, list, code, note, header, footer, ..."""
    repeat: str = ""
    """Line to repeat above each chunk with this block, for example a table's header row."""


class Bounds(NamedTuple):
    """The limits of one document; its process has further limits of memory and time."""

    unpacked: int = 256 << 20
    """Bytes of an archive's unpacked parts together."""
    text: int = 8 << 20
    """Characters of text; the rest is left out, with a note."""
    units: int = 5_000
    """Pages, slides, sheets, chapters or cells; the rest is left out, with a note."""
    columns: int = 200
    """Cells of a table's row."""


NO_LIBRARY = "a library is missing"
UNKNOWN_PACKING = "packed in an unknown way"


class Unreadable(Exception):
    """Why a document gives no text, for example `password-protected` or `damaged pdf`.

    It is shown and counted, and never contains text of the document.
    """
