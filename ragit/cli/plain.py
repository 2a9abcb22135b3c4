"""Parses ordinary command lines without click, by the declarations of their commands.

An ordinary line has only known options, each spelt in full, with its value as the next word or
after `=`. All others are left to click: abbreviations, joined short options, values that begin with
a dash, errors, --help and completion.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ragit.cli.call import Call
from ragit.cli.commands import declared
from ragit.cli.declare import Argument, Command, Option


class _NotPlain(Exception):
    """click has to parse the line."""


def plain_call(args: Sequence[str]) -> Callable[[], int] | None:
    """Return the call of a command line; None if click has to parse it."""
    if "_RAGIT_COMPLETE" in os.environ:  # a shell requests completions
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
    """Parse the options before the command, and its name. Raises _NotPlain."""
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
    """Return the values of a command's options and arguments; None if click has to parse them."""
    options = {name: option for option in command.options for name in option.names()}
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
        for argument in command.arguments:
            values[argument.field] = _argument(argument, others)
    except (_NotPlain, ValueError):  # an invalid value
        return None
    if others:
        return None
    for option in command.options:
        if not option.is_alias:
            values.setdefault(option.field, option.default)
    return values


def _take(
    options: dict[str, Option], word: str, words: Iterator[str], values: dict[str, Any]
) -> None:
    """Add the value of one option to the values. Raises _NotPlain and ValueError."""
    name, equals, given = word.partition("=")
    option = options.get(name)
    if option is None or (equals and not name.startswith("--")):
        raise _NotPlain
    constant = option.constant_of(name)
    if constant is not None:
        if equals:
            raise _NotPlain
        values[option.field] = constant
        return
    text = given if equals else _value(words)
    value = option.kind.read(text) if option.kind else text
    if option.repeatable:
        value = (*values.get(option.field, ()), value)
    values[option.field] = value


def _argument(argument: Argument, others: list[str]) -> Any:
    """Take the words of one argument. Raises _NotPlain if a required one is missing."""
    if argument.takes_rest:
        taken = tuple(others)
        others.clear()
        return taken
    if others:
        return others.pop(0)
    if argument.required:
        raise _NotPlain
    return argument.default
