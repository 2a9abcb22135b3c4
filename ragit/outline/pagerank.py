"""Rank the nodes of a graph by personalised PageRank (Page et al. 1999). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DAMPING = 0.85
"""The share of a node's rank passed on by its edges; the rest goes to the start."""

ROUNDS = 30
"""Rounds of the power iteration: the error shrinks by DAMPING in each, to below 1 %."""

Edges = Sequence[Mapping[int, float]]
"""For each node the weights of its edges by target node."""


def pagerank(edges: Edges, start: Mapping[int, float]) -> list[float]:
    """Return the rank of each node, with sum 1, for walks from `start`, by weight.

    Without `start`, walks begin anywhere. A node without edges leads back to the start.
    """
    count = len(edges)
    if not count:
        return []
    total = sum(start.values())
    begins = [1 / count] * count
    if total > 0:
        begins = [start.get(node, 0.0) / total for node in range(count)]
    shares = [_shares(each) for each in edges]
    ranks = list(begins)
    for _ in range(ROUNDS):
        lost = sum(rank for rank, each in zip(ranks, shares, strict=True) if not each)
        back = 1 - DAMPING + DAMPING * lost
        after = [back * begin for begin in begins]
        for rank, each in zip(ranks, shares, strict=True):
            if rank:
                passed = DAMPING * rank
                for node, share in each:
                    after[node] += passed * share
        ranks = after
    return ranks


def _shares(edges: Mapping[int, float]) -> list[tuple[int, float]]:
    total = sum(edges.values())
    return [(node, weight / total) for node, weight in sorted(edges.items())] if total else []
