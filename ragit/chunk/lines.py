"""Find the lines of a text by byte offset.

Lines end at a line feed, or at a carriage return if the text has no line feed.
"""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from itertools import accumulate

_WHITE = b" \t\n\r\f\v"


class Lines:
    """Offsets of the lines of one text; rows count from 0."""

    __slots__ = ("text", "starts", "count", "classic")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.classic = b"\n" not in text and b"\r" in text
        lengths = map(len, text.split(b"\r" if self.classic else b"\n"))
        starts = list(accumulate(map((1).__add__, lengths), initial=0))
        starts.pop()  # counts a line end after the last line
        if len(starts) > 1 and starts[-1] == len(text):
            starts.pop()
        self.count = len(starts)
        starts.append(len(text))
        self.starts = starts

    def row(self, offset: int) -> int:
        """Return the row that holds a byte."""
        return bisect_right(self.starts, offset, 0, self.count) - 1

    def last_row(self, start: int, end: int) -> int:
        """Return the row of the last byte before `end` that is not white space.

        Nodes may end far below their text.
        """
        text = self.text
        end = min(end, len(text))
        lowest = max(start, end - 200)
        while end > lowest and text[end - 1] in _WHITE:
            end -= 1
        return self.row(end - 1) if end > start else self.row(start)

    def blank(self, row: int) -> bool:
        """Return whether a row has only white space."""
        line = self.text[self.starts[row] : self.starts[row + 1]]
        return not line or line.isspace()

    def trimmed(self, first: int, stop: int) -> tuple[int, int]:
        """Return first and stop of the rows first..stop-1 without blank rows at their edges."""
        while stop > first and self.blank(stop - 1):
            stop -= 1
        while first < stop and self.blank(first):
            first += 1
        return first, stop

    def size(self, first: int, stop: int) -> int:
        """Return the bytes of the rows first..stop-1."""
        return self.starts[stop] - self.starts[first]

    def end_of(self, stop: int) -> int:
        """Return the offset where the rows before `stop` end, without the last line end."""
        end = self.starts[stop]
        if end and self.text[end - 1] == (13 if self.classic else 10):
            end -= 1
        return end

    def for_grammar(self) -> Lines:
        """Return the same rows with line feeds only, one of them at the end.

        Grammars know no other line end, and some lexers (Perl's, after `q#`) look for it forever.
        """
        text = self.text
        if b"\r" in text:
            text = text.replace(b"\r", b"\n") if self.classic else text.replace(b"\r\n", b"\n")
        if not text.endswith(b"\n"):
            text += b"\n"
        return self if text is self.text else Lines(text)

    def replaced(self, text: bytes) -> Lines:
        """Return the same rows over a text of equal length that differs within its lines only."""
        other = copy(self)
        other.text = text
        return other
