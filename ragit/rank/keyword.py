"""Keyword scores with the statistics of the searched tree alone. Pure.

BM25F: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004. A word's
occurrences in the fields of a file are weighted and added before they are saturated; rarity is counted in files of the
tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragit import postings
from ragit.postings import COUNT, HEAD, SYMBOL, Forward

K1 = 1.2
B_FILE = 0.6
B_CHUNK = 0.4
"""Chunks are of about one size by construction, so length says less than for files."""
CHUNK_LENGTH = 120
"""Words of a middling chunk. A constant, not the tree's mean: chunk scores are only computed for candidates."""

FIELD_WEIGHTS: Mapping[str, float] = dict(zip(postings.COLUMNS, (4.0, 1.5, *postings.BODY_COUNTS), strict=True))
PATH_WEIGHT = 3.0
SYMBOL_WEIGHT = 4.0
HEAD_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class FileScores:
    """Keyword scores of files, by their place in the snapshot, and what was learnt on the way."""

    scores: dict[int, float]
    coverage: dict[int, float]
    """Share of the query's total weight (rarity included) that the file holds, 0 to 1."""
    rarity: dict[str, float]
    """Weight of each term that occurs in the tree: its rarity times its weight in the query."""


def rarity(holders: int, files: int) -> float:
    """BM25's inverse document frequency, never negative: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + (files - holders + 0.5) / (holders + 0.5))


def score_files(
    weights: Mapping[str, float],
    found: Mapping[str, Mapping[int, float]],
    lengths: Sequence[int],
) -> FileScores:
    """BM25F of every file that holds a term.

    `found` gives for each term the files that hold it and its weighted occurrences there; `lengths` the words of each
    file of the tree.
    """
    files = len(lengths)
    mean = (sum(lengths) / files if files else 0) or 1.0
    damped = [K1 * (1 - B_FILE + B_FILE * length / mean) for length in lengths]
    scores: dict[int, float] = {}
    covered: dict[int, float] = {}
    rarities: dict[str, float] = {}
    for term, holders in found.items():
        if not holders:
            continue
        value = rarities[term] = weights[term] * rarity(len(holders), files)
        for place, times in holders.items():
            scores[place] = scores.get(place, 0.0) + value * (K1 + 1) * times / (times + damped[place])
            covered[place] = covered.get(place, 0.0) + value
    total = sum(weights[term] * rarity(len(found.get(term, ())), files) for term in weights) or 1.0
    return FileScores(scores, {place: value / total for place, value in covered.items()}, rarities)


class ChunkScore(NamedTuple):
    """One chunk's keyword figures; the shares are of the query's total weight, 0 to 1."""

    score: float
    symbol: float
    head: float


def score_chunks(forward: Forward, rarities: Mapping[str, float], scoring: str) -> list[ChunkScore]:
    """BM25 (or the seed's plain TF x IDF) of every chunk of one file."""
    lengths = forward.lengths
    scores, symbols, heads = [0.0] * len(lengths), [0.0] * len(lengths), [0.0] * len(lengths)
    total = sum(rarities.values()) or 1.0
    plain = scoring == "tfidf"
    for term, value in rarities.items():
        share = value / total
        for entry in forward.entries(postings.term_hash(term)):
            ordinal = entry >> 8
            times: float = entry & COUNT
            if entry & SYMBOL:
                times += SYMBOL_WEIGHT
                symbols[ordinal] += share
            if entry & HEAD:
                times += HEAD_WEIGHT
                heads[ordinal] += share
            if plain:
                scores[ordinal] += value * times
            else:
                damped = K1 * (1 - B_CHUNK + B_CHUNK * lengths[ordinal] / CHUNK_LENGTH)
                scores[ordinal] += value * (K1 + 1) * times / (times + damped)
    return list(map(ChunkScore, scores, symbols, heads))


def best_first(scores: Mapping[int, float], limit: int, among: Iterable[int] | None = None) -> list[int]:
    """The `limit` best places; equals in the order of their places, which is the order of their paths."""
    listed = scores if among is None else [place for place in among if place in scores]
    return sorted(listed, key=lambda place: (-scores[place], place))[:limit]
