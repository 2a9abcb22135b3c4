"""Documents bent at random: a short form of what fuzz.py does for as long as one likes."""

from __future__ import annotations

import random

import pytest
from fuzz import finding, mutated, samples
from hypothesis import given
from hypothesis import strategies as st
from reading import made

from ragit.chunk.documents import READERS

pytestmark = pytest.mark.usefixtures("quiet")


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
