"""Tests that reading takes time in proportion to the size, each slow case at two sizes."""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any

import pytest
from growing import GROWING

from ragit.chunk.documents.frame import read
from ragit.chunk.options import DocumentOptions

pytestmark = [pytest.mark.usefixtures("quiet"), pytest.mark.filterwarnings("ignore")]

OPTIONS = DocumentOptions()
MAX_SECONDS = 4.0
"""Limit of processor time in seconds, over three times the usual."""
LITTLE_TEXT = DocumentOptions(max_text=400_000)


def calls(data: bytes, language: str) -> int:
    """Return the number of calls of functions, in Python and C, while a document is read."""
    count = 0

    def called(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        read(data, language, LITTLE_TEXT)
    finally:
        sys.setprofile(None)
    return count


def seconds(data: bytes, language: str) -> float:
    """Return the processor time, on which other processes have little effect."""
    started = time.process_time()
    read(data, language, OPTIONS)
    return time.process_time() - started


@pytest.mark.parametrize("case", GROWING)
def test_function_calls_grow_about_linearly_with_size(case: str) -> None:
    language, make, _ = GROWING[case]
    read(make(1), language, OPTIONS)  # load modules and compile patterns first
    small, large = (calls(make(size), language) for size in (100, 400))
    assert large < 6 * small


@pytest.mark.parametrize("case", GROWING)
def test_time_grows_about_linearly_with_size(case: str) -> None:
    """Loops in C and in regular expressions make no calls; quadratic ones took seconds here."""
    language, make, size = GROWING[case]
    large = make(size)
    for _ in range(3):
        taken = seconds(large, language)
        if taken < 0.5 or taken < min(8 * seconds(make(size // 4), language), MAX_SECONDS):
            return
    raise AssertionError(f"{taken:.1f} seconds for {len(large):,} bytes")
