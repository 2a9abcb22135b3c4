"""Defines the values of an evaluation: questions, expected answers, figures. Standard library only,
no IO.

Apart from `types`, since a search needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragit.records import NamedTuple


class Expected(NamedTuple):
    """The expected location of a query's answer: a file, or lines of one (1-based, inclusive)."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the places that answer it."""

    query: str
    expected: tuple[Expected, ...]
    category: str = "all"
    ref: str | None = None
    """Revision to search; None for that of the whole evaluation."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The measured quality of answers: means over the queries, from 0 to 1, best 1."""

    queries: int
    ndcg: float
    mrr: float
    recall_1: float
    recall_5: float
    recall_10: float
    p50_ms: float
    """Median time of an answer, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with the quality of its answer."""

    question: Question
    ranks: tuple[int | None, ...]
    """Rank of each expected place, from 1; None if not in the first ten."""
    figures: Figures
    hits: tuple[Expected, ...]
    """The first ten hits."""
    tree: str
    """Object id of the searched tree."""
    degraded: str
    parts: frozenset[str]
    """What contributed: keyword and vector if they added to a hit, reranker, rewriter."""
    searched: str
    """The tree in words."""


class Arm(NamedTuple):
    """The contribution of keywords, or of vectors, to the answers of a set."""

    name: str
    state: str
    """contributes, dead, or off (by configuration)."""
    why: str = ""
    alone: float | None = None
    """Mean NDCG@10 of this arm alone; None if not measured."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A golden set judged under one configuration."""

    name: str
    """The set in words."""
    searched: str
    overall: Figures
    categories: Mapping[str, Figures]
    judged: tuple[Judged, ...]
    arms: tuple[Arm, ...]
    failures: tuple[str, ...]
    """Missed thresholds, in words."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A question with different results: its NDCG@10 under each of two configurations."""

    question: Question
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two configurations judged on the same set."""

    names: tuple[str, str]
    settings: tuple[tuple[str, object, object], ...]
    """Settings that differ: name, and the value under each."""
    before: Evaluation
    after: Evaluation
    difference: float
    """Difference of the mean NDCG@10, second minus first."""
    p: float
    """Probability that chance makes a difference as large (two-sided)."""
    test: str
    """The test, in words."""
    moved: tuple[Moved, ...]
    """Questions whose results differ, the greatest change first."""
    failures: tuple[str, ...]
    """Thresholds that the second configuration misses, and dead arms of either, in words."""
