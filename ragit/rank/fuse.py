"""Fuse the rankings of a query and its variants: the weighted mean of their scores. Pure.

Scores and their mean are from 0 to 1; a chunk missing from a ranking scores 0 there. The parts of a
score are means of parts, so they still add up to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragit.rank.order import Explains, Ranked

ORIGINAL = 0.75
"""Share of the original query; its variants share the rest. Poor variants must not do much harm:
see bench/QUALITY.md, also for why scores are averaged instead of ranks.
"""

Key = tuple[int, int]


class Fused:
    """Several rankings as one."""

    def __init__(self, rankings: Sequence[tuple[Explains, Sequence[Ranked]]]) -> None:
        others = (1 - ORIGINAL) / (len(rankings) - 1) if len(rankings) > 1 else 0.0
        self._shares = [ORIGINAL if others else 1.0, *[others] * (len(rankings) - 1)]
        self._scorers = [scorer for scorer, _ in rankings]
        self._ranked: list[Mapping[Key, Ranked]] = [
            {_key(one): one for one in ranked} for _, ranked in rankings
        ]

    def order(self, least: float) -> list[Ranked]:
        """Return all chunks that score at least `least`, best first, ties by path and line."""
        total: dict[Key, float] = {}
        first: dict[Key, Ranked] = {}
        for share, ranked in zip(self._shares, self._ranked, strict=True):
            for key, one in ranked.items():
                total[key] = total.get(key, 0.0) + share * one.score
                first.setdefault(key, one)
        found = [first[key]._replace(score=score) for key, score in total.items() if score >= least]
        return sorted(found, key=lambda one: (-one.score, one.facts.place, one.facts.chunk))

    def parts(self, ranked: Ranked) -> dict[str, float]:
        """Return the parts of a chunk's score by name."""
        found: dict[str, float] = {}
        for share, scorer, known in zip(self._shares, self._scorers, self._ranked, strict=True):
            one = known.get(_key(ranked))
            for name, value in (scorer.parts(one) if one else {}).items():
                found[name] = found.get(name, 0.0) + share * value
        if ranked.reranked and ranked.reranked.change:
            found["rerank"] = ranked.reranked.change
        return found

    def terms_in(self, held: frozenset[str]) -> tuple[str, ...]:
        """Return the terms of the original query among the words."""
        return self._scorers[0].terms_in(held)


def _key(ranked: Ranked) -> Key:
    return ranked.facts.place, ranked.facts.chunk
