"""Decides whether output is coloured: --color, NO_COLOR, CLICOLOR_FORCE, the terminal."""

from __future__ import annotations

import os

from ragit.cli.declare import Choice, option

color_option = option(
    "--color",
    kind=Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    help="Colour the output. auto: on a terminal, heeding NO_COLOR and CLICOLOR_FORCE.",
)
"""Adds the option --color to a command."""


def wants_color(asked: str, terminal: bool) -> bool:
    """Return whether to colour output, by the value of --color and whether it goes to a
    terminal.
    """
    if asked != "auto":
        return asked == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return terminal and os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0"
