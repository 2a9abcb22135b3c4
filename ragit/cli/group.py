"""The command line parsed by click."""

from __future__ import annotations

import shlex

import click

import ragit
from ragit.cli.call import Call
from ragit.cli.commands import COMMANDS, declared, load
from ragit.errors import ConfigError, RagitError

EXIT_ERROR = 2


class _Commands(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            from difflib import get_close_matches  # only on the way to an error message

            near = get_close_matches(args[0], COMMANDS, n=1)
            words = shlex.join(args[1:] if near == ["search"] else args)
            if near and len(args) > 2:
                raise ConfigError(
                    f"no command is called {args[0]!r}; did you mean {near[0]}?",
                    f"To search: ragit search {words}",
                )
            if near:
                ctx.fail(f"no command is called {args[0]!r}; did you mean {near[0]}?")
            raise ConfigError(
                f"no command is called {args[0]!r}", f"To search: ragit search {words}"
            )
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        found = declared(name)
        command: click.Command = found.for_click() if found else load(name)
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
    ctx.obj = Call(directory, dict(map(_setting, settings)))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="-c")
    return name, value


def run_click(args: list[str]) -> int:
    """Run a command line by click, and return the exit code.

    Raises RagitError for a wrong line, and KeyboardInterrupt if a question was not answered.
    """
    try:
        return int(cli.main(args, prog_name="ragit", standalone_mode=False) or 0)
    except getattr(
        click.exceptions, "NoArgsIsHelpError", ()
    ) as error:  # click 8.1 shows the help itself
        error.show()
        return EXIT_ERROR
    except click.UsageError as error:
        typed = error.ctx.command_path if error.ctx else "ragit"
        raise _refused(error, typed) from error
    except click.ClickException as error:
        raise _refused(error, "ragit") from error
    except click.Abort as error:
        raise KeyboardInterrupt from error


def _refused(error: click.ClickException, typed: str) -> RagitError:
    """Return click's message on one line; it lists choices on lines of their own."""
    message = " ".join(error.format_message().split())
    return RagitError(message, f"{typed} --help says what there is")
