"""A short run of fuzz.py."""

from __future__ import annotations

import random
import re

import pytest
from fuzz import finding, mutated, samples
from hypothesis import given
from hypothesis import strategies as st
from reading import read_checked

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
def test_mutated_document_raises_no_error(language: str, seed: int) -> None:
    chance = random.Random(seed)
    data = mutated(chance.choice(samples(language)), chance)
    assert finding(data, language) == ""
    read_checked(data, language)


@pytest.mark.parametrize("language", sorted(READERS))
def test_fuzz_samples_are_readable(language: str) -> None:
    assert all(read_checked(data, language).chunks for data in samples(language))


@pytest.mark.parametrize("language", sorted(READERS))
@pytest.mark.filterwarnings("ignore")
def test_truncated_file_is_read_or_skipped_with_a_reason(language: str) -> None:
    for data in samples(language):
        for tenth in range(10):
            cut = data[: len(data) * tenth // 10]
            assert finding(cut, language) == ""
            assert REASON.fullmatch(read_checked(cut, language).skipped)


@pytest.mark.parametrize("language", sorted(READERS))
@pytest.mark.filterwarnings("ignore")
def test_wrong_format_is_detected_or_skipped_with_a_reason(language: str) -> None:
    for other in sorted(READERS):
        for data in [*samples(other), b"", b"some text\n", b"\x89PNG\r\n\x1a\n" + bytes(99)]:
            assert finding(data, language) == ""
            assert REASON.fullmatch(read_checked(data, language).skipped)
