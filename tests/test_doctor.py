"""Tests of `ragit doctor`: a healthy repository passes, and each fault is named with its remedy."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hooking import Hooked, command
from terminal import RAGIT, Terminal
from test_render import faults, schemas

from ragit.doctor import examine, file_system
from ragit.hooks import failure, script
from ragit.reports import Finding


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    repo = Hooked(tmp_path / "repo")
    repo.write("a.py", "def first():\n    return 1\n")
    repo.commit()
    with repo.index() as index:
        index.index()
    repo.install()
    return repo


def bad(repo: Hooked) -> list[Finding]:
    return [finding for finding in examine(repo.path) if finding.state == "bad"]


def test_healthy_repository_has_only_ok_findings(hooked: Hooked) -> None:
    found = {finding.topic: finding.state for finding in examine(hooked.path)}
    topics = "git libgit2 SQLite sqlite-vec settings disk store embedder hooks interpreter"
    assert found == dict.fromkeys(topics.split(), "ok")
    done = command("doctor", cwd=hooked.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(found)


def test_doctor_changes_no_file(hooked: Hooked) -> None:
    def state() -> dict[str, tuple[int, int]]:
        facts = (
            (f, f.stat())
            for f in hooked.path.rglob("*")
            if f.is_file() and not f.name.endswith(("-shm", "-wal"))
        )
        return {str(f): (s.st_mtime_ns, s.st_size) for f, s in facts}

    before = state()
    examine(hooked.path)
    assert state() == before


def test_missing_hooks_and_index_are_noted_with_commands(tmp_path: Path) -> None:
    repo = Hooked(tmp_path / "repo")
    repo.commit()
    notes = {f.topic: f.fix for f in examine(repo.path) if f.state != "ok"}
    assert notes == {
        "store": "Type: ragit index (the first search does it too)",
        "hooks": "Type: ragit hooks install",
    }
    assert command("doctor", cwd=repo.path).returncode == 0


def damage(repo: Hooked) -> None:
    store = repo.folder / "index.db"
    data = bytearray(store.read_bytes())
    data[4096:8192] = b"\x5a" * 4096
    store.write_bytes(data)


def truncate(repo: Hooked) -> None:
    store = repo.folder / "index.db"
    store.write_bytes(store.read_bytes()[:-8192])


def lose_interpreter(repo: Hooked) -> None:
    (repo.folder / "hook").write_text(script.dispatcher("/nowhere/python"))


def record_failure(repo: Hooked) -> None:
    failure.record(repo.folder, "the server does not answer", "Start it")


def lose_a_hook(repo: Hooked) -> None:
    file = next((repo.path / ".git" / "hooks").glob("post-merge"), None)
    if file is None:
        pytest.skip("this git takes hooks from its configuration")
    file.rename(file.with_suffix(".old"))


BROKEN: list[tuple[Callable[[Hooked], object], str, str, str]] = [
    (damage, "store", "damaged", "Type: ragit index --rebuild"),
    (truncate, "store", "damaged", "Type: ragit index --rebuild"),
    (
        lambda r: (r.folder / "index.db").write_bytes(b"no database" * 500),
        "store",
        "damaged",
        "ragit index --rebuild",
    ),
    (lambda r: r.git("config", "ragit.no.such", "1"), "settings", "no.such", ""),
    (lambda r: r.write(".ragit.toml", "x = "), "settings", ".ragit.toml", ""),
    (
        lose_interpreter,
        "interpreter",
        "/nowhere/python, which is gone",
        "Type: ragit hooks install",
    ),
    (record_failure, "worker", "failed: the server does not answer", "Start it"),
    (
        lambda r: (record_failure(r), record_failure(r)),
        "worker",
        "failed 2 times in a row: the server does not answer",
        "Start it",
    ),
    (lose_a_hook, "hooks", "post-merge: ragit's lines are in", "Type: ragit hooks install"),
    (lambda r: r.git("config", "ragit.embedding.provider", "openai"), "embedder", "", ""),
]


@pytest.mark.parametrize(("break_it", "topic", "text", "fix"), BROKEN)
def test_fault_is_reported_with_its_remedy(
    hooked: Hooked, break_it: Callable[[Hooked], object], topic: str, text: str, fix: str
) -> None:
    break_it(hooked)
    found = bad(hooked)
    assert {finding.topic for finding in found} == {topic}
    assert text in found[0].text
    assert fix in found[0].fix
    assert found[0].fix
    done = command("doctor", "--json", cwd=hooked.path)
    assert done.returncode == 1
    assert [row["topic"] for row in json.loads(done.stdout) if row["state"] == "bad"] == [
        f.topic for f in found
    ]


@pytest.mark.parametrize(("count", "text"), [(1, "1 file of HEAD is"), (2, "2 files of HEAD are")])
def test_unindexed_files_are_counted(hooked: Hooked, count: int, text: str) -> None:
    for number in range(count):
        hooked.write(f"new{number}.py", f"def new_{number}(): ...\n")
    hooked.git("add", ".", env={"RAGIT": "0"})
    hooked.git("commit", "-q", "-m", "new", env={"RAGIT": "0"})
    assert f"{text} not indexed" in [finding.text for finding in examine(hooked.path)]


@pytest.mark.parametrize("break_it", [damage, truncate, lose_interpreter, lose_a_hook])
def test_suggested_command_repairs_the_fault(
    hooked: Hooked, break_it: Callable[[Hooked], object]
) -> None:
    break_it(hooked)
    (fix,) = {finding.fix for finding in bad(hooked)}
    typed = fix.removeprefix("Type: ragit ").partition(" (")[0]
    done = command(*typed.split(), cwd=hooked.path)
    assert done.returncode == 0, done.stderr
    assert bad(hooked) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("app/[id]", "app/\\[id]"),
        ("/app/[id]/", "app/\\[id]"),
        ("!app/[id]/page.py", "app/\\[id]/page.py"),
        ("app/\\[id]", ""),
        ("app/[a-z]", ""),
        ("*.txt", ""),
        ("# app/[id]", ""),
    ],
)
@pytest.mark.parametrize("where", [".ragitignore", "index.exclude"])
def test_unescaped_brackets_in_a_pattern_are_noted(
    hooked: Hooked, where: str, pattern: str, expected: str
) -> None:
    hooked.write("app/[id]/page.py", "def page(): ...\n")
    hooked.write("app/i/page.py", "def other(): ...\n")
    hooked.commit()
    if where == ".ragitignore":
        hooked.write(where, f"\n{pattern}\n")
    else:
        if pattern[0] in "!#":
            pattern, expected = "/**/x", ""
        hooked.git("config", f"ragit.{where}", pattern)
    notes = [finding for finding in examine(hooked.path) if finding.topic == "patterns"]
    assert [note.fix for note in notes] == ([f"Write {expected}"] if expected else [])
    assert all(where in note.text and "which is there" in note.text for note in notes)


def test_json_follows_its_schema(hooked: Hooked) -> None:
    for name, args in (("doctor", ["doctor", "--json"]), ("hooks", ["hooks", "status", "--json"])):
        printed = json.loads(command(*args, cwd=hooked.path).stdout)
        assert not list(faults(printed, schemas()[name]))
    for name, args in (("check", ["check", "--json"]), ("status", ["status", "--json"])):
        printed = json.loads(command(*args, cwd=hooked.path).stdout)
        assert not list(faults(printed, schemas()[name]))


def test_doctor_outside_a_repository_checks_the_machine(tmp_path: Path) -> None:
    found = examine(tmp_path)
    assert [(f.topic, f.state) for f in found][-1] == ("repository", "bad")
    assert {f.topic for f in found} >= {"git", "libgit2", "SQLite"}
    assert command("doctor", cwd=tmp_path).returncode == 1


def test_network_file_system_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hooked: Hooked
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda / ext4 rw 0 0\nserver:/x {str(hooked.path).replace(' ', chr(92) + '040')} nfs4 rw 0 0\n"
    )
    assert file_system(tmp_path, str(mounts)) == "ext4"
    assert file_system(hooked.path / ".git", str(mounts)) == "nfs4"
    monkeypatch.setattr("ragit.doctor.file_system", lambda folder: "nfs4")
    assert [f.topic for f in bad(hooked)] == ["disk"]


def test_store_at_another_path_is_noted(hooked: Hooked, tmp_path: Path) -> None:
    hooked.git("config", "ragit.index.storePath", str(tmp_path / "elsewhere.db"))
    found = {f.topic: f for f in examine(hooked.path)}
    assert (found["disk"].state, str(tmp_path / "elsewhere.db") in found["disk"].text) == (
        "note",
        True,
    )


def test_repository_of_another_user_is_reported(hooked: Hooked) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a repository away")
    subprocess.run(["chown", "-R", "12345", str(hooked.path)], check=True)
    assert stat.S_ISDIR(hooked.path.stat().st_mode)
    (found,) = bad(hooked)
    assert (found.topic, "dubious ownership" in found.text) == ("repository", True)
    assert "safe.directory" in found.fix


# Agents


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    user_home = tmp_path / "home"
    (user_home / ".cursor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user_home))
    return user_home


def agent_findings(user_home: Path) -> list[tuple[str, str]]:
    """Return the findings about agents outside of a repository."""
    return [(f.state, f.text) for f in examine(user_home) if f.topic == "agents"]


def test_agent_without_ragit_is_noted(user_home: Path) -> None:
    assert agent_findings(user_home) == [("note", "Cursor does not have ragit")]
    (user_home / ".cursor" / "mcp.json").write_text("{")
    assert agent_findings(user_home)[0][1].startswith("Cursor does not have ragit: it is not JSON")


def test_configured_agents_are_started_and_checked(user_home: Path) -> None:
    (user_home / ".codex").mkdir()
    Terminal(user_home).ragit("agents", "install", "--yes", code=0)
    starts = f"starts {RAGIT}, which answers"
    assert agent_findings(user_home) == [("ok", f"Codex {starts}"), ("ok", f"Cursor {starts}")]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (None, "it is not there"),
        ("#!/bin/sh\nexit 1\n", "it ended, or did not answer in time"),
        ("#!/bin/sh\nread asked\necho hello\nsleep 60\n", "something else than the protocol"),
    ],
)
def test_broken_agent_entry_is_reported(user_home: Path, program: str | None, why: str) -> None:
    ragit = user_home / "bin" / "ragit"
    ragit.parent.mkdir()
    if program:
        ragit.write_text(program)
        ragit.chmod(0o755)
    entry = {"mcpServers": {"ragit": {"command": str(ragit), "args": ["mcp"]}}}
    (user_home / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    (found,) = [finding for finding in examine(user_home) if finding.topic == "agents"]
    assert (found.state, found.fix) == ("bad", "Type: ragit agents install cursor")
    assert found.text.startswith(f"Cursor starts {ragit}: ")
    assert why in found.text


def test_foreign_agent_entries_are_not_started(user_home: Path) -> None:
    note = user_home / "started"
    program = user_home / "bin" / "sh"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n: > {note}\n")
    program.chmod(0o755)
    for entry in ({"command": str(program), "args": ["mcp"]}, {"command": "sh", "args": ["mcp"]}):
        servers = {"mcpServers": {"ragit": entry, "other": entry}}
        (user_home / ".cursor" / "mcp.json").write_text(json.dumps(servers))
        assert agent_findings(user_home) == [("note", "Cursor does not have ragit")]
    assert not note.exists()
