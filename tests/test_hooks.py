"""Tests of installing and removing hooks beside existing ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hooking import Hooked, command, process
from hypothesis import given, settings
from hypothesis import strategies as st

from ragit import installation
from ragit.errors import ConfigError, HooksNotWritable
from ragit.git import version
from ragit.hooks import files as hook_files
from ragit.hooks import install, script
from ragit.hooks.files import CONFIG_HOOKS_FROM

ROOT = Path(__file__).parent.parent
FILES_ONLY = pytest.mark.skipif(
    version() >= CONFIG_HOOKS_FROM, reason="this git takes hooks from its configuration"
)


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    """Return a repository with a commit, in a folder whose name needs quoting."""
    repo = Hooked(tmp_path / "it's a repo")
    repo.write("a.py", "def first():\n    return 1\n")
    repo.commit()
    return repo


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return content and mode of every file."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mode)
        for file in folder.rglob("*")
        if file.is_file()
    }


# The text


def test_stubs_in_hooks_folder_equal_the_written_files() -> None:
    for event in script.EVENTS:
        stub = ROOT / "hooks" / event
        assert stub.read_bytes() == script.with_block(b"", script.block(event, beside=True))
    written = script.dispatcher("/opt/python").replace("python=/opt/python\n", "python=@PYTHON@\n")
    assert (ROOT / "hooks" / "hook").read_text() == written


@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "zsh", "ksh"])
def test_hooks_run_in_every_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    for beside in (True, False):
        file = tmp_path / "hook"
        file.write_bytes(
            script.with_block(b"set -eu\n", script.block("post-commit", beside=beside))
        )
        done = subprocess.run([shell, str(file)], cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"")
    file.write_text(script.dispatcher("/it's"))
    assert subprocess.run([shell, "-n", str(file)], check=False).returncode == 0


@given(st.binary(max_size=60), st.booleans())
@settings(max_examples=200, deadline=None)
def test_removing_a_block_restores_the_file(content: bytes, beside: bool) -> None:
    content = b"#!/bin/sh -e\n" + content if beside else content.lstrip(b"#")
    if not content or script.has_block(content):
        return
    block = script.block("post-merge", beside=beside)
    placed = script.with_block(content, block)
    assert script.has_block(placed)
    assert script.without_block(placed) == content
    assert script.with_block(placed, block) == placed


# Into an empty folder


def test_installed_hooks_index_what_is_committed(hooked: Hooked) -> None:
    assert hooked.install().active
    hooked.write("b.py", "def second():\n    return 2\n")
    hooked.commit()
    hooked.settle()
    with hooked.index() as index:
        assert [
            hit.path for hit in index.search("second", index=False, scope="committed").hits
        ] == ["b.py"]
        assert index.check().fresh


def test_installing_twice_changes_nothing(hooked: Hooked) -> None:
    assert hooked.install().changed
    before = tree(hooked.path / ".git" / "hooks"), (hooked.folder / "hook").stat().st_ino
    again = hooked.install()
    assert again.active
    assert not again.changed
    assert (tree(hooked.path / ".git" / "hooks"), (hooked.folder / "hook").stat().st_ino) == before


def test_uninstall_restores_everything_but_the_index(hooked: Hooked) -> None:
    hooked.git("config", "user.color", "blue")
    with hooked.index() as index:
        index.index()
    before = tree(hooked.path / ".git")
    hooked.install()
    hooked.commit("with hooks")
    hooked.settle()
    hooked.git("update-ref", "refs/heads/main", "HEAD~1")
    assert hooked.uninstall().changed
    left = tree(hooked.path / ".git")
    names = {name for name in left if not name.startswith(("objects/", "logs/", "ragit/index.db"))}
    assert names == {
        name for name in before if not name.startswith(("objects/", "logs/", "ragit/index.db"))
    } | {"COMMIT_EDITMSG"}
    assert left["config"] == before["config"]
    assert (hooked.folder / "index.db").exists()
    assert not hooked.uninstall().changed


def test_upgrade_replaces_only_the_dispatcher(hooked: Hooked) -> None:
    hooked.install()
    hooks = tree(hooked.path / ".git" / "hooks")
    dispatcher = hooked.folder / "hook"
    good = dispatcher.read_text()
    dispatcher.write_text("#!/bin/sh\n# of an older ragit\n")
    assert hooked.install().changed
    assert dispatcher.read_text() == good
    assert tree(hooked.path / ".git" / "hooks") == hooks


def test_linked_worktrees_share_the_hooks(hooked: Hooked, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Hooked(tmp_path / "linked")
    assert linked.install().active
    assert hooked.status().active
    linked.write("only.py", "def linked_only(): ...\n")
    linked.commit()
    linked.settle()
    assert linked.check().fresh
    assert linked.folder == hooked.folder
    assert hooked.uninstall().changed
    assert not linked.status().active


# Beside the user's own hooks


@pytest.mark.parametrize(
    "shebang", ["#!/bin/sh", "#!/bin/sh -e", "#!/usr/bin/env bash", "#!/bin/bash", ""]
)
def test_existing_hook_keeps_working(hooked: Hooked, shebang: str, tmp_path: Path) -> None:
    mine = f"{shebang}\n" if shebang else ""
    mine += f'read -r line <&3 || :\necho "$0 $*" >> {tmp_path}/ran\nexec true\n'
    file = hooked.write(".git/hooks/post-commit", mine, executable=True)
    assert hooked.install().active
    hooked.commit()
    hooked.settle()
    assert (tmp_path / "ran").read_text().count("post-commit") == 1
    assert len(hooked.log()) == 1
    hooked.uninstall()
    assert (file.read_text(), file.stat().st_mode & 0o777) == (mine, 0o755)


def test_existing_hook_gets_its_input_and_arguments(hooked: Hooked, tmp_path: Path) -> None:
    hooked.write(
        ".git/hooks/post-rewrite",
        f"#!/bin/sh\ncat > {tmp_path}/input\necho $1 >> {tmp_path}/input\n",
        executable=True,
    )
    hooked.install()
    old = hooked.git("rev-parse", "HEAD")
    hooked.git("commit", "-q", "--amend", "-m", "again")
    assert (tmp_path / "input").read_text() == f"{old} {hooked.git('rev-parse', 'HEAD')}\namend\n"
    hooked.settle()


_CALL = "call from .git/hooks/post-merge: ragit hooks run post-merge"


@FILES_ONLY
@pytest.mark.parametrize(
    ("content", "mode", "why", "advice"),
    [
        ("#!/usr/bin/env python3\nprint()\n", 0o755, "no shell script", _CALL),
        ("#!/usr/bin/fish\necho\n", 0o755, "no shell script", _CALL),
        (
            "#!/bin/sh\necho off\n",
            0o644,
            "not executable, so git skips it",
            "chmod +x .git/hooks/post-merge, then: ragit hooks install",
        ),
    ],
)
def test_unsuitable_hook_is_left_alone_with_advice(
    hooked: Hooked, content: str, mode: int, why: str, advice: str
) -> None:
    file = hooked.write(".git/hooks/post-merge", content)
    file.chmod(mode)
    report = hooked.install()
    states = {hook.event: hook for hook in report.hooks}
    assert (states["post-merge"].state, states["post-merge"].note) == ("left alone", why)
    assert states["post-merge"].advice == advice
    assert states["post-commit"].state == "active"
    assert (file.read_text(), file.stat().st_mode & 0o777) == (content, mode)


@FILES_ONLY
def test_linked_hook_is_written_only_with_force(hooked: Hooked) -> None:
    target = hooked.write("scripts/hook.sh", "#!/bin/sh\n", executable=True)
    file = hooked.path / ".git" / "hooks" / "post-commit"
    file.parent.mkdir(exist_ok=True)
    file.symlink_to(target)
    assert hooked.install().hooks[0].state == "left alone"
    assert target.read_text() == "#!/bin/sh\n"
    assert hooked.install(force=True).hooks[0].state == "active"
    assert file.is_symlink()
    hooked.uninstall()
    assert (file.is_symlink(), target.read_text()) == (True, "#!/bin/sh\n")


def test_line_added_by_hand_works(hooked: Hooked) -> None:
    hooked.write(
        "hooks/post-commit", f"#!/bin/sh -e\n{script.line('post-commit')}\n", executable=True
    )
    hooked.git("config", "core.hooksPath", "hooks")
    hooked.install()
    hooked.commit()
    hooked.settle()
    assert len(hooked.log()) == 1


# core.hooksPath


@FILES_ONLY
@pytest.mark.parametrize("where", ["tracked", "global"])
def test_core_hookspath_is_written_only_with_force(
    hooked: Hooked, where: str, tmp_path: Path
) -> None:
    folder = hooked.path / "my hooks" if where == "tracked" else tmp_path / "global hooks"
    folder.mkdir()
    hooked.git("config", "core.hooksPath", "my hooks" if where == "tracked" else str(folder))
    report = hooked.install()
    assert not report.active
    assert {hook.state for hook in report.hooks} == {"left alone"}
    assert {hook.advice for hook in report.hooks} == {"ragit hooks install --force"}
    assert report.hooks == hooked.status().hooks or not report.installable
    assert list(folder.iterdir()) == []
    assert hooked.install(force=True).active
    (hooked.path / "sub").mkdir()
    hooked.write("sub/x.py", "x = 1\n")
    hooked.git("add", "sub", env={"GIT_PREFIX": ""})
    subprocess.run(["git", "commit", "-qm", "below"], cwd=hooked.path / "sub", check=True)
    hooked.settle()
    assert len(hooked.log()) == 1
    hooked.uninstall()
    assert list(folder.iterdir()) == []


@FILES_ONLY
def test_conditional_and_unusual_core_hookspath(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cover core.hooksPath set by a condition, set to /dev/null, and set to the default folder."""
    (tmp_path / "included").write_text(f"[core]\n\thooksPath = {tmp_path / 'shared'}\n")
    (tmp_path / "global").write_text(
        f'[includeIf "gitdir:{hooked.path}/"]\n\tpath = {tmp_path / "included"}\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    assert hooked.install().hooks[0].file == str(tmp_path / "shared" / "post-commit")
    assert hooked.install().hooks[0].advice == "ragit hooks install --force"
    (tmp_path / "global").write_text("[core]\n\thooksPath = /dev/null\n")
    assert set(hooked.states().values()) == {"absent"}
    with pytest.raises(HooksNotWritable, match="/dev/null"):
        hooked.install(force=True)
    hooked.git("config", "core.hooksPath", ".git/hooks")  # the default folder, as a relative path
    assert hooked.install().active
    hooked.commit()
    hooked.settle()
    assert len(hooked.log()) == 1


def test_global_hooks_do_nothing_in_other_repositories(hooked: Hooked, tmp_path: Path) -> None:
    (tmp_path / "global").mkdir()
    hooked.git("config", "core.hooksPath", str(tmp_path / "global"))
    hooked.install(force=True)
    other = Hooked(tmp_path / "other")
    other.git("config", "core.hooksPath", str(tmp_path / "global"))
    other.commit()
    assert not (other.path / ".git" / "ragit").exists()


# Hooks in git's configuration


def test_newer_git_gets_hooks_in_its_configuration(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older versions of git ignore these settings; there, the test runs the commands as git
    would.
    """
    files = hooked.install()
    assert files.active
    monkeypatch.setattr(hook_files, "version", lambda: CONFIG_HOOKS_FROM)
    before = (hooked.path / ".git" / "config").read_bytes()
    hooked.git("config", "core.hooksPath", str(tmp_path / "another tool's"))
    assert hooked.install().active
    assert not [
        f
        for f in (hooked.path / ".git" / "hooks").glob("post-*")
        if script.has_block(f.read_bytes())
    ]
    for event in script.EVENTS:
        assert hooked.git("config", f"hook.ragit-{event}.event") == event
        text = hooked.git("config", f"hook.ragit-{event}.command")
        for moved in (False, True):  # a command that fails would break `git switch`
            dispatcher = hooked.folder / "hook"
            dispatcher.rename(tmp_path / "away") if moved else None
            args = ["sh", "-c", f'{text} "$@"', text, "a", "b", "1"]
            done = subprocess.run(args, cwd=hooked.path, capture_output=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
            (tmp_path / "away").rename(dispatcher) if moved else None
        hooked.settle()
    assert len(hooked.log()) >= len(script.EVENTS)
    assert hooked.uninstall().changed
    hooked.git("config", "--unset", "core.hooksPath")
    if version() < CONFIG_HOOKS_FROM:
        assert (hooked.path / ".git" / "config").read_bytes() == before
    assert hooked.git("config", "--get-regexp", "^core") and "ragit-" not in hooked.git(
        "config", "--list"
    )


# Failures


def test_read_only_hooks_folder_raises(hooked: Hooked) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    hooks = hooked.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    hooks.chmod(0o555)
    with pytest.raises(HooksNotWritable, match="post-commit"):
        hooked.install()
    hooks.chmod(0o755)


def test_folder_in_place_of_a_hook_raises(hooked: Hooked) -> None:
    (hooked.path / ".git" / "hooks").mkdir(exist_ok=True)
    (hooked.path / ".git" / "ragit").mkdir()
    (hooked.path / ".git" / "ragit" / "hook").mkdir()
    with pytest.raises(HooksNotWritable, match="hook"):
        hooked.install()


@pytest.mark.parametrize(
    "part",
    [
        "/home/me/.cache/uv/archive-v0/x/bin/python",
        "/home/me/.cache/pre-commit/repo1/py/bin/python",
    ],
)
def test_temporary_environment_is_refused(
    hooked: Hooked, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", part)
    with pytest.raises(ConfigError, match="temporary environment"):
        hooked.install()
    assert not (hooked.folder / "hook").exists()


def test_interpreter_without_ragit_is_refused(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(install.sys, "executable", str(bare))
    with pytest.raises(ConfigError, match="does not find ragit"):
        hooked.install()


# How a hook behaves


def break_hooks(hooked: Hooked, how: str) -> None:
    dispatcher = hooked.folder / "hook"
    if how == "no interpreter":
        dispatcher.write_text(script.dispatcher("/nowhere/python"))
    elif how == "an interpreter that fails":
        dispatcher.write_text(script.dispatcher("/bin/false"))
    elif how == "no dispatcher":
        dispatcher.unlink()
    elif how == "a dispatcher that is no program":
        dispatcher.chmod(0o644)
    elif how == "nothing can be written":
        (hooked.folder / "pending").mkdir()
    elif how == "no log":
        (hooked.folder / "worker.log").mkdir()


@pytest.mark.parametrize(
    "how",
    [
        "no interpreter", "an interpreter that fails", "no dispatcher", "a dispatcher that is no program",
        "nothing can be written", "no log",
    ],
)  # fmt: skip
def test_broken_hooks_do_not_disturb_git(hooked: Hooked, how: str) -> None:
    hooked.install()
    break_hooks(hooked, how)
    hooked.git("branch", "other")
    for args in (
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["switch", "-q", "other"],
        ["worktree", "add", "-q", "../w"],
    ):
        done = subprocess.run(
            ["git", *args], cwd=hooked.path, capture_output=True, text=True, check=False
        )
        assert (
            done.returncode,
            done.stdout,
            done.stderr.replace("Preparing worktree (new branch 'w')\n", ""),
        ) == (
            0,
            "",
            "",
        )


def test_captured_git_output_does_not_wait_for_the_worker(hooked: Hooked, tmp_path: Path) -> None:
    slow = tmp_path / "slow-python"
    slow.write_text(f"#!/bin/sh\nsleep 12\ntouch {tmp_path}/done\n")
    slow.chmod(0o755)
    hooked.install()
    (hooked.folder / "hook").write_text(script.dispatcher(str(slow)))
    started = time.monotonic()
    done = subprocess.run(
        ["git", "commit", "--allow-empty", "-m", "x"],
        cwd=hooked.path,
        capture_output=True,
        check=True,
    )
    assert time.monotonic() - started < 11
    assert b"x" in done.stdout
    assert not (tmp_path / "done").exists()


def test_worker_survives_a_closed_terminal(hooked: Hooked) -> None:
    pty = pytest.importorskip("pty")
    hooked.install()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(hooked.path)
        os.execvp("git", ["git", "commit", "-q", "--allow-empty", "-m", "x"])
    os.waitpid(child, 0)
    os.close(terminal)
    hooked.settle()
    assert len(hooked.log()) == 1


def test_modules_in_the_repository_are_not_imported(hooked: Hooked, tmp_path: Path) -> None:
    for name in ("json", "ragit", "click", "pathlib", "traceback", "sitecustomize"):
        hooked.write(f"{name}.py", f"open({str(tmp_path / 'hijacked')!r}, 'w')\n")
    hooked.install()
    hooked.commit()
    hooked.settle()
    assert hooked.check().fresh
    assert not (tmp_path / "hijacked").exists()


def test_hooks_work_without_path_and_environment(hooked: Hooked) -> None:
    hooked.install()
    git = shutil.which("git")
    assert git is not None
    bare = {"HOME": os.environ["HOME"], "PATH": str(Path(git).parent), "PYTHONHOME": "/nowhere"}
    subprocess.run(
        [
            git,
            "-c",
            "user.name=a",
            "-c",
            "user.email=b@c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
        cwd=hooked.path,
        env=bare,
        check=True,
    )
    hooked.settle()
    assert len(hooked.log()) == 1


def test_hooks_are_disabled_by_a_variable(hooked: Hooked) -> None:
    hooked.install()
    hooked.git("commit", "-q", "--allow-empty", "-m", "x", env={"RAGIT": "0"})
    assert not (hooked.folder / "pending").exists()
    assert hooked.log() == []


# The command line


def test_hooks_commands_report_what_they_did(hooked: Hooked) -> None:
    assert command("hooks", "status", cwd=hooked.path).returncode == 1
    done = command("hooks", "install", cwd=hooked.path)
    assert (done.returncode, done.stdout.count("active"), done.stderr) == (0, 4, "")
    assert json.loads(command("hooks", "status", "--json", cwd=hooked.path).stdout)["active"]
    assert command("hooks", "uninstall", cwd=hooked.path).stdout == "removed; the index stays\n"
    assert command("hooks", "uninstall", cwd=hooked.path).stdout == "there was nothing to remove\n"


def test_init_installs_hooks_only_with_yes(hooked: Hooked) -> None:
    done = command("init", cwd=hooked.path)
    assert (done.returncode, done.stdout.count("absent")) == (0, 4)
    assert "ragit hooks install" in done.stdout
    assert hooked.check().fresh
    assert command("init", "--yes", cwd=hooked.path).stdout.count("active") == 4
    assert hooked.status().active


@pytest.mark.parametrize("where", ["repository", "nowhere", "bad settings"])
def test_hooks_run_is_silent_and_succeeds_everywhere(
    hooked: Hooked, where: str, tmp_path: Path
) -> None:
    if where == "bad settings":
        hooked.git("config", "ragit.no.such", "1")
    folder = tmp_path if where == "nowhere" else hooked.path
    done = process(
        "hooks", "run", "post-commit", cwd=folder
    )  # a process of its own, since it starts a worker
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    if where != "nowhere":
        hooked.settle()
        assert len(hooked.log()) == 1


def test_status_reports_a_missing_interpreter(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.install()
    (hooked.folder / "hook").write_text(script.dispatcher("/nowhere/bin/python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    report = hooked.status()
    assert {(hook.state, hook.note) for hook in report.hooks} == {
        ("broken", "its Python is gone: /nowhere/bin/python")
    }
    assert (report.active, report.installable) == (False, True)
    done = command("hooks", "status", cwd=hooked.path)
    assert done.returncode == 1
    assert "to install them: ragit hooks install\n" in done.stdout
    assert hooked.install().active


def test_status_names_the_replacement_of_a_missing_interpreter(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.install()
    (hooked.folder / "hook").write_text(script.dispatcher("/nowhere/bin/python"))
    other = tmp_path / "ragit"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    hook = hooked.status().hooks[0]
    assert (hook.state, hook.note) == (
        "active",
        f"its Python is gone: /nowhere/bin/python; it starts {other}",
    )


@pytest.mark.parametrize(
    ("direct_url", "shown"),
    [
        ('{"url": "file:///home/me/ragit", "dir_info": {}}', " /home/me/ragit"),
        ('{"url": "https://x.org/ragit", "vcs_info": {"vcs": "git"}}', " git+https://x.org/ragit"),
        (None, " PATH (of a clone of ragit)"),
        ("damaged", " PATH (of a clone of ragit)"),
    ],
)
def test_install_hint_names_the_source_of_the_package(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch, direct_url: str | None, shown: str
) -> None:
    """A bare name on a package index may be another project's."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            return direct_url

    monkeypatch.setattr(installation.metadata, "distribution", lambda name: Installed())
    monkeypatch.setattr(sys, "executable", "/home/me/.cache/uv/archive-v0/x/bin/python")
    with pytest.raises(ConfigError) as caught:
        hooked.install()
    assert caught.value.hint.endswith(f"uv tool install{shown}")
