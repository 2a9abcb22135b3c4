"""Shows the progress of long work."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

STEPS = 200
"""Limit of redraws of a bar: one for each of many thousand files would take longer than
some files.
"""

FIRST_LINE, NEXT_LINE = 5.0, 15.0
"""Seconds before the first line of progress without a terminal, and between two."""


class Bar:
    """A progress bar on a terminal, and occasional lines elsewhere, so that a log shows
    progress.
    """

    def __init__(self, quiet: bool, label: str = "indexing") -> None:
        self._label = label
        self._bar: Any = None
        self._note = ""
        self._quiet = quiet
        self._on_terminal = sys.stderr.isatty()
        self._next_line = time.monotonic() + FIRST_LINE

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` files, questions or commits are done."""
        if self._quiet:
            return
        if self._on_terminal:
            self._draw(done, total)
        elif time.monotonic() >= self._next_line and done < total:
            self._next_line = time.monotonic() + NEXT_LINE
            note = f", {self._note}" if self._note else ""
            sys.stderr.write(f"{self._label}: {done:,} of {total:,}{note}\n")
            sys.stderr.flush()

    def _draw(self, done: int, total: int) -> None:
        if self._bar is not None and done < self._bar.pos:  # the next stage of work
            self.close()
        if self._bar is None:
            self._bar = click.progressbar(
                length=total,
                label=self._label,
                file=sys.stderr,
                show_pos=True,
                item_show_func=lambda _: self._note,
            )
        if done < total and done - self._bar.pos < total // STEPS:
            return
        self._bar.update(done - self._bar.pos, self._note)
        if done >= total:
            self.close()

    def note(self, text: str) -> None:
        """Show a few words after the figures, such as the speed of a server."""
        self._note = text

    def close(self) -> None:
        """Finish the bar's line."""
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
