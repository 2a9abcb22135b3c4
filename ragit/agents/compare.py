"""Compares the data of a file before and after an edit. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragit.agents.unfit import Unfit


def found_at(data: Any, path: Sequence[str]) -> object | None:
    """Return the value at a path of names; None if there is none."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    found: object | None = data
    return found


def check_edit(
    parse: Callable[[str], object],
    before: str,
    after: str,
    path: Sequence[str],
    entry: object | None,
) -> str:
    """Return the text after an edit, if the path leads to the entry and nothing else has changed.

    Raises Unfit if not, or if it cannot be parsed.
    """
    why = "ragit cannot edit it without changing something else"
    old = parse(before)
    try:
        new = parse(after)
    except Unfit as error:
        raise Unfit(why) from error
    if _rest(new, path) != _rest(old, path) or found_at(new, path) != entry:
        raise Unfit(why)
    return after


def _rest(data: object, path: Sequence[str]) -> object:
    """Return data without the value at a path, and without objects that are empty then."""
    if not isinstance(data, dict) or path[0] not in data:
        return data
    others = {name: value for name, value in data.items() if name != path[0]}
    inner = _rest(data[path[0]], path[1:]) if len(path) > 1 else {}
    return {**others, path[0]: inner} if inner != {} else others
