"""Test whether two lists of figures about the same queries differ by more than chance.

Fisher's randomisation test on paired differences, two-sided, which Smucker, Allan and Carterette
("A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007)
recommend for such means: if both configurations were the same, each query's difference could as
well have the other sign. With few different queries, all signs are tried; else a sample, whose p
includes the observed one (Phipson and Smyth, "Permutation p-values should never be zero", 2010).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import product

from ragit.records import NamedTuple

ALL_SIGNS = 13
"""Number of differences up to which all combinations of signs (8,192) are tried."""

SAMPLES = 10_000
SEED = 20_070_611

_EQUAL = 1e-9
"""Sums nearer than this count as equal: the order of additions changes the last digits."""


class Verdict(NamedTuple):
    """The result of a test."""

    p: float
    test: str


def compare(before: Sequence[float], after: Sequence[float]) -> Verdict:
    """Return how often random signs give a mean difference as large as the observed one."""
    differences = [b - a for a, b in zip(before, after, strict=True) if abs(b - a) > _EQUAL]
    observed = abs(math.fsum(differences)) - _EQUAL
    if len(differences) <= ALL_SIGNS:
        sums = [
            math.fsum(sign * d for sign, d in zip(signs, differences, strict=True))
            for signs in product((1, -1), repeat=len(differences))
        ]
        p = sum(abs(total) >= observed for total in sums) / len(sums)
        return Verdict(p, f"paired randomisation, all {len(sums):,} signs")
    larger = sum(abs(total) >= observed for total in _sampled(differences))
    return Verdict((larger + 1) / (SAMPLES + 1), f"paired randomisation, {SAMPLES:,} samples")


def _sampled(differences: Sequence[float]) -> list[float]:
    dice = random.Random(SEED)
    whole = math.fsum(differences)
    sums = []
    for _ in range(SAMPLES):
        signs = dice.getrandbits(len(differences))
        sums.append(whole - 2 * sum(d for i, d in enumerate(differences) if signs >> i & 1))
    return sums
