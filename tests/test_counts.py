"""Tests of the cost of a search in counts, which are the same on every machine: git processes,
trees resolved, SQL statements.

Modules are counted in `test_imports`; times are measured by `bench/`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.git.folder_times import have_times
from ragit.repository import Ragit

OF_A_SEARCH = ["cat-file", "config", "rev-parse", "status"]
"""Git commands of a search, sorted."""

STATEMENTS_OF_A_QUERY = 65
"""SQL statements of a new query in a small tree."""

PROBE = """
import os, sys
from ragit.__main__ import run
code = run(sys.argv[1:])
sys.stdout.flush()
os.write(2, b"\\n%d %d" % (code, len(sys.modules)))
"""


@pytest.fixture
def indexed(repo: GitSandbox) -> GitSandbox:
    for at in range(12):
        repo.write(f"lib/m{at}.py", f"def commit_offset_{at}():\n    return flush(log_{at})\n")
    repo.commit()
    run(repo, "index", "-q")
    return repo


def run(repo: GitSandbox, *args: str, **env: str) -> bytes:
    """Run the command, and return its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        cwd=repo.path,
        capture_output=True,
        check=True,
        env={**os.environ, **env},
    )
    return done.stderr


def processes(repo: GitSandbox, folder: Path) -> list[str]:
    """Return the git commands that a search starts, sorted."""
    trace = folder / "trace"
    trace.mkdir(exist_ok=True)
    for old in trace.iterdir():
        old.unlink()
    run(repo, "search", "commit the offset", GIT_TRACE2_EVENT=str(trace))
    names = []
    for file in trace.iterdir():
        events = map(json.loads, file.read_text().splitlines())
        names += [event["name"] for event in events if event["event"] == "cmd_name"]
    return sorted(names)


def test_search_starts_four_git_processes(indexed: GitSandbox, tmp_path: Path) -> None:
    assert processes(indexed, tmp_path) == OF_A_SEARCH


def test_search_after_an_edit_lists_only_changed_files(indexed: GitSandbox, tmp_path: Path) -> None:
    indexed.write("lib/m3.py", "def commit_offset_3():\n    return None\n")
    started = processes(indexed, tmp_path)
    assert "ls-tree" not in started
    assert started.count("diff-tree") == 1
    again = processes(indexed, tmp_path)  # the state is cached now
    assert "diff-tree" not in again and "ls-tree" not in again


@pytest.mark.skipif(not have_times(Path()), reason="this file system's folders may have no times")
def test_untracked_cache_avoids_reading_folders(indexed: GitSandbox, tmp_path: Path) -> None:
    old = time.time() - 60  # git reads a folder again that is as young as the index
    for folder in (indexed.path, indexed.path / "lib"):
        os.utime(folder, (old, old))
    found: list[str] = []  # folders that were read
    for turn in range(3):
        trace = tmp_path / f"trace{turn}"
        run(indexed, "search", "commit the offset", GIT_TRACE2_PERF=str(trace))
        found += re.findall(r"opendir:(\d+)", trace.read_text())
    assert found[-1] == "0", found
    assert b"UNTR" in copied_git_indexes(indexed)[0].read_bytes()


def test_untracked_cache_can_be_disabled(indexed: GitSandbox) -> None:
    indexed.git("config", "core.untrackedCache", "false")
    for _ in range(2):
        run(indexed, "search", "commit the offset")
    assert b"UNTR" not in copied_git_indexes(indexed)[0].read_bytes()


def copied_git_indexes(repo: GitSandbox) -> list[Path]:
    """Return the copies that `git status` may refresh."""
    return list((repo.path / ".git" / "ragit").glob("status-*"))


def test_tree_is_cached_after_a_branch_switch(indexed: GitSandbox, tmp_path: Path) -> None:
    indexed.git("switch", "-q", "-c", "other")
    indexed.write("lib/m3.py", "def commit_offset_3():\n    return None\n")
    indexed.commit()
    run(indexed, "index", "-q")
    indexed.git("switch", "-q", "main")
    assert processes(indexed, tmp_path) == OF_A_SEARCH


def statements(index: Ragit, query: str) -> list[str]:
    """Return the SQL that a query runs in a running process."""
    found: list[str] = []

    def record(_: object, sql: str, __: object) -> bool:
        found.append(sql)
        return True

    store = index._kept.store()
    assert store is not None
    store._db.exec_trace = record
    try:
        assert index.search(query, scope="committed").hits
    finally:
        store._db.exec_trace = None
    return found


def test_new_query_reads_only_its_own_rows(indexed: GitSandbox) -> None:
    with ragit.open(indexed.path) as index:
        index.search("where is the log flushed?", scope="committed")
        new = statements(index, "commit the offset")
        again = statements(index, "offset commits of logs")
    assert len(new) <= STATEMENTS_OF_A_QUERY
    assert sum("forward" in sql for sql in again) == 0  # the words of a file stay unpacked
    assert sum("FROM chunk WHERE id" in sql for sql in again) <= 2
