"""Tests of the evidence that a text contains a query literally."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.rank import WordWeights, evidence, match_of_name, parse_query
from ragit.rank.exact import (
    A_WORD,
    IN_SENTENCE,
    INSIDE,
    SAME,
    SAME_LETTERS,
    Run,
    best_chain,
    joins_to,
    of_sequence,
    runs_in,
    telling_names,
)
from ragit.words import STOP_WORDS


def weights(query: str, holders: int = 1) -> WordWeights:
    """Return weights with which every word but stop words is in one file of many."""
    words = [word for sequence in parse_query(query).sequences for word in sequence]
    of = {word: 0.2 if word in STOP_WORDS else 5.0 for word in words}
    names = dict.fromkeys(parse_query(query).names, holders)
    return WordWeights(of, 5.0, names)


def evidence_in(query: str, text: str) -> float:
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
def test_message_in_code_is_full_evidence(text: str) -> None:
    assert evidence_in(MESSAGE, text) == pytest.approx(1.0)


def test_message_with_a_placeholder_is_evidence() -> None:
    text = 'raise ValueError(f"the {name} cannot hold more apples than {most}")'
    assert evidence_in("the basket cannot hold more apples than 12", text) > 0.9


def test_number_matches_a_placeholder() -> None:
    text = 'log.info("Basket {} target state change", name)'
    assert evidence_in("Basket 42 target state change", text) == pytest.approx(1.0)


def test_only_a_whole_short_message_is_full_evidence() -> None:
    assert evidence_in("basket should be full", 'check(basket, "Basket should be full")') == 1.0
    assert evidence_in("basket should be full soon", 'check(basket, "Basket should be full")') < 0.8


def test_rare_name_in_a_sentence_is_telling() -> None:
    query = "error getting the offset of topicPartition"
    parsed = parse_query(query)
    assert telling_names(parsed, weights(query, holders=3)) == ["topicPartition"]
    assert telling_names(parsed, weights(query, holders=900)) == []
    alone = parse_query("topicPartition")
    assert telling_names(alone, weights("topicPartition", holders=900)) == ["topicPartition"]


def test_reordered_or_few_words_are_almost_no_evidence() -> None:
    assert evidence_in(MESSAGE, "apples, more or less: what the hold of a basket has not") < 0.05
    assert evidence_in(MESSAGE, "basket\ncannot") < 0.1


def test_run_of_common_words_is_almost_no_evidence() -> None:
    query = "how do i get the apples from it"
    assert evidence_in(query, "what do i get the pears for") < 0.15


def test_run_of_rare_words_scores_higher() -> None:
    tokens = ["open", "a", "new", "file"]
    rare = WordWeights({"open": 5.0, "a": 0.2, "new": 5.0, "file": 5.0}, 5.0, {})
    common = WordWeights({"open": 0.5, "a": 0.2, "new": 0.5, "file": 0.5}, 5.0, {})
    assert of_sequence(tokens, rare, tokens) > 2.5 * of_sequence(tokens, common, tokens) > 0


def test_a_run_is_part_of_no_longer_one() -> None:
    tokens = "x a b y a b c z c".split()
    assert runs_in("a b c d".split(), tokens) == [Run(0, 1, 2), Run(0, 4, 3), Run(2, 8, 1)]
    assert runs_in(["a"], ["a", "a"]) == [Run(0, 0, 1), Run(0, 1, 1)]


def test_a_message_with_a_word_more_is_less_evidence() -> None:
    query = "Basket is sorting apples: x9"
    without = evidence_in(query, 'log("Basket is sorting apples: " + apples)')
    assert evidence_in(query, 'log("Basket is sorting green apples: " + apples)') < 0.8 * without


def test_values_are_less_than_the_words_of_a_message() -> None:
    query = "basket apple sorter and fluent shop interface"
    assert evidence_in(query, "@param Basket.Apple.Sorter $sorter") < 0.5


def test_the_words_beside_a_placeholder_are_compared() -> None:
    query = "The option x9 references a folder alpha, not a file"
    right = evidence_in(query, 'f("The option %s references a folder (%s), not a file", a, b)')
    assert evidence_in(query, 'f("The option %s contains a file (%s) that is new", a, b)') < right


def test_a_chain_keeps_the_order_and_stays_close() -> None:
    held = [1.0] * 4
    near, far = [Run(0, 1, 2), Run(2, 4, 2)], [Run(0, 1, 2), Run(2, 40, 2)]
    assert best_chain(held, near) == near
    assert len(best_chain(held, far)) == 1
    assert len(best_chain(held, [Run(2, 1, 2), Run(0, 4, 2)])) == 1
    assert best_chain(held, []) == []


@pytest.mark.parametrize(
    "text",
    [
        'log.warn("Shop {} has sold {} of the apples in basket {}", shop, n, basket)',
        'raise Sold("Shop %s has sold %d of the apples in basket %r" % (shop, n, basket))',
        "raise Sold(f'Shop {self.shop.name} has sold {n} of the apples in basket {basket!r}')",
        'throw new Sold("Shop " + shop.name() + " has sold " + n + " of the apples in basket " + b);',
        'raise Sold, "Shop #{shop} has sold #{n} of the apples in basket #{basket}"',
        'fatalError("Shop \\(shop) has sold \\(n) of the apples in basket \\(basket)")',
        "throw new Sold(`Shop ${shop} has sold ${n} of the apples in basket ${basket}`);",
        'fail("Shop {0} has sold {1} "\n     "of the apples in basket {2}");',
        'panic("Shop " <> shop <> " has sold " <> n <> " of the apples in basket " <> b)',
    ],
)
def test_values_stand_for_the_placeholders_of_any_language(text: str) -> None:
    printed = "Shop alpha has sold omega of the apples in basket x9"
    assert evidence_in(printed, text) > 0.6
    assert evidence_in(printed, text) > 1.5 * evidence_in(
        printed, "the shop has a basket of the apples sold"
    )


def test_quoted_phrase_must_be_contiguous() -> None:
    assert evidence_in('"hold more"', "it cannot hold more of it") == 1.0
    assert evidence_in('"hold more"', "it cannot hold any more of it") == 0.0
    assert evidence_in('"hold more" "any"', "it cannot hold more of it") == 0.0


def test_one_word_quoted_in_a_message_is_not_a_phrase() -> None:
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
def test_name_match_depends_on_spelling(name: str, text: str, value: float) -> None:
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
def test_neighbouring_word_parts_join(pieces: tuple[str, ...], key: str, joins: bool) -> None:
    assert joins_to(pieces, key) == joins


def test_name_scores_higher_alone_than_in_a_sentence() -> None:
    text = "def refill(now):"
    assert evidence_in("refill", text) == SAME
    assert evidence_in("what happens when refill() is called", text) == IN_SENTENCE
    assert evidence_in("what happens when `refill` is called", text) == IN_SENTENCE
    assert evidence_in("what happens at a refill", text) == 0.0


def test_common_name_scores_lower_than_a_rare_one() -> None:
    query = parse_query("session")

    def value(holders: int) -> float:
        return evidence(query, weights("session", holders), "session = 1")

    assert value(1) == value(3) == SAME
    assert SAME > value(10) > value(40) > value(100) == 0.0


def test_part_of_a_longer_name_counts_only_for_a_lone_name() -> None:
    longer = "def parse_config_file(path):"
    assert evidence_in("parse_config", longer) > 0
    assert evidence_in("why does parse_config fail", longer) == 0
    assert evidence_in("why does parse_config fail", "def parseConfig(path):") > 0
    assert evidence_in("why does parse_config fail", "def parse_config(path):") > 0


@given(st.lists(st.sampled_from(["cannot", "open", "the", "file", "config", "x"]), max_size=12))
def test_sequences_without_two_adjacent_words_of_a_text_are_not_held_in_it(
    tokens: list[str],
) -> None:
    query = parse_query('why cannot open the config file "the file" twice file file?')
    weights = WordWeights(dict.fromkeys(query.spelled, 1.0), 5.0, {})
    every = [*query.phrases, *query.sequences]
    held = query.with_pair(every, tokens)
    assert held == [one for one in every if any(run.length > 1 for run in runs_in(one, tokens))]
    assert all(of_sequence(one, weights, tokens) == 0 for one in every if one not in held)
