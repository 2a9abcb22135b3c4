"""What all commands share: how a repository is opened, how the terminal looks, how lines are written."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any

import click

from ragit import render
from ragit.errors import OutputFailed
from ragit.repository.early_status import Ahead
from ragit.repository.repository import MEANINGS, Ragit, open_repository


def open_index(ctx: click.Context, ahead: Ahead | None = None) -> Ragit:
    """The index of the repository that the command is about, with a note where its settings were not all taken."""
    index = open_repository(ctx.obj["directory"], flags=ctx.obj["flags"], ahead=ahead)
    for warning in index.settings.warnings:
        click.echo(f"note: {render.visible(warning)}", err=True)
    if (index.folder / "last-error").exists():
        _tell_failure(index)
    return index


def _tell_failure(index: Ragit) -> None:
    from ragit.hooks import failure  # rarely needed

    if failed := failure.unseen(index.folder):
        message, hint = map(render.visible, failed)
        click.echo(f"note: indexing in the background failed: {message}. {hint}", err=True)


def look(options: dict[str, Any]) -> render.RenderOptions:
    """How to render, by the options given and the terminal there is."""
    terminal = sys.stdout.isatty()
    return render.RenderOptions(
        color=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        width=shutil.get_terminal_size().columns if terminal else 0,
        full=options.get("full", False),
        context=options.get("context", 0),
        explain=options.get("explain", False),
        meanings=MEANINGS if options.get("explain") else {},
    )


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, as long as anybody reads them: click would call `ragit ... | head` a failure.

    Raises OutputFailed if what it is directed to takes no more.
    """
    try:
        for line in lines:
            click.echo(line)
    except BrokenPipeError:
        _let_go()
    except OSError as error:
        _let_go()
        raise OutputFailed(
            f"cannot write the answer: {error.strerror or error}",
            "look at where the output is directed to",
        ) from error


def _let_go() -> None:
    """Direct standard output to nowhere: Python would complain again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
