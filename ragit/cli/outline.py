"""The commands `ragit skeleton`, `ragit show` and `ragit map`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ragit.cli import complete
from ragit.cli.color import color_option
from ragit.cli.indexing import on_index
from ragit.cli.numbers import WholeNumber
from ragit.cli.scope import take_scope
from ragit.repository import start_early_status

if TYPE_CHECKING:
    from ragit.outlines import Outline
    from ragit.repository import Ragit


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that name a tree and a format."""
    options = (
        click.option(
            "--ref",
            metavar="REV",
            shell_complete=complete.refs,
            help="Read this branch, tag, commit or tree instead of the working tree.",
        ),
        click.option("--staged", is_flag=True, help="Read what is staged."),
        click.option("--committed", is_flag=True, help="Read HEAD without uncommitted changes."),
        click.option("--no-index", is_flag=True, help="Answer from what is indexed already."),
        click.option(
            "--format",
            "format_name",
            default="text",
            metavar="NAME",
            show_default=True,
            help="text, json, vimgrep or compact.",
        ),
        click.option("--json", "format_name", flag_value="json", help="The same as --format json."),
        color_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


def taken_tree(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options that name a tree, as arguments of the library. Raises ConfigError."""
    return {
        "ref": options.pop("ref"),
        "scope": take_scope(options) or "worktree",
        "index": not options.pop("no_index"),
    }


def print_read(
    ctx: click.Context, options: dict[str, Any], ask: Callable[[Ragit, dict[str, Any]], Outline]
) -> int:
    """Ask the opened repository, with the options that name a tree, and print the answer."""
    tree = taken_tree(options)
    worktree = tree["ref"] is None and tree["scope"] == "worktree"
    early = start_early_status(ctx.obj["directory"], os.environ, worktree=worktree)
    from ragit.cli.shared import open_index, print_lines, render_options, tell
    from ragit.render import outlines

    with open_index(ctx, early) as index:
        render = outlines.format_named(options.pop("format_name"))
        found = ask(index, {**tree, "on_index": on_index})
        style = render_options(options, index)
    print_lines(render(found, style), page=render is outlines.text)
    for note in outlines.notes(found):
        tell(note)
    return 0


@click.command(short_help="List what a file or folder defines, without bodies.")
@click.argument("path", default=".")
@reading_options
@click.option(
    "--max-lines", type=WholeNumber(3), metavar="N", help="Show at most N lines, the outer levels."
)
@click.pass_context
def skeleton(ctx: click.Context, /, path: str, **options: Any) -> int:
    """List what PATH defines: of a file its declarations, of a folder a line for each file.

    Each line has the number of the line in the file, the declaration, and the first sentence of its
    documentation. Of documents the headings are listed. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit skeleton src/session.py
      ragit skeleton --ref v1.0 src/
    """
    return print_read(ctx, options, lambda index, tree: index.skeleton(path, **tree))


@click.command(short_help="Show the definition of a name, or at a line.")
@click.argument("name", metavar="SYMBOL|PATH:LINE")
@reading_options
@click.option("--body", is_flag=True, help="Show all of a class, not only its outline.")
@click.option(
    "--page", type=WholeNumber(1), default=1, metavar="N", help="Show this page of a long list."
)
@click.pass_context
def show(ctx: click.Context, /, name: str, body: bool, page: int, **options: Any) -> int:
    """Show the whole definition of SYMBOL, or the one at a line of a file, with its documentation.

    Of a class its outline is shown. If SYMBOL has several definitions, they are listed; Owner.name
    and Owner::name narrow the list. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit show Session.open
      ragit show src/session.py:120
      ragit show --body Session
    """
    return print_read(
        ctx, options, lambda index, tree: index.show(name, body=body, page=page, **tree)
    )


@click.command("map", short_help="Draw the repository in a number of tokens.")
@click.argument("query", nargs=-1)
@reading_options
@click.option(
    "--tokens",
    type=WholeNumber(1),
    default=2000,
    show_default=True,
    metavar="N",
    help="Print about N tokens at most.",
)
@click.pass_context
def draw_map(ctx: click.Context, /, query: tuple[str, ...], tokens: int, **options: Any) -> int:
    """List the definitions that matter most, by file, as many as fit into N tokens.

    These are what most of the repository refers to, directly or through others (PageRank over the
    files); with QUERY, what the best files for it refer to. Exit status: 0 done, 2 error.

    \b
    Examples:
      ragit map --tokens 1000
      ragit map --ref v1.0 "where are retries limited?"
    """
    text = " ".join(query)
    return print_read(ctx, options, lambda index, tree: index.map(text, max_tokens=tokens, **tree))
