"""On which row, page or cell each line of a document's text stands: kept behind that text, where nothing else looks.

A chunk's place goes from the first of them to the last. Who is shown three of forty rows wants to know which. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from ragit.types import Chunk

_END = b"\0"
"""Ends the text, which holds no control characters. A line for each chunk that has numbers follows: its first line, the
number of that, and what each next line's differs by."""


def kept(text: bytes, chunks: Iterable[Chunk]) -> bytes:
    """A document's text, and after it the numbers of its chunks' lines."""
    lines = [
        b"%d %s\n" % (chunk.start_line, b" ".join(_differences(chunk.numbers)))
        for chunk in chunks
        if chunk.numbers
    ]
    return text + _END + b"".join(lines) if lines else text


def _differences(numbers: tuple[int, ...]) -> Iterator[bytes]:
    return (b"%d" % (after - before) for before, after in pairwise((0, *numbers)))


def parted(data: bytes) -> tuple[bytes, bytes]:
    """What was kept of a document as its text and the rest, for `numbers_of`."""
    text, _, rest = data.partition(_END)
    return text, rest


def numbers_of(rest: bytes, start_line: int) -> tuple[int, ...]:
    """The numbers of the lines of the chunk that begins in a line; empty if it has none."""
    mark = b"\n%d " % start_line
    at = (b"\n" + rest).find(mark)
    if at < 0:
        return ()
    start = at + len(mark) - 1
    return tuple(accumulate(map(int, rest[start : rest.find(b"\n", start)].split())))
