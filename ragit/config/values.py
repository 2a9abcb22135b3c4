"""Convert and check values of settings, from TOML, git or the environment.

A wrong value raises `Unfit` with the values that the setting takes; the caller adds its origin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragit.config.knobs import Knob

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0", ""}  # git reads an empty string as false, too
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}  # git's own units for integers


class Unfit(Exception):
    """A wrong value, with the values that the setting takes; `table` is the number in a list of
    tables.
    """

    def __init__(self, wanted: str, table: int = 0) -> None:
        super().__init__(wanted)
        self.table = table


def expected(knob: Knob) -> str:
    """Return in words the values of a setting."""
    if knob.choices:
        return "one of " + ", ".join(f'"{choice}"' for choice in knob.choices)
    if knob.wanted:
        return knob.wanted
    bounds = (
        f" from {knob.low:g} to {knob.high:g}" if knob.high is not None and knob.high < 1e5 else ""
    )
    if not bounds and knob.low is not None and knob.high is not None:
        bounds = f" from {int(knob.low)} to {int(knob.high)}"
    return {
        "bool": "true or false",
        "int": f"an integer{bounds}",
        "float": f"a number{bounds}",
        "str": "a string",
        "Globs": "a list of strings",
        "Weights": f"a table of names, each with a number{bounds}",
        "Parsers": "a table of file extensions, each with the name of a language",
        "NodeTypes": "a table of languages, each with a list of node types",
        "Prices": "a table of models, each with one price or two (input and output)",
    }[knob.kind]


def from_typed(knob: Knob, value: object) -> Any:
    """Return the value of a typed one, from TOML or Python. Raises Unfit."""
    if knob.kind == "Chunkers" and isinstance(value, (list, tuple)):
        return tuple(sorted(_listed(knob, value)))
    if knob.table:
        if not isinstance(value, Mapping):
            raise Unfit(expected(knob))
        return tuple(sorted(entry(knob, str(name), one) for name, one in value.items()))
    return _scalar(knob, value)


def from_text(knob: Knob, text: str) -> Any:
    """Return the value of a text; commas or lines separate a list. Raises Unfit."""
    return _scalar(knob, _parse(knob, text.strip() if knob.kind != "str" else text))


def entry(knob: Knob, name: str, value: object) -> tuple[str, Any]:
    """Return an entry of a table setting, from a typed value or text. Raises Unfit."""
    if not name:
        raise Unfit(expected(knob))
    if knob.kind == "Weights":
        return name, _number(knob, _float(value) if isinstance(value, str) else value)
    if knob.kind == "Parsers":
        return suffix(name), _plain(knob, value).strip().lower()
    if knob.kind == "Prices":
        return name.lower(), _prices(knob, value)
    if knob.kind == "Headers":
        return name.lower(), _matching(knob, _plain(knob, value).strip())
    if knob.kind == "Chunkers":
        return suffix(name), _chunker(knob, value)
    nodes = _strings(knob, _divide(value) if isinstance(value, str) else value)
    return name.lower(), nodes


def _chunker(knob: Knob, value: object) -> str:
    """Return the name of a chunker, without `./` before a path of the repository."""
    return _matching(knob, _plain(knob, value).strip().removeprefix("./"))


def _prices(knob: Knob, value: object) -> tuple[float, ...]:
    parts = [_float(part) for part in _divide(value)] if isinstance(value, str) else value
    parts = parts if isinstance(parts, (list, tuple)) else [parts]
    if not 1 <= len(parts) <= 2:
        raise Unfit(expected(knob))
    return tuple(float(_number(knob, part)) for part in parts)


def suffix(name: str) -> str:
    """Return a file extension with its dot, in lower case."""
    return "." + name.lstrip(".").lower()


def _listed(knob: Knob, value: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list of tables, by extension. Raises Unfit with the table's number."""
    seen: set[str] = set()
    for number, table in enumerate(value, 1):
        if not isinstance(table, Mapping):
            raise Unfit(expected(knob), number)
        for name in ("module", "extensions"):
            if name not in table:
                raise Unfit(f"{expected(knob)}; {name} is missing", number)
        if len(table) > 2:
            raise Unfit(f"{expected(knob)}, and nothing else", number)
        if str(table["module"]).endswith((".js", ".ts", ".mjs", ".cjs")):
            raise Unfit(f"{expected(knob)}; a chunker is written in Python", number)
        try:
            module = _chunker(knob, table["module"])
            names = list(map(suffix, _strings(knob, table["extensions"])))
        except Unfit:
            raise Unfit(expected(knob), number) from None
        for name in names:
            if name in seen or len(name) < 2 or "/" in name:
                raise Unfit(f"each extension once, and {name} is none or there twice", number)
            seen.add(name)
            yield name, module


def _scalar(knob: Knob, value: object) -> Any:
    if knob.kind == "bool":
        if not isinstance(value, bool):
            raise Unfit(expected(knob))
        return value
    if knob.kind == "int":
        if not isinstance(value, int):
            raise Unfit(expected(knob))
        return int(_number(knob, value))
    if knob.kind == "float":
        return _number(knob, value)
    if knob.kind == "Globs":
        return _strings(knob, value)
    return _matching(knob, _plain(knob, value))


def _number(knob: Knob, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unfit(expected(knob))
    too_low = knob.low is not None and value < knob.low
    too_high = knob.high is not None and value > knob.high
    if too_low or too_high or not math.isfinite(value):
        raise Unfit(expected(knob))
    return float(value) if knob.kind != "int" else value


def _plain(knob: Knob, value: object) -> str:
    if not isinstance(value, str):
        raise Unfit(expected(knob))
    return value


def _matching(knob: Knob, text: str) -> str:
    if knob.choices and text not in knob.choices:
        raise Unfit(expected(knob))
    if knob.pattern and not re.fullmatch(knob.pattern, text):
        raise Unfit(expected(knob))
    return text


def _strings(knob: Knob, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(one, str) and one for one in value
    ):
        raise Unfit(expected(knob))
    return tuple(value)


def _divide(text: str) -> list[str]:
    return [part for part in (piece.strip() for piece in re.split(r"[,\n]", text)) if part]


def _parse(knob: Knob, text: str) -> object:
    """Return text as the setting's type; invalid text stays, to be refused later."""
    if knob.kind == "bool":
        lower = text.lower()
        return lower in _TRUE if lower in _TRUE | _FALSE else text
    if knob.kind == "int":
        found = re.fullmatch(r"([+-]?[0-9]{1,18})([kmg]?)", text.lower())
        return int(found[1]) * _UNITS[found[2]] if found else text
    if knob.kind == "float":
        return _float(text)
    return _divide(text) if knob.kind == "Globs" else text


def _float(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text
