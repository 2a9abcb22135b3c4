"""Options of commands that read one tree."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ragit.cli import complete
from ragit.cli.call import Call
from ragit.cli.color import color_option
from ragit.cli.declare import alias, flag, option
from ragit.cli.scope import take_scope
from ragit.repository import EarlyStatus, start_early_status


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that name a tree and a format."""
    options = (
        option(
            "--ref",
            metavar="REV",
            shell_complete=complete.refs,
            help="Read this branch, tag, commit or tree instead of the working tree.",
        ),
        flag("--staged", help="Read what is staged."),
        flag("--committed", help="Read HEAD without uncommitted changes."),
        flag("--no-index", help="Answer from what is indexed already."),
        option(
            "--format",
            "format_name",
            default="text",
            metavar="NAME",
            show_default=True,
            help="text, json, vimgrep or compact.",
        ),
        alias("--json", "format_name", "json", help="The same as --format json."),
        color_option,
    )
    for add in reversed(options):
        command = add(command)
    return command


def take_tree(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options that name a tree, and return them for the library. Raises ConfigError."""
    return {
        "ref": options.pop("ref"),
        "scope": take_scope(options) or "worktree",
        "index": not options.pop("no_index"),
    }


def start_for(call: Call, tree: dict[str, Any]) -> EarlyStatus:
    """Open the repository, and start git's status if the working tree is read."""
    worktree = tree["ref"] is None and tree["scope"] == "worktree"
    return start_early_status(call.directory, os.environ, worktree=worktree)
