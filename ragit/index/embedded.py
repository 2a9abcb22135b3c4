"""What is embedded of a chunk, and the name under which its vector is found again. Pure."""

from __future__ import annotations

from ragit.digests import digest
from ragit.types import Chunk

VERSION = 2
"""Part of the chunkings' key: raise it when what is embedded changes."""


def embedded_text(piece: Chunk) -> str:
    """A chunk's names, its own twice, before its text.

    A name says in few words what the text does in many; once more than the text has it lifts the public benchmark's
    mean for vectors alone from 0.702 to 0.725. No path and no line number is in it, so that it moves with the code.
    """
    return f"{piece.parent} {piece.symbol} {piece.symbol}\n{piece.text}"


def text_hash(text: str) -> bytes:
    """Names an embedded text."""
    return digest(text.encode("utf-8", "surrogatepass"))
