"""Writes the texts for agents: four lines of instructions, and a skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragit.agents.row import NAME
from ragit.records import NamedTuple

_EXAMPLES = {
    "search": 'ragit search --max-tokens 2000 "where are retries limited?"',
    "usages": "ragit usages NAME",
    "skeleton": "ragit skeleton PATH",
}
"""Examples of commands in the instructions; those of missing commands are left out."""

_COMMANDS = ("search", "usages", "skeleton", "show", "map", "context", "history", "status")
"""The commands that the skill explains, if they exist."""

_SKILL = """\
---
name: {name}
description: >-
  Search the code of a git repository by meaning, by words or by symbol, at any commit and with
  uncommitted changes, offline. Use it to find where something is done, defined or used before
  reading files one by one.
---

# Search code with ragit

Use it in a git repository if `ragit --version` works. It indexes what it lacks by itself, and
answers for HEAD with the uncommitted changes; `--ref REV` names another tree.

If this agent has the MCP server `{name}`, its tools give the same answers: {tools}.

* A question or some words find places; a symbol finds its definition first.
* A hit is a place: a path, lines, and what they define. Read these lines before you rely on them.
* For an exact string in every file, or a list that must be complete, use `git grep`.
{commands}"""


class Words(NamedTuple):
    """The texts installed besides the server's entry."""

    instructions: tuple[str, ...]
    skill: str


def write_words(helps: Mapping[str, str], tools: Sequence[str]) -> Words:
    """Return the texts, from the help of each command by name, and the names of the tools."""
    named = [command for command in _COMMANDS if command in helps]
    sections = [f"\n## ragit {name}\n\n```\n{helps[name].strip()}\n```\n" for name in named]
    skill = _SKILL.format(name=NAME, tools=_listed(tools), commands="".join(sections))
    examples = [example for command, example in _EXAMPLES.items() if command in helps]
    return Words(_instructions(tools, examples), skill)


def _instructions(tools: Sequence[str], examples: Sequence[str]) -> tuple[str, ...]:
    return (
        "If this is a git repository (`git rev-parse`) and `ragit --version` works, search its code"
        " by meaning with ragit:",
        f"- by the tools of the MCP server {NAME}: {_listed(tools)};",
        f"- or in a shell: {_listed(examples)}.",
        "For an exact string in every file use grep. If ragit fails, work without it.",
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
