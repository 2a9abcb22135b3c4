"""Tests that command lines parsed without click are parsed as click does."""

from __future__ import annotations

from functools import cache
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragit.cli import COMMANDS, plain_call
from ragit.cli.commands import declared
from ragit.cli.plain import values_of

DECLARED = {name: found for name in COMMANDS if (found := declared(name))}

VALUES = ("", "3", "0", "007", "0.5", "1.", "nan", "1_0", " 2", "-1", "a b", "a..b", "json", "text")
"""Values of options, valid and not, and words for arguments."""


def flags(name: str) -> list[str]:
    return [flag for option in DECLARED[name].options for flag in option.names()]


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a command and words after it, mostly options and values that exist."""
    name = draw(st.sampled_from(sorted(DECLARED)))
    known = st.sampled_from([*flags(name), "--none", "-x"])
    value = st.sampled_from([*VALUES, "auto", "never", "vector", "staged"])
    joined = st.builds(lambda flag, text: f"{flag}={text}", known, value)
    cut = st.builds(lambda flag, end: flag[:end], known, st.integers(3, 9))
    word = st.one_of(
        known, value, value, joined, cut, st.sampled_from(["--", "-", "-k3", "--help"])
    )
    return name, draw(st.lists(word, max_size=7))


@cache
def made_for_click(name: str) -> click.Command:
    return DECLARED[name].for_click()


def by_click(name: str, args: list[str]) -> dict[str, Any]:
    return made_for_click(name).make_context(name, list(args)).params


@settings(deadline=None, max_examples=1500)
@given(lines())
def test_plain_parser_agrees_with_click(line: tuple[str, list[str]]) -> None:
    name, args = line
    values = values_of(DECLARED[name], args)
    if values is not None:
        assert values == by_click(name, args)


ORDINARY = [
    ("search", ["where", "are", "offsets", "committed"]),
    ("search", ["--json", "-k", "5", "--path", "*.py", "--path", "!b", "x", "--language=go"]),
    ("search", ["--no-optimize", "--rerank", "--new-in", "words", "--", "--json"]),
    ("search", ["-", "--min-score", "0.25", "--keyword-weight=1", "--color", "always"]),
    ("usages", ["KafkaConsumer", "--callers", "--ref", "v1", "-k", "7"]),
    ("skeleton", []),
    ("skeleton", ["src/", "--max-lines", "20"]),
    ("show", ["a.py:3", "--body"]),
    ("map", ["--tokens", "900", "two", "words"]),
    ("context", ["a.py:3", "--stdin"]),
    ("diff", []),
    ("diff", ["v1..v2", "retry", "--format", "markdown", "--json"]),
    ("since", ["--gone", "legacy_login"]),
    ("status", ["--json"]),
    ("check", ["HEAD", "a.py", "b.py", "--staged"]),
    ("mcp", []),
    ("serve", ["--socket", "there"]),
]


@pytest.mark.parametrize(("name", "args"), ORDINARY, ids=str)
def test_ordinary_line_is_parsed_without_click(name: str, args: list[str]) -> None:
    assert values_of(DECLARED[name], args) == by_click(name, args)


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--version"],
        ["--help"],
        ["-C"],
        ["-c", "novalue", "search", "x"],
        ["search", "--help"],
        ["search", "-k", "0", "x"],
        ["search", "-k5", "x"],
        ["search", "--mode", "none", "x"],
        ["usages"],
        ["usages", "a", "b"],
        ["skeleton", "--max-lines"],
        ["none", "x"],
        ["index"],
    ],
    ids=str,
)
def test_other_lines_are_left_to_click(args: list[str]) -> None:
    assert plain_call(args) is None


def test_shell_completion_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain_call(["search", "x"]) is not None
    monkeypatch.setenv("_RAGIT_COMPLETE", "bash_complete")
    assert plain_call(["search", "x"]) is None
