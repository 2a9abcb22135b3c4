"""A short run of fuzz.py."""

from __future__ import annotations

import random
import re

import pytest
from fuzz import finding, mutated, samples
from hypothesis import given
from hypothesis import strategies as st
from reading import made

from ragit.chunk.documents import READERS

pytestmark = pytest.mark.usefixtures("quiet")

REASON = re.compile(
    r"|damaged \w+|no text( \(scanned\))?|no \w+ (file|inside|for \w+)|\w+ under another name|password-protected"
    r"|packed in an unknown way|too long a namespace"
)
"""Reasons for reading nothing from a file: fixed phrases, without text from the file."""


@pytest.mark.parametrize("language", sorted(READERS))
@pytest.mark.filterwarnings("ignore")
@given(seed=st.integers(0, 1 << 32))
def test_no_bytes_are_too_odd(language: str, seed: int) -> None:
    chance = random.Random(seed)
    data = mutated(chance.choice(samples(language)), chance)
    assert finding(data, language) == ""
    made(data, language)


@pytest.mark.parametrize("language", sorted(READERS))
def test_what_is_bent_was_sound(language: str) -> None:
    assert all(made(data, language).chunks for data in samples(language))


@pytest.mark.parametrize("language", sorted(READERS))
@pytest.mark.filterwarnings("ignore")
def test_a_file_cut_short_is_read_as_far_as_it_goes_or_named(language: str) -> None:
    for data in samples(language):
        for tenth in range(10):
            cut = data[: len(data) * tenth // 10]
            assert finding(cut, language) == ""
            assert REASON.fullmatch(made(cut, language).skipped)


@pytest.mark.parametrize("language", sorted(READERS))
@pytest.mark.filterwarnings("ignore")
def test_a_file_under_another_name_is_read_as_what_it_is_or_named(language: str) -> None:
    for other in sorted(READERS):
        for data in [*samples(other), b"", b"some text\n", b"\x89PNG\r\n\x1a\n" + bytes(99)]:
            assert finding(data, language) == ""
            assert REASON.fullmatch(made(data, language).skipped)
