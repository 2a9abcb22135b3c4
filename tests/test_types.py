"""Tests of the value types: compared by content, and sent to other processes."""

from __future__ import annotations

import pickle

import pytest

from ragit import types
from ragit.query import Query
from ragit.reports import FreshnessReport
from ragit.types import Chunk, Hit, Oid, Target


@pytest.mark.parametrize("kind", [types.Chunk, types.Chunking, types.Entry])
def test_what_is_made_often_is_frozen_and_small(kind: type) -> None:
    assert issubclass(kind, tuple)
    assert "__dict__" not in dir(kind)


@pytest.mark.parametrize("name", [name for name in vars(types) if name[:1].isupper()])
def test_every_word_says_what_it_means(name: str) -> None:
    kind = getattr(types, name)
    if isinstance(kind, type) and kind.__module__ == types.__name__:
        assert kind.__doc__


def test_values_travel(repo: object) -> None:
    for value in (
        Chunk(1, 2, 0, 9, "text"),
        Query("x", paths=("a",)),
        Target("HEAD", Oid("0" * 40)),
    ):
        assert pickle.loads(pickle.dumps(value)) == value


def test_queries_are_keys() -> None:
    assert len({Query("x"), Query("x"), Query("x", top_k=1), Query("x", paths=("a",))}) == 3


def test_fresh_means_nothing_is_missing() -> None:
    assert FreshnessReport("HEAD", Oid("0" * 40), ()).fresh
    assert not FreshnessReport("HEAD", Oid("0" * 40), ("a.py",)).fresh


def test_a_hit_needs_no_more_than_its_place() -> None:
    hit = Hit("a.py", 1, 2, 0.5, "python", "function", "f", "", "text", Oid("0" * 40))
    assert (hit.signals, hit.terms, hit.also, hit.optimized) == ({}, (), (), None)
