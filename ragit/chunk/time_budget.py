"""Limit the time for reading one file, and record the time used.

A few bytes can keep a reader busy for any time. With a limit for each file alone, a thousand such
files would take a thousand times as long. So a run tries all files briefly first, and reads the
slow ones afterwards (`index/run/deferred.py`).
"""

from __future__ import annotations

import math

BRIEF = "brief"
FULL = "full"
NONE = "none"
"""Kinds of tries. `NONE` uses no document reader and no grammar."""


class TimeBudget:
    """The time for one try to read one file."""

    __slots__ = ("kind", "most", "used", "over", "too_deep")

    def __init__(self, kind: str = FULL, most: float = math.inf) -> None:
        self.kind = kind
        self.most = most
        """Limit in seconds of processor time, even if the size of the file allows more."""
        self.used = 0.0
        """Seconds of processor time used that count against the run's time."""
        self.over = False
        """True if the time was not enough. The result of a brief try is then dropped."""
        self.too_deep = False
        """True if the grammar was not used because the text is nested too deeply."""

    @property
    def brief(self) -> bool:
        """True for a brief try."""
        return self.kind == BRIEF
