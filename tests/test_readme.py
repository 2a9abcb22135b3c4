"""Tests of README's commands, typed in a small repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import RAGIT

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(section: str, kind: str) -> list[str]:
    """Return the blocks of a kind in a section."""
    (text,) = re.findall(rf"^## {section}\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def typed(section: str) -> list[str]:
    """Return the lines to type in a section."""
    return [line for block in blocks(section, "sh") for line in block.splitlines()]


@pytest.fixture
def app(repo: GitSandbox) -> GitSandbox:
    repo.write(
        "src/app.py", "class HTTPException(Exception):\n    def retry(self):\n        pass\n"
    )
    repo.write("src/pool.py", "def reap(pool):\n    pool.close_idle_connections()\n")
    repo.write("src/plugins.py", "def load_plugin(name):\n    return retry(name, backoff=2)\n")
    repo.write("src/files.py", "def opened(path):\n    raise OSError('could not open file')\n")
    repo.write("Makefile", "test:\n\t@echo HTTPException: retry failed\n")
    repo.commit()
    repo.tag("v1.2")
    return repo


def run(line: str, repo: GitSandbox) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": f"{RAGIT.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", line], cwd=repo.path, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no sh")
def test_readme_commands_run(app: GitSandbox) -> None:
    lines = typed("The first minute") + typed("Agents and programs")
    assert len(lines) >= 9
    for line in lines:
        done = run(line, app)
        assert done.returncode in ((0, 1) if "doctor" in line else (0,)), (line, done)
        assert done.stdout and "error: " not in done.stderr and "bug: " not in done.stderr, line


def test_readme_python_block_runs(app: GitSandbox) -> None:
    (block,) = blocks("Agents and programs", "python")
    code = block.replace("path/to/repository", str(app.path)).replace("HEAD~100", "HEAD")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=app.path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(("src/", "Makefile"))


def test_readme_sections_are_in_order() -> None:
    sections = re.findall(r"^## (.*)", README, re.MULTILINE)
    wanted = ["Install", "The first minute", "Editors", "Hooks", "CI", "Agents and programs"]
    assert sections[: len(wanted)] == wanted
    assert sections.index("Documents") < sections.index("Settings") < sections.index("Limits")
    assert sections.index("Limits") < sections.index("Uninstall")
    assert "When to use git grep instead" in sections


def test_readme_installs_from_a_clone_only() -> None:
    for line in typed("Install"):
        if "install" in line and "apt" not in line:
            assert "PATH/TO/ragit" in line, line
