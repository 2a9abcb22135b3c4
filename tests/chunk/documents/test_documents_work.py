"""No document takes time out of all proportion to its size: each way that was found to do so, at
two sizes.
"""

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
MOST = 4.0
"""Seconds of processor time, where less than one is needed: what may be read of a text hides how
fast it grew.
"""
SHORT = DocumentOptions(max_text=400_000)


def calls(data: bytes, language: str) -> int:
    """How many functions are called, of Python or of C, to read a document, of which only so much
    text is wanted.
    """
    count = 0

    def called(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        read(data, language, SHORT)
    finally:
        sys.setprofile(None)
    return count


def seconds(data: bytes, language: str) -> float:
    """Of processor time, which others at work on this machine do not stretch."""
    started = time.process_time()
    read(data, language, OPTIONS)
    return time.process_time() - started


@pytest.mark.parametrize("strange", GROWING)
def test_work_grows_as_the_document_does(strange: str) -> None:
    language, make, _ = GROWING[strange]
    read(make(1), language, OPTIONS)  # what is loaded or compiled once is no work of the document
    small, large = (calls(make(size), language) for size in (100, 400))
    assert large < 6 * small


@pytest.mark.parametrize("strange", GROWING)
def test_time_grows_as_the_document_does(strange: str) -> None:
    """What the loops of C and of regular expressions do is no call: quadratic, each of these took
    seconds.
    """
    language, make, size = GROWING[strange]
    small, large = make(size // 4), make(size)
    for _ in range(3):
        taken = seconds(large, language)
        if taken < 0.5 or taken < min(8 * seconds(small, language), MOST):
            return
    raise AssertionError(f"{taken:.1f} seconds for {len(large):,} bytes")
