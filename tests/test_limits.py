"""Tests of the limits of a process, which may have some already."""

from __future__ import annotations

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

CONFINED = """
import resource
from ragit.sandbox.rlimits import confine
{before}
confine(300 << 20, 7)
print(*(resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE)))
"""


def bounds(before: str = "") -> list[int]:
    code = CONFINED.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_confine_limits_memory_time_and_core_files() -> None:
    assert bounds() == [300 << 20, 7, 0]


def test_confine_keeps_a_tighter_limit() -> None:
    tight = "resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))"
    assert bounds(tight) == [200 << 20, 7, 0]


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the bound is set and not always kept"
)
def test_allocation_above_the_limit_raises_memory_error() -> None:
    code = "from ragit.sandbox.rlimits import confine\nconfine(100 << 20)\ntry: bytes(200 << 20)\nexcept MemoryError: print('no')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "no\n"
