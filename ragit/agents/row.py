"""Defines a row of the table of agents, and the forms of the server's entry."""

from __future__ import annotations

from collections.abc import Callable

from ragit.records import Record

NAME = "ragit"
"""The name of the server in every agent's settings."""

ARGUMENTS = ["mcp"]
"""Arguments with which ragit is started."""


class Agent(Record):
    """An agent: how it is detected, and its files.

    Paths begin with a root in braces (`paths.py`); those of a project are relative to the top of
    the repository. An empty path or tuple means that the agent has no such file.
    """

    name: str
    """The name on the command line."""
    title: str
    page: str
    """The page of its documentation about the file of servers."""
    found: tuple[str, ...]
    """Paths of which one exists if the agent was used."""
    files: tuple[str, ...]
    """The file of servers: the first that exists, else the first."""
    keys: tuple[tuple[str, ...], ...]
    """The names that lead to the servers in that file: the first that exist, else the last."""
    shape: str
    """A name of SHAPES."""
    project_files: tuple[str, ...] = ()
    project_shape: str = ""
    """The shape in a project's file, if different."""
    instructions: str = ""
    """The file of instructions read in every session."""
    project_instructions: str = ""
    skills: str = ""
    """The folder of skills; a skill is a folder in it."""
    project_skills: str = ""


def _stdio(command: str) -> dict[str, object]:
    return {"type": "stdio", "command": command, "args": ARGUMENTS}


def _plain(command: str) -> dict[str, object]:
    return {"command": command, "args": ARGUMENTS}


def _copilot(command: str) -> dict[str, object]:
    return {"type": "local", "command": command, "args": ARGUMENTS, "tools": ["*"]}


def _opencode(command: str) -> dict[str, object]:
    return {"type": "local", "command": [command, *ARGUMENTS]}


def _zed(command: str) -> dict[str, object]:
    return {"source": "custom", "command": command, "args": ARGUMENTS, "env": {}}


SHAPES: dict[str, Callable[[str], dict[str, object]]] = {
    "stdio": _stdio,
    "plain": _plain,
    "copilot": _copilot,
    "opencode": _opencode,
    "zed": _zed,
}
"""The entry of the server for the path of the command, by the name of its form."""


def command_of(entry: object) -> list[str]:
    """Return the command line of an entry; empty if it has none."""
    if not isinstance(entry, dict):
        return []
    command, arguments = entry.get("command"), entry.get("args", [])
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list) or not isinstance(arguments, list):
        return []
    line = [*words, *arguments]
    return line if all(isinstance(word, str) for word in line) else []


def is_ours(entry: object) -> bool:
    """Return whether ragit wrote an entry, perhaps for another path: it starts `PATH/ragit mcp`."""
    line = command_of(entry)
    if not line or line[1:] != ARGUMENTS:
        return False
    folder, _, program = line[0].replace("\\", "/").rpartition("/")
    return bool(folder) and program.removesuffix(".exe") in ("ragit", "git-ragit")
