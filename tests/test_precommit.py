"""Tests of the ids for pre-commit, run by pre-commit. Those that build an environment are slow."""

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
from sandbox import GitSandbox
from storing import tampered

from ragit.hooks import script

ROOT = Path(__file__).parent.parent
PRE_COMMIT = shutil.which(
    "pre-commit", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)

needs_pre_commit = pytest.mark.skipif(PRE_COMMIT is None, reason="no pre-commit here")

CHECK_STAGES = ["pre-commit", "pre-merge-commit", "pre-push", "manual"]


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    repo = Hooked(tmp_path / "repo")
    repo.write("a.py", "def first():\n    return 1\n")
    repo.write("b.py", "def second():\n    return 2\n")
    repo.commit()
    return repo


def framework(repo: GitSandbox, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    assert PRE_COMMIT is not None
    home = {"PRE_COMMIT_HOME": str(repo.path.parent / "pre-commit")}
    full = {**os.environ, **home, "PATH": f"{on_path(repo)}{os.pathsep}{os.environ['PATH']}", **env}
    return subprocess.run(
        [PRE_COMMIT, *args], cwd=repo.path, env=full, capture_output=True, text=True, check=False
    )


def on_path(repo: GitSandbox) -> Path:
    """Return a folder with this ragit, for `ragit-index-system` to find on PATH."""
    folder = repo.path.parent / "bin"
    folder.mkdir(exist_ok=True)
    file = folder / "ragit"
    file.write_text(f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.path.pop(0); '
                    'from ragit.__main__ import main; main()" "$@"\n')  # fmt: skip
    file.chmod(0o755)
    return folder


def configure(repo: Hooked, *more: str) -> None:
    """Configure the ids to use the ragit on PATH, so that no environment is built."""
    system = manifest().replace("language: python", "language: system")
    hooks = "\n".join(f"    {line}" for line in system.splitlines() if not line.startswith("#"))
    extra = "".join(f"{line}\n" for line in more)
    types = (
        "default_install_hook_types: [pre-commit, pre-merge-commit, pre-push, "
        + ", ".join(script.EVENTS)
        + "]\n"
    )
    repo.write(
        ".pre-commit-config.yaml", f"{types}{extra}repos:\n- repo: local\n  hooks:\n{hooks}\n"
    )
    repo.git("add", ".pre-commit-config.yaml")
    repo.git("commit", "-q", "-m", "config")
    assert framework(repo, "install").returncode == 0


def manifest() -> str:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    return text[: text.index("- id: ragit-index-system")]


def git(
    repo: Hooked, *args: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    home = {"PRE_COMMIT_HOME": str(repo.path.parent / "pre-commit")}
    path = {"PATH": f"{on_path(repo)}{os.pathsep}{os.environ['PATH']}"}
    full = {**os.environ, **home, **path, **(env or {})}
    return subprocess.run(
        ["git", *args], cwd=repo.path, env=full, capture_output=True, text=True, check=False
    )


# The check, without pre-commit


def test_check_without_an_index_passes_with_a_note(hooked: Hooked) -> None:
    for args in (["check"], ["check", "--pre-commit"], ["check", "--staged"]):
        done = command(*args, cwd=hooked.path)
        assert (done.returncode, done.stdout) == (
            0,
            "no index here, so nothing was checked; ragit index makes one\n",
        )
    assert not (hooked.folder / "index.db").exists()
    assert command("check", "--require-index", cwd=hooked.path).returncode == 1


@pytest.mark.parametrize("args", [[], ["--staged"], ["--pre-commit"], ["HEAD"]])
def test_fix_creates_a_missing_index(hooked: Hooked, args: list[str]) -> None:
    done = command("check", "--fix", *args, cwd=hooked.path)
    assert (done.returncode, done.stdout.startswith("fresh: ")) == (0, True)
    assert hooked.check().fresh
    assert (hooked.folder / "index.db").exists()


@pytest.mark.parametrize(
    "names", [["a.py"], ["a.py", "b.py"], ["ABSOLUTE"], ["ABSOLUTE", "b.py", "sub/c d.py"]]
)
def test_check_ignores_file_names(hooked: Hooked, names: list[str]) -> None:
    hooked.write("sub/c d.py", "c = 1\n")
    hooked.git("add", ".")
    names = [str(hooked.path / "a.py") if name == "ABSOLUTE" else name for name in names]
    assert command("check", "--staged", "--fix", *names, cwd=hooked.path).returncode == 0
    with hooked.index() as index:
        assert index.check(scope="staged").fresh
    assert command("check", "--staged", "a.py", "HEAD", "main", cwd=hooked.path).returncode == 2


def test_check_takes_a_single_name_as_a_revision(hooked: Hooked) -> None:
    hooked.git("branch", "b.py")
    assert command("check", "b.py", "--fix", cwd=hooked.path).stdout.startswith(
        "fresh: everything in b.py"
    )
    assert command("check", "no-such", cwd=hooked.path).returncode == 2


@pytest.mark.parametrize(
    ("how", "scope"),
    [
        (["commit"], "--staged"),
        (["commit", "-a"], "--worktree"),
        (["commit", "a.py"], "--worktree"),
    ],
    ids=["staged", "all", "path"],
)
@pytest.mark.parametrize("linked", [False, True])
def test_check_in_a_pre_commit_hook_uses_the_tree_to_be_committed(
    hooked: Hooked, how: list[str], scope: str, linked: bool, tmp_path: Path
) -> None:
    """After the printed command, the same commit succeeds."""
    command("index", cwd=hooked.path)
    if linked:
        hooked.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
        hooked = Hooked(tmp_path / "linked")
    hooks = Path(hooked.git("rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text(
        f"#!/bin/sh\nexec {on_path(hooked)}/ragit check --pre-commit\n"
    )
    (hooks / "pre-commit").chmod(0o755)
    hooked.write("b.py", "def staged():\n    return 3\n")
    hooked.git("add", "b.py")
    hooked.write("a.py", "def unstaged():\n    return 4\n")
    expected = {"staged": ["b.py"], "all": ["a.py", "b.py"], "path": ["a.py"]}
    name = {"commit": "staged", "-a": "all", "a.py": "path"}[how[-1]]
    first = git(hooked, *how, "-m", "x")
    assert first.returncode == 1
    result = (first.stdout + first.stderr).splitlines()
    assert [line.strip() for line in result if line.startswith("  ")] == expected[name]
    assert result[-1] == f"to fix it: ragit index {scope}"
    assert command("index", scope, cwd=hooked.path).returncode == 0
    assert git(hooked, *how, "-m", "x").returncode == 0


def test_fix_completes_the_index(hooked: Hooked) -> None:
    command("index", cwd=hooked.path)
    hooked.write("c.py", "def third(): ...\n")
    hooked.git("add", "c.py")
    assert command("check", "--staged", cwd=hooked.path).returncode == 1
    done = command("check", "--staged", "--fix", "--json", cwd=hooked.path)
    assert (done.returncode, json.loads(done.stdout)["fresh"]) == (0, True)
    assert command("check", "--staged", cwd=hooked.path).returncode == 0


def test_check_at_a_push_uses_the_pushed_commit(hooked: Hooked) -> None:
    command("index", cwd=hooked.path)
    hooked.git("switch", "-q", "-c", "topic")
    hooked.write("pushed.py", "def pushed(): ...\n")
    hooked.commit()
    topic = hooked.git("rev-parse", "HEAD")
    hooked.git("switch", "-q", "main")
    for variable, value in (
        ("PRE_COMMIT_TO_REF", topic),
        ("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/topic"),
    ):
        done = command("check", "--pre-commit", cwd=hooked.path, env={variable: value})
        assert (done.returncode, done.stdout.splitlines()[-1]) == (
            1,
            f"to fix it: ragit index {value}",
        )
    assert command("check", "--pre-commit", cwd=hooked.path).returncode == 0


# The ids under pre-commit


@needs_pre_commit
def test_manifest_is_valid() -> None:
    assert PRE_COMMIT is not None
    done = subprocess.run(
        [PRE_COMMIT, "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], check=False
    )
    assert done.returncode == 0
    system = (ROOT / ".pre-commit-hooks.yaml").read_text().split("- id: ")[1:]
    assert [text.split("\n")[0] for text in system] == [
        "ragit-check",
        "ragit-index",
        "ragit-index-system",
    ]


@needs_pre_commit
def test_documented_configuration_is_valid(tmp_path: Path) -> None:
    assert PRE_COMMIT is not None
    text = (ROOT / "docs" / "hooks.md").read_text()
    blocks = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    (lines,) = [block for block in blocks if block.startswith("- repo:")]
    assert lines.count("\n") == 3
    config = tmp_path / ".pre-commit-config.yaml"
    config.write_text(f"repos:\n{lines}")
    assert subprocess.run([PRE_COMMIT, "validate-config", config], check=False).returncode == 0
    for text_of_id in (ROOT / ".pre-commit-hooks.yaml").read_text().split("- id: ")[1:]:
        assert f"| `{text_of_id.split()[0]}` |" in text
    assert script.block("post-commit", beside=True).decode() in text


@needs_pre_commit
def test_hooks_run_at_their_stages(hooked: Hooked) -> None:
    configure(hooked)
    hooked.write("c.py", "def third(): ...\n")
    hooked.git("add", "c.py")
    first = git(hooked, "commit", "-m", "no index yet")
    assert (first.returncode, "Failed" in first.stderr) == (0, False)
    hooked.settle()  # until the post-commit stage has made one
    assert hooked.check().fresh
    hooked.write("c.py", "def changed(): ...\n")
    stale = git(hooked, "commit", "-a", "-m", "stale")
    assert (stale.returncode, "c.py" in stale.stderr) == (1, True)
    assert command("index", "--worktree", cwd=hooked.path).returncode == 0
    assert git(hooked, "commit", "-a", "-m", "complete").returncode == 0
    hooked.settle()
    for args in (
        ["switch", "-c", "topic"],
        ["commit", "--allow-empty", "-m", "x"],
        ["switch", "main"],
        ["merge", "topic"],
    ):
        assert git(hooked, *args).returncode == 0
        hooked.settle()
    assert hooked.check().fresh


@needs_pre_commit
@pytest.mark.parametrize("fix", [True, False])
def test_check_hook_in_a_fresh_clone(hooked: Hooked, tmp_path: Path, fix: bool) -> None:
    system = manifest().replace("language: python", "language: system")
    ids = "\n".join(
        f"    {line}" for line in system[: system.index("- id: ragit-index")].splitlines()
    )
    more = "      args: [--fix]\n" if fix else ""
    hooked.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n{ids}\n{more}")
    hooked.commit("config")
    fresh = Hooked(hooked.clone(tmp_path / "fresh").path)
    assert framework(fresh, "install").returncode == 0
    fresh.write("c.py", "def third():\n    return 3\n")
    fresh.git("add", "c.py")
    result = git(fresh, "commit", "-m", "x")
    assert result.returncode == 0
    out = result.stdout + result.stderr
    assert "check the ragit index" in out
    if fix:
        assert fresh.check().fresh
    else:
        assert "no index here, so nothing was checked; ragit index makes one" in out
        assert not (fresh.folder / "index.db").exists()


@needs_pre_commit
def test_unstaged_changes_are_kept(hooked: Hooked) -> None:
    """pre-commit sets unstaged changes aside for a while, also after a commit; they are neither
    indexed nor lost.
    """
    configure(hooked)
    hooked.write("a.py", "def unstaged(): ...\n")
    hooked.write("b.py", "def staged(): ...\n")
    hooked.git("add", "b.py")
    assert git(hooked, "commit", "-m", "b").returncode == 0
    hooked.settle()
    assert hooked.git("status", "--porcelain") == " M a.py"
    assert (hooked.path / "a.py").read_text() == "def unstaged(): ...\n"
    with hooked.index() as index:
        assert index.check().fresh
        assert index.check(scope="worktree").missing == ("a.py",)


@needs_pre_commit
def test_index_hook_never_fails(hooked: Hooked) -> None:
    configure(hooked)
    hooked.git("config", "ragit.no.such", "1")  # any failure
    started = time.monotonic()
    done = git(hooked, "switch", "-c", "topic")
    assert (done.returncode, "Failed" in done.stderr) == (0, False)
    assert time.monotonic() - started < 20


@needs_pre_commit
def test_store_of_a_newer_version_is_left_unchanged(hooked: Hooked) -> None:
    """pre-commit's environment may have an older ragit than the one that wrote the store."""
    command("index", cwd=hooked.path)
    store = hooked.folder / "index.db"
    with tampered(store) as db:
        db.pragma("user_version", 1000)
    configure(hooked)
    assert process("hooks", "run", cwd=hooked.path).returncode == 0
    hooked.settle()
    assert "newer than this ragit" in hooked.log()[-1]
    assert not (hooked.folder / "last-error").exists()  # the newer version does the work
    hooked.write("c.py", "def third(): ...\n")
    hooked.git("add", "c.py")
    done = git(hooked, "commit", "-m", "x")
    assert done.returncode == 0
    assert command("check", "--staged", cwd=hooked.path).returncode == 2
    with tampered(store) as db:
        assert (db.pragma("user_version"), db.pragma("integrity_check")) == (1000, "ok")


# In environments that pre-commit builds


@needs_pre_commit
@pytest.mark.slow
def test_hooks_from_a_clone_and_by_try_repo(hooked: Hooked, tmp_path: Path) -> None:
    """pre-commit installs a tagged clone of this repository, which needs ragit's dependencies."""
    source = GitSandbox(tmp_path / "ragit")
    for name in ("ragit", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        place = ROOT / name
        (shutil.copytree if place.is_dir() else shutil.copy)(place, source.path / name)
    source.commit()
    source.tag("v9", annotated=True)
    tried = framework(
        hooked, "try-repo", str(source.path), "ragit-check", "--verbose", "--all-files"
    )
    if "No matching distribution" in tried.stdout or "ConnectionError" in tried.stdout:
        pytest.skip("the packages cannot be downloaded here")
    assert (tried.returncode, "no index here" in tried.stdout) == (0, True)
    hooks = "{id: ragit-check, args: [--fix]}, {id: ragit-index}"
    hooked.write(
        ".pre-commit-config.yaml",
        f"default_install_hook_types: [pre-commit, {', '.join(script.EVENTS)}]\n"
        f"repos:\n- {{repo: '{source.path}', rev: v9, hooks: [{hooks}]}}\n",
    )
    hooked.git("add", ".")
    assert framework(hooked, "install", "--install-hooks").returncode == 0
    for number in range(2):
        hooked.write("c.py", f"def number_{number}(): ...\n")
        hooked.git("add", "c.py")
        done = git(hooked, "commit", "-m", f"{number}")
        assert (done.returncode, "Failed" in done.stderr) == (0, False)
        hooked.settle()
        assert hooked.check().fresh


@needs_pre_commit
@pytest.mark.slow
def test_repo_dot_works_in_the_repository_of_ragit(tmp_path: Path) -> None:
    source = Hooked(tmp_path / "ragit")
    for name in ("ragit", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        place = ROOT / name
        (shutil.copytree if place.is_dir() else shutil.copy)(place, source.path / name)
    rev = source.commit()
    source.write(
        ".pre-commit-config.yaml",
        f"repos:\n- {{repo: ., rev: {rev}, hooks: [{{id: ragit-check}}]}}\n",
    )
    source.git("add", ".")
    done = framework(source, "run", "--all-files", "--verbose")
    if "No matching distribution" in done.stdout or "ConnectionError" in done.stdout:
        pytest.skip("the packages cannot be downloaded here")
    assert (done.returncode, "no index here" in done.stdout) == (0, True)


def test_check_ignores_single_and_deleted_file_names(hooked: Hooked) -> None:
    done = command("check", "--fix", "a.py", cwd=hooked.path)
    assert (done.returncode, done.stdout.startswith("fresh: everything in HEAD ")) == (0, True)
    for names in (["gone.py"], ["sub/gone", "a.py"], ["gone file", "also gone"]):
        assert command("check", "--staged", "--fix", *names, cwd=hooked.path).returncode == 0
