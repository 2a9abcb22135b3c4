"""Tests of the title and the messages of a pasted text."""

from __future__ import annotations

from ragit.rank import parse_query
from ragit.rank.pasted import begins_with_trace, message_lines, title_of


def test_the_first_line_of_a_text_is_a_message_and_others_by_their_words() -> None:
    text = "The basket is full\nIt is on the shelf\n\n12:30:01 fatal: no apples\n"
    assert message_lines(text, all_lines=False) == ["The basket is full", "fatal: no apples"]
    assert message_lines(text, all_lines=True) == [
        "The basket is full",
        "It is on the shelf",
        "fatal: no apples",
    ]


def test_the_title_is_a_line_with_words() -> None:
    assert title_of("/**\n * Counts apples.\n */\nint count() {") == "* Counts apples."


def test_the_title_of_a_trace_with_causes_is_the_last_cause() -> None:
    trace = """java.lang.RuntimeException: request failed
        at com.shop.Web.serve(Web.java:10)
Caused by: java.lang.IllegalStateException: no basket
        at com.shop.Basket.open(Basket.java:20)
Caused by: java.io.IOException: disk is full
        at com.shop.Disk.write(Disk.java:30)
"""
    assert title_of(trace) == "Caused by: java.io.IOException: disk is full"


def test_the_title_of_a_python_trace_is_the_error_that_was_raised_last() -> None:
    trace = """Traceback (most recent call last):
  File "a.py", line 1, in first
KeyError: 'apple'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 2, in second
ValueError: no apple
"""
    assert title_of(trace) == "ValueError: no apple"


def test_the_title_of_another_text_is_its_first_line() -> None:
    assert title_of("\n## Apples are lost\n\nmore") == "Apples are lost"


ISSUE = "Tests of the basket fail\n\n" + "It shows an error when the basket is full of apples. " * 6


def test_an_issue_is_a_text_and_a_log_is_a_trace() -> None:
    log = "12:30:01 fatal: no apples in the basket\n" * 8
    raised = "ValueError: no apples\n" + ISSUE
    frame = 'Traceback (most recent call last):\n  File "a.py", line 1, in first\n' + ISSUE
    assert [parse_query(text).shape for text in (ISSUE, log, raised, frame)] == [
        "text",
        "trace",
        "trace",
        "trace",
    ]
    assert begins_with_trace("\n2026-01-02T12:30:01 started")
    assert not begins_with_trace("3.5.1 loses apples")


def test_a_pasted_text_asks_for_no_kind_of_file() -> None:
    assert not parse_query(ISSUE).intent.tests
    assert parse_query("tests of the basket").intent.tests
