"""`ragit config`, `ragit trust` and `ragit completion`."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli.face import look, open_index, print_lines


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--help-texts", "full", is_flag=True, help="Say what each setting means.")
@click.pass_context
def config(ctx: click.Context, as_json: bool, full: bool) -> None:
    """Show every setting, its value and where it came from.

    Settings come from .ragit.toml, `git config ragit.*`, RAGIT_* variables and -c, each above the one before.

    \b
    Examples:
      ragit config
      git config ragit.retrieval.topK 20
    """
    with open_index(ctx) as index:
        print_lines((render.config_json if as_json else render.config_text)(index.settings(), look({"full": full})))


@click.command()
@click.option("--revoke", is_flag=True, help="Take the permission back.")
@click.pass_context
def trust(ctx: click.Context, revoke: bool) -> None:
    """Allow the settings of this repository's .ragit.toml that send data or choose where to write.

    The permission is kept outside the repository and holds for the file as it is now.

    \b
    Example:
      ragit trust
    """
    with open_index(ctx) as index:
        path = index.trust(allow=not revoke)
    click.echo(f"{'no longer trusted' if revoke else 'trusted as it is now'}: {render.visible(str(path))}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      eval "$(ragit completion bash)"
    """
    from click.shell_completion import get_completion_class

    from ragit.cli import cli

    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(cli, {}, "ragit", "_RAGIT_COMPLETE").source())
