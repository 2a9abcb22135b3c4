"""Kill `ragit index` at random moments; the store must open, be sound, and be completed.

python tests/kill_index.py [ROUNDS [SEED]]

Each round indexes a repository from nothing, and kills the process group with SIGKILL after a
random part of a run's time. The store must open and be sound for SQLite. The next run must complete
it, and give the answers of an index that was never interrupted.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sandbox import GitSandbox, clean_environment

import ragit
from ragit.repository.repository import Ragit
from ragit.store import Store
from ragit.types import Answer

COMMAND = [str(Path(sys.executable).with_name("ragit")), "index", "-q"]
QUERIES = ["commit_offset", "where is the config parsed", "server lock 17", "reader"]
FILES = 100
"""Enough for worker processes and several transactions."""


def make(folder: Path, files: int = FILES) -> GitSandbox:
    """Make a repository of many small files, with a second commit that changes some."""
    repo = GitSandbox(folder)
    for number in range(files):
        body = "".join(
            f"def commit_offset_{number}_{i}():\n    return server_lock({i})\n\n" for i in range(12)
        )
        repo.write(f"src/m{number % 20}/reader{number}.py", body)
        repo.write(
            f"docs/config{number}.md",
            f"# Config {number}\n\nWhere it is parsed, {number} is a lock.\n",
        )
    repo.commit("first")
    for number in range(0, files, 5):
        repo.write(
            f"src/m{number % 20}/reader{number}.py",
            f"def changed_{number}():\n    return parse_config()\n",
        )
    repo.commit("second")
    return repo


def answers(index: Ragit) -> list[list[tuple[object, ...]]]:
    """Return the answers to the queries at both commits."""

    def shape(answer: Answer) -> list[tuple[object, ...]]:
        assert answer.complete
        return [(h.path, h.start_line, h.end_line, h.text, round(h.score, 6)) for h in answer.hits]

    return [shape(index.search(query, ref=ref)) for query in QUERIES for ref in ("HEAD", "HEAD~1")]


def remove(store: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".lock"):
        Path(f"{store}{suffix}").unlink(missing_ok=True)


def kill_after(repo: GitSandbox, seconds: float, *revisions: str) -> bool:
    """Start indexing, and kill it with its workers after some seconds; return False if it ended
    before.
    """
    process = subprocess.Popen([*COMMAND, *revisions], cwd=repo.path, stdin=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(
            process.pid, signal.SIGKILL
        )  # its workers have a session of their own, and end when its pipes close
        process.wait()
        return True
    return False


def inspect(repo: GitSandbox, expected: list[list[tuple[object, ...]]]) -> int:
    """Check the store after a kill, and return the number of files stored."""
    kept = 0
    if repo.store.exists():
        with Store(repo.store, writable=True) as store:
            assert store.problems() == [], store.problems()
            kept = store.info().chunkings
    with ragit.open(repo.path) as index:
        report = index.index("HEAD", "HEAD~1")
        assert report.indexed <= 2 * FILES + FILES // 5 - kept + 1
        assert index.check("HEAD").fresh
        assert index.check("HEAD~1").fresh
        assert answers(index) == expected
    with Store(repo.store, writable=True) as store:
        assert store.problems() == [], store.problems()
    return kept


def main(rounds: int = 20, seed: int = 0) -> list[int]:
    """Run the rounds, and return the number of files that each killed run had stored."""
    chance = random.Random(seed)
    kept: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "repo")
        started = time.perf_counter()
        subprocess.run([*COMMAND, "HEAD", "HEAD~1"], cwd=repo.path, check=True)
        whole = time.perf_counter() - started
        with ragit.open(repo.path) as index:
            expected = answers(index)
        while len(kept) < rounds:
            remove(repo.store)
            if chance.random() < 0.3:  # now and then the kill hits a run that adds to a store
                subprocess.run([*COMMAND, "HEAD~1"], cwd=repo.path, check=True)
            if kill_after(repo, chance.uniform(0.15, 1.0) * whole, "HEAD", "HEAD~1"):
                kept.append(inspect(repo, expected))
    return kept


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(clean_environment(Path(home)))
        found = main(*map(int, sys.argv[1:3]))
    print(f"{len(found)} kills; files kept by each: {found}")  # noqa: T201 - a script
