"""Tests of intents: patterns are compiled only for a text that has a part of a word of theirs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.rank import intent
from ragit.rank.intent import Intent, intent_of

PATTERNS = {
    intent._TESTS: intent._OF_TESTS,
    intent._RUNNING: intent._OF_TESTS,
    intent._PROSE: intent._OF_PROSE,
    intent._EXAMPLES: intent._OF_EXAMPLES,
    intent._TOOLING: intent._OF_TOOLING,
}


@pytest.mark.parametrize("pattern", PATTERNS)
@given(data=st.data())
def test_each_match_of_a_pattern_has_a_part_of_its_words(pattern: str, data: st.DataObject) -> None:
    ascii_only = re.compile(pattern, re.IGNORECASE | re.ASCII)
    text = data.draw(st.from_regex(ascii_only, alphabet=st.characters(max_codepoint=127)))
    assert any(part in text.lower() for part in PATTERNS[pattern])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where are offsets committed", Intent()),
        ("tests of the offset manager", Intent(tests=True)),
        ("TEſTS of the offset manager", Intent(tests=True)),
        ("where is a single test run", Intent()),
        ("how to build from source", Intent(prose=True)),
        ("samples of a consumer", Intent(examples=True)),
        ("the release notes", Intent(prose=True, tooling=True)),
    ],
)
def test_a_query_asks_for_kinds_of_files(text: str, expected: Intent) -> None:
    assert intent_of(text) == expected
