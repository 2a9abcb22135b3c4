"""Tests that threads of one process chunk files independently."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor

from ragit.chunk import chunk

# Python changes threads in the middle of a parse, whenever the parser asks for more text.
sys.setswitchinterval(1e-6)
texts = [
    (name, "".join(form.format(n=n, thread=thread) for n in range(60)).encode())
    for thread in range(6)
    for name, form in (
        ("python", "class C{n}:\\n    def f{thread}_{n}(self):\\n        return [{n}]\\n\\n"),
        ("rust", "/// Doc {n}.\\nfn f{thread}_{n}(x: u8) -> u8 {{ x + {n} }}\\n\\n"),
        ("markdown", "# Title {n}\\n\\nWords of {thread}.\\n\\n"),
    )
]
alone = [chunk(data, name) for name, data in texts]
with ThreadPoolExecutor(6) as pool:
    for _ in range(5):
        assert list(pool.map(lambda one: chunk(one[1], one[0]), texts)) == alone
print("equal")
"""


def test_parallel_chunking_equals_serial_chunking() -> None:
    """Run in a process of its own: two threads in one parser would crash it."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr[-2000:]
