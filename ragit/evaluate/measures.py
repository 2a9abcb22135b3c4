"""Compute figures of an answer, from the expected places and the hits.

An expected place is found by the first hit in its file; one with lines by the first hit in its file
that overlaps them. Sources: NDCG from Jarvelin and Kekalainen, "Cumulated gain-based evaluation of
IR techniques", ACM TOIS 20(4), 2002, with binary gain and the discount 1 / log2(rank + 1); the
reciprocal rank from Voorhees, "The TREC-8 question answering track report", 1999; recall as in
Manning, Raghavan and Schuetze, "Introduction to Information Retrieval", chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median

from ragit.judgements import Expected, Figures

K = 10
"""Number of hits judged."""

Ranks = Sequence[int | None]
"""For each expected place, the rank of the hit that found it, from 1; None if not found."""


def same_path(a: str, b: str) -> bool:
    """Return whether paths are equal or one ends in the other: a set may be for another folder."""
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def rank_of(expected: Expected, hits: Iterable[Expected]) -> int | None:
    """Return the rank of the first hit that finds a place; None if none does."""
    for rank, hit in enumerate(hits, 1):
        if same_path(hit.path, expected.path) and _overlap(expected, hit):
            return rank
    return None


def _overlap(a: Expected, b: Expected) -> bool:
    if a.start_line is None or a.end_line is None or b.start_line is None or b.end_line is None:
        return True
    return a.start_line <= b.end_line and b.start_line <= a.end_line


def ndcg(ranks: Ranks, k: int = K) -> float:
    """Return NDCG: the discounted gain as a share of the best possible. Each hit counts once."""
    found = {rank for rank in ranks if rank is not None and rank <= k}
    ideal = math.fsum(_gain(rank) for rank in range(1, min(k, len(ranks)) + 1))
    return math.fsum(map(_gain, found)) / ideal if ideal else 0.0


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal_rank(ranks: Ranks, k: int = K) -> float:
    """Return 1 / rank of the first hit among k that found a place; 0 if none did."""
    return max((1 / rank for rank in ranks if rank is not None and rank <= k), default=0.0)


def recall(ranks: Ranks, k: int) -> float:
    """Return the share of the expected places that the first k hits found."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks) if ranks else 0.0


def figures(ranks: Ranks, took_ms: float) -> Figures:
    """Return all figures of an answer."""
    return Figures(
        1,
        ndcg(ranks),
        reciprocal_rank(ranks),
        recall(ranks, 1),
        recall(ranks, 5),
        recall(ranks, 10),
        took_ms,
    )


def mean(rows: Sequence[Figures]) -> Figures:
    """Return means over queries, and the median of times; 0 for no queries."""
    if not rows:
        return Figures(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Figures(
        queries=len(rows),
        ndcg=fmean(row.ndcg for row in rows),
        mrr=fmean(row.mrr for row in rows),
        recall_1=fmean(row.recall_1 for row in rows),
        recall_5=fmean(row.recall_5 for row in rows),
        recall_10=fmean(row.recall_10 for row in rows),
        p50_ms=median(row.p50_ms for row in rows),
    )


def by_category(rows: Iterable[tuple[str, Figures]]) -> Mapping[str, Figures]:
    """Return means by category, in the order of names."""
    groups: dict[str, list[Figures]] = {}
    for category, row in rows:
        groups.setdefault(category, []).append(row)
    return {category: mean(groups[category]) for category in sorted(groups)}
