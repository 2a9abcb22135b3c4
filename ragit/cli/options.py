"""Makes the command line options of a search from the options of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ragit.cli import complete
from ragit.cli.declare import Choice, Number, WholeNumber, flag, option
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


def query_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add all options of a query to a command."""
    for add in reversed([add for name in OPTIONS for add in _options(name)]):
        command = add(command)
    return command


def make_query(text: str, options: dict[str, Any]) -> Query:
    """Return the query by a command's options, and remove them. Raises ConfigError."""
    if not text.strip():
        raise ConfigError("the query is empty", "Name a symbol, some words, or ask a question")
    options["scope"] = take_scope(options) or Query.defaults["scope"]
    return Query(text, **{name: options.pop(name) for name in OPTIONS})


def _options(name: str) -> Iterator[Callable[..., Any]]:
    chosen, kind = OPTIONS[name], Query.__annotations__[name]
    if name == "scope":
        for scope, text in _SCOPE_FLAGS.items():
            yield flag(f"--{scope}", help=text)
        return
    flags = chosen.flags or (_flag(name, kind),)
    named: dict[str, Any] = {
        "help": chosen.help,
        "default": Query.defaults[name],
        "metavar": chosen.metavar or None,
        **_kind(kind, chosen, Query.defaults[name]),
    }
    if name in _COMPLETED:
        named["shell_complete"] = _COMPLETED[name]
    if chosen.setting:
        named["setting"] = chosen.setting
    yield option(*flags, name, **named)


def _flag(name: str, kind: str) -> str:
    words = name.replace("_", "-")
    if kind == "bool | None":
        return f"--{words}/--no-{words}"
    return f"--no-{words}" if Query.defaults[name] is True else f"--{words}"


def _kind(kind: str, option: Option, default: object) -> dict[str, Any]:
    """Return the declared type of an option, by the type of the query's field."""
    if option.choices:
        return {"kind": Choice(tuple(option.choices)), "show_default": True}
    if kind.startswith("Sequence"):
        return {"repeatable": True}
    if kind == "bool":
        return {"constant": not default}
    if kind == "int | None":
        return {"kind": WholeNumber(_whole(option.low), _whole(option.high))}
    if kind == "float | None":
        return {"kind": Number(option.low, option.high)}
    return {}


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)
