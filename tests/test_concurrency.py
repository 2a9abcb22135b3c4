"""Tests of many processes on one store, of a full disk, and of a damaged or foreign store.

    python tests/test_concurrency.py [ROUNDS [SEED]]

runs more commands than CI does.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from hooking import Hooked, command, process, settle
from sandbox import clean_environment
from storing import tampered

import ragit
from ragit.hooks import state_files
from ragit.store import Store

COMMAND = [sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", "-m", "ragit"]
REFS = ("main", "topic", "main~2")
PROCESSES = 8
Answers = dict[str, list[list[object]]]
TASKS = ["search", "index", "rebuild", "gc", "check", "status"]


def crowd_repository(path: Path, files: int = 60) -> Hooked:
    """Make two branches of some files; each ref has its own answer to `marker`."""
    repo = Hooked(path)
    repo.git("config", "ragit.index.workers", "1")
    repo.git("config", "ragit.gc.reflogDays", "0")
    for number in range(files):
        repo.write(
            f"m{number % 7}/f{number}.py",
            f"def function_{number}(value):\n    return value + {number}\n",
        )
    repo.write("marker.py", "def marker_first(): ...\n")
    repo.commit("first")
    repo.branch("topic")
    repo.write("marker.py", "def marker_topic(): ...\n")
    repo.commit("topic")
    repo.switch("main")
    for number in range(2):
        repo.write("marker.py", f"def marker_main_{number}(): ...\n")
        repo.write(f"more{number}.py", f"def more_{number}(): ...\n")
        repo.commit(f"main {number}")
    return repo


def right_answers(repo: Hooked) -> Answers:
    """Return the right answer of each ref, from a separate store."""
    with ragit.open(
        repo.path, flags={"index.storePath": str(repo.path.parent / "alone.db")}
    ) as index:
        return {
            ref: [[h.path, h.start_line, h.symbol] for h in index.search("marker", ref=ref).hits]
            for ref in REFS
        }


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answers]:
    """Return a repository whose refs are indexed, and their right answers."""
    repo = crowd_repository(tmp_path_factory.mktemp("template") / "repo")
    with repo.index() as index:
        index.index(*REFS)
    return repo.path, right_answers(repo)


@pytest.fixture
def indexed(template: tuple[Path, Answers], tmp_path: Path) -> Hooked:
    """Return a copy of the indexed repository."""
    shutil.copytree(template[0], tmp_path / "repo")
    return Hooked(tmp_path / "repo")


@pytest.fixture
def answers(template: tuple[Path, Answers]) -> Answers:
    """Return the right answers of the indexed repository."""
    return template[1]


def run_task(repo: Hooked, task: str, answers: Answers, chance: random.Random) -> str:
    """Run one command among the others, and return its fault, if any."""
    ref = chance.choice(REFS)
    args = {
        "search": ["search", "--json", "--ref", ref, "marker"],
        "index": ["index", "-q", ref],
        "rebuild": ["index", "-q", "--rebuild", ref],
    }.get(task, [task])
    done = subprocess.run(
        [*COMMAND, *args], cwd=repo.path, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1) or (done.stderr and "indexing" not in done.stderr):
        return f"{' '.join(args)}: {done.returncode} {done.stderr}"
    if task == "search":
        answer = json.loads(done.stdout)
        got = [[h["path"], h["start_line"], h["symbol"]] for h in answer["results"]]
        if not answer["complete"] or got != answers[ref]:
            return f"search {ref}: {got}, complete: {answer['complete']}"
    return ""


def crowd(repo: Hooked, answers: Answers, rounds: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Run eight processes at a time, `rounds` one after the other in each place; return the number
    of runs by task, and all faults.
    """
    from concurrent.futures import ThreadPoolExecutor

    done: Counter[str] = Counter()
    wrong: list[str] = []

    def work(number: int) -> None:
        chance = random.Random(seed * 100 + number)
        for _ in range(rounds):
            task = chance.choices(TASKS, [6, 3, 1, 2, 2, 1])[0]
            fault = run_task(repo, task, answers, chance)
            done[task] += 1
            if fault:
                wrong.append(fault)

    with ThreadPoolExecutor(PROCESSES) as threads:
        list(threads.map(work, range(PROCESSES)))
    return done, wrong


def assert_sound(repo: Hooked) -> None:
    """Check that the store is intact, and complete after one run."""
    with repo.index() as index:
        index.index(*REFS)
        assert index.check().fresh
    with Store(repo.folder / "index.db", writable=True) as store:
        assert store.problems() == []


def test_eight_processes_on_one_store(tmp_path: Path, answers: Answers) -> None:
    repo = crowd_repository(tmp_path / "repo")
    done, wrong = crowd(repo, answers, 3, seed=1)
    assert wrong == []
    assert set(done) == set(TASKS)
    assert_sound(repo)


@pytest.mark.slow
def test_eight_processes_for_a_minute(tmp_path: Path, answers: Answers) -> None:
    repo = crowd_repository(tmp_path / "repo")
    done, wrong = crowd(repo, answers, 50, seed=2)
    assert wrong == []
    assert min(done.values()) >= 3
    assert_sound(repo)


def test_readers_take_no_write_lock(indexed: Hooked, answers: Answers) -> None:
    """During a long write, searches, checks and status answer at once."""
    with Store(indexed.folder / "index.db", writable=True) as store, store.writing():
        started = time.monotonic()
        for task in ("search", "check", "status"):
            assert run_task(indexed, task, answers, random.Random(3)) == ""
        assert time.monotonic() - started < 8  # SQLite waits for ten seconds before it gives up


def test_gc_drops_nothing_of_a_running_index(tmp_path: Path) -> None:
    """An unreferenced branch is indexed while gc runs; the run's report must be true at its end."""
    repo = crowd_repository(tmp_path / "repo")
    with repo.index() as index:
        index.index()
    gone = repo.git("rev-parse", "topic")
    repo.git("branch", "-q", "-D", "topic")
    running = [
        subprocess.Popen([*COMMAND, task], cwd=repo.path, stdout=subprocess.DEVNULL)
        for task in ["gc"] * 3
    ]
    report = process("index", "--json", gone, cwd=repo.path)
    assert (report.returncode, json.loads(report.stdout)["files"]) == (0, 61)
    assert [process.wait() for process in running] == [0, 0, 0]
    assert repo.check().fresh


# Killed


def kill_repeatedly(repo: Hooked, answers: Answers, rounds: int, seed: int) -> Counter[str]:
    """Kill a worker or a gc after a random time, repeatedly; the store must keep working."""
    chance = random.Random(seed)
    counts: Counter[str] = Counter()
    longest = dict.fromkeys(
        ("worker", "gc", "index"), 0.5
    )  # seconds; less once one has ended sooner
    for round in range(rounds):
        repo.write("marker.py", f"def marker_main_{round}(): ...\n")
        for number in range(20):
            repo.write(
                f"m{number % 7}/f{number}.py",
                f"def function_{number}(value):\n    return {round}\n",
            )
        repo.commit(f"{round}")
        task = chance.choice(["worker", "gc", "index"])
        (repo.folder).mkdir(exist_ok=True)
        (repo.folder / state_files.PENDING).write_text(f"{repo.path}\n")
        args = (
            [sys.executable, "-E", "-m", "ragit.hooks.worker", str(repo.folder)]
            if task == "worker"
            else [*COMMAND, task]
        )
        process = subprocess.Popen(
            args, cwd=repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        delay = chance.random() * longest[task]
        time.sleep(delay)
        if process.poll() is not None:
            longest[task] = delay
        counts[f"{task} {'killed' if process.poll() is None else 'ended'}"] += 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert one_ref(repo, "topic") == answers["topic"], f"round {round}, {task}"
        assert [row[2] for row in one_ref(repo, "HEAD")] == [f"marker_main_{round}"], (
            f"round {round}, {task}"
        )
        if (repo.folder / "index.db").exists():
            with Store(repo.folder / "index.db", writable=True) as store:
                assert store.problems() == [], f"round {round}, {task}"
    (repo.folder / state_files.PENDING).write_text(f"{repo.path}\n")
    subprocess.run(
        [sys.executable, "-E", "-m", "ragit.hooks.worker", str(repo.folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    settle(repo.folder)
    assert repo.check().fresh
    return counts


def one_ref(repo: Hooked, ref: str) -> list[list[object]]:
    with repo.index() as index:
        return [[h.path, h.start_line, h.symbol] for h in index.search("marker", ref=ref).hits]


def test_store_survives_kills_at_any_moment(tmp_path: Path, answers: Answers) -> None:
    counts = kill_repeatedly(crowd_repository(tmp_path / "repo"), answers, 8, seed=4)
    assert sum(counts.values()) == 8


@pytest.mark.slow
def test_store_survives_a_hundred_kills(tmp_path: Path, answers: Answers) -> None:
    counts = kill_repeatedly(crowd_repository(tmp_path / "repo"), answers, 100, seed=5)
    assert sum(number for what, number in counts.items() if what.endswith("killed")) >= 50


# A full disk


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Return a small file system, if this machine can mount one."""
    place.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place],
        check=False,
        capture_output=True,
    )
    if not made or made.returncode:
        pytest.skip("no small file system can be made here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def test_full_disk_is_reported_and_the_store_stays_sound(tmp_path: Path) -> None:
    repo = crowd_repository(tmp_path / "repo", files=400)
    with small_disk(tmp_path / "disk", "700k") as disk:
        repo.git("config", "ragit.index.storePath", str(disk / "index.db"))
        done = process("index", cwd=repo.path)
        assert done.returncode == 2, done.stdout
        message, hint = done.stderr.splitlines()
        assert message.startswith("error: ") and "full" in message
        assert hint.startswith("hint: Free some space")
        status = process("status", cwd=repo.path)
        assert status.returncode in (0, 2) and "Traceback" not in status.stderr
        subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)
        assert process("index", cwd=repo.path).returncode == 0
        assert repo.check().fresh
        with Store(disk / "index.db", writable=True) as store:
            assert store.problems() == []


IDLE = """
import sys, ragit
with ragit.open(sys.argv[1]) as index:
    print(index.search("marker", index=False).hits[0].path, flush=True)
    sys.stdin.read()
"""


def test_gc_on_a_full_disk_names_the_process_with_the_store_open(tmp_path: Path) -> None:
    repo = crowd_repository(tmp_path / "repo", files=400)
    with small_disk(tmp_path / "disk", "20m") as disk:
        repo.git("config", "ragit.index.storePath", str(disk / "index.db"))
        assert process("index", cwd=repo.path).returncode == 0
        repo.git("checkout", "-q", "--orphan", "small")
        repo.git("rm", "-q", "-r", "--cached", "m1", "m2", "m3")
        repo.git("commit", "-q", "-m", "small")
        assert process("index", cwd=repo.path).returncode == 0
        with subprocess.Popen(
            [sys.executable, "-c", IDLE, repo.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as idle:
            assert idle.stdin and idle.stdout and idle.stdout.readline()
            full = disk / "full"
            with suppress(OSError):
                full.write_bytes(b"x" * (30 << 20))
            done = process("gc", cwd=repo.path)
            assert done.returncode == 2, done.stdout
            message, hint = done.stderr.splitlines()
            assert "is full" in message and "another process" in message
            if Path("/proc/locks").exists():
                assert f"kill {idle.pid}" in hint
            idle.stdin.close()
        assert process("gc", cwd=repo.path).returncode == 0
        full.unlink()
        with Store(disk / "index.db", writable=True) as store:
            assert store.problems() == []


# A damaged or foreign store


def deleted(store: Path) -> None:
    store.unlink()


def emptied(store: Path) -> None:
    store.write_bytes(b"")


def truncated(store: Path) -> None:
    store.write_bytes(store.read_bytes()[: store.stat().st_size // 2])


def headless(store: Path) -> None:
    store.write_bytes(b"\0" * 100 + store.read_bytes()[100:])


def flipped(store: Path) -> None:
    """Overwrite random bytes, as a bad disk does."""
    data = bytearray(store.read_bytes())
    chance = random.Random(6)
    for _ in range(2000):
        data[chance.randrange(100, len(data))] ^= 0xFF
    store.write_bytes(data)


def newer_version(store: Path) -> None:
    with tampered(store) as db:
        db.pragma("user_version", 99)


def old_wal(store: Path) -> None:
    """Write a log of another store, as after a restore from two backups."""
    Path(f"{store}-wal").write_bytes(b"\x37\x7f\x06\x82" + b"\x5a" * 40_000)


REPAIRS, REPORTS = "repairs", "reports"


@pytest.mark.parametrize(
    ("damage", "outcome", "types"),
    [
        (deleted, REPAIRS, ""),
        (emptied, REPAIRS, ""),
        (old_wal, REPAIRS, ""),
        (truncated, REPORTS, "ragit index --rebuild"),
        (headless, REPORTS, "ragit index --rebuild"),
        (flipped, REPORTS, "ragit index --rebuild"),
        (newer_version, REPORTS, "git config ragit.index.storePath FILE"),
    ],
)
def test_damaged_store_is_repaired_or_reported(
    indexed: Hooked,
    answers: Answers,
    damage: Callable[[Path], None],
    outcome: str,
    types: str,
) -> None:
    repo = indexed
    damage(repo.folder / "index.db")
    for ref, run in zip(REFS, (process, command, command), strict=True):
        done = run("search", "--json", "--ref", ref, "marker", cwd=repo.path)
        assert done.returncode in (0, 2), done.stderr
        if done.returncode == 0:
            rows = [
                [h["path"], h["start_line"], h["symbol"]]
                for h in json.loads(done.stdout)["results"]
            ]
            assert rows == answers[ref]
        else:
            assert outcome == REPORTS
            assert len(done.stderr.splitlines()) == 2
            assert types in done.stderr
    if outcome == REPAIRS:
        assert command("index", *REFS, cwd=repo.path).returncode == 0
    elif damage is newer_version:
        repo.git("config", "ragit.index.storePath", str(repo.path.parent / "mine.db"))
    else:
        assert command("doctor", cwd=repo.path).returncode == 1
        assert command("index", "--rebuild", *REFS, cwd=repo.path).returncode == 0
    assert [one_ref(repo, ref) for ref in REFS] == [answers[ref] for ref in REFS]


def test_copied_store_is_used(indexed: Hooked, answers: Answers, tmp_path: Path) -> None:
    """Keys are git's object names, so a copied store is valid for any clone with these objects."""
    other = Hooked(indexed.clone(tmp_path / "other").path)
    other.git("config", "ragit.index.workers", "1")
    other.folder.mkdir()
    shutil.copy(indexed.folder / "index.db", other.folder / "index.db")
    report = json.loads(process("index", "--json", cwd=other.path).stdout)
    assert (report["indexed"], one_ref(other, "HEAD")) == (0, answers["main"])


if __name__ == "__main__":
    import tempfile

    rounds = int(sys.argv[1]) if sys.argv[1:] else 50
    seed = int(sys.argv[2]) if sys.argv[2:] else 1
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(clean_environment(Path(folder)))
        place = crowd_repository(Path(folder) / "repo")
        counts, faults = crowd(place, right_answers(place), rounds, seed)
        sys.stdout.write(f"{dict(counts)}\n" + "\n".join(faults) + "\n")
        sys.exit(1 if faults else 0)
