"""Tests of locks on files, and of file systems without them."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit import locks
from ragit.errors import StoreBusy, StoreUnreadable
from ragit.index.upkeep import index_lock
from ragit.render import RenderOptions, status_json, status_text
from ragit.store import Store

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists who holds a lock")
fcntl = pytest.importorskip("fcntl")

HOLDER = """
import sys, time
from pathlib import Path
from ragit.locks import lock
with lock(Path(sys.argv[1]), shared=sys.argv[2] == "shared") as taken:
    print(taken, flush=True)
    time.sleep(60)
"""
WRITER = """
import sys, time
from pathlib import Path
from ragit.store import Store
with Store(Path(sys.argv[1]), writable=True) as store, store.writing():
    print(True, flush=True)
    time.sleep(60)
"""


@contextmanager
def process(code: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python code, wait until it prints True, and end it after the block."""
    running = subprocess.Popen(
        [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, text=True
    )
    try:
        assert running.stdout
        assert running.stdout.readline() == "True\n"
        yield running
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize("mode", ["shared", "exclusive"])
def test_lock_excludes_other_processes_and_ends_with_its_holder(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "lock"
    with process(HOLDER, str(path), mode), locks.lock(path) as taken:
        assert not taken
    with locks.lock(path) as taken:
        assert taken


def test_shared_locks_do_not_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locks.lock(path, shared=True) as one, locks.lock(path, shared=True) as other:
        assert (one, other) == (True, True)


@linux
def test_error_names_the_process_that_holds_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with (
        process(HOLDER, str(path), "shared") as holder,
        pytest.raises(StoreBusy) as caught,
        locks.held(path, wait_s=0, by="a running gc"),
    ):
        pass
    assert f"a running gc (process {holder.pid})" in caught.value.message
    assert f"kill {holder.pid}" in caught.value.hint
    assert locks.holders(path) == []


def refusing(number: int) -> object:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL])
def test_file_system_without_flock_is_locked_by_fcntl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "lock"
    code = f"import fcntl\ndef refuse(*_): raise OSError({number}, 'x')\nfcntl.flock = refuse\n"
    monkeypatch.setattr(fcntl, "flock", refusing(number))
    with locks.lock(path) as taken:
        assert taken
    with process(code + HOLDER, str(path), "exclusive"), locks.lock(path, shared=True) as taken:
        assert not taken


def test_file_system_without_locks_is_an_error(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "def hello(): ...\n")
    repo.commit()
    for name in ("flock", "lockf"):
        monkeypatch.setattr(fcntl, name, refusing(errno.ENOLCK))
    started = time.monotonic()
    with ragit.open(repo.path) as index, pytest.raises(StoreUnreadable) as caught:
        index.index()
    assert time.monotonic() - started < 20
    assert "has no file locks" in caught.value.message
    assert "index.storePath" in caught.value.hint


def test_stopped_writer_makes_a_search_incomplete(repo: GitSandbox) -> None:
    repo.write("a.py", "def hello(): ...\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    repo.write("b.py", "def later(): ...\n")
    with process(WRITER, str(repo.store)) as writer:
        os.kill(writer.pid, signal.SIGSTOP)
        started = time.monotonic()
        with ragit.open(repo.path) as index:
            answer = index.search("hello")
        assert time.monotonic() - started < 8
        assert answer.hits[0].path == "a.py"
        assert not answer.complete
        if sys.platform == "linux":
            assert f"process {writer.pid}" in answer.degraded


@linux
@pytest.mark.parametrize("code", [HOLDER, WRITER])
def test_status_names_the_process_that_holds_a_lock(repo: GitSandbox, code: str) -> None:
    repo.write("a.py", "def hello(): ...\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    file = index_lock(repo.store) if code is HOLDER else repo.store
    with process(code, str(file), "shared") as holder, ragit.open(repo.path) as index:
        status = index.status()
    assert status.lock_holders == (holder.pid,)
    assert any(f"process {holder.pid}" in line for line in status_text(status, RenderOptions()))
    assert json.loads("".join(status_json(status, RenderOptions())))["lock_holders"] == [holder.pid]
    with ragit.open(repo.path) as index:
        assert index.status().lock_holders == ()


# Memory that cannot be shared


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("made_elsewhere", [False, True])
def test_store_without_shared_memory_uses_a_truncate_journal(
    repo: GitSandbox, tmp_path: Path, made_elsewhere: bool
) -> None:
    """SQLite's shared memory cannot be mapped, as on FUSE with direct_io."""
    repo.write("a.py", "def hello(): ...\n")
    repo.commit()
    repo.store.parent.mkdir()
    if made_elsewhere:
        Store(repo.store, writable=True).close()

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        strace = ["strace", "-f", "-qq", "-o", str(tmp_path / "trace"), "-P", f"{repo.store}-shm"]
        inject = ["-e", "inject=mmap:error=ENODEV"]
        return subprocess.run(
            [*strace, *inject, sys.executable, "-m", "ragit", *args],
            cwd=repo.path,
            capture_output=True,
            text=True,
            check=False,
        )

    done = run("index")
    assert done.returncode == 0, done.stderr
    assert run("search", "hello").stdout.startswith("a.py:1")
    repo.write("b.py", "def later(): ...\n")
    assert run("search", "later").stdout.startswith("b.py:1")
    with Store(repo.store, writable=True) as store:
        assert store._db.pragma("journal_mode") == "truncate"
        assert store.problems() == []
