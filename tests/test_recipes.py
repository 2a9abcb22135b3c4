"""Tests of the recipes in docs/editors.md, docs/ci.md and docs/hooks.md, with the tools they are
for.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hooking import Hooked
from sandbox import GitSandbox

from ragit.git import Repo
from ragit.hooks.files import HookFiles

DOCS = Path(__file__).parent.parent / "docs"
QUERY = "close idle connections"


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in one language."""
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


@pytest.fixture
def repo(tmp_path: Path) -> GitSandbox:
    made = GitSandbox(tmp_path / "a repository")
    made.git("config", "ragit.embedding.provider", "none")
    made.write("src/pool.py", "import os\n\n\ndef close_idle_connections():\n    return os\n")
    made.write("src/it's here.py", "def open_it():\n    return 'connections'\n")
    made.commit()
    return made


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return an environment with this ragit on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "ragit"
    start = "import sys; sys.path.pop(0); from ragit.__main__ import main; main()"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{start}' \"$@\"\n")
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}


def run(
    args: list[str], folder: Path, env: dict[str, str], *, code: int | None = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        args, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


# Editors


def vim() -> str:
    found = shutil.which("vim") or shutil.which("nvim")
    if found is None:
        pytest.skip("no vim here")
    return found


@pytest.mark.parametrize(
    ("block", "command"), [(0, f"silent grep! {QUERY}"), (1, f"silent Ragit {QUERY}")]
)
def test_vim_fills_its_quickfix_list(
    repo: GitSandbox, env: dict[str, str], tmp_path: Path, block: int, command: str
) -> None:
    settings = tmp_path / "vimrc"
    settings.write_text("set nocompatible\n" + blocks("editors.md", "vim")[block])
    out = tmp_path / "quickfix"
    entries = "map(filter(getqflist(), 'v:val.valid'), 'bufname(v:val.bufnr).\":\".v:val.lnum')"
    script = [command, f"call writefile({entries}, '{out}')", "qall!"]
    arguments = [word for line in script for word in ("-c", line)]
    run([vim(), "-es", "-u", str(settings), "-i", "NONE", *arguments], repo.path, env, code=None)
    assert out.read_text().splitlines()[0] == "src/pool.py:4"


def test_emacs_visits_the_hits(repo: GitSandbox, env: dict[str, str], tmp_path: Path) -> None:
    emacs = shutil.which("emacs")
    if emacs is None:
        pytest.skip("no emacs here")
    script = tmp_path / "run.el"
    (definition,) = blocks("editors.md", "elisp")
    script.write_text(
        f"{definition}\n(require 'grep)\n(setq compilation-always-kill t)\n"
        f'(ragit "{QUERY}")\n'
        '(while (process-live-p (get-buffer-process "*grep*")) (sit-for 0.05))\n'
        "(next-error)\n"
        "(with-current-buffer (window-buffer)\n"
        '  (message "at %s:%d" (buffer-name) (line-number-at-pos (window-point))))\n'
    )
    result = run([emacs, "-Q", "--batch", "-l", str(script)], repo.path, env).stderr
    assert "at pool.py:4" in result


def test_vs_code_task_matches_files_lines_and_columns(
    repo: GitSandbox, env: dict[str, str]
) -> None:
    (block,) = blocks("editors.md", "json")
    (task,) = json.loads(block)["tasks"]
    args = [one.replace("${input:query}", QUERY) for one in task["args"]]
    out = run([task["command"], *args], repo.path, env).stdout
    pattern = task["problemMatcher"]["pattern"]
    matched = [re.match(pattern["regexp"], line) for line in out.splitlines()]
    assert all(matched)
    assert matched[0] is not None
    file, line, column = (matched[0][pattern[name]] for name in ("file", "line", "column"))
    assert (file, line) == ("src/pool.py", "4")
    assert int(column) >= 1
    assert all((repo.path / found[pattern["file"]]).is_file() for found in matched if found)


# Continuous integration


def steps(block: str) -> list[str]:
    """Return ragit's commands in a job."""
    job = next(one for one in yaml.safe_load(block).values() if isinstance(one, dict))
    job = job.get("search", job)
    lines = job["script"] if "script" in job else [step.get("run", "") for step in job["steps"]]
    return [line for line in lines if line.startswith("ragit ")]


@pytest.mark.parametrize("number", [0, 1], ids=["GitHub", "GitLab"])
def test_ci_job_restores_the_index_and_adds_new_files(
    repo: GitSandbox, env: dict[str, str], tmp_path: Path, number: int
) -> None:
    env["RAGIT_EMBEDDING_PROVIDER"] = "none"
    commands = steps(blocks("ci.md", "yaml")[number])
    assert commands == ["ragit index", "ragit check --require-index"]
    first = repo.clone(tmp_path / "first", "--depth=1")
    result = [run(line.split(), first.path, env).stdout for line in commands]
    assert "2 new files" in result[0]
    assert result[1].startswith("fresh: ")
    repo.write("new.py", "def new(): pass\n")
    repo.commit()
    second = repo.clone(tmp_path / "second", "--depth=1")
    shutil.copytree(first.path / ".git" / "ragit", second.path / ".git" / "ragit")
    assert run([*commands[1].split()], second.path, env, code=1).stdout.startswith("stale: ")
    assert "1 new file" in run(commands[0].split(), second.path, env).stdout
    assert run(commands[1].split(), second.path, env).stdout.startswith("fresh: ")


def test_ci_jobs_cache_the_folder_of_the_index(repo: GitSandbox, env: dict[str, str]) -> None:
    github, gitlab = map(yaml.safe_load, blocks("ci.md", "yaml"))
    cache = next(s for s in github["jobs"]["search"]["steps"] if "cache" in s.get("uses", ""))
    run(["ragit", "index"], repo.path, env)
    for path in (cache["with"]["path"], *gitlab["search"]["cache"]["paths"]):
        assert (repo.path / path / "index.db").is_file()


# Hook runners


def test_documented_lefthook_lines_are_current(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "repo")
    for event in ("post-commit", "post-checkout", "post-merge", "post-rewrite"):
        hooked.write(f".git/hooks/{event}", "#!/bin/sh\ncall_lefthook\n", executable=True)
    with Repo.open(hooked.path) as opened:
        files = HookFiles(opened)
        advice = [
            files.advice(event).removeprefix("add to lefthook.yml: ")
            for event in ("post-commit", "post-checkout", "post-merge", "post-rewrite")
        ]
    block = next(one for one in blocks("hooks.md", "yaml") if "lefthook" in one)
    assert block.splitlines()[1:] == advice
    assert set(yaml.safe_load(block)) == {one.partition(":")[0] for one in advice}


@pytest.fixture(scope="session")
def npm_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with husky and lint-staged, installed by npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm here")
    folder = tmp_path_factory.mktemp("npm")
    command = [npm, "install", "--no-audit", "--no-fund", "--silent", "husky@9", "lint-staged@15"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install: {done.stderr[-200:]}")
    return folder / "node_modules" / ".bin"


@pytest.mark.slow
def test_lint_staged_and_husky_keep_the_index_complete(
    tmp_path: Path, env: dict[str, str], npm_tools: Path
) -> None:
    """lint-staged indexes the commit's tree, beside husky and hooks installed by force."""
    env["PATH"] = f"{npm_tools}{os.pathsep}{env['PATH']}"
    hooked = Hooked(tmp_path / "repo")
    hooked.write("a.py", "def first(): pass\n")
    hooked.write("package.json", next(b for b in blocks("hooks.md", "json") if "lint-staged" in b))
    hooked.commit()
    run(["husky"], hooked.path, env)
    hooked.write(".husky/pre-commit", "lint-staged\n")
    hooked.write("b c.py", "def second(): pass\n")
    hooked.write("d.py", "def third(): pass\n")
    hooked.git("add", "-A")
    result = run(["git", "commit", "-m", "two files"], hooked.path, env)
    assert "ragit check --staged --fix" in result.stdout + result.stderr
    assert hooked.check().fresh  # the first one made the index
    run(["ragit", "hooks", "install", "--force"], hooked.path, env)
    run(["git", "commit", "--no-verify", "--allow-empty", "-m", "x"], hooked.path, env)
    hooked.settle()
    assert len(hooked.log()) == 1
