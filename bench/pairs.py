"""Compare the processor time of this ragit with that of another commit, run in turn.

    python bench/pairs.py PATH [--against COMMIT] [--runs 21] [--index]

PATH is any git repository. It is cloned to a temporary folder, where each version has its own
index. The versions run in turns, so that changes of the machine's speed affect both, and each pair
gives one ratio. Prints the median of the ratios, and its 95 % confidence bounds (by the binomial
distribution of the order statistics). With `--expect R` the exit status is 1 if a lower bound is
above R.

Both run in this interpreter, from source, so dependencies are the same. Standard library only.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
_START = "import sys; del sys.path[0]; from ragit.__main__ import main; main()"
"""Starts the command without importing modules from the measured repository."""

QUERIES = ("where is the configuration parsed?", "close the connection", "retry with backoff")


class Version(NamedTuple):
    """A version of ragit: its source, clone and index."""

    source: Path
    clone: Path
    store: Path

    def ragit(self, *args: str) -> float:
        """Run the command, and return its processor time with its children's, in seconds."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("RAGIT")}
        env |= {"PYTHONPATH": str(self.source), "RAGIT_INDEX_STORE_PATH": str(self.store)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise modules are compiled at each start
        before = _used()
        command = [sys.executable, "-c", _START, *args]
        done = subprocess.run(command, cwd=self.clone, env=env, capture_output=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{self.source}: ragit {' '.join(args)}\n{done.stderr.decode()}")
        return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _edit(version: Version, at: int) -> None:
    """Add a line to a tracked file."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.java", "*.c", "*.go", "*.js", "*.ts", "*.rs", "*.rb"],
        cwd=version.clone,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()
    with (version.clone / listed[at * 37 % len(listed)]).open("a") as file:
        file.write(f"\n// changed {at}\n")


def ratios(
    one: Version, other: Version, runs: int, work: Callable[[Version, int], float]
) -> list[float]:
    """Return the ratio of each pair; which of the two runs first alternates."""
    found = []
    for at in range(runs):
        first, second = (one, other) if at % 2 else (other, one)
        took = {version: work(version, at) for version in (first, second)}
        found.append(took[one] / took[other])
    return found


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the order statistics that bound the median with a probability of 95 %."""
    ordered, count = sorted(values), len(values)
    low, below = 0, 0.0
    while low < count // 2:
        below += math.comb(count, low) / 2**count
        if below > 0.025:
            break
        low += 1
    low = max(0, low - 1)
    return ordered[low], ordered[count - 1 - low]


def _searched(version: Version, at: int) -> float:
    return version.ragit("search", QUERIES[at % len(QUERIES)])


def _after_edit(version: Version, at: int) -> float:
    _edit(version, at)
    return version.ragit("search", QUERIES[at % len(QUERIES)])


def _indexed(version: Version, _: int) -> float:
    for file in version.store.parent.glob(f"{version.store.name}*"):
        file.unlink()
    return version.ragit("index", "-q")


def _version(folder: Path, name: str, source: Path, repository: Path) -> Version:
    clone = folder / f"{name}-clone"
    subprocess.run(["git", "clone", "-q", str(repository), str(clone)], check=True)
    (folder / name).mkdir()
    version = Version(source, clone, folder / name / "index.db")
    version.ragit("index", "-q")
    version.ragit("search", QUERIES[0])
    return version


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare two versions of ragit.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--against", default="HEAD~1", help="a commit of this repository")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--index", action="store_true", help="also index from nothing (5 pairs)")
    parser.add_argument("--expect", type=float, help="exit with 1 if it is surely above this ratio")
    asked = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        subprocess.run(["git", "clone", "-q", str(HERE), str(folder / "old")], check=True)
        subprocess.run(
            ["git", "-C", str(folder / "old"), "checkout", "-q", "--detach", asked.against],
            check=True,
        )
        new = _version(folder, "new", HERE, asked.path)
        old = _version(folder, "before", folder / "old", asked.path)
        steps = [
            ("search", _searched, asked.runs),
            ("search after an edit", _after_edit, asked.runs),
        ]
        if asked.index:
            steps.append(("index from nothing", _indexed, 5))
        print(f"processor time, this / {asked.against}: median of the pairs (95 % bounds)")
        for what, work, runs in steps:
            found = ratios(new, old, runs, work)
            low, high = bounds(found)
            worst = max(worst, low)
            print(f"{what}: {statistics.median(found):.3f} ({low:.3f} to {high:.3f}), {runs} pairs")
    return int(asked.expect is not None and worst > asked.expect)


if __name__ == "__main__":
    sys.exit(main())
