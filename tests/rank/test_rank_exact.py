"""Tests of the evidence that a text contains a query literally."""

from __future__ import annotations

import pytest

from ragit.rank import WordWeights, evidence, match_of_name, parse_query
from ragit.rank.exact import (
    A_WORD,
    IN_SENTENCE,
    INSIDE,
    SAME,
    SAME_LETTERS,
    joins_to,
    longest_runs,
    of_sequence,
    telling_names,
)
from ragit.words import STOP_WORDS


def weights(query: str, holders: int = 1) -> WordWeights:
    """Return weights with which every word but stop words is in one file of many."""
    words = [word for sequence in parse_query(query).sequences for word in sequence]
    of = {word: 0.2 if word in STOP_WORDS else 5.0 for word in words}
    names = dict.fromkeys(parse_query(query).names, holders)
    return WordWeights(of, 5.0, names)


def found(query: str, text: str) -> float:
    return evidence(parse_query(query), weights(query), text)


MESSAGE = "the basket cannot hold more apples"


@pytest.mark.parametrize(
    "text",
    [
        'raise ValueError("the basket cannot hold more apples")',
        'fail("The basket cannot " +\n     "hold more apples");',
        "// The basket cannot hold more apples.",
    ],
)
def test_a_message_is_found_as_it_is_printed(text: str) -> None:
    assert found(MESSAGE, text) == pytest.approx(1.0)


def test_a_message_with_something_in_its_middle_is_found_by_the_rest() -> None:
    text = 'raise ValueError(f"the {name} cannot hold more apples than {most}")'
    assert 0.6 < found("the basket cannot hold more apples than 12", text) < 1.0


def test_a_number_may_stand_for_what_the_code_leaves_open() -> None:
    text = 'log.info("Basket {} target state change", name)'
    assert found("Basket 42 target state change", text) == pytest.approx(1.0)


def test_all_words_of_a_short_message_side_by_side_are_full_evidence() -> None:
    assert found("basket should be full", 'check(basket, "Basket should be full")') == 1.0
    assert found("basket should be full soon", 'check(basket, "Basket should be full")') < 0.8


def test_a_name_in_a_sentence_is_telling_where_few_files_hold_it() -> None:
    query = "error getting the offset of topicPartition"
    asked = parse_query(query)
    assert telling_names(asked, weights(query, holders=3)) == ["topicPartition"]
    assert telling_names(asked, weights(query, holders=900)) == []
    alone = parse_query("topicPartition")
    assert telling_names(alone, weights("topicPartition", holders=900)) == ["topicPartition"]


def test_words_in_another_order_or_far_apart_are_no_evidence() -> None:
    assert found(MESSAGE, "apples, more or less: what the hold of a basket has not") < 0.05
    assert found(MESSAGE, "basket\ncannot") < 0.1


def test_a_run_of_common_words_is_no_evidence() -> None:
    query = "how do i get the apples from it"
    assert found(query, "what do i get the pears for") < 0.15


def test_a_run_counts_by_the_rarity_of_its_words() -> None:
    tokens = ["open", "a", "new", "file"]
    rare = WordWeights({"open": 5.0, "a": 0.2, "new": 5.0, "file": 5.0}, 5.0, {})
    common = WordWeights({"open": 0.5, "a": 0.2, "new": 0.5, "file": 0.5}, 5.0, {})
    assert of_sequence(tokens, rare, tokens) > 2.5 * of_sequence(tokens, common, tokens) > 0


def test_runs_are_the_longest_that_a_word_is_part_of() -> None:
    tokens = "x a b y a b c z c".split()
    assert longest_runs("a b c d".split(), tokens) == [3, 3, 3, 0]
    assert longest_runs(["a"], ["a", "a"]) == [1]


def test_a_phrase_in_quotes_must_stand_side_by_side() -> None:
    assert found('"hold more"', "it cannot hold more of it") == 1.0
    assert found('"hold more"', "it cannot hold any more of it") == 0.0
    assert found('"hold more" "any"', "it cannot hold more of it") == 0.0


def test_a_word_that_a_message_quotes_is_no_phrase() -> None:
    assert parse_query('object "alpha" is not iterable').phrases == ()
    assert parse_query('"alpha"').phrases == (("alpha",),)
    assert parse_query('object "not iterable"').phrases == (("not", "iterable"),)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("max_retry", "x = max_retry + 1", SAME),
        ("max_retry", "x = maxRetry + 1", SAME_LETTERS),
        ("max_retry", "MAX_RETRY_COUNT = 3", INSIDE),
        ("max_retry", "max = retry", 0.0),
        ("refill", "self.refill(now)", SAME),
        ("refill", "def refill_tokens():", A_WORD),
        ("refill", "refilled", 0.0),
        ("oauth", "class OAuthHandler:", INSIDE),
        ("authhandler", "class OAuthHandler:", INSIDE),
        ("authhand", "class OAuthHandler:", 0.0),
        ("getUser", "# 调用getUser方法", SAME_LETTERS),
        ("operator==", "bool operator==(V o)", SAME),
        ("operator==", "V& operator=(V o)", 0.0),
    ],
)
def test_a_name_counts_by_how_it_is_written(name: str, text: str, value: float) -> None:
    assert match_of_name(name, text) == value


@pytest.mark.parametrize(
    ("pieces", "key", "joins"),
    [
        (("o", "auth", "handler"), "oauth", True),
        (("web", "socket", "server"), "websocket", True),
        (("my", "web", "socket"), "websocket", True),
        (("git", "hub"), "github", True),
        (("sea", "rock"), "earock", False),
        (("a", "b"), "", False),
    ],
)
def test_neighbouring_pieces_join(pieces: tuple[str, ...], key: str, joins: bool) -> None:
    assert joins_to(pieces, key) == joins


def test_a_lone_name_is_all_the_evidence_and_one_in_a_sentence_is_some() -> None:
    text = "def refill(now):"
    assert found("refill", text) == SAME
    assert found("what happens when refill() is called", text) == IN_SENTENCE
    assert found("what happens when `refill` is called", text) == IN_SENTENCE
    assert found("what happens at a refill", text) == 0.0


def test_a_common_name_says_less_than_a_rare_one() -> None:
    query = parse_query("session")

    def value(holders: int) -> float:
        return evidence(query, weights("session", holders), "session = 1")

    assert value(1) == value(3) == SAME
    assert SAME > value(10) > value(40) > value(100) == 0.0


def test_beside_other_words_only_the_name_itself_counts() -> None:
    longer = "def parse_config_file(path):"
    assert found("parse_config", longer) > 0
    assert found("why does parse_config fail", longer) == 0
    assert found("why does parse_config fail", "def parseConfig(path):") > 0
    assert found("why does parse_config fail", "def parse_config(path):") > 0
