"""Opens the repository, reads the terminal's properties and prints lines, for all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ragit import render
from ragit.cli.call import Call
from ragit.cli.color import wants_color
from ragit.errors import OutputFailed
from ragit.repository import EarlyStatus, Ragit, open_repository


def open_index(call: Call, early: EarlyStatus | None = None) -> Ragit:
    """Open the command's repository, and print notes on ignored settings."""
    index = open_repository(call.directory, flags=call.flags, early=early)
    for warning in index.settings.warnings:
        tell(f"note: {render.visible(warning)}")
    if (index.folder / "last-error").exists():
        _tell_failure(index)
    return index


def _tell_failure(index: Ragit) -> None:
    from ragit.hooks import failure  # rarely needed

    if failed := failure.unseen(index.folder):
        message, hint = map(render.visible, failed)
        tell(f"note: indexing in the background failed: {message}. {hint}")


def tell(line: str) -> None:
    """Write a line to standard error."""
    sys.stdout.flush()  # keeps the order if both are one terminal or file
    sys.stderr.write(line + "\n")


def render_options(options: dict[str, Any], index: Ragit | None = None) -> render.RenderOptions:
    """Return the options of rendering, from the command's options, the terminal and the
    repository.
    """
    terminal = sys.stdout.isatty()
    return render.RenderOptions(
        color=wants_color(options.get("color", "auto"), terminal),
        ascii=not _takes_utf8(sys.stdout.encoding),
        width=_columns() if terminal else 0,
        full=options.get("full", False),
        context=options.get("context", 0),
        syntax=index is not None and index.config.output.syntax_colors,
        explain=options.get("explain", False),
        meanings=_meanings() if options.get("explain") else {},
        folder=index.folder_in_tree if index else "",
        root=str(index.top) if index and index.top else "",
        max_lines=options.get("max_lines") or 0,
        max_tokens=options.get("max_tokens") or 0,
    )


def _columns() -> int:
    from shutil import get_terminal_size  # loads the compressors; output often goes to programs

    return get_terminal_size().columns


def _meanings() -> Mapping[str, str]:
    from ragit.repository import MEANINGS  # imports all of ranking

    return MEANINGS


def _takes_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig", "cp65001")


def print_lines(lines: Iterable[str], *, page: bool = False) -> None:
    """Write lines to standard output until its reader leaves; with `page`, on a terminal by git's
    pager.

    Raises OutputFailed if the output cannot be written, for example to a full disk.
    """
    if page and sys.stdout.isatty():
        from ragit.cli.pager import page_lines

        lines = list(lines)
        if page_lines(lines):
            return
    try:
        for line in lines:
            _write(line)
        sys.stdout.flush()
    except BrokenPipeError:  # `ragit ... | head` is no failure
        _discard_output()
    except OSError as error:
        _discard_output()
        raise OutputFailed(
            f"cannot write the answer: {error.strerror or error}",
            "Look at where the output is directed to",
        ) from error


def _write(line: str) -> None:
    if sys.platform == "win32":
        import click

        click.echo(line, color=True)  # translates colours for old consoles
    else:
        sys.stdout.write(line + "\n")  # click would write UTF-8 where the encoding is ASCII


def _discard_output() -> None:
    """Redirect standard output to the null device: Python would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
