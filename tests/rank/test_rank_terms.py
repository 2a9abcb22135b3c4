"""Tests of parsing a query: terms, symbols, joined neighbours and shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit import rank, words
from ragit.rank import content_words, parse_query
from ragit.rank.terms import COMPOUND_WEIGHT, REST_WEIGHT, TITLE_WEIGHT


def test_shape_is_symbol_phrase_or_question() -> None:
    assert parse_query("HTTPServer").shape == "symbol"
    assert parse_query("http server").shape == "phrase"
    assert parse_query("where does the http server start its loop").shape == "question"
    assert parse_query("why not?").shape == "question"


def symbols(query: str) -> list[tuple[str, str]]:
    return [(symbol.owner, symbol.name) for symbol in parse_query(query).symbols]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("how does Router::add_route work", [("Router", "add_route")]),
        ("Router.addRoute", [("Router", "addRoute")]),
        ("a->b", [("a", "b")]),
        ("what does commit_offset do", [("", "commit_offset")]),
        ("where is the Parser", [("", "Parser")]),
        ("Where is it", []),
        ("Parse the file", []),
        ("Parser", [("", "Parser")]),
        ("parser", [("", "parser")]),
        ("read HTTP2 frames", [("", "HTTP2")]),
    ],
)
def test_symbols_and_their_owners(query: str, found: list[tuple[str, str]]) -> None:
    assert symbols(query) == found


def test_stop_words_are_dropped_unless_nothing_else_is_left() -> None:
    assert "the" not in parse_query("the lock").weights
    assert words.stem("lock") in parse_query("the lock").weights
    assert parse_query("if").weights


def test_foreign_stop_words_are_dropped_only_from_two_on() -> None:
    assert "die" in parse_query("die roller").weights
    assert list(parse_query("wo ist der roller").weights) == [words.stem("roller")]


def test_neighbouring_words_form_a_compound() -> None:
    assert parse_query("path router").compounds == {"pathrouter": COMPOUND_WEIGHT}
    assert parse_query("path of the router").compounds == {}
    assert parse_query("path router").weight("pathrouter") == 0.7


def test_content_words_keep_stop_words_only_if_alone() -> None:
    assert content_words("where is the lock") == "lock"
    assert content_words("what is it") == "what is it"


@given(st.text(max_size=400))
def test_any_text_parses_to_bounded_positive_weights(text: str) -> None:
    parsed = parse_query(text)
    assert len(parsed.weights) <= rank.terms.MAX_TERMS_OF_TEXT
    assert all(weight > 0 for weight in (*parsed.weights.values(), *parsed.compounds.values()))


def test_long_query_is_cut() -> None:
    parsed = parse_query(" ".join(f"word{i}" for i in range(50_000)))
    assert 0 < len(parsed.weights) <= rank.terms.MAX_TERMS_OF_TEXT
    assert parsed.is_cut


def test_title_word_repeated_below_keeps_the_title_weight() -> None:
    text = "The basket overflows\n\n" + "Then the basket was put on a shelf beside the door. " * 6
    weights = parse_query(text).weights
    assert weights["basket"] == TITLE_WEIGHT
    assert weights["door"] == REST_WEIGHT
