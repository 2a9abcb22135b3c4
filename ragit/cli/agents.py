"""The commands `ragit agents`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import click

from ragit import render
from ragit.cli import complete
from ragit.cli.shared import print_lines, render_options
from ragit.errors import ConfigError

if TYPE_CHECKING:
    from ragit.agents import Agent, Installation, Step, Words
    from ragit.reports import AgentChange

_names = click.argument("names", metavar="[NAME...]", nargs=-1, shell_complete=complete.agents)
_project = click.option(
    "--project", is_flag=True, help="The files of this repository, instead of the user's."
)
_dry_run = click.option("-n", "--dry-run", is_flag=True, help="List what would change, only.")
_yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


@click.group("agents", short_help="Add ragit to coding agents and editors.")
def agents() -> None:
    """Add ragit to coding agents and editors: the entry of its MCP server, four lines of
    instructions, and a skill.
    """


@agents.command(short_help="Add ragit to agents; list the files first.")
@_names
@_project
@click.option(
    "--only",
    "parts",
    multiple=True,
    type=click.Choice(["server", "instructions", "skill"]),
    help="Install this part only; may be given several times.",
)
@click.option("--print", "show", is_flag=True, help="Print what to add by hand, only.")
@_dry_run
@_yes
@click.pass_context
def install(
    ctx: click.Context,
    names: tuple[str, ...],
    project: bool,
    parts: tuple[str, ...],
    show: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Add ragit to the agents NAME..., or to all that are found; lists the files first.

    Everything else in the files stays as it is, byte for byte, also after uninstall. A file that
    cannot be parsed is not touched.

    Exit status: 0 done, 1 something is left to do by hand, 2 error.

    \b
    Examples:
      ragit agents install
      ragit agents install claude-code codex
      ragit agents install --project cursor
      ragit agents install --print zed
    """
    from ragit.agents import PARTS

    installation = _installation(ctx, project=project)
    wanted = parts or PARTS
    if show:
        return _print_snippets(installation, _chosen(names), wanted)
    found = installation.found()
    if not found and not names:
        raise ConfigError(
            "no agent was found", "Name one: `ragit agents status` lists all that ragit knows"
        )
    steps = installation.additions(_chosen(names, found), wanted)
    return _do(installation, steps, dry_run=dry_run, agreed=yes or bool(names))


@agents.command(short_help="Remove what install added.")
@_names
@_project
@_dry_run
@_yes
@click.pass_context
def uninstall(
    ctx: click.Context, names: tuple[str, ...], project: bool, dry_run: bool, yes: bool
) -> int:
    """Remove what install added, from the agents NAME... or from all; lists the files first.

    Exit status: 0 done, 1 something is left to do by hand, 2 error.

    \b
    Example:
      ragit agents uninstall
    """
    installation = _installation(ctx, project=project)
    steps = installation.removals(_chosen(names))
    return _do(installation, steps, dry_run=dry_run, agreed=yes or bool(names))


@agents.command(short_help="Show what is installed into which agent.")
@_names
@_project
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def status(ctx: click.Context, names: tuple[str, ...], project: bool, as_json: bool) -> int:
    """Show for the agents NAME..., or for all, what is installed.

    `ragit doctor` also starts the servers. Exit status: 0 all agents that are found have ragit's
    server, 1 some do not, 2 error.

    \b
    Example:
      ragit agents status
    """
    found = _installation(ctx, project=project).states(_chosen(names))
    print_lines((render.agents_json if as_json else render.agents_text)(found, render_options({})))
    return 0 if all(one.server in ("installed", "none") for one in found if one.found) else 1


def _installation(ctx: click.Context, *, project: bool) -> Installation:
    """Return the installation for the user, or with `project` for the repository. Raises
    RagitError.
    """
    from ragit.agents import AgentPaths, Installation, own_command, project_top

    top = project_top(ctx.obj.directory) if project else None
    return Installation(AgentPaths(os.environ, sys.platform, top), own_command(), _words())


def _words() -> Words:
    from ragit.agents import write_words
    from ragit.cli.commands import COMMANDS
    from ragit.cli.group import cli
    from ragit.mcp import TOOLS

    root = click.Context(cli, info_name="ragit")
    found = {name: cli.get_command(root, name) for name in COMMANDS}
    helps = {name: _help(command, name, root) for name, command in found.items() if command}
    return write_words(helps, [tool.name for tool in TOOLS if not tool.needs_images])


_UNSAID = frozenset(
    "--color --explain --full --keyword-weight --min-score --optimize --query-prefix"
    " --recurse-submodules --rerank --rewrite".split()
)
"""Options that the skill omits: they are for people, or for trying out settings."""


def _help(command: click.Command, name: str, root: click.Context) -> str:
    """Return the help of a command for the skill, at a fixed width."""
    short = copy(command)
    short.params = [param for param in command.params if not _UNSAID & {*param.opts}]
    short.add_help_option = False
    return short.get_help(click.Context(short, root, name, terminal_width=100))


def _chosen(names: Sequence[str], default: Sequence[Agent] | None = None) -> list[Agent]:
    """Return agents by name; without names the default, or all. Raises ConfigError."""
    from ragit.agents import AGENTS

    known = {agent.name: agent for agent in AGENTS}
    for name in names:
        if name not in known:
            raise ConfigError(f"no agent is called {name!r}", f"There are {', '.join(known)}")
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return list(AGENTS if default is None else default)


def _print_snippets(installation: Installation, agents: list[Agent], parts: Sequence[str]) -> int:
    for change in installation.snippets(agents, parts):
        print_lines([*render.snippet_text(change, render_options({})), ""])
    return 0


def _do(installation: Installation, steps: Sequence[Step], *, dry_run: bool, agreed: bool) -> int:
    """List the steps, ask unless agreed, apply them, and return the exit status."""
    options = render_options({})
    print_lines(render.changes_text([step.change for step in steps], options))
    left = any(step.change.action == "refuse" for step in steps)
    count = sum(step.is_open for step in steps)
    if not count:
        print_lines([] if left else ["there is nothing to do"])
        return int(left)
    if dry_run or not (agreed or _agrees()):
        return int(left)
    failed = _apply(installation, steps)
    print_lines(render.changes_text(failed, options))
    print_lines([f"changed {count - len(failed)} files; agents read them when they start"])
    return int(left or bool(failed))


def _apply(installation: Installation, steps: Sequence[Step]) -> list[AgentChange]:
    """Apply the open steps, and return the refused changes."""
    done = zip(steps, installation.apply(steps), strict=True)
    return [change for step, change in done if step.is_open and change.action == "refuse"]


def _agrees() -> bool:
    """Ask the user. Raises ConfigError without a terminal."""
    if not sys.stdin.isatty():
        command = click.get_current_context().info_name
        raise ConfigError(
            "nothing was changed: there is no terminal to ask on",
            f"Name the agents, or add --yes: ragit agents {command} --yes",
        )
    return click.confirm("Change these files?", default=True, err=True)
