"""Tests of the order by a reranker's relevances."""

from __future__ import annotations

from collections.abc import Sequence

from ragit.rank.keyword import ChunkScore
from ragit.rank.order import ChunkFacts, Ranked
from ragit.rank.rerank import reranked


def order(
    files: Sequence[int],
    relevances: Sequence[float | None],
    *,
    weight: float = 1.0,
    distinct: bool = False,
) -> list[int]:
    """Return the old ranks in the new order, for candidates of these files."""
    facts = [
        ChunkFacts(file, at, 0.0, ChunkScore(0.0, False), 0.0) for at, file in enumerate(files)
    ]
    candidates = [Ranked(one, 1.0 - at / 10) for at, one in enumerate(facts)]
    found = reranked(candidates, relevances, weight, distinct=distinct)
    assert [one.score for _, one in found] == [one.score for one in candidates]
    return [old for old, _ in found]


def test_candidates_without_relevance_rank_last() -> None:
    assert order([1, 2, 3], [None, -4.0, -2.0]) == [2, 1, 0]
    assert order([1, 2, 3], [None, 0.0, None]) == [1, 0, 2]


def test_equal_relevances_keep_the_fused_order() -> None:
    assert order([1, 2, 3], [0.5, 0.5, 0.5]) == [0, 1, 2]


def test_weight_zero_keeps_the_order() -> None:
    assert order([1, 2, 3], [0.1, 0.2, 0.3], weight=0.0) == [0, 1, 2]


def test_distinct_keeps_how_many_hits_a_file_has_above_each_rank() -> None:
    relevances = [0.1, 0.9, 0.8, 0.7, 0.6]
    assert order([1, 2, 2, 2, 3], relevances) == [1, 2, 3, 4, 0]
    assert order([1, 2, 2, 2, 3], relevances, distinct=True) == [1, 4, 2, 3, 0]
    assert order([1, 1, 1, 2, 2], [0.5, 0.4, 0.3, 0.9, 0.8], distinct=True) == [3, 4, 0, 1, 2]
