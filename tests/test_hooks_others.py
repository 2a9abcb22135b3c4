"""Tests of ragit's hooks beside those of pre-commit, git-lfs, husky and lefthook, in both orders.

A tool that is not on PATH is skipped: install them with `apt install git-lfs` and `npm install
husky lefthook`, and put node_modules/.bin on PATH. Each rewrites hooks in its own way. The tests
show that ragit's lines never break another tool, and that `ragit hooks status` reports when they
were removed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hooking import Hooked, command

from ragit.git import version
from ragit.hooks import script
from ragit.hooks.files import CONFIG_HOOKS_FROM

pytestmark = pytest.mark.skipif(
    version() >= CONFIG_HOOKS_FROM,
    reason="this git takes ragit's hooks from its configuration: no tool is in the way",
)
FOUR = dict.fromkeys(script.EVENTS, "active")


def tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


def run(
    repo: Hooked, *args: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        args,
        cwd=repo.path,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    repo = Hooked(tmp_path / "repo")
    repo.write("a.py", "def first():\n    return 1\n")
    repo.commit()
    return repo


def commit_wakes_worker(repo: Hooked) -> bool:
    """Return whether a commit wakes the worker."""
    before = len(repo.log())
    repo.commit()
    repo.settle()
    return len(repo.log()) > before


# pre-commit

TYPES = [word for event in script.EVENTS for word in ("-t", event)]
LOCAL = """
default_install_hook_types: [pre-commit, post-commit, post-checkout, post-merge, post-rewrite]
repos:
- repo: local
  hooks:
  - {{id: {id}, name: x, entry: {entry}, language: system, always_run: true, pass_filenames: false,
      stages: [post-commit, post-checkout, post-merge, post-rewrite]}}
"""


def pre_commit(repo: Hooked, *args: str) -> subprocess.CompletedProcess[str]:
    return run(
        repo, tool("pre-commit"), *args, env={"PRE_COMMIT_HOME": str(repo.path.parent / "cache")}
    )


def configure(repo: Hooked, id: str = "other", entry: str = "true") -> None:
    repo.write(".pre-commit-config.yaml", LOCAL.format(id=id, entry=entry))
    repo.git("add", ".")
    repo.git("commit", "-qm", "config", env={"RAGIT": "0"})


def test_pre_commit_after_ragit_runs_it_as_legacy_hook(hooked: Hooked) -> None:
    configure(hooked)
    hooked.install()
    assert pre_commit(hooked, "install", *TYPES).returncode == 0
    assert hooked.states() == FOUR
    assert "run by pre-commit" in {hook.note for hook in hooked.status().hooks}
    assert commit_wakes_worker(hooked)
    hooked.install()  # already installed
    assert pre_commit(hooked, "uninstall", *TYPES).returncode == 0
    assert hooked.states() == FOUR
    assert commit_wakes_worker(hooked)
    hooked.uninstall()
    assert [
        f for f in (hooked.path / ".git" / "hooks").iterdir() if f.name.startswith("post-")
    ] == []


def test_uninstall_removes_ragit_from_legacy_hooks(hooked: Hooked) -> None:
    configure(hooked)
    hooked.install()
    pre_commit(hooked, "install", *TYPES)
    assert hooked.uninstall().changed
    assert list((hooked.path / ".git" / "hooks").glob("*.legacy")) == []
    assert set(hooked.states().values()) == {"absent"}
    assert not commit_wakes_worker(hooked)


def test_pre_commit_hook_is_left_alone_with_advice(hooked: Hooked) -> None:
    configure(hooked)
    pre_commit(hooked, "install", *TYPES)
    before = [(hooked.path / ".git" / "hooks" / event).read_bytes() for event in script.EVENTS]
    report = hooked.install(force=True)
    assert {hook.state for hook in report.hooks} == {"left alone"}
    assert {hook.advice for hook in report.hooks} == {
        "add the id ragit-index to .pre-commit-config.yaml: docs/hooks.md"
    }
    assert [
        (hooked.path / ".git" / "hooks" / event).read_bytes() for event in script.EVENTS
    ] == before
    configure(
        hooked,
        "ragit-index",
        f"{sys.executable} {'-P' if sys.version_info >= (3, 11) else ''} -m ragit hooks run",
    )
    assert hooked.states() == FOUR
    assert commit_wakes_worker(hooked)
    assert hooked.check().fresh


def test_status_sees_a_block_erased_by_pre_commit(hooked: Hooked) -> None:
    configure(hooked)
    pre_commit(hooked, "install", *TYPES)
    file = hooked.path / ".git" / "hooks" / "post-commit"
    file.write_bytes(script.with_block(file.read_bytes(), script.block("post-commit", beside=True)))
    pre_commit(hooked, "install", *TYPES)
    assert hooked.states()["post-commit"] == "absent"


# git-lfs


@pytest.fixture
def lfs(hooked: Hooked) -> Hooked:
    tool("git-lfs")
    hooked.git("config", "lfs.allowincompletepush", "true")
    return hooked


def test_git_lfs_before_ragit(lfs: Hooked) -> None:
    assert run(lfs, "git", "lfs", "install", "--local").returncode == 0
    before = (lfs.path / ".git" / "hooks" / "post-commit").read_bytes()
    report = lfs.install()
    assert report.active
    assert "git lfs update" in report.hooks[0].note
    assert commit_wakes_worker(lfs)
    lfs.uninstall()
    assert (lfs.path / ".git" / "hooks" / "post-commit").read_bytes() == before
    assert run(lfs, "git", "lfs", "update").returncode == 0


def test_git_lfs_after_ragit_refuses_to_overwrite(lfs: Hooked) -> None:
    lfs.install()
    done = run(lfs, "git", "lfs", "install", "--local")
    assert done.returncode == 2
    assert "Hook already exists" in done.stdout + done.stderr
    assert commit_wakes_worker(lfs)
    assert run(lfs, "git", "lfs", "update", "--force").returncode == 0
    assert lfs.states()["post-commit"] == "absent"  # git-lfs replaced the file
    assert lfs.install().active
    assert commit_wakes_worker(lfs)


# husky


def test_husky_moves_the_hooks_folder(hooked: Hooked) -> None:
    husky = tool("husky")
    hooked.install()
    assert commit_wakes_worker(hooked)
    assert run(hooked, husky).returncode == 0
    assert set(hooked.states().values()) == {"absent"}
    assert "which nothing runs" in hooked.status().hooks[0].note
    report = hooked.install()
    assert {hook.state for hook in report.hooks} == {"left alone"}
    file = hooked.path / ".husky" / "post-commit"
    assert {hook.advice for hook in report.hooks} == {"ragit hooks install --force"}
    assert {hook.note for hook in report.hooks} == {"husky's"}
    assert report.hooks[0].file == ".husky/post-commit"
    assert max(map(len, command("hooks", "install", cwd=hooked.path).stdout.splitlines())) < 80
    result = command("init", "--yes", cwd=hooked.path).stdout  # recommends what works
    assert "to install them: ragit hooks install --force" in result
    assert not commit_wakes_worker(hooked)
    file.write_text(f"{script.line('post-commit')}\n")
    assert commit_wakes_worker(hooked)


def test_force_installs_beside_husky(hooked: Hooked) -> None:
    husky = tool("husky")
    assert run(hooked, husky).returncode == 0
    generated = {f.name: f.read_bytes() for f in (hooked.path / ".husky" / "_").iterdir()}
    assert hooked.install(force=True).active
    assert commit_wakes_worker(hooked)
    assert run(hooked, husky).returncode == 0  # as `npm install` does
    assert {f.name: f.read_bytes() for f in (hooked.path / ".husky" / "_").iterdir()} == generated
    assert hooked.states() == FOUR
    hooked.uninstall()
    assert [f.name for f in (hooked.path / ".husky").iterdir()] == ["_"]


# lefthook

LEFTHOOK = (
    "\n".join(f"{event}:\n  commands:\n    other:\n      run: 'true'" for event in script.EVENTS)
    + "\n"
)


def test_status_sees_that_lefthook_removed_ragit(hooked: Hooked) -> None:
    lefthook = tool("lefthook")
    hooked.write("lefthook.yml", LEFTHOOK)
    hooked.install()
    assert run(hooked, lefthook, "install").returncode == 0
    first = hooked.status().hooks[0]
    assert (first.state, first.note.split()[-3:]) == ("absent", ["which", "nothing", "runs"])
    report = hooked.install()
    assert {hook.state for hook in report.hooks} == {"left alone"}
    assert report.hooks[0].advice.startswith(
        "add to lefthook.yml: post-commit: {commands: {ragit: {run: "
    )
    hooked.uninstall()
    assert list((hooked.path / ".git" / "hooks").glob("*.old")) == []
    assert run(hooked, lefthook, "uninstall").returncode == 0
    assert not commit_wakes_worker(hooked)


def test_lefthook_line_from_the_advice_works(hooked: Hooked) -> None:
    lefthook = tool("lefthook")
    hooked.write("lefthook.yml", LEFTHOOK)
    assert run(hooked, lefthook, "install").returncode == 0
    lines = [hook.advice.partition("lefthook.yml: ")[2] for hook in hooked.install().hooks]
    hooked.write("lefthook.yml", "".join(f"{line}\n" for line in lines))
    assert run(hooked, lefthook, "install").returncode == 0
    hooked.git("switch", "-qc", "other")  # post-checkout
    assert commit_wakes_worker(hooked)
    assert hooked.check().fresh
