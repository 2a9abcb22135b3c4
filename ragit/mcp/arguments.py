"""Check the arguments of a tool call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from ragit.errors import ConfigError
from ragit.mcp.tools import Tool

Arguments = Mapping[str, str | int]
"""The given arguments, each of the type in the tool's schema."""


def checked(tool: Tool, given: Mapping[str, object]) -> Arguments:
    """Return the arguments that have a value, numbers in digits as numbers.

    Raises ConfigError with a hint that lets a model repair its call.
    """
    for name in given:
        if name not in tool.arguments:
            raise ConfigError(f"{tool.name} takes no argument {name!r}", _known(tool, name))
    found = {
        name: _value(name, value, tool.arguments[name])
        for name, value in given.items()
        if value is not None and value != ""
    }
    for name in tool.required:
        if name not in found:
            raise ConfigError(f"{tool.name} needs the argument {name}", f"Pass {name}")
    return found


def _known(tool: Tool, name: str) -> str:
    near = get_close_matches(name, tool.arguments, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    return f"It takes {', '.join(tool.arguments)}"


def _value(name: str, value: object, schema: Mapping[str, object]) -> str | int:
    if schema["type"] == "integer":
        return _number(name, value, schema)
    if not isinstance(value, str):
        raise ConfigError(f"{name} is {value!r}", f"Pass {name} as one string")
    if "\0" in value:
        raise ConfigError(f"{name} holds a zero byte", f"Pass {name} without it")
    return value


def _number(name: str, value: object, schema: Mapping[str, object]) -> int:
    least = schema.get("minimum")
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ConfigError(f"{name} is {value!r}", f"Pass {name} as a whole number")
    if isinstance(least, int) and number < least:
        raise ConfigError(f"{name} is {number}", f"It is at least {least}")
    return number


def text_or_none(arguments: Arguments, name: str) -> str | None:
    """Return the value of an argument; None if it was not given."""
    return str(arguments[name]) if name in arguments else None


def several(arguments: Arguments, name: str) -> tuple[str, ...]:
    """Return the value of an argument in the form of a repeatable option."""
    return (str(arguments[name]),) if name in arguments else ()
