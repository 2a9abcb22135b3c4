"""Tests of rebuilds: concurrent, killed at any step, beside writers and readers; paid descriptions
are kept.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hooking import Hooked, process
from kill_rebuild import subjects

from ragit.errors import StoreUnreadable
from ragit.index import Indexer
from ragit.locks import held
from ragit.store import OF_CHUNK, Store, install_store, unfinished_files

COMMAND = [sys.executable, "-m", "ragit", "index", "-q", "--rebuild"]
SCRIPT = Path(__file__).with_name("kill_rebuild.py")
FILES = 12


@pytest.fixture
def repo(tmp_path: Path) -> Hooked:
    """An indexed repository with one stored description, whose name is `first`."""
    made = Hooked(tmp_path / "repo")
    made.git("config", "ragit.index.workers", "1")
    for number in range(FILES):
        made.write(f"f{number}.py", f"def function_{number}(value):\n    return {number}\n")
    made.commit()
    with made.index() as index:
        index.index()
    with Store(made.store, writable=True) as store, store.writing():
        store.descriptions.keep(OF_CHUNK, "first", {subjects(store)[0]: "first"})
    return made


def described(repo: Hooked) -> set[str]:
    """Return the names of all descriptions in the store."""
    with Store(repo.store, writable=False) as store:
        return {row.describer for row in store.descriptions.all()}


def assert_sound_and_complete(repo: Hooked) -> None:
    """Check that the store is sound and answers, without indexing."""
    with Store(repo.store, writable=True) as store:
        assert store.problems() == []
    with repo.index() as index:
        answer = index.search("function_7", index=False)
        assert answer.complete
        assert answer.hits[0].path == "f7.py"


@contextmanager
def writer(repo: Hooked, log: Path) -> Iterator[None]:
    """Store descriptions from another process during the block."""
    process = subprocess.Popen([sys.executable, SCRIPT, repo.path, log], stderr=subprocess.PIPE)
    try:
        yield
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
    finally:
        process.kill()
        process.communicate()


def paid(log: Path) -> set[str]:
    """Return the names of the descriptions whose transactions have ended."""
    return {"first", *(log.read_text().split("\n")[:-1] if log.exists() else [])}


@pytest.mark.parametrize("several", [2, 5])
def test_concurrent_rebuilds_leave_a_sound_store(repo: Hooked, several: int) -> None:
    running = [
        subprocess.Popen(COMMAND, cwd=repo.path, stderr=subprocess.PIPE) for _ in range(several)
    ]
    ended = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * several, ended
    assert_sound_and_complete(repo)
    assert described(repo) == {"first"}
    assert unfinished_files(repo.store) == []


def test_searches_during_rebuilds_are_complete(repo: Hooked) -> None:
    running = [subprocess.Popen(COMMAND, cwd=repo.path) for _ in range(3)]
    while any(process.poll() is None for process in running):
        assert_sound_and_complete(repo)
    assert [process.returncode for process in running] == [0, 0, 0]


def test_descriptions_stored_during_a_rebuild_are_kept(repo: Hooked, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with writer(repo, log):
        for _ in range(3):
            assert process("index", "--rebuild", cwd=repo.path).returncode == 0
    assert len(paid(log)) > 3
    assert paid(log) <= described(repo)
    assert_sound_and_complete(repo)


def kill_at_steps(repo: Hooked, log: Path, steps: list[int]) -> None:
    """Kill a rebuild at each of these steps, while descriptions are written."""
    with writer(repo, log):
        for step in steps:
            done = subprocess.run(
                [sys.executable, SCRIPT, repo.path, str(step)], check=False, capture_output=True
            )
            assert done.returncode == -signal.SIGKILL, (step, done.stderr)
            assert_sound_and_complete(repo)
    assert paid(log) <= described(repo)
    assert process("gc", cwd=repo.path).returncode == 0
    assert unfinished_files(repo.store) == []
    assert paid(log) <= described(repo)
    assert_sound_and_complete(repo)


def steps_of(repo: Hooked) -> int:
    done = subprocess.run(
        [sys.executable, SCRIPT, repo.path, "0"], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def test_rebuild_killed_at_some_steps_loses_nothing(repo: Hooked, tmp_path: Path) -> None:
    total = steps_of(repo)
    assert total > 30
    kill_at_steps(repo, tmp_path / "log", random.Random(7).sample(range(1, total + 1), 8))


@pytest.mark.slow
def test_rebuild_killed_at_every_step_loses_nothing(repo: Hooked, tmp_path: Path) -> None:
    kill_at_steps(repo, tmp_path / "log", list(range(1, steps_of(repo) + 1)))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_rebuild_killed_at_system_calls_loses_nothing(repo: Hooked, tmp_path: Path) -> None:
    log, trace = tmp_path / "log", tmp_path / "trace"
    calls = "openat,unlink,rename,ftruncate,pwrite64,fdatasync,fsync,flock,fcntl"
    strace = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={calls}"]
    subprocess.run([*strace, *COMMAND], cwd=repo.path, check=True)
    total = [line for line in trace.read_text().splitlines() if "(" in line]
    begin = next(i for i, line in enumerate(total) if "index.db.new" in line)
    chance, kills = random.Random(8), 0
    with writer(repo, log):
        for _ in range(100):
            name, when = _one_of(total, chance.randrange(begin, len(total)))
            inject = ["-e", f"inject={name}:signal=KILL:when={when}"]
            done = subprocess.run([*strace, *inject, *COMMAND], cwd=repo.path, check=False)
            kills += done.returncode != 0
            assert_sound_and_complete(repo)
    assert kills >= 90
    assert process("gc", cwd=repo.path).returncode == 0
    assert unfinished_files(repo.store) == []
    assert paid(log) <= described(repo)
    assert_sound_and_complete(repo)


def _one_of(lines: list[str], at: int) -> tuple[str, int]:
    """Return the system call of a line, and its number for its kind and process, as strace
    counts.
    """
    calls = [line.partition("(")[0].split() for line in lines[: at + 1]]
    return calls[-1][1], calls.count(calls[-1])


def test_descriptions_of_a_killed_rebuild_are_carried_over(repo: Hooked) -> None:
    """A killed rebuild leaves its store, whose descriptions are carried over."""
    left = repo.store.with_name("index.db.new-0a1b2c3d")
    with Store(repo.store, writable=False) as store:
        subject = subjects(store)[0]
    with Store(left, writable=True) as store, store.writing():
        store.descriptions.keep(OF_CHUNK, "second", {subject: "second"})
    assert process("index", "--rebuild", cwd=repo.path).returncode == 0
    assert described(repo) == {"first", "second"}
    assert unfinished_files(repo.store) == []


def test_doctor_names_files_of_a_killed_rebuild_and_gc_removes_them(repo: Hooked) -> None:
    Store(repo.store.with_name("index.db.new-0a1b2c3d"), writable=True).close()
    repo.store.with_name("index.db.new-0a1b2c3d-wal").write_bytes(b"x")
    result = process("doctor", cwd=repo.path).stdout
    assert "index.db.new-0a1b2c3d" in result
    assert "ragit gc" in result
    with held(Path(f"{repo.store}.rebuild.lock")):  # files of a running rebuild are kept
        assert "index.db.new" not in process("doctor", cwd=repo.path).stdout
        assert process("gc", cwd=repo.path).returncode == 0
        assert unfinished_files(repo.store) != []
    assert process("gc", cwd=repo.path).returncode == 0
    assert unfinished_files(repo.store) == []


def test_incomplete_rebuilt_store_is_not_installed(
    repo: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = Indexer.complete

    def emptied(self: Indexer, *args: object, **named: object) -> object:
        report = complete(self, *args, **named)  # type: ignore[arg-type]
        with Store(self.store_path, writable=True) as store, store.writing():
            store.drop_except(set(), set())
        return report

    monkeypatch.setattr(Indexer, "complete", emptied)
    with repo.index() as index, pytest.raises(StoreUnreadable, match="the old one stays"):
        index.index(rebuild=True)
    assert_sound_and_complete(repo)
    assert described(repo) == {"first"}
    assert unfinished_files(repo.store) == []


def test_reader_keeps_its_store_while_another_is_installed(repo: Hooked) -> None:
    """The old store's log is not empty, and a reader holds an older state of it."""
    new = repo.store.with_name("index.db.new-1")
    Store(new, writable=True).close()
    with Store(repo.store, writable=False) as reader, reader.reading():
        before = reader.info()
        with Store(repo.store, writable=True) as store, store.writing():
            store.drop_except(set(), set())
        assert Path(f"{repo.store}-wal").stat().st_size > 0
        install_store(repo.store, new)
        assert reader.info().chunkings == before.chunkings == FILES
    with Store(repo.store, writable=True) as store:
        assert store.problems() == []
        assert store.info().chunkings == 0
        assert list(store.descriptions.all()) == []
