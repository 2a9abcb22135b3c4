"""The commands `ragit init` and `ragit hooks`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import click

from ragit import render
from ragit.cli.shared import open_index, print_lines, render_options


@click.command(short_help="Index HEAD, and offer to install git hooks.")
@click.option("-y", "--yes", is_flag=True, help="Install the hooks without asking.")
@click.pass_context
def init(ctx: click.Context, yes: bool) -> None:
    """Index HEAD, and offer to install git hooks that keep the index complete.

    Nothing has to be initialised: a search indexes what it lacks. Without a terminal or --yes, no
    hook is changed.

    \b
    Example:
      ragit init
    """
    from ragit.hooks import Hooks

    with open_index(ctx.obj) as index:
        print_lines(render.index_text(index.index(), render_options({})))
    with Hooks.of(ctx.obj.directory) as hooks:
        report = hooks.status()
        if report.installable:
            question = (
                "Install git hooks that index in the background after commit, checkout, merge and"
                " rebase?"
            )
            if yes or (
                sys.stdin.isatty() and sys.stdout.isatty() and click.confirm(question, default=True)
            ):
                report = hooks.install()
    print_lines(render.hooks_text(report, render_options({})))


@click.group("hooks", short_help="Index in the background, by git's own hooks.")
def hooks() -> None:
    """Index in the background when a commit, checkout, merge or rebase moves HEAD.

    Search is right without hooks: they only save it the work.
    """


@hooks.command()
@click.option(
    "--force", is_flag=True, help="Write to a hooks folder outside the git directory too."
)
@click.pass_context
def install(ctx: click.Context, force: bool) -> int:
    """Add ragit to the hooks, beside what stands there.

    Exit status: 0 all hooks wake ragit, 1 something is left to do by hand, 2 error.

    \b
    Example:
      ragit hooks install
    """
    from ragit.hooks import Hooks

    with Hooks.of(ctx.obj.directory) as hooks:
        report = hooks.install(force=force)
    print_lines(render.hooks_text(report, render_options({})))
    return 0 if report.active else 1


@hooks.command()
@click.pass_context
def uninstall(ctx: click.Context) -> None:
    """Remove ragit from the hooks; the index stays.

    \b
    Example:
      ragit hooks uninstall
    """
    from ragit.hooks import Hooks

    with Hooks.of(ctx.obj.directory) as hooks:
        report = hooks.uninstall()
    print_lines(["removed; the index stays" if report.changed else "there was nothing to remove"])


@hooks.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> int:
    """Show for each hook whether it wakes ragit.

    Exit status: 0 all do, 1 some do not, 2 error.

    \b
    Example:
      ragit hooks status
    """
    from ragit.hooks import Hooks

    with Hooks.of(ctx.obj.directory) as hooks:
        report = hooks.status()
    print_lines((render.hooks_json if as_json else render.hooks_text)(report, render_options({})))
    return 0 if report.active else 1


@hooks.command(context_settings={"ignore_unknown_options": True})
@click.argument("event", default="")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def run(ctx: click.Context, event: str, args: tuple[str, ...]) -> None:
    """Do what the hook EVENT does: index in the background. Silent, and always succeeds.

    For hook runners; without EVENT it is taken from pre-commit's variables.

    \b
    Example:
      ragit hooks run post-commit
    """
    from ragit.hooks import queue

    with suppress(
        Exception
    ):  # a failing hook breaks `git switch`; the next search reports the fault
        queue.run(ctx.obj.directory, event, args, os.environ)
