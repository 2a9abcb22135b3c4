"""Tests of the nearness of names to a query."""

from __future__ import annotations

import pytest

from ragit.embed import name_nearness


def test_name_made_of_query_words_has_nearness_one() -> None:
    nearness = name_nearness("close connection")
    assert nearness("closeConnection") == nearness("close_connection") == 1.0
    assert nearness("connection") == 1.0


def test_synonym_is_nearer_than_an_unrelated_word() -> None:
    nearness = name_nearness("delete file")
    assert 1.0 > nearness("remove") > nearness("colour")
    assert nearness("removeFile") == pytest.approx((nearness("remove") + 1.0) / 2)


def test_longer_query_does_not_lower_the_nearness() -> None:
    short, long = name_nearness("delete file"), name_nearness("delete file from archive folder")
    assert long("removeFile") >= short("removeFile") > 0.5


def test_unknown_word_is_near_only_to_itself() -> None:
    assert name_nearness("delete")("zqxvwk") == 0.0
    assert name_nearness("zqxvwk")("zqxvwk") == 1.0
    assert name_nearness("zqxvwk")("delete") == 0.0


def test_empty_name_or_query_has_nearness_zero() -> None:
    assert name_nearness("delete")("") == 0.0
    assert name_nearness("")("delete") == 0.0
