"""Remove private keys from the chunks of a file before they are embedded or described. Pure.

A key may extend over several chunks, and its middle looks like any other base64, so the text of all
chunks is searched together. Keys are removed for every embedder: so the hash of an embedded text
names one text, and the vector of a chunk does not depend on its file. Words of the key are still
indexed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragit.records import NamedTuple
from ragit.remote import secrets
from ragit.types import Chunk


class WithoutPrivateKeys(NamedTuple):
    """The chunks of one blob, in order."""

    chunks: tuple[Chunk, ...]
    """The chunks; a text is shorter than its range where a key was removed."""
    private_keys: tuple[int, ...]
    """Number of private keys of which each chunk had a part."""


def without_private_keys(chunks: Sequence[Chunk]) -> WithoutPrivateKeys:
    """Return the chunks of one blob without private keys."""
    whole = _joined_text(chunks)
    if not secrets.may_hold_private_key(whole):  # not of each chunk: the mark itself may be cut
        return WithoutPrivateKeys(tuple(chunks), (0,) * len(chunks))
    found = secrets.private_key_spans(whole)
    done = [secrets.without_spans(_letters(piece.text), found, piece.start) for piece in chunks]
    pairs = zip(chunks, done, strict=True)
    return WithoutPrivateKeys(
        tuple(
            piece._replace(text=_text(text)) if count else piece for piece, (text, count) in pairs
        ),
        tuple(count for _, count in done),
    )


def _joined_text(chunks: Sequence[Chunk]) -> str:
    """Return the text from which the chunks were cut, a letter for each byte; other lines are
    blank.
    """
    size = max((piece.end for piece in chunks), default=0)
    whole = bytearray(b"\n") * size
    for piece in chunks:
        data = piece.text.encode("utf-8", "surrogatepass")
        whole[piece.start : piece.start + len(data)] = data
    return whole.decode("latin-1")


def _letters(text: str) -> str:
    """Return a letter for each byte, so that ranges of bytes are ranges of letters."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _text(letters: str) -> str:
    return letters.encode("latin-1").decode("utf-8", "surrogatepass")
