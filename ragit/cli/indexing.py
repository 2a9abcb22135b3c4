"""Announces that a command has to index first, and shows the progress."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragit.cli.call import Call
    from ragit.types import OnIndex, Progress, ToIndex

TOLD_FROM = 20
"""Missing files from which a search on a terminal announces indexing; fewer take no time."""

TOLD_FROM_ELSEWHERE = 200
"""Limit if stderr is no terminal. Documents and requests to a server are always announced."""


def telling(call: Call) -> OnIndex:
    """Return a callback that announces long indexing and returns a progress bar, closed with the
    call.
    """
    return lambda lacking: _tell(call, lacking)


def bar_of(call: Call, label: str) -> Progress:
    """Return a progress bar, closed with the call."""
    from ragit.cli.progress import Bar  # click, which takes 25 ms to load

    bar = Bar(quiet=False, label=label)
    call.at_end(bar.close)
    return bar


def _tell(call: Call, lacking: ToIndex) -> Progress | None:
    least = TOLD_FROM if sys.stderr.isatty() else TOLD_FROM_ELSEWHERE
    if lacking.files < least and not lacking.documents and not lacking.server:
        return None
    from ragit import render
    from ragit.cli.shared import tell

    tell(render.indexing(lacking))
    return bar_of(call, "indexing")
