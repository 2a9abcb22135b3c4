"""Defines the values of an evaluation: questions, expected answers, figures. Standard library only,
no IO.

They are not in `types`, since a search needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragit.records import NamedTuple


class Expected(NamedTuple):
    """The location of a query's answer: a file, or some lines (1-based, inclusive) of one."""

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
    """The revision to search; None for that of the whole evaluation."""


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
    """The rank of each expected place, from 1; None if it is not in the first ten."""
    figures: Figures
    hits: tuple[Expected, ...]
    """The first ten hits."""
    tree: str
    """The git object name of the tree that was searched."""
    degraded: str
    parts: frozenset[str]
    """Parts that made the answer: keyword and vector if they added to a hit, reranker, rewriter."""
    searched: str
    """The tree in words."""


class Arm(NamedTuple):
    """The part of keywords, or of vectors, in the answers to a set."""

    name: str
    state: str
    """contributes, dead, or off (by configuration)."""
    why: str = ""
    alone: float | None = None
    """Mean NDCG@10 by this arm alone; None if that was not measured."""


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
    """Thresholds that were not met, in words."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A question that two configurations answer differently well: its NDCG@10 under each."""

    question: Question
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two configurations judged on the same set."""

    names: tuple[str, str]
    settings: tuple[tuple[str, object, object], ...]
    """The settings that differ: name, and the value under each."""
    before: Evaluation
    after: Evaluation
    difference: float
    """The difference of the mean NDCG@10, second minus first."""
    p: float
    """The probability that chance makes a difference as large (two-sided)."""
    test: str
    """The test, in words."""
    moved: tuple[Moved, ...]
    """The questions whose answers differ, the greatest change first."""
    failures: tuple[str, ...]
    """Thresholds that the second does not meet, and dead arms of either, in words."""
