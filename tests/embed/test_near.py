"""Tests of the nearness of names to a query."""

from __future__ import annotations

import pytest

from ragit.embed import name_nearness


def test_a_name_of_the_querys_words_is_as_near_as_can_be() -> None:
    nearness = name_nearness("close connection")
    assert nearness("closeConnection") == nearness("close_connection") == 1.0
    assert nearness("connection") == 1.0


def test_a_word_that_means_the_same_is_nearer_than_another() -> None:
    nearness = name_nearness("delete file")
    assert 1.0 > nearness("remove") > nearness("colour")
    assert nearness("removeFile") == pytest.approx((nearness("remove") + 1.0) / 2)


def test_a_longer_query_does_not_make_a_name_less_near() -> None:
    short, long = name_nearness("delete file"), name_nearness("delete file from archive folder")
    assert long("removeFile") >= short("removeFile") > 0.5


def test_what_the_model_does_not_know_is_near_only_to_itself() -> None:
    assert name_nearness("delete")("zqxvwk") == 0.0
    assert name_nearness("zqxvwk")("zqxvwk") == 1.0
    assert name_nearness("zqxvwk")("delete") == 0.0


def test_a_name_without_words_and_a_query_without_words_are_near_to_nothing() -> None:
    assert name_nearness("delete")("") == 0.0
    assert name_nearness("")("delete") == 0.0
