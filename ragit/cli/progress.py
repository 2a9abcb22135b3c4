"""A bar for work that takes a while."""

from __future__ import annotations

import sys
from typing import Any

import click

STEPS = 200
"""How often a bar is drawn: for each of many thousand files it would cost more than some of them."""


class Bar:
    """Progress on a terminal; silence elsewhere."""

    def __init__(self, quiet: bool, label: str = "indexing") -> None:
        self._label = label
        self._bar: Any = None
        self._note = ""
        self._quiet = quiet or not sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` are."""
        if self._quiet:
            return
        if self._bar is not None and done < self._bar.pos:  # the next piece of work
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
        """Show a few words behind the bar, such as the speed of a server."""
        self._note = text

    def close(self) -> None:
        """Leave the line, if the bar stands on one."""
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None
