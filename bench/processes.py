"""Run processes and measure their time and memory; describe this machine.

The benchmarks share it. Standard library only.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLE_S = 0.05
"""Interval in seconds of memory samples of a process and its children. An index run takes
hundreds.
"""


@dataclass(frozen=True)
class Run:
    """A process with its children: wall and processor time in seconds, peak memory in MB,
    output.
    """

    seconds: float
    processor: float
    megabytes: float
    out: str


def run(
    command: Sequence[str],
    cwd: Path,
    env: dict[str, str],
    *,
    text: str | None = None,
    ok: tuple[int, ...] = (0,),
) -> Run:
    """Run a process; exit with its output if it fails."""
    started, before = time.perf_counter(), processor()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        text=True,
    )
    with watched(process.pid) as memory:
        out, err = process.communicate(text or "")
    seconds = time.perf_counter() - started
    if process.returncode not in ok:
        sys.exit(f"{' '.join(command)}\nended with {process.returncode}: {err or out}")
    return Run(seconds, processor() - before, memory[0], out)


def processor() -> float:
    """Return the processor time in seconds of all ended children of this process; 0 on Windows."""
    try:
        import resource
    except ImportError:
        return 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def watched(pid: int) -> Iterator[list[float]]:
    """Yield the peak memory of a process and its children together, in MB; 0 without /proc.

    It is the proportional set size, so shared memory is counted once. Pages read of mapped files
    (index, model) count, too, though the system can take them back.
    """
    most, over = [0.0], threading.Event()

    def look() -> None:
        while not over.wait(SAMPLE_S):
            most[0] = max(most[0], sum(map(held, family(pid))))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def family(pid: int) -> Iterator[int]:
    """Yield a process and all its descendants."""
    yield pid
    children: list[str] = []
    with suppress(OSError):  # it, or a thread of it, has just ended
        # each thread has a list of its own
        for started in Path(f"/proc/{pid}/task").glob("*/children"):
            children += started.read_text().split()
    for child in children:
        yield from family(int(child))


def held(pid: int) -> float:
    """Return the memory of one process in MB; 0 if it has ended."""
    try:
        found = re.search(
            r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE
        )
    except OSError:
        return 0.0
    return float(found[1]) * 1024 / 1e6 if found else 0.0


def shown(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def machine(ragit: str) -> str:
    """Describe this machine in one line."""
    model = platform.processor() or platform.machine()
    try:
        found = re.search(
            r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE
        )
        model = found[1] if found else model
        memory = int(Path("/proc/meminfo").read_text().split()[1]) * 1024 / 1e9
    except OSError:
        memory = 0.0
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        system = platform.platform(terse=True)
    versions = [
        subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        for name in ("git", ragit)
    ]
    named = ", ".join(re.sub(r"(,)? version", "", version.splitlines()[0]) for version in versions)
    gigabytes = f"{memory:.0f} GB, " if memory else ""
    python = f"Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {gigabytes}{system}, {python}, {named}"


def load() -> str:
    """Return the load average: processes that ran or waited over the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
