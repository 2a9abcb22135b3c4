"""Figures of searches with known answers, and their confidence intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import mean
from typing import NamedTuple

NEVER = 10**6
K = 10

Hit = tuple[str, int, int]
"""Path, first and last line."""

IsIn = Callable[[str, int, int], bool]
"""Returns whether a hit is at a place."""


class Outcome(NamedTuple):
    """The ranks, from 1, of the answers to a question: NEVER for one not found.

    `hits` counts hits, `files` distinct files.
    """

    hits: tuple[int, ...]
    files: tuple[int, ...] = ()


def rank_of(place: IsIn, hits: Sequence[Hit]) -> int:
    """Return the rank of the first hit at a place."""
    return next((n for n, hit in enumerate(hits, 1) if place(*hit)), NEVER)


def file_ranks(paths: Sequence[str], hits: Sequence[Hit]) -> tuple[int, ...]:
    """Return the rank of each file among the distinct files of the hits."""
    files = list(dict.fromkeys(hit[0] for hit in hits))
    return tuple(files.index(path) + 1 if path in files else NEVER for path in paths)


def ndcg(outcome: Outcome) -> float:
    """Return NDCG@10 (Järvelin and Kekäläinen 2002) with binary gains."""
    found = {one for one in outcome.hits if one <= K}
    ideal = sum(1 / math.log2(n + 2) for n in range(min(K, len(outcome.hits))))
    return sum(1 / math.log2(one + 1) for one in found) / ideal if ideal else 0.0


def reciprocal(outcome: Outcome) -> float:
    """Return 1 / rank of the first answer."""
    return 1 / min(outcome.hits)


def first(outcome: Outcome) -> float:
    """Return 1 if an answer is the first hit."""
    return float(min(outcome.hits) == 1)


def all_files(k: int) -> Callable[[Outcome], float]:
    """Return the measure: 1 if all files are among the first k."""
    return lambda outcome: float(max(outcome.files) <= k)


def all_hits(k: int) -> Callable[[Outcome], float]:
    """Return the measure: 1 if all places are among the first k hits."""
    return lambda outcome: float(max(outcome.hits) <= k)


def interval(groups: Sequence[Sequence[float]], times: int = 1000) -> tuple[float, float]:
    """Return the 95 % interval of the mean by the bootstrap over groups and their members.

    Groups are repositories, whose questions are alike; drawing single questions would make the
    interval too narrow (Efron and Tibshirani 1993, two-stage).
    """
    pick = random.Random(0)
    means = []
    for _ in range(times):
        drawn = [pick.choice(groups) for _ in groups]
        values = [pick.choice(group) for group in drawn for _ in group]
        means.append(mean(values))
    means.sort()
    return means[int(0.025 * times)], means[int(0.975 * times)]
