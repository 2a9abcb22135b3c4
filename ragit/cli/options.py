"""Makes the command line options of a search from the options of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from ragit.cli import complete
from ragit.cli.numbers import Number, WholeNumber
from ragit.cli.scope import take_scope
from ragit.errors import ConfigError
from ragit.query import OPTIONS, Option, Query

_SCOPE_FLAGS = {
    "staged": "Search what is staged.",
    "committed": "Search HEAD without uncommitted changes.",
}

_COMPLETED = {
    "languages": complete.languages,
    **dict.fromkeys(("ref", "gone_since", "in_refs", "refs"), complete.refs),
}


class _Configured(click.Option):
    """An option that a setting stands in for. Its help names the setting and its default."""

    def __init__(self, *args: Any, setting: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self.setting = setting

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        found = super().get_help_record(ctx)
        if found is None:
            return None
        from ragit.config import KNOBS  # only for the help

        default = KNOBS[self.setting].default
        shown = {"True": "on", "False": "off", "": "none"}.get(str(default), default)
        return found[0], f"{found[1]}  [default: {shown}; setting {self.setting}]"


def query_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all options of a query."""
    for option in reversed([option for name in OPTIONS for option in _options(name)]):
        command = option(command)
    return command


def make_query(text: str, options: dict[str, Any]) -> Query:
    """Return the query that a command's options ask for, and take these out. Raises ConfigError."""
    if not text.strip():
        raise ConfigError("the query is empty", "Name a symbol, some words, or ask a question")
    options["scope"] = take_scope(options) or Query.defaults["scope"]
    return Query(text, **{name: options.pop(name) for name in OPTIONS})


def _options(name: str) -> Iterator[Callable[..., Any]]:
    option, kind = OPTIONS[name], Query.__annotations__[name]
    if name == "scope":
        for flag, text in _SCOPE_FLAGS.items():
            yield click.option(f"--{flag}", is_flag=True, help=text)
        return
    flags = option.flags or (_flag(name, kind),)
    named: dict[str, Any] = {
        "help": option.help,
        "default": Query.defaults[name],
        "metavar": option.metavar or None,
        **_kind(kind, option, Query.defaults[name]),
    }
    if name in _COMPLETED:
        named["shell_complete"] = _COMPLETED[name]
    if option.setting:
        named |= {"cls": _Configured, "setting": option.setting}
    yield click.option(*flags, name, **named)


def _flag(name: str, kind: str) -> str:
    flag = name.replace("_", "-")
    if kind == "bool | None":
        return f"--{flag}/--no-{flag}"
    return f"--no-{flag}" if Query.defaults[name] is True else f"--{flag}"


def _kind(kind: str, option: Option, default: object) -> dict[str, Any]:
    """Return what click has to know about the values of an option, by the type of the query's
    field.
    """
    if option.choices:
        return {"type": click.Choice(option.choices), "show_default": True}
    if kind.startswith("Sequence"):
        return {"multiple": True}
    if kind == "bool":
        return {"is_flag": True, "flag_value": not default}
    if kind == "int | None":
        return {"type": WholeNumber(_whole(option.low), _whole(option.high))}
    if kind == "float | None":
        return {"type": Number(option.low, option.high)}
    return {}


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)
