"""Tests of BM25F: fields, saturation, rarity and length, one at a time."""

from __future__ import annotations

import math

import pytest

from ragit import postings
from ragit.postings import Forward
from ragit.rank.keyword import (
    B_CHUNK,
    B_FILE,
    CHUNK_LENGTH,
    FIELD_WEIGHTS,
    HEAD_WEIGHT,
    K1,
    SYMBOL_WEIGHT,
    Shares,
    best_first,
    coverage,
    rarity,
    score_chunks,
    score_files,
)
from ragit.rank.terms import parse_query
from ragit.types import Chunk


def test_rarity_is_the_idf_of_bm25() -> None:
    assert rarity(1, 100) == pytest.approx(math.log(1 + 99.5 / 1.5))
    assert rarity(100, 100) > 0
    assert rarity(1, 100) > rarity(2, 100) > rarity(99, 100)


def test_equal_scores_are_ordered_by_place() -> None:
    assert best_first({5: 1.0, 3: 1.0, 9: 2.0, 1: 0.5}, 3) == [9, 3, 5]
    assert best_first({5: 1.0, 3: 1.0, 9: 2.0}, 3, [3, 4, 5]) == [3, 5]


def test_file_score_is_bm25f() -> None:
    found = score_files(parse_query("cart"), {"cart": {0: 3.0, 2: 1.0}}, [100, 300, 200])
    value = rarity(2, 3)
    assert found.rarity == {"cart": pytest.approx(value)}

    def score(times: float, length: int) -> float:
        return value * (K1 + 1) * times / (times + K1 * (1 - B_FILE + B_FILE * length / 200))

    assert found.scores == {0: pytest.approx(score(3.0, 100)), 2: pytest.approx(score(1.0, 200))}


def test_shorter_file_scores_higher_for_equal_counts() -> None:
    scores = score_files(parse_query("cart"), {"cart": {0: 2.0, 1: 2.0}}, [50, 500, 100]).scores
    assert scores[0] > scores[1]


def test_field_weights_of_a_file() -> None:
    names = ("symbol", "head", "body1", "body2", "body4", "body10")
    assert [FIELD_WEIGHTS[name] for name in names] == [4.0, 1.5, 1.0, 2.4, 5.5, 14.0]


def packed(*chunks: Chunk) -> Forward:
    return Forward(postings.pack(chunks).forward)


def chunk(text: str, symbol: str = "", doc: str = "") -> Chunk:
    return Chunk(1, 1, 0, len(text), text, symbol=symbol, doc=doc)


def test_chunk_score_is_bm25_with_symbol_and_head_weights() -> None:
    forward = packed(
        chunk("cart"), chunk("cart x y", symbol="cart"), chunk("cart a", doc="a cart"), chunk("no")
    )
    scores = score_chunks(forward, {"cart": 2.0}, "bm25")

    def score(times: float, length: int) -> float:
        damped = K1 * (1 - B_CHUNK + B_CHUNK * length / CHUNK_LENGTH)
        return 2.0 * (K1 + 1) * times / (times + damped)

    assert scores.scores == [
        pytest.approx(score(1, 1)),
        pytest.approx(score(1 + SYMBOL_WEIGHT, 3)),
        pytest.approx(score(1 + HEAD_WEIGHT, 2)),
        0.0,
    ]
    assert scores.names == [False, True, False, False]
    assert (SYMBOL_WEIGHT, HEAD_WEIGHT) == (4.0, 1.5)


def test_shorter_chunk_scores_higher_for_equal_counts() -> None:
    both = packed(chunk("cart"), chunk("cart " + "x " * 400))
    short, long = score_chunks(both, {"cart": 1}, "").scores
    assert short > long


def test_tfidf_grows_linearly_with_occurrences() -> None:
    both = packed(chunk("cart"), chunk("cart " * 3))
    assert score_chunks(both, {"cart": 2.0}, "tfidf").scores == [2.0, 6.0]


def test_rare_word_has_the_larger_share() -> None:
    shares = Shares(parse_query("merge carts"), {"merg": 1, "cart": 10, "mergecarts": 0}, 100)
    assert shares.of(["merg"]) > shares.of(["cart"])
    assert shares.of(["merg", "cart"]) == pytest.approx(1.0)
    assert shares.of(["basket"]) == 0.0


def test_share_is_at_most_one() -> None:
    shares = Shares(parse_query("merge carts"), {"merg": 1, "cart": 1, "mergecarts": 1}, 100)
    assert shares.of(["merg", "cart", "mergecarts"]) == 1.0


def test_coverage_ignores_how_often_a_word_occurs() -> None:
    query = parse_query("alpha beta")
    found = {"alpha": {0: 1.0}, "beta": {0: 9.0, 1: 1.0}}
    assert coverage(query, found, {"alpha": 1.0, "beta": 3.0}) == {0: 1.0, 1: 0.75}
