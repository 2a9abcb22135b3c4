"""Store the row, page or cell of each line of a document's text after that text. Pure.

A chunk's place is a range from first to last; these numbers locate its single lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from ragit.types import Chunk

_END = b"\0"
"""End of the text, which contains no control characters.

A line for each chunk follows: its first line, that line's number, and the differences.
"""


def kept(text: bytes, chunks: Iterable[Chunk]) -> bytes:
    """Return a document's text, followed by the numbers of its chunks' lines."""
    lines = [
        b"%d %s\n" % (chunk.start_line, b" ".join(_differences(chunk.numbers)))
        for chunk in chunks
        if chunk.numbers
    ]
    return text + _END + b"".join(lines) if lines else text


def _differences(numbers: tuple[int, ...]) -> Iterator[bytes]:
    return (b"%d" % (after - before) for before, after in pairwise((0, *numbers)))


def parted(data: bytes) -> tuple[bytes, bytes]:
    """Split stored bytes into a document's text and the rest, for `numbers_of`."""
    text, _, rest = data.partition(_END)
    return text, rest


def numbers_of(rest: bytes, start_line: int) -> tuple[int, ...]:
    """Return the numbers of the lines of the chunk that begins at a line; empty if none."""
    mark = b"\n%d " % start_line
    at = (b"\n" + rest).find(mark)
    if at < 0:
        return ()
    start = at + len(mark) - 1
    return tuple(accumulate(map(int, rest[start : rest.find(b"\n", start)].split())))
