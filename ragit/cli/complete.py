"""Completes values of options and arguments in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click


def languages(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return the languages that begin with the typed text."""
    from ragit.repository import language_names

    return _beginning(language_names(), begun)


def refs(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return the refs of the repository that begin with the typed text."""
    from ragit.repository import ref_names

    root = ctx.find_root().params
    return _beginning(ref_names(root.get("directory") or "."), begun)


def settings(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return the settings that begin with the typed text, in any case."""
    from ragit.repository import setting_names

    return [name for name in setting_names() if name.lower().startswith(begun.lower())]


def formats(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return the output formats that begin with the typed text."""
    from ragit.render import FORMATS

    return _beginning(list(FORMATS), begun)


def agents(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return the agents that begin with the typed text."""
    from ragit.agents import AGENTS

    return _beginning([agent.name for agent in AGENTS], begun)


def _beginning(names: list[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]
