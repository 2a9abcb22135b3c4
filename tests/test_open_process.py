"""Tests that a long-lived process answers like a fresh one after any change in the repository."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.git import Repo
from ragit.mcp import server
from ragit.mcp.call import Call
from ragit.remembered import Remembered
from ragit.repository import Ragit
from ragit.types import Answer

NAMES = [f"{folder}m{at}.py" for folder in ("", "lib/", "lib/net/") for at in range(3)]
WORDS = "retry backoff socket cookie parse config offset commit lock flush".split()


def code(chance: random.Random) -> str:
    """Return a file of some random functions."""
    functions = []
    for _ in range(chance.randint(1, 4)):
        name, other = chance.sample(WORDS, 2)
        functions.append(f"def {name}_{other}():\n    return {chance.choice(WORDS)}('{other}')\n")
    return "\n".join(functions)


def edit(repo: GitSandbox, chance: random.Random) -> None:
    repo.write(chance.choice(NAMES), code(chance))


def remove(repo: GitSandbox, chance: random.Random) -> None:
    (repo.path / chance.choice(NAMES)).unlink(missing_ok=True)


def stage(repo: GitSandbox, chance: random.Random) -> None:
    repo.git("add", "-A")


def commit(repo: GitSandbox, chance: random.Random) -> None:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", "step")


def switch(repo: GitSandbox, chance: random.Random) -> None:
    repo.git("stash", "-q", "-u")
    repo.git("switch", "-q", *chance.choice([["main"], ["other"], ["--detach", "main"]]))


def reset(repo: GitSandbox, chance: random.Random) -> None:
    repo.git("reset", "-q", chance.choice(["--soft", "--hard"]), "HEAD~1")


def pack(repo: GitSandbox, chance: random.Random) -> None:
    repo.git("gc", "-q", "--prune=now")


def collect(repo: GitSandbox, chance: random.Random) -> None:
    """Run `ragit gc` in another process."""
    subprocess.run([sys.executable, "-m", "ragit", "gc"], cwd=repo.path, check=True)


def rebuild(repo: GitSandbox, chance: random.Random) -> None:
    """Rebuild the store in another process."""
    command = [sys.executable, "-m", "ragit", "index", "-q", "--rebuild"]
    subprocess.run(command, cwd=repo.path, check=True)


def delete(repo: GitSandbox, chance: random.Random) -> None:
    """Delete the store, so that its numbers begin anew."""
    for file in (repo.path / ".git" / "ragit").glob("index.db*"):
        file.unlink()


STEPS: list[Callable[[GitSandbox, random.Random], None]] = [
    *(edit, edit, edit, edit, remove, stage, commit, commit, switch, reset),
    *(pack, collect, rebuild, delete),
]


def shown(answer: Answer) -> list[object]:
    """Return an answer without its time."""
    hits = [
        (h.path, h.start_line, h.end_line, h.score, dict(h.signals), h.text, h.terms, h.also)
        for h in answer.hits
    ]
    return [answer.tree, answer.ref, answer.complete, answer.degraded, answer.notes, *hits]


def queries(chance: random.Random) -> Iterator[tuple[str, dict[str, object]]]:
    for _ in range(2):
        text = " ".join(chance.sample(WORDS, chance.randint(1, 3)))
        options = chance.choice(
            [{}, {}, {"ref": "main"}, {"paths": ("lib/*",)}, {"scope": "staged"}]
        )
        yield chance.choice([text, text.replace(" ", "_")]), dict(options)


def assert_equal_to_fresh(repo: GitSandbox, steps: int, seed: int) -> None:
    chance = random.Random(seed)
    for name in NAMES:
        repo.write(name, code(chance))
    repo.commit()
    edit(repo, chance)
    repo.commit()
    repo.git("branch", "other")
    with ragit.open(repo.path) as kept:
        for _ in range(steps):
            step = chance.choice(STEPS)
            try:
                step(repo, chance)
            except subprocess.CalledProcessError:  # the first commit has none before it
                repo.git("reset", "-q", "--hard")
            for text, options in queries(chance):
                found = kept.search(text, **options)  # type: ignore[arg-type]
                with ragit.open(repo.path) as fresh:
                    expected = fresh.search(text, **options)  # type: ignore[arg-type]
                assert shown(found) == shown(expected), (step.__name__, text, options)


def test_open_process_answers_like_a_fresh_one(repo: GitSandbox) -> None:
    assert_equal_to_fresh(repo, 30, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_open_process_answers_like_a_fresh_one_for_long(repo: GitSandbox, seed: int) -> None:
    assert_equal_to_fresh(repo, 60, seed)


@pytest.fixture
def started(repo: GitSandbox, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the git commands that this process starts, in a repository of two files."""
    repo.write("a.py", "def commit_offset():\n    pass\n")
    repo.write("b.py", "def flush_log():\n    pass\n")
    repo.commit()
    commands: list[str] = []
    popen = subprocess.Popen

    class Counting(popen):  # type: ignore[type-arg,misc]
        def __init__(self, args: list[str], **named: object) -> None:
            words = iter(args[1:])
            plain = [next(words) if word == "-c" else word for word in words]
            commands.append(next(w for w in plain if not w.startswith("-") and "=" not in w))
            super().__init__(args, **named)

    monkeypatch.setattr("ragit.git.command.subprocess.Popen", Counting)
    return commands


def test_new_query_runs_only_git_status(repo: GitSandbox, started: list[str]) -> None:
    with ragit.open(repo.path) as index:
        index.search("commit the offset")
        index.search("offset commits")
        started.clear()
        index.search("how are logs flushed?")
        assert started == ["status"]
        started.clear()
        index.search("how are offsets committed?", scope="committed")
        assert started == []


def test_store_is_reopened_only_after_a_rebuild(repo: GitSandbox) -> None:
    repo.write("a.py", "def commit_offset():\n    pass\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.search("commit the offset")
        first = _store_of(index)
        index.search("offset commits")
        assert _store_of(index) is first
        rebuild(repo, random.Random(0))
        assert index.search("offset commit").hits
        assert _store_of(index) is not first
    with ragit.open(repo.path) as index:
        assert index.check().fresh


def _store_of(index: Ragit) -> object:
    return index._kept._store


def test_nested_readings_have_separate_stores(repo: GitSandbox) -> None:
    repo.write("a.py", "def commit_offset():\n    pass\n")
    repo.commit()
    with ragit.open(repo.path) as index, index.reading() as outer:
        with index.reading() as inner:
            assert inner.store is not outer.store
            assert inner.tree.snapshot == outer.tree.snapshot
        assert outer.store.has_chunks()


MOVES: list[Callable[[GitSandbox], object]] = [
    lambda repo: repo.git("commit", "-q", "--allow-empty", "-m", "next"),
    lambda repo: repo.git("switch", "-q", "--orphan", "empty"),
    lambda repo: repo.git("checkout", "-q", "--detach", "HEAD~1"),
    lambda repo: repo.git("update-ref", "refs/heads/main", "HEAD~1"),
    lambda repo: [
        repo.git("update-ref", "refs/heads/main", "HEAD~1"),
        repo.git("pack-refs", "--all"),
    ],
    lambda repo: repo.git("symbolic-ref", "HEAD", "refs/heads/old"),
    lambda repo: repo.git("replace", "HEAD", "HEAD~1"),
    lambda repo: (repo.path / ".git" / "HEAD").write_text(repo.git("rev-parse", "HEAD~1") + "\n"),
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("move", MOVES)
def test_refresh_notices_every_move_of_head(
    repo: GitSandbox, move: Callable[[GitSandbox], object], packed: bool
) -> None:
    for content in ("one", "two"):
        repo.write("a.txt", content)
        repo.commit(content)
    repo.git("branch", "old", "HEAD~1")
    if packed:
        repo.git("pack-refs", "--all")
    with Repo.open(repo.path) as opened:
        for _ in range(3):
            opened.refresh()
        move(repo)
        opened.refresh()
        with Repo.open(repo.path) as fresh:
            assert opened.head() == fresh.head()


def test_refresh_notices_a_replaced_repository(repo: GitSandbox) -> None:
    repo.write("sub/a.txt", "one")
    repo.commit()
    with Repo.open(repo.path / "sub") as opened:
        opened.refresh()
        opened.refresh()
        repo.git("init", "-q", "sub")
        opened.refresh()
        assert opened.top == Path(os.path.realpath(repo.path / "sub"))


def test_remembered_drops_the_oldest_values_beyond_its_bound() -> None:
    kept: Remembered[str, int] = Remembered(10)
    kept.add("a", 1, 4)
    kept.add("b", 2, 4)
    kept.add("a", 3, 5)
    assert (kept.get("a"), kept.get("b")) == (3, 2)
    kept.add("c", 4, 2)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (3, None, 4)
    kept.add("d", 5, 11)
    assert [kept.get(name) for name in "abcd"] == [None] * 4


def test_idle_server_closes_its_repositories(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "def retry_request(): ...\n")
    repo.commit()
    monkeypatch.setattr(server, "IDLE_S", 0.4)
    closed = threading.Event()
    close = Repo.close

    def noted(self: Repo) -> None:
        close(self)
        closed.set()

    monkeypatch.setattr(Repo, "close", noted)
    tools = server.tool_server(repo.path, os.environ)
    search = next(tool for tool in server.TOOLS if tool.name == "search_semantic")
    for _ in range(2):
        closed.clear()
        tools._last_call_s = time.monotonic()
        result = tools._run(search, {"query": "retry"}, Call(lambda done, total: None))
        assert "a.py" in result.content[0].text and not closed.is_set()  # type: ignore[union-attr]
        assert closed.wait(20)
    tools.close()
