"""Says that a question has to index first, and shows the progress."""

from __future__ import annotations

import sys

import click

from ragit.types import Progress, ToIndex

TOLD_FROM = 20
"""Missing files from which a search on a terminal says that it indexes first: fewer take no time.
"""

TOLD_FROM_ELSEWHERE = 200
"""The same where stderr is no terminal. Documents and requests to a server are always announced."""


def on_index(lacking: ToIndex) -> Progress | None:
    """Say that something has to be indexed first, if that takes long, and return a progress bar."""
    from ragit import render
    from ragit.cli.progress import Bar
    from ragit.cli.shared import tell

    least = TOLD_FROM if sys.stderr.isatty() else TOLD_FROM_ELSEWHERE
    if lacking.files < least and not lacking.documents and not lacking.server:
        return None
    tell(render.indexing(lacking))
    bar = Bar(quiet=False)
    click.get_current_context().call_on_close(bar.close)
    return bar
