"""Lists the commands, and imports each when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ragit.cli.declare import Command

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
"""Functions of commands whose names are Python's own."""


def load(name: str) -> Any:
    """Return a command by name: a declared one, or one of click. Raises KeyError."""
    return getattr(import_module(f"ragit.cli.{COMMANDS[name]}"), _FUNCTIONS.get(name, name))


def declared(name: str) -> Command | None:
    """Return the declaration of a command; None if it has none or does not exist."""
    found = load(name) if name in COMMANDS else None
    return found if isinstance(found, Command) else None
