"""Tests of a file that crashes its grammar: commands go on, index it by lines, and name it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hooking import Hooked
from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.types import PARSER_FAILED, TOO_DEEP

CRASHING = {
    "deep.md": (b">" * 300 + b"\nword\n", TOO_DEEP),
    "deep.yaml": (b"- " * 255 + b"word\n", TOO_DEEP),
    "deep.pl": (b"{`$" * 84 + b"word\n", TOO_DEEP),
    "deep.kt": (b'"${' * 2000 + b"word\n", PARSER_FAILED),
}


@pytest.fixture
def deadly(repo: GitSandbox) -> GitSandbox:
    for name, (data, _) in CRASHING.items():
        repo.write(name, data)
    repo.write("a.py", "def turbine():\n    return 1\n")
    repo.commit()
    return repo


@pytest.mark.parametrize(
    "typed",
    [
        ["search", "turbine"],
        ["index"],
        ["index", "--dry-run"],
        ["index", "--rebuild"],
        ["index", "--worktree"],
    ],
    ids=" ".join,
)
def test_every_command_survives_a_crashing_grammar(deadly: GitSandbox, typed: list[str]) -> None:
    Terminal(deadly.path).ragit(*typed, code=0)


def test_library_survives_a_crashing_grammar(deadly: GitSandbox) -> None:
    with ragit.open(deadly.path) as index:
        assert index.index(dry_run=True).by_lines == {TOO_DEEP: 3, PARSER_FAILED: 1}
        assert index.index().by_lines == {TOO_DEEP: 3, PARSER_FAILED: 1}
        deadly.write("more.kt", CRASHING["deep.kt"][0] + b"flywheel\n")
        assert index.search("flywheel").hits[0].path == "more.kt"
        assert index.check(scope="worktree", fix=True).fresh
        words = {hit.path for hit in index.search("word", mode="keyword").hits}
        assert words == {*CRASHING, "more.kt"}


def test_status_names_crashing_files_with_the_reason(deadly: GitSandbox) -> None:
    terminal = Terminal(deadly.path)
    terminal.ragit("index", code=0)
    result = terminal.ragit("status", "--skipped", code=0).out
    for name, (_, why) in CRASHING.items():
        assert any(name in line and why in line for line in result.splitlines()), result
    assert "4 files indexed without symbols" in terminal.ragit("doctor").out


def test_hook_worker_logs_a_crashing_file(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "repo")
    hooked.write("a.py", "def turbine():\n    return 1\n")
    hooked.commit()
    hooked.install()
    hooked.write("deep.kt", CRASHING["deep.kt"][0])
    hooked.git("add", ".")
    hooked.git("commit", "-q", "-m", "deadly")
    hooked.settle()
    assert hooked.check().fresh
    log = (hooked.folder / "worker.log").read_text()
    assert f"deep.kt: {PARSER_FAILED}" in log


def test_parallel_indexing_isolates_the_crashing_file(repo: GitSandbox) -> None:
    """Workers parse in their own process; only the batch with the file is repeated."""
    for number in range(150):
        repo.write(f"{number}.py", f"def turbine_{number}():\n    return {number}\n")
    repo.write("deep.kt", CRASHING["deep.kt"][0])
    repo.commit()
    with ragit.open(repo.path, flags={"index.workers": 2}) as index:
        assert dict(index.index().by_lines) == {PARSER_FAILED: 1}
        assert index.search("turbine_77").hits[0].symbol == "turbine_77"


# Short of memory
# ----------------------------------------------------------------------------------------------------


def limited(repo: GitSandbox, kilobytes: int) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run `ragit index` under `ulimit -v`, and return the process and its seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))

    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "ragit", "index"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        preexec_fn=limit,  # noqa: PLW1509 - this test starts no thread
        timeout=120,
    )
    return done, time.monotonic() - started


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is enforced on Linux")
@pytest.mark.parametrize("kilobytes", [400_000, 700_000, 1_500_000])
@pytest.mark.parametrize("files", [3, 150])
def test_index_recovers_after_running_out_of_memory(
    repo: GitSandbox, kilobytes: int, files: int
) -> None:
    for number in range(files):
        repo.write(f"{number}.py", f"def turbine_{number}():\n    return {number}\n")
    repo.commit()
    done, seconds = limited(repo, kilobytes)
    assert seconds < 60
    assert done.returncode in (0, 2), done
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert len(done.stderr.splitlines()) == 2, done.stderr  # the error and its hint
    with ragit.open(repo.path) as index:
        assert index.index().skipped == {}
        report = index.index()
        assert (report.files, report.skipped, report.by_lines) == (files, {}, {})
        assert report.chunks == files
        assert index.search("turbine_2").hits[0].symbol == "turbine_2"


KILLED = """
import os, signal, sys
{body}
from ragit.__main__ import run
sys.exit(run(["index"]))
"""


@pytest.mark.parametrize("files", [3, 150])
def test_workers_killed_at_start_lose_no_file(repo: GitSandbox, files: int) -> None:
    for number in range(files):
        repo.write(f"{number}.py", f"def turbine_{number}():\n    return {number}\n")
    repo.commit()
    body = """
kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
import ragit.chunk.texts, ragit.index.run.worker_pool
ragit.chunk.texts._START = ragit.index.run.worker_pool._START = kill
"""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(body=body)],
        cwd=repo.path,
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert time.monotonic() - started < 60
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2), done.stderr
    assert "signal 9" in done.stderr
    with ragit.open(repo.path) as index:
        assert (index.index().indexed, dict(index.index().by_lines)) == (files, {})


def test_a_library_that_cannot_be_loaded_for_lack_of_memory_is_no_bug(repo: GitSandbox) -> None:
    for number in range(150):
        repo.write(f"{number}.py", f"def turbine_{number}():\n    return {number}\n")
    repo.commit()
    body = """
start = '''
import ragit.index.run.worker_pool as pool

class Failing:
    def work(self, *given, **named):
        raise LookupError("could not find the library")

pool.has_room = lambda memory: False
pool.open_worker = lambda config: Failing()
pool.serve()
'''
import ragit.index.run.worker_pool
ragit.index.run.worker_pool._START = start
"""
    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(body=body)],
        cwd=repo.path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 2, done.stderr
    assert "bug" not in done.stderr
