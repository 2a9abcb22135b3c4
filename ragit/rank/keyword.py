"""Score files and chunks by keywords, with the statistics of the searched tree alone. Pure.

BM25F: Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", CIKM
2004. The occurrences of a word in the fields of a file are weighted and added before saturation;
rarity is by files of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Protocol

from ragit import postings
from ragit.postings import COUNT, HEAD, SYMBOL
from ragit.rank.terms import QueryTerms
from ragit.records import NamedTuple

K1 = 0.8
"""Code repeats words by syntax, so further occurrences mean less than in prose, where 1.2
is usual.
"""
B_FILE = 0.6
B_CHUNK = 0.2
"""Chunks are of about the same size by construction, so length means less than for files."""
CHUNK_LENGTH = 120
"""Words of an average chunk. A constant, not the tree's mean: only candidates' chunks are
scored.
"""

FIELD_WEIGHTS: Mapping[str, float] = dict(
    zip(postings.COLUMNS, (4.0, 1.5, *postings.BODY_COUNTS), strict=True)
)
PATH_WEIGHT = 3.0
SYMBOL_WEIGHT = 4.0
HEAD_WEIGHT = 1.5


class FileScores(NamedTuple):
    """Keyword scores of files by index in the snapshot, and the weight of each term in the tree."""

    scores: Mapping[int, float]
    rarity: dict[str, float]
    """A term's rarity times its weight in the query."""


def rarity(holders: int, files: int) -> float:
    """Return BM25's inverse document frequency: ln(1 + (N - n + 0.5) / (n + 0.5)), never below 0."""  # noqa: E501
    return math.log(1 + (files - holders + 0.5) / (holders + 0.5))


def score_files(
    query: QueryTerms, found: Mapping[str, Mapping[int, float]], lengths: Sequence[int]
) -> FileScores:
    """Return the BM25F score of every file that contains a term.

    `found` has for each term its weighted occurrences by file; `lengths` has the words of each file
    of the tree.
    """
    files = len(lengths)
    mean = (sum(lengths) / files if files else 0) or 1.0
    scores: dict[int, float] = {}
    rarities: dict[str, float] = {}
    known, k1, b_file, short = scores.get, K1, B_FILE, 1 - B_FILE  # local names are found faster
    for term, held in found.items():
        if not held:
            continue
        value = rarities[term] = query.weight(term) * rarity(len(held), files)
        value *= K1 + 1
        for place, times in held.items():
            damped = k1 * (short + b_file * lengths[place] / mean)
            scores[place] = known(place, 0.0) + value * times / (times + damped)
    return FileScores(scores, rarities)


def coverage(
    query: QueryTerms, found: Mapping[str, Mapping[int, float]], rarities: Mapping[str, float]
) -> dict[int, float]:
    """Return the share of the query's weight that each file contains, each word once."""
    total = sum(rarities.get(term, 0.0) for term in query.weights) or 1.0
    covered: dict[int, float] = {}
    known = covered.get
    for term in query.weights:
        share = rarities.get(term, 0.0) / total
        for place in found.get(term, ()):
            covered[place] = known(place, 0.0) + share
    return covered


class Shares:
    """Shares of a query's terms in one kind of place (paths, defined names), with rarity counted
    there.

    A word may be common in text and rare in paths; then a path with it means much.
    """

    def __init__(self, query: QueryTerms, holders: Mapping[str, int], files: int) -> None:
        weights = {
            term: query.weight(term) * rarity(count, files) for term, count in holders.items()
        }
        total = sum(weights[term] for term in query.weights) or 1.0
        self._shares = {term: weight / total for term, weight in weights.items() if holders[term]}

    def of(self, terms: Iterable[str]) -> float:
        """Return the share of the query's weight of these terms, at most 1."""
        return min(1.0, sum(map(self._shares.get, terms, repeat(0.0))))


class ChunkScore(NamedTuple):
    """One chunk's keyword score; `names` is true if a name that it defines contains a word of the
    query.
    """

    score: float
    names: bool


class ChunkScores(NamedTuple):
    """The keyword scores of all chunks of a file, in order."""

    scores: list[float]
    names: list[bool]
    """True where a name that the chunk defines contains a word of the query."""


class HasEntries(Protocol):
    """The packed words of a file, or looked-up ones."""

    @property
    def lengths(self) -> Sequence[int]:
        """Number of words of each chunk."""

    def entries(self, hashed: int, /) -> Sequence[int]:
        """Return the entries of a word, as `Forward.entries`."""


def score_chunks(forward: HasEntries, rarities: Mapping[str, float], scoring: str) -> ChunkScores:
    """Return BM25 (or plain TF x IDF) of every chunk of one file."""
    lengths = forward.lengths
    scores, names = [0.0] * len(lengths), [False] * len(lengths)
    plain = scoring == "tfidf"
    short, b_chunk, of_length = 1 - B_CHUNK, B_CHUNK, CHUNK_LENGTH
    for term, value in rarities.items():
        gain = value * (K1 + 1)
        for entry in forward.entries(postings.term_hash(term)):
            ordinal = entry >> 8
            times: float = entry & COUNT
            if entry & SYMBOL:
                times += SYMBOL_WEIGHT
                names[ordinal] = True
            if entry & HEAD:
                times += HEAD_WEIGHT
            if plain:
                scores[ordinal] += value * times
            else:
                damped = K1 * (short + b_chunk * lengths[ordinal] / of_length)
                scores[ordinal] += gain * times / (times + damped)
    return ChunkScores(scores, names)


class RanksFiles(Mapping[int, float]):
    """Values of files by index that know the files with the greatest ones."""

    def best_first(
        self, limit: int, among: Iterable[int] | None, then: Mapping[int, float] | None
    ) -> list[int]:
        """Return what `best_first` does."""
        raise NotImplementedError

    @property
    def greatest(self) -> float:
        """The greatest value; 0 without files."""
        raise NotImplementedError


def greatest(scores: Mapping[int, float]) -> float:
    """Return the greatest score; 0 without files."""
    if isinstance(scores, RanksFiles):
        return scores.greatest
    return max(scores.values(), default=0.0)


def best_first(
    scores: Mapping[int, float],
    limit: int,
    among: Iterable[int] | None = None,
    then: Mapping[int, float] | None = None,
) -> list[int]:
    """Return the indices of the `limit` best files; ties by the values of `then`, then by path.
    With `among`, only its files count.
    """
    if isinstance(scores, RanksFiles):
        return scores.best_first(limit, among, then)
    listed = list(scores) if among is None else [place for place in among if place in scores]
    if len(listed) > limit > 0:
        # Thousands of files may contain a word: those too far behind need not be sorted.
        least = sorted([scores[place] for place in listed], reverse=True)[limit - 1]
        listed = [place for place in listed if scores[place] >= least]
    second = then or {}
    listed.sort(key=lambda place: (-scores[place], -second.get(place, 0.0), place))
    return listed[:limit]
