"""Reorder the best candidates by the relevances of a reranker. Pure.

Relevances have their own scale, not comparable to fused scores. So they only decide the order: the
scores stay with the ranks, the list below the candidates is unchanged, and a reranker that agrees
with the fusion changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragit.rank.contenders import MOST_REPEATS
from ragit.rank.order import Ranked
from ragit.types import Reranked

RANK_OFFSET = 10
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009, who took 60 for lists of
1000): with some 20 candidates the first ranks must differ more.
"""


def reranked(
    candidates: Sequence[Ranked],
    relevances: Sequence[float | None],
    weight: float,
    *,
    distinct: bool,
) -> list[tuple[int, Ranked]]:
    """Return the candidates in their new order, each with its old rank (from 0) and the score of
    its new one.

    `weight` is the reranker's share; the fused order has the rest. Candidates without a relevance
    come last. `distinct` keeps the fusion's pattern of first, second and further chunks of a file,
    so that the first hits stay in distinct files.
    """
    order = _preferred(relevances, weight)
    if distinct:
        order = _spread(order, [one.facts.place for one in candidates])
    return [
        (old, _moved(candidates[old], candidates[new].score, old + 1, relevances[old]))
        for new, old in enumerate(order)
    ]


def _moved(ranked: Ranked, score: float, place: int, relevance: float | None) -> Ranked:
    return ranked._replace(score=score, reranked=Reranked(place, relevance, score - ranked.score))


def _preferred(relevances: Sequence[float | None], weight: float) -> list[int]:
    """Return indices by the weighted sum of reciprocal ranks in both orders; ties in the fused
    order.
    """
    every = range(len(relevances))
    given = sorted(every, key=lambda at: (relevances[at] is None, -(relevances[at] or 0.0), at))
    ranks = {at: rank for rank, at in enumerate(given)}
    gain = [weight / (RANK_OFFSET + ranks[at]) + (1 - weight) / (RANK_OFFSET + at) for at in every]
    return sorted(every, key=lambda at: (-gain[at], at))


def _spread(order: Sequence[int], files: Sequence[int]) -> list[int]:
    """Return the order in which no file has more chunks before a rank than it had before that rank
    in the fusion.
    """
    left = list(order)
    before: Counter[int] = Counter()
    taken: Counter[int] = Counter()
    chosen = []
    for file in files:
        allowed = min(before[file], MOST_REPEATS)
        before[file] += 1
        at = next((at for at in left if min(taken[files[at]], MOST_REPEATS) <= allowed), left[0])
        left.remove(at)
        taken[files[at]] += 1
        chosen.append(at)
    return chosen
