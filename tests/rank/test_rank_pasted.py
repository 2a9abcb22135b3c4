"""Tests of the title and the messages of a pasted text."""

from __future__ import annotations

from ragit.rank import parse_query
from ragit.rank.pasted import begins_with_trace, message_lines, title_of


def test_messages_are_the_first_line_and_lines_with_error_words() -> None:
    text = "The basket is full\nIt is on the shelf\n\n12:30:01 fatal: no apples\n"
    assert message_lines(text, all_lines=False) == ["The basket is full", "fatal: no apples"]
    assert message_lines(text, all_lines=True) == [
        "The basket is full",
        "It is on the shelf",
        "fatal: no apples",
    ]


def test_title_skips_lines_without_words() -> None:
    assert title_of("/**\n * Counts apples.\n */\nint count() {") == "* Counts apples."


def test_title_of_a_java_trace_is_its_last_cause() -> None:
    trace = """java.lang.RuntimeException: request failed
        at com.shop.Web.serve(Web.java:10)
Caused by: java.lang.IllegalStateException: no basket
        at com.shop.Basket.open(Basket.java:20)
Caused by: java.io.IOException: disk is full
        at com.shop.Disk.write(Disk.java:30)
"""
    assert title_of(trace) == "Caused by: java.io.IOException: disk is full"


def test_title_of_a_python_trace_is_its_last_error() -> None:
    trace = """Traceback (most recent call last):
  File "a.py", line 1, in first
KeyError: 'apple'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 2, in second
ValueError: no apple
"""
    assert title_of(trace) == "ValueError: no apple"


def test_title_of_other_text_is_its_first_line() -> None:
    assert title_of("\n## Apples are lost\n\nmore") == "Apples are lost"


ISSUE = "Tests of the basket fail\n\n" + "It shows an error when the basket is full of apples. " * 6


def test_issue_has_shape_text_and_log_has_shape_trace() -> None:
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


def test_pasted_text_does_not_ask_for_tests() -> None:
    assert not parse_query(ISSUE).intent.tests
    assert parse_query("tests of the basket").intent.tests
