"""How long one file may be read, and how long it was: a try that is soon given up, a full one, or
none any more.

A few bytes can keep any reader busy as long as it is let. A bound for each file alone lets a
thousand such files take a thousand times as long, so a run tries all of them briefly first, and
what is slow when nothing else waits (`index/slow.py`).
"""

from __future__ import annotations

import math

BRIEF = "brief"
FULL = "full"
NONE = "none"
"""The tries. With `NONE`, no reader of documents and no grammar is asked."""


class Patience:
    """One try to read one file."""

    __slots__ = ("kind", "most", "used", "over", "too_deep")

    def __init__(self, kind: str = FULL, most: float = math.inf) -> None:
        self.kind = kind
        self.most = most
        """Seconds of processor time that it may take at most, whatever the size of the file allows.
        """
        self.used = 0.0
        """Seconds of processor time that it took, as far as they count against the run's."""
        self.over = False
        """The time was not enough: after a brief try, what came of it is nothing to keep."""
        self.too_deep = False
        """The text is nested too deeply for its grammar, which was not asked."""

    @property
    def brief(self) -> bool:
        """It is soon given up."""
        return self.kind == BRIEF
