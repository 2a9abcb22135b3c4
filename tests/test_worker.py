"""Tests of the worker that hooks start: one at a time, no request lost, newest first, and
failures.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hooking import PATIENCE_S, Hooked, process, settle

import ragit
from ragit.hooks import failure, queue, script, state_files, worker
from ragit.locks import lock

START = [sys.executable, "-E", "-m", "ragit.hooks.worker"]


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    repo = Hooked(tmp_path / "repo")
    repo.write("a.py", "def first():\n    return 1\n")
    repo.commit()
    repo.install()
    return repo


def rewrite(repo: Hooked, number: int) -> None:
    repo.write("a.py", f"def version_{number}():\n    return {number}\n")
    repo.git("commit", "-q", "-a", "-m", f"{number}")


# Coalescing


def test_many_commits_cause_few_runs(hooked: Hooked) -> None:
    for number in range(12):
        rewrite(hooked, number)
    hooked.settle()
    assert hooked.check().fresh
    assert len(hooked.log()) <= 8


def test_no_request_is_lost(hooked: Hooked) -> None:
    """Commits race in three worktrees, while a worker starts, works or is about to end."""
    trees = [hooked]
    for number in range(2):
        hooked.git("worktree", "add", "-q", "-b", f"w{number}", f"../w{number}")
        trees.append(Hooked(hooked.path.parent / f"w{number}"))
    chance = random.Random(7)
    for round in range(6):
        threads = [
            threading.Thread(target=rewrite, args=(tree, round * 10 + i))
            for i, tree in enumerate(trees)
        ]
        for thread in threads:
            thread.start()
            time.sleep(chance.random() * 0.15)
        for thread in threads:
            thread.join()
        hooked.settle()
        assert [tree.check().missing for tree in trees] == [(), (), ()]


def test_second_worker_ends_at_once(hooked: Hooked) -> None:
    (hooked.folder / state_files.PENDING).write_text(f"{hooked.path}\n")
    with lock(hooked.folder / state_files.LOCK) as taken:
        assert taken
        done = subprocess.run(START, cwd=hooked.folder, capture_output=True, check=True)
    assert (done.stdout, (hooked.folder / state_files.PENDING).exists()) == (b"", True)
    done = subprocess.run(START, cwd=hooked.folder, capture_output=True, check=True)
    assert (done.stdout.count(b"\n"), (hooked.folder / state_files.PENDING).exists()) == (1, False)


def test_latest_worktree_is_indexed_first(hooked: Hooked) -> None:
    hooked.git("worktree", "add", "-q", "-b", "topic", "../topic")
    topic = Hooked(hooked.path.parent / "topic")
    hooked.settle()
    for last, other in ((topic, hooked), (hooked, topic)):
        for hints in (
            f"{other.path}\n{last.path}\n",
            "",
        ):  # by the requests of hooks, or else by file times
            for number, tree in enumerate((other, last)):
                tree.write("a.py", f"def version_{number}(): ...\n")
                tree.git("commit", "-q", "--allow-empty", "-a", "-m", "x", env={"RAGIT": "0"})
                time.sleep(0.02)
            (hooked.folder / state_files.PENDING).write_text(hints)
            before = len(hooked.log())
            with (hooked.folder / "worker.log").open("ab") as log:
                subprocess.run(START, cwd=hooked.folder, check=True, stdout=log)
            places = [line.split()[2].rstrip(":") for line in hooked.log()[before:]]
            assert places == [str(last.path), str(other.path)]


def test_new_commit_during_a_run_is_indexed_next(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new commit during a long run is indexed next, and finished work is kept."""
    for number in range(200):
        hooked.write(f"many/{number}.py", f"def many_{number}():\n    return {number}\n")
    hooked.git("config", "ragit.index.workers", "1")
    hooked.git("add", ".")
    hooked.git("commit", "-q", "-m", "many", env={"RAGIT": "0"})
    (hooked.folder / state_files.PENDING).write_text(f"{hooked.path}\n")
    seen: list[int] = []

    class Watch(worker._Watch):
        def __call__(self, done: int, total: int) -> None:
            seen.append(done)
            if len(seen) == 96:
                hooked.write("new.py", "def newest(): ...\n")
                hooked.git("add", ".", env={"RAGIT": "0"})
                hooked.git("commit", "-q", "-m", "new", env={"RAGIT": "0"})
                (hooked.folder / state_files.PENDING).write_text(f"{hooked.path}\n")
            super().__call__(done, total)

    monkeypatch.setattr(worker, "_Watch", Watch)
    monkeypatch.setattr(worker, "_become_background", lambda folder: None)
    worker.run(hooked.folder)
    assert seen[:96] == list(range(1, 97))
    assert len(seen) == 96 + (201 + 1 - 96)  # no file is indexed twice
    assert hooked.check().fresh


# git's operations


def test_rebase_indexes_only_its_end(hooked: Hooked) -> None:
    hooked.git("switch", "-q", "-c", "topic")
    for number in range(15):
        hooked.write(f"t{number}.py", f"def topic_{number}(): ...\n")
        hooked.git("add", ".")
        hooked.git("commit", "-q", "-m", f"{number}", env={"RAGIT": "0"})
    hooked.git("switch", "-q", "main", env={"RAGIT": "0"})
    hooked.write("upstream.py", "def upstream(): ...\n")
    hooked.commit()
    hooked.settle()
    before = len(hooked.log())
    hooked.git("rebase", "-q", "main", "topic")
    hooked.settle()
    assert hooked.check().fresh
    assert len(hooked.log()) - before <= 3


def test_bisect_steps_are_not_indexed(hooked: Hooked) -> None:
    for number in range(8):
        hooked.write("a.py", f"def version_{number}(): ...\n")
        hooked.git("commit", "-q", "-a", "-m", f"{number}", env={"RAGIT": "0"})
    hooked.git("bisect", "start", "HEAD", "HEAD~8", env={"RAGIT": "0"})
    before = len(hooked.log())
    for _ in range(3):
        hooked.git("bisect", "good")
    assert not (hooked.folder / state_files.PENDING).exists()
    hooked.git("bisect", "reset")
    hooked.settle()
    assert len(hooked.log()) == before + 1
    assert hooked.check().fresh


def test_worker_reads_no_uncommitted_file(hooked: Hooked) -> None:
    hooked.write("b.py", "committed = 1\n")
    hooked.git("add", "b.py")
    hooked.write("b.py", "uncommitted = 1\n")
    hooked.write("untracked.py", "untracked = 1\n")
    hooked.git("commit", "-q", "-m", "x")
    hooked.settle()
    with hooked.index() as index:
        status = index.status()
    assert (
        status.chunkings,
        [row.completeness.missing for row in status.refs if row.name == "HEAD"],
    ) == (
        2,
        [0],
    )


def test_submodule_has_its_own_worker(hooked: Hooked, tmp_path: Path) -> None:
    outer = Hooked(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(hooked.path), "module"
    )
    outer.commit()
    module = Hooked(outer.path / "module")
    module.git("config", "user.name", "x")
    assert module.install().active
    module.write(".ragit.toml", '[index]\nexclude = ["*.md"]\n')
    module.write("m.py", "def in_module(): ...\n")
    module.commit()
    module.settle()
    assert module.folder == outer.path / ".git" / "modules" / "module" / "ragit"
    assert module.check().fresh
    assert [line.split()[2].rstrip(":") for line in module.log()] == [str(module.path)]
    assert not outer.folder.exists()


# Failure


def test_failure_is_reported_once_and_delays_the_next_run(hooked: Hooked) -> None:
    (hooked.folder / "index.db").write_bytes(b"this is no database, " * 100)
    rewrite(hooked, 1)
    hooked.settle()
    assert failure.last(hooked.folder) is not None
    with lock(hooked.folder / state_files.LOCK):
        pass
    lines = len(hooked.log())
    rewrite(hooked, 2)
    time.sleep(0.5)
    assert len(hooked.log()) == lines  # too early to try again
    first = process("config", cwd=hooked.path)
    assert first.stderr.startswith("note: indexing in the background failed: the index ")
    assert "ragit index --rebuild" in first.stderr
    assert process("config", cwd=hooked.path).stderr == ""
    assert "failed (the index" in failure.state(hooked.folder)
    assert process("index", "--rebuild", cwd=hooked.path).returncode == 0
    assert failure.state(hooked.folder) == ""
    rewrite(hooked, 3)
    hooked.settle()
    assert (hooked.check().fresh, failure.state(hooked.folder)) == (True, "")


def test_delay_grows_with_each_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_700_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    waits = []
    for _ in range(9):
        failure.record(tmp_path, "no answer", "look at the server")
        found = failure.last(tmp_path)
        assert found is not None
        waits.append(found.next_try - now)
        assert failure.waits(tmp_path)
        now = found.next_try
        assert not failure.waits(tmp_path)
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    now -= 400_000  # the clock was set back
    assert not failure.waits(tmp_path)
    assert failure.unseen(tmp_path) == ("no answer", "look at the server")
    failure.record(tmp_path, "no answer", "look at the server")
    assert failure.unseen(tmp_path) is None  # already reported
    failure.forget(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"message": 1}', b"\xff"])
def test_damaged_failure_record_is_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "failures.json").write_bytes(content)
    assert failure.last(tmp_path) is None


@pytest.mark.parametrize(
    ("seconds", "times"), [("1e308", "1"), ("NaN", "1"), ("-5", "1"), ("1", "1e400"), ("1", "0")]
)
def test_failure_record_with_invalid_times_is_ignored(
    tmp_path: Path, seconds: str, times: str
) -> None:
    text = f'{{"message": "m", "hint": "h", "seconds": {seconds}, "times": {times}}}'
    (tmp_path / "failures.json").write_text(text)
    assert failure.last(tmp_path) is None
    assert failure.state(tmp_path) == ""


SPECIAL = {
    "fifo": lambda path, _: os.mkfifo(path),
    "link to a device": lambda path, _: path.symlink_to("/dev/zero"),
    "link to a file": lambda path, elsewhere: path.symlink_to(elsewhere),
    "dangling link": lambda path, elsewhere: path.symlink_to(f"{elsewhere}-none"),
    "folder": lambda path, _: path.mkdir(),
}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Return a file outside of the repository, and check that it does not change."""
    file = tmp_path / "elsewhere"
    file.write_text("as it was\n")
    yield file
    assert file.read_text() == "as it was\n"
    assert not (tmp_path / "elsewhere-none").exists()


def removed(file: Path) -> Path:
    """Delete a file, and return its path."""
    file.unlink(missing_ok=True)
    return file


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are POSIX's")
@pytest.mark.parametrize("kind", [kind for kind in SPECIAL if kind != "folder"])
@pytest.mark.parametrize("name", ["pending", "worker.log"])
def test_special_files_do_not_block_git(
    hooked: Hooked, elsewhere: Path, name: str, kind: str
) -> None:
    SPECIAL[kind](removed(hooked.folder / name), elsewhere)
    done = subprocess.run(
        [hooked.folder / "hook", "post-commit"],
        cwd=hooked.path,
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    hooked.settle()
    assert hooked.check().fresh
    SPECIAL[kind](removed(hooked.folder / name), elsewhere)
    assert process("hooks", "run", "post-commit", cwd=hooked.path).returncode == 0
    hooked.settle()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are POSIX's")
@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("name", ["pending", "last-error", "failures.json", "worker.lock"])
def test_special_files_do_not_block_commands(
    tmp_path: Path, elsewhere: Path, name: str, kind: str
) -> None:
    folder = tmp_path / "ragit"
    folder.mkdir()
    SPECIAL[kind](folder / name, elsewhere)
    assert failure.state(folder) == ""
    assert (failure.last(folder), failure.unseen(folder)) == (None, None)
    assert state_files.take_pending(folder) in (None, ["as it was"])
    failure.record(folder, "no answer", "look at the server")
    assert failure.unseen(folder) == ("no answer", "look at the server")
    assert "no answer" in failure.state(folder)
    failure.forget(folder)
    assert failure.last(folder) is None


def test_files_of_a_killed_worker_are_named_and_removed(hooked: Hooked) -> None:
    left = hooked.folder / "pending.12345"
    left.write_text(f"{hooked.path}\n")
    os.utime(left, (1, 1))
    young = hooked.folder / "pending.54321"
    young.write_text(f"{hooked.path}\n")
    found = process("doctor", cwd=hooked.path).stdout
    assert "pending.12345 was left by a worker that was killed" in found
    hooked.commit()
    hooked.settle()
    assert (left.exists(), young.exists()) == (False, True)
    hooked.uninstall()
    assert not young.exists()


def test_failing_worktree_does_not_block_others(hooked: Hooked) -> None:
    hooked.git("worktree", "add", "-q", "-b", "topic", "../topic")
    topic = Hooked(hooked.path.parent / "topic")
    hooked.settle()
    topic.write(".ragit.toml", "nonsense = ")
    # One worker has to serve both: a later one that succeeds forgets the failure.
    with lock(hooked.folder / state_files.LOCK):
        topic.commit()
    rewrite(hooked, 1)
    hooked.settle()
    assert hooked.check().fresh
    found = failure.last(hooked.folder)
    assert found is not None
    assert ".ragit.toml" in found.message


def test_log_is_rotated(hooked: Hooked) -> None:
    log = hooked.folder / "worker.log"
    log.write_bytes(b"x" * (worker.LOG_BYTES + 1))
    rewrite(hooked, 1)
    hooked.settle()
    assert (hooked.folder / "worker.log.1").stat().st_size == worker.LOG_BYTES + 1
    assert len(hooked.log()) == 1


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="priorities are POSIX's")
def test_worker_is_a_background_process(hooked: Hooked, tmp_path: Path) -> None:
    """Check a low priority, its own session, no descriptor of git, and the state in its record."""
    probe = tmp_path / "filter.py"
    probe.write_text(
        "import os, subprocess, sys\n"
        f"out = open({str(tmp_path / 'seen')!r}, 'w')\n"
        "from ragit.hooks import worker\n"
        "def index(folder, hints):\n"
        "    fds = sorted(os.readlink(f'/proc/self/fd/{n}') for n in (0, 1, 2))\n"
        "    state = subprocess.run([sys.executable, '-c', 'import sys, pathlib; from ragit.hooks import failure;"
        " print(failure.state(pathlib.Path(sys.argv[1])))', str(folder)], capture_output=True, text=True)\n"
        "    print(os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0) == os.getpid(), fds, state.stdout, file=out)\n"
        "    out.flush()\n"  # it is read as soon as the work is done, not when the process has ended
        "worker._index_heads = index\n"
        "worker.main()\n"
    )
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} {probe}\n")
    python.chmod(0o755)
    (hooked.folder / "hook").write_text(script.dispatcher(str(python)))
    rewrite(hooked, 1)
    hooked.settle()
    log = str(hooked.folder / "worker.log")
    assert (tmp_path / "seen").read_text().split("\n")[
        0
    ] == f"10 True {['/dev/null', log, log]} running"


def test_killed_worker_leaves_no_lock(hooked: Hooked) -> None:
    for number in range(60):
        hooked.write(f"many/{number}.py", f"def many_{number}():\n    return {number}\n")
    hooked.commit()
    until = time.monotonic() + PATIENCE_S
    running = subprocess.Popen(START, cwd=hooked.folder, stdout=subprocess.DEVNULL)
    while (
        failure.state(hooked.folder) != "running"
        and running.poll() is None
        and time.monotonic() < until
    ):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    rewrite(hooked, 1)
    hooked.settle()
    assert hooked.check().fresh


# The same rules in Python


CASES: list[tuple[str, list[str], dict[str, str], str]] = [
    ("post-commit", [], {}, ""),
    ("post-commit", [], {}, "rebase-merge"),
    ("post-commit", [], {}, "rebase-apply"),
    ("post-checkout", ["a", "b", "1"], {}, ""),
    ("post-checkout", ["a", "b", "0"], {}, ""),
    ("post-checkout", ["a", "b", "1"], {}, "rebase-merge"),
    ("post-checkout", ["a", "b", "1"], {}, "BISECT_LOG"),
    ("post-checkout", ["a", "b", "1"], {"_PRE_COMMIT_SKIP_POST_CHECKOUT": "1"}, ""),
    ("post-merge", ["0"], {}, ""),
    ("post-merge", ["1"], {"RAGIT": "0"}, ""),
    ("post-rewrite", ["rebase"], {}, "rebase-merge"),
    ("post-rewrite", ["amend"], {}, ""),
]


@pytest.mark.parametrize(("event", "args", "env", "state"), CASES)
@pytest.mark.parametrize("detached", [False, True])
def test_dispatcher_and_python_agree(
    hooked: Hooked, event: str, args: list[str], env: dict[str, str], state: str, detached: bool
) -> None:
    git_dir = hooked.path / ".git"
    if detached:
        hooked.git("switch", "-q", "--detach", env={"RAGIT": "0"})
    if state == "BISECT_LOG":
        (git_dir / state).write_text("")
    elif state:
        (git_dir / state).mkdir()
    (hooked.folder / "hook").write_text(script.dispatcher("/bin/true"))
    subprocess.run(
        [git_dir / "ragit" / "hook", event, *args],
        cwd=hooked.path,
        env={**os.environ, **env},
        check=True,
    )
    noted = (hooked.folder / state_files.PENDING).exists()
    assert queue.moves_head(event, args, env, git_dir, detached=detached) == noted
    if noted:
        assert (hooked.folder / state_files.PENDING).read_text() == f"{hooked.path}\n"


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({}, True),
        ({"PRE_COMMIT_CHECKOUT_TYPE": "1"}, True),
        ({"PRE_COMMIT_CHECKOUT_TYPE": "0"}, False),
        ({"PRE_COMMIT_REWRITE_COMMAND": "rebase"}, True),
        ({"PRE_COMMIT_REWRITE_COMMAND": "amend"}, False),
        ({"PRE_COMMIT_IS_SQUASH_MERGE": "0"}, True),
    ],
)
def test_variables_of_pre_commit_are_respected(
    tmp_path: Path, env: dict[str, str], wanted: bool
) -> None:
    assert queue.moves_head("", [], env, tmp_path, detached=False) == wanted


def test_bare_repository_is_indexed_on_request(tmp_path: Path, hooked: Hooked) -> None:
    bare = hooked.clone(tmp_path / "bare.git", "--bare")
    bare.git("config", "ragit.embedding.provider", "none")
    assert process("hooks", "run", cwd=bare.path).returncode == 0
    settle(bare.path / "ragit")
    with ragit.open(bare.path) as index:
        assert index.check().fresh
