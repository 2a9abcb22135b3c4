"""The command line: each command parses its arguments, makes one call and renders the result.

A command's module is imported when the command is called; click only for a line that `plain` cannot
read.
"""

from __future__ import annotations

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.cli.commands import COMMANDS
    from ragit.cli.group import cli, run_click
    from ragit.cli.plain import plain_call
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "commands": ["COMMANDS"],
            "group": ["cli", "run_click"],
            "plain": ["plain_call"],
        },
    )
