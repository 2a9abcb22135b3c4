"""Read and write golden sets: queries with their expected places, in TOML or JSON.

A JSON file may be a list of queries. A place is a path, a path with lines ("src/a.py:10-20"), or a
table with `path`, `start_line` and `end_line`. `secondary` counts like `relevant`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragit.config import parse_toml
from ragit.errors import ConfigError
from ragit.judgements import Expected, Question

MAX_BYTES = 64 * 1024 * 1024
"""Limit of a file; a hundred thousand queries take less."""

THRESHOLDS = ("min_ndcg", "min_mrr", "min_recall_1", "min_recall_5", "min_recall_10", "max_p50_ms")
"""Thresholds for a set, or for one of its categories."""

Thresholds = Mapping[str, float]

_HINT = "docs/eval.md shows what a set looks like."
_KEYS = frozenset({"query", "relevant", "secondary", "category", "ref"})
_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions, and thresholds for the answers."""

    name: str
    questions: tuple[Question, ...]
    thresholds: Thresholds = field(default_factory=dict)
    """Thresholds for all questions together."""
    by_category: Mapping[str, Thresholds] = field(default_factory=dict)


def read(path: Path) -> GoldenSet:
    """Read a set. Raises ConfigError with the wrong entry."""
    text = _text(path)
    data = _json(text, path.name) if path.suffix.lower() == ".json" else parse_toml(text, path.name)
    if isinstance(data, list):
        data = {"queries": data}
    if not isinstance(data, dict):
        raise _wrong(path.name, "holds no table of queries")
    if unknown := data.keys() - {"queries", "thresholds"}:
        raise _wrong(path.name, f"unknown key {sorted(unknown)[0]!r}")
    rows = data.get("queries")
    if not isinstance(rows, list) or not rows:
        raise _wrong(path.name, "has no queries")
    questions = tuple(_question(row, f"{path.name}: query {at}") for at, row in enumerate(rows, 1))
    overall, by_category = _thresholds(data.get("thresholds", {}), path.name)
    if strange := by_category.keys() - {question.category for question in questions}:
        raise _wrong(
            path.name, f"thresholds for {sorted(strange)[0]!r}, a category without queries"
        )
    return GoldenSet(path.name, questions, overall, by_category)


def write(path: Path, questions: Sequence[Question]) -> None:
    """Write a set as JSON or TOML, by the file's suffix. Raises ConfigError if it cannot."""
    rows = [_row(question) for question in questions]
    as_json = path.suffix.lower() == ".json"
    text = (
        json.dumps({"queries": rows}, indent=1, ensure_ascii=False) + "\n"
        if as_json
        else _toml(rows)
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot write {path}: {error.strerror}", "Name a file in a folder that exists."
        ) from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", _HINT) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES} bytes", "Split the set.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name}: not UTF-8 text", "Save the file as UTF-8.") from error


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ConfigError(
            f"{name}:{line}: no JSON: {getattr(error, 'msg', 'nested too deeply')}", _HINT
        ) from error


def _question(row: object, place: str) -> Question:
    if not isinstance(row, dict):
        raise _wrong(place, "is no table")
    if unknown := row.keys() - _KEYS:
        raise _wrong(place, f"unknown key {sorted(unknown)[0]!r}")
    query, category, ref = row.get("query"), row.get("category", "all"), row.get("ref")
    if not isinstance(query, str) or not query.strip():
        raise _wrong(place, "has no query text")
    if not isinstance(category, str) or not category or not (ref is None or isinstance(ref, str)):
        raise _wrong(place, "category and ref are texts")
    expected = [
        _expected(one, place)
        for key in ("relevant", "secondary")
        for one in _listed(row.get(key, []), place)
    ]
    if not expected:
        raise _wrong(place, "names no place that answers it (relevant)")
    return Question(query, tuple(expected), category, ref)


def _listed(value: object, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(place, "relevant and secondary are lists")
    return value


def _expected(value: object, place: str) -> Expected:
    if isinstance(value, str) and value:
        found = _LINES.fullmatch(value)
        return (
            _checked(found[1], int(found[2]), int(found[3] or found[2]), place)
            if found
            else Expected(value)
        )
    if isinstance(value, dict) and isinstance(value.get("path"), str) and value["path"]:
        start, end = value.get("start_line"), value.get("end_line")
        if start is None or end is None:
            return Expected(value["path"])
        if type(start) is int and type(end) is int:
            return _checked(value["path"], start, end, place)
    raise _wrong(
        place, 'a place is a path, "path:10-20", or a table with path, start_line and end_line'
    )


def _checked(path: str, start: int, end: int, place: str) -> Expected:
    if not 1 <= start <= end:
        raise _wrong(place, f"lines {start}-{end} of {path!r} are none")
    return Expected(path, start, end)


def _thresholds(value: object, name: str) -> tuple[Thresholds, Mapping[str, Thresholds]]:
    if not isinstance(value, dict):
        raise _wrong(name, "thresholds is no table")
    tables = {key: one for key, one in value.items() if isinstance(one, dict)}
    plain = {key: one for key, one in value.items() if key not in tables}
    return _limits(plain, name), {
        category: _limits(table, name) for category, table in tables.items()
    }


def _limits(table: Mapping[str, object], name: str) -> Thresholds:
    limits: dict[str, float] = {}
    for key, value in table.items():
        if key not in THRESHOLDS:
            raise _wrong(name, f"unknown threshold {key!r}; there are {', '.join(THRESHOLDS)}")
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not 0 <= value < float("inf")
        ):
            raise _wrong(name, f"threshold {key} is no number from 0")
        limits[key] = float(value)
    return limits


def _wrong(place: str, reason: str) -> ConfigError:
    return ConfigError(
        f"{place}: {reason}" if ": query " not in place else f"{place} {reason}", _HINT
    )


def _row(question: Question) -> dict[str, Any]:
    row: dict[str, Any] = {"query": question.query, "category": question.category}
    if question.ref is not None:
        row["ref"] = question.ref
    row["relevant"] = [_place(one) for one in question.expected]
    return row


def _place(one: Expected) -> str | dict[str, Any]:
    if one.start_line is None:  # as a table if the path itself looks like one with lines
        return {"path": one.path} if _LINES.fullmatch(one.path) else one.path
    return {"path": one.path, "start_line": one.start_line, "end_line": one.end_line}


def _toml(rows: Iterable[Mapping[str, Any]]) -> str:
    blocks = [
        "[[queries]]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in row.items())
        for row in rows
    ]
    return "\n".join(blocks)


def _value(value: Any) -> str:
    """Return a value as TOML: JSON's form, with DEL escaped, which only TOML forbids."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
