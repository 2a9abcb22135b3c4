"""The commands `ragit config`, `ragit trust` and `ragit completion`."""

from __future__ import annotations

import sys

import click

from ragit import render
from ragit.cli import complete
from ragit.cli.shared import open_index, print_lines, render_options
from ragit.errors import ConfigError


@click.command(short_help="Show settings, their values and where they came from.")
@click.argument("name", required=False, shell_complete=complete.settings)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--help-texts", "full", is_flag=True, help="Say what each setting means.")
@click.pass_context
def config(ctx: click.Context, name: str | None, as_json: bool, full: bool) -> None:
    """Show every setting with its value and origin; for one setting or section, also its meaning.

    Settings come from .ragit.toml, `git config ragit.*`, RAGIT_* variables and -c, each above the
    one before.

    \b
    Examples:
      ragit config
      ragit config retrieval.topK
      git config ragit.retrieval.topK 20
    """
    with open_index(ctx.obj) as index:
        rows = index.settings.rows(name or "")
        print_lines(
            (render.config_json if as_json else render.config_text)(
                rows, render_options({"full": full or bool(name)})
            )
        )


@click.command(short_help="Allow what this repository's settings ask for.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what is asked for, and allow nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Take all permissions of this repository back.")
@click.pass_context
def trust(ctx: click.Context, dry_run: bool, yes: bool, revoke: bool) -> None:
    """Allow what this repository's settings ask for: to send data, to choose where to write, to run
    its chunkers.

    Shows them first. The permission is stored outside the repository and applies to the files as
    they are now.

    \b
    Examples:
      ragit trust --dry-run
      ragit trust
    """
    with open_index(ctx.obj) as index:
        if revoke:
            print_lines([f"no longer trusted: {render.visible(str(index.settings.distrust()))}"])
            return
        asked = index.settings.request()
        print_lines(render.request_text(asked, render_options({})))
        if dry_run or not (yes or _agrees()):
            return
        print_lines([f"trusted as it is now: {render.visible(str(index.settings.trust(asked)))}"])


def _agrees() -> bool:
    """Ask the user. Raises ConfigError without a terminal."""
    if not sys.stdin.isatty():
        raise ConfigError(
            "nothing was allowed: there is no terminal to ask on", "To allow it: ragit trust --yes"
        )
    return click.confirm("Allow this?", err=True)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      eval "$(ragit completion bash)"
    """
    from click.shell_completion import get_completion_class

    from ragit.cli.group import cli

    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(cli, {}, "ragit", "_RAGIT_COMPLETE").source())
