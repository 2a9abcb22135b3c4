"""The command line: each command parses its arguments, makes one call and renders the result.

A command's module is imported when the command is called, so that `ragit search` does not load the
others.
"""

from __future__ import annotations

import shlex
from importlib import import_module

import click

import ragit
from ragit.errors import ConfigError

__all__ = ["cli"]

COMMANDS = {
    "search": "search",
    "usages": "usages",
    "skeleton": "outline",
    "show": "outline",
    "diff": "history",
    "since": "history",
    "context": "context",
    "map": "outline",
    "index": "index",
    "status": "status",
    "check": "status",
    "describe": "describe",
    "embed": "embed",
    "gc": "index",
    "init": "hooks",
    "hooks": "hooks",
    "agents": "agents",
    "doctor": "doctor",
    "eval": "evaluate",
    "mcp": "mcp",
    "serve": "mcp",
    "config": "config",
    "trust": "config",
    "completion": "config",
}
"""Commands and their modules, in the order in which a user needs them."""

_FUNCTIONS = {"eval": "evaluate", "map": "draw_map"}
"""Functions that cannot have the command's name, since Python uses it."""


class _Commands(click.Group):
    """A group that loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            from difflib import get_close_matches  # only on the way to an error message

            near = get_close_matches(args[0], COMMANDS, n=1)
            if near:
                ctx.fail(f"no command is called {args[0]!r}; did you mean {near[0]}?")
            words = shlex.join(args)
            raise ConfigError(
                f"no command is called {args[0]!r}", f"To search: ragit search {words}"
            )
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(
            import_module(f"ragit.cli.{COMMANDS[name]}"), _FUNCTIONS.get(name, name)
        )
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(ragit.__version__, prog_name="ragit")
@click.option(
    "-C",
    "directory",
    default=".",
    type=click.Path(),
    metavar="DIR",
    help="Run as if started in DIR.",
)
@click.option(
    "-c",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a setting for this call (see `ragit config`).",
)
@click.pass_context
def cli(ctx: click.Context, directory: str, settings: tuple[str, ...]) -> None:
    """Search a git repository by words and by meaning, at any commit, offline.

    \b
    Example:
      ragit search "where are offsets committed?"
    """
    ctx.obj = {"directory": directory, "flags": dict(map(_setting, settings))}


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="-c")
    return name, value
