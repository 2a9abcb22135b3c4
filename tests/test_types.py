"""Tests of the value types: compared by content, and sent to other processes."""

from __future__ import annotations

import pickle

import pytest

from ragit import types
from ragit.query import Query
from ragit.reports import FreshnessReport
from ragit.types import Chunk, Hit, Oid, Target


@pytest.mark.parametrize("kind", [types.Chunk, types.Chunking, types.Entry])
def test_frequent_types_are_tuples_without_a_dict(kind: type) -> None:
    assert issubclass(kind, tuple)
    assert "__dict__" not in dir(kind)


TYPES = [
    kind
    for kind in vars(types).values()
    if isinstance(kind, type) and kind.__module__ == types.__name__
]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_every_type_has_a_docstring(kind: type) -> None:
    assert kind.__doc__


def test_values_survive_pickling() -> None:
    for value in (
        Chunk(1, 2, 0, 9, "text"),
        Query("x", paths=("a",)),
        Target("HEAD", Oid("0" * 40)),
    ):
        assert pickle.loads(pickle.dumps(value)) == value


def test_queries_are_hashable_and_comparable() -> None:
    assert len({Query("x"), Query("x"), Query("x", top_k=1), Query("x", paths=("a",))}) == 3


def test_report_is_fresh_if_nothing_is_missing() -> None:
    assert FreshnessReport("HEAD", Oid("0" * 40), ()).fresh
    assert not FreshnessReport("HEAD", Oid("0" * 40), ("a.py",)).fresh


def test_hit_has_defaults() -> None:
    hit = Hit("a.py", 1, 2, 0.5, "python", "function", "f", "", "text", Oid("0" * 40))
    assert (hit.signals, hit.terms, hit.also, hit.optimized) == ({}, (), (), None)
