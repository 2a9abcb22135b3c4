"""Tests of ragit/query.py: one list of search options for the command and the library."""

from __future__ import annotations

from typing import Any

import click
import pytest

from ragit.cli.options import make_query
from ragit.cli.search import search as declared
from ragit.config import KNOBS
from ragit.errors import ConfigError
from ragit.query import OPTIONS, Query, checked, is_range

search = declared.for_click()


def test_options_are_the_fields_of_a_query() -> None:
    assert list(OPTIONS) == [name for name in Query.fields if name != "text"]


def test_search_command_has_every_option_of_a_query() -> None:
    named = {parameter.name for parameter in search.params}
    assert set(OPTIONS) - {"scope"} <= named
    assert {"staged", "committed"} <= named


def test_settings_of_options_have_the_same_bounds() -> None:
    for name, option in OPTIONS.items():
        if option.setting:
            knob = KNOBS[option.setting]
            assert Query.defaults[name] is None, name
            assert knob.low == option.low, name


def parsed(*args: str) -> Query:
    context = search.make_context("search", [*args, "words"])
    context.params.pop("query")
    return make_query("words", context.params)


@pytest.mark.parametrize(
    ("args", "fields"),
    [
        ([], {}),
        (["-k", "3"], {"top_k": 3}),
        (
            ["--min-score", "0.5", "--keyword-weight", "1"],
            {"min_score": 0.5, "keyword_weight": 1.0},
        ),
        (["--path", "a", "--path", "b"], {"paths": ("a", "b")}),
        (["--language", "c"], {"languages": ("c",)}),
        (
            ["--no-optimize", "--rerank", "--no-rewrite"],
            {"optimize": False, "rerank": True, "rewrite": False},
        ),
        (["--staged"], {"scope": "staged"}),
        (["--committed"], {"scope": "committed"}),
        (["--ref", "v1", "--no-index"], {"ref": "v1", "index": False}),
        (["--new-in", "a..b"], {"new_in": "a..b"}),
        (["--new-in=a...b"], {"new_in": "a...b"}),
        (["--new-in", "--staged"], {"new_in": "", "scope": "staged"}),
        (["--new-in"], {"new_in": ""}),  # the next word belongs to the query
        (["--gone-since", "v1"], {"gone_since": "v1"}),
        (["--refs", "v*", "--complete"], {"refs": ("v*",), "complete": True}),
        (["--all-refs"], {"all_refs": True}),
        (["--in-refs", "v*", "--in-refs", "main"], {"in_refs": ("v*", "main")}),
        (["--recurse-submodules", "--explain"], {"recurse_submodules": True, "explain": True}),
    ],
)
def test_command_options_become_fields_of_the_query(
    args: list[str], fields: dict[str, Any]
) -> None:
    assert parsed(*args) == Query("words", **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "both"},
        {"scope": "index"},
        {"top_k": 0},
        {"min_score": -1.0},
        {"min_score": float("nan")},
        {"keyword_weight": 1.5},
        {"ref": "v1", "scope": "staged"},
        {"ref": "v1", "new_in": ""},
        {"ref": "v1", "gone_since": "v2"},
        {"new_in": "", "gone_since": "v2"},
        {"new_in": "a..b", "scope": "staged"},
        {"new_in": "", "recurse_submodules": True},
        {"gone_since": "v2", "recurse_submodules": True},
    ],
    ids=str,
)
def test_invalid_option_values_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        checked(Query("words", **fields))


def test_paths_and_languages_may_be_a_list_or_a_string() -> None:
    assert checked(Query("words", paths=["a"], languages="c")) == Query(
        "words", paths=("a",), languages=("c",)
    )


def test_help_names_defaults_and_settings() -> None:
    text = " ".join(search.get_help(click.Context(search)).split())
    assert "[default: 10; setting retrieval.topK]" in text
    assert "[default: hybrid]" in text
    for name, option in OPTIONS.items():
        assert name == "scope" or option.help.split(".")[0][:30] in text


def test_ranges_are_recognized() -> None:
    assert all(map(is_range, ("a..b", "a...b", "..", "a..", "HEAD~2..HEAD^{tree}")))
    assert not any(map(is_range, ("a", "a.b", "what is .. for?", "wait...  what")))
