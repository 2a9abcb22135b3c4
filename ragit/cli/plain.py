"""Reads ordinary command lines without click, by the declarations of their commands.

An ordinary line has only known options, each written out, with a value that is a word of its own or
follows `=`. Any other line is left to click: abbreviations, joined short options, values that begin
with a dash, what is wrong or missing, --help and completion.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ragit.cli.call import Call
from ragit.cli.commands import declared
from ragit.cli.declare import Command, Parameter


class _NotPlain(Exception):
    """A line that click has to read."""


def plain_call(args: Sequence[str]) -> Callable[[], int] | None:
    """Return the call that a command line asks for; None if click has to read the line."""
    if "_RAGIT_COMPLETE" in os.environ:  # a shell asks for completions
        return None
    words = iter(args)
    try:
        call, name = _before(words)
    except _NotPlain:
        return None
    command = declared(name)
    if command is None:
        return None
    values = values_of(command, list(words))
    return None if values is None else lambda: command.run(call, values)


def _before(words: Iterator[str]) -> tuple[Call, str]:
    """Read the options before the command, and its name. Raises _NotPlain."""
    directory, flags = ".", {}
    for word in words:
        if word == "-C":
            directory = _value(words)
        elif word == "-c":
            name, equals, flags[name] = _value(words).partition("=")
            if not equals:
                raise _NotPlain
        elif word.startswith("-"):
            raise _NotPlain
        else:
            return Call(directory, flags), word
    raise _NotPlain


def _value(words: Iterator[str]) -> str:
    word = next(words, "-")
    if word.startswith("-"):
        raise _NotPlain
    return word


def values_of(command: Command, args: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of a command's options and arguments; None if click has to read them."""
    options = {
        flag: parameter
        for parameter in command.parameters
        if parameter.is_option
        for names in parameter.flags
        for flag in names.split("/")
    }
    values: dict[str, Any] = {}
    others: list[str] = []
    words = iter(command.prepare(args))
    try:
        for word in words:
            if word == "--":
                others += words
            elif word == "-" or not word.startswith("-"):
                others.append(word)
            else:
                _take(options, word, words, values)
        return _filled(command, values, others)
    except (_NotPlain, ValueError):  # of a value
        return None


def _take(
    options: dict[str, Parameter], word: str, words: Iterator[str], values: dict[str, Any]
) -> None:
    """Put the value of one option among the values. Raises _NotPlain and ValueError."""
    flag, equals, given = word.partition("=")
    found = options.get(flag)
    if found is None or (equals and not flag.startswith("--")):
        raise _NotPlain
    settings, field = found.settings, found.field
    if "flag_value" in settings or settings.get("is_flag") or "/" in found.flags[0]:
        if equals:
            raise _NotPlain
        values[field] = settings.get("flag_value", not found.flags[0].endswith(f"/{flag}"))
        return
    text = given if equals else _value(words)
    value = settings["type"].read(text) if "type" in settings else text
    if settings.get("multiple"):
        values[field] = (*values.get(field, ()), value)
    else:
        values[field] = value


def _filled(command: Command, values: dict[str, Any], others: list[str]) -> dict[str, Any]:
    """Add the arguments and the defaults. Raises _NotPlain for what is missing or too much."""
    for parameter in command.parameters:
        field, settings = parameter.field, parameter.settings
        if not parameter.is_option:
            values[field] = _argument(settings, others)
        elif "flag_value" not in settings or settings.get("is_flag"):
            values.setdefault(field, _default(settings))
    if others:
        raise _NotPlain
    return values


def _argument(settings: Any, others: list[str]) -> Any:
    """Take the words of one argument. Raises _NotPlain if it has to have one."""
    if settings.get("nargs") == -1:
        taken = tuple(others)
        others.clear()
        return taken
    if others:
        return others.pop(0)
    if "default" in settings or settings.get("required") is False:
        return settings.get("default")
    raise _NotPlain


def _default(settings: Any) -> Any:
    if settings.get("multiple"):
        return ()
    return settings.get("default", False if settings.get("is_flag") else None)
