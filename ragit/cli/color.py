"""Decides whether output is coloured: --color, NO_COLOR, CLICOLOR_FORCE, the terminal."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click


def color_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --color, which `look` reads."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=_keep,
        help="Colour the output. auto: on a terminal, heeding NO_COLOR and CLICOLOR_FORCE.",
    )(command)


def _keep(ctx: click.Context, _: click.Parameter, value: str) -> None:
    ctx.ensure_object(dict)["color"] = value


def wants_color(terminal: bool) -> bool:
    """Return whether to colour the output of the command under way, which goes to a terminal or
    not.
    """
    ctx = click.get_current_context(silent=True)
    asked = ctx.obj.get("color", "auto") if ctx and ctx.obj else "auto"
    if asked != "auto":
        return bool(asked == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return terminal and os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0"
