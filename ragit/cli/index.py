"""The commands `ragit index` and `ragit gc`, which write the store."""

from __future__ import annotations

from contextlib import closing

import click

from ragit import render
from ragit.cli import complete
from ragit.cli.progress import Bar
from ragit.cli.scope import take_scope
from ragit.cli.shared import open_index, print_lines, render_options


@click.command(short_help="Make trees complete ahead of time.")
@click.argument("revisions", nargs=-1, metavar="[REV]...", shell_complete=complete.refs)
@click.option("--staged", is_flag=True, help="The tree that a commit would record now.")
@click.option("--worktree", is_flag=True, help="HEAD with all uncommitted changes.")
@click.option(
    "--all-branches", is_flag=True, help="Every local branch, beside the named revisions."
)
@click.option("--dry-run", is_flag=True, help="Write nothing; say what is missing.")
@click.option("--fetch-missing", is_flag=True, help="First download what a partial clone lacks.")
@click.option(
    "--describe/--no-describe",
    default=True,
    help="Ask models for the descriptions that the settings want.",
)
@click.option("--rebuild", is_flag=True, help="Index from nothing and replace the store.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def index(
    ctx: click.Context,
    /,
    revisions: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    **options: bool,
) -> None:
    """Make the trees of the given revisions complete (default: HEAD).

    Files that other indexed trees contain are not indexed again. Ctrl-C keeps finished work.

    \b
    Examples:
      ragit index
      ragit index v1.0 v2.0 main
      ragit index --all-branches --dry-run
    """
    from ragit.hooks import failure

    scope = take_scope(options)
    with open_index(ctx.obj) as opened, closing(Bar(quiet or as_json)) as bar:
        report = opened.index(*revisions, scope=scope or "committed", progress=bar, **options)
        failure.forget(opened.folder)
    if not quiet:
        print_lines(
            (render.index_json if as_json else render.index_text)(report, render_options({}))
        )


@click.command(short_help="Drop what no ref, worktree or recent reflog entry reaches.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def gc(ctx: click.Context, as_json: bool) -> None:
    """Drop what no ref, worktree, staged tree or recent reflog entry reaches.

    \b
    Example:
      ragit gc
    """
    with open_index(ctx.obj) as index:
        print_lines((render.gc_json if as_json else render.gc_text)(index.gc(), render_options({})))
