"""What every reader of documents gives, and what bounds it: the words between readers and the one who groups.

A reader is a function `read(data: bytes, bounds: Bounds) -> Iterator[Block]`. It sees untrusted bytes: it unpacks no
more than the bounds allow, opens no file and no network, and says in an `Unreadable` why there is nothing to read.
"""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where a person finds a block in the document: `page 12`, or `sheet Budget rows 40-80`. All empty if unknown."""

    within: str = ""
    """A named part that holds the unit: `sheet Budget`, `sheet Costs (hidden)`, `header`; empty if there is none."""
    unit: str = ""
    """What is counted, in the singular: page, row, slide, cell, chapter; empty if nothing is."""
    first: int = 0
    """1-based, inclusive, as the program that shows the document counts."""
    last: int = 0


class Block(NamedTuple):
    """One paragraph, table row, list item or cell, in reading order."""

    text: str
    """Without a line end at its end; may hold several lines. Never blank."""
    place: Place = Place()
    headings: tuple[str, ...] = ()
    """Titles above it, outermost first. A heading itself is a block of kind `heading`, with its own title last."""
    kind: str = "text"
    """text, heading, table, list, code, note, header, footer, ..."""
    repeat: str = ""
    """A line that stands above each chunk which holds this block: a table's header row."""


class Bounds(NamedTuple):
    """How much a reader may unpack and give. Time and memory are bounded outside, by the process it runs in."""

    unpacked: int = 256 << 20
    """Bytes that all parts of an archive may have together once unpacked."""
    text: int = 8 << 20
    """Characters of text to give; what follows is left out, and the last block says so."""
    units: int = 5_000
    """Pages, slides, sheets, chapters or cells to read; likewise."""
    columns: int = 200
    """Cells of a table's row to read."""


NO_LIBRARY = "a library is missing"
UNKNOWN_PACKING = "packed in an unknown way"


class Unreadable(Exception):
    """Why a document gives no text, in some words that are counted and shown: `password-protected`, `damaged pdf`,
    `no text (scanned)`, `too large unpacked`. Never holds anything of the document itself.
    """
