"""The command `ragit usages`."""

from __future__ import annotations

import os
from typing import Any

import click

from ragit.cli import complete
from ragit.cli.color import color_option
from ragit.cli.indexing import on_index
from ragit.cli.numbers import WholeNumber
from ragit.cli.scope import take_scope
from ragit.errors import ConfigError
from ragit.repository import start_early_status

_RELATIONS = ("callers", "callees", "overrides")


@click.command(short_help="List all places that use a name.")
@click.argument("name")
@click.option("--callers", is_flag=True, help="List the definitions that call NAME.")
@click.option("--callees", is_flag=True, help="List what the definition of NAME calls.")
@click.option("--overrides", is_flag=True, help="List the methods of that name in related types.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="GLOB",
    help="Only in paths that match GLOB, or all but those that match !GLOB. May be repeated.",
)
@click.option(
    "--ref",
    metavar="REV",
    shell_complete=complete.refs,
    help="In this branch, tag, commit or tree instead of the working tree.",
)
@click.option("--staged", is_flag=True, help="In what is staged.")
@click.option("--committed", is_flag=True, help="In HEAD without uncommitted changes.")
@click.option(
    "-k",
    "--top-k",
    type=WholeNumber(1),
    default=100,
    show_default=True,
    metavar="N",
    help="Show N lines.",
)
@click.option("--page", type=WholeNumber(1), default=1, metavar="P", help="Show the Pth N lines.")
@click.option(
    "--no-index",
    "index",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Answer from what is indexed already.",
)
@click.option(
    "--format",
    "format_name",
    default="text",
    metavar="NAME",
    show_default=True,
    help="text, json, vimgrep or compact.",
)
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
@color_option
@click.pass_context
def usages(ctx: click.Context, /, name: str, **options: Any) -> int:
    """List all places that use NAME: a function, type, method or variable.

    These are all lines of indexed text that hold NAME as a whole word: its definitions, then the
    others, each with the rule by which it was taken for one of them, those of tests last. Exit
    status: 0 some, 1 none, 2 error.

    \b
    Examples:
      ragit usages commit_offset
      ragit usages --callers KafkaConsumer.poll
      ragit usages --ref v1.2 --path 'src/*.py' --json Session
    """
    options["relation"], options["scope"] = _relation(options), take_scope(options) or "worktree"
    worktree = options["ref"] is None and options["scope"] == "worktree"
    early = start_early_status(ctx.obj["directory"], os.environ, worktree=worktree)
    from ragit.cli.shared import open_index, print_lines, render_options, tell
    from ragit.render import usages as shown

    with open_index(ctx, early) as index:
        show = shown.format_named(options.pop("format_name"))
        found = index.usages(name, on_index=on_index, **options)
        style = render_options({}, index)
    print_lines(show(found, style), page=show is shown.text)
    for line in shown.notes(found):
        tell(line)
    return 0 if found.total or found.definitions else 1


def _relation(options: dict[str, Any]) -> str:
    """Take the relation out of the options. Raises ConfigError if several are asked for."""
    given = [name for name in _RELATIONS if options.pop(name)]
    if len(given) > 1:
        raise ConfigError(f"both --{' and --'.join(given)} are asked for", "Ask for one of them")
    return given[0] if given else "uses"
