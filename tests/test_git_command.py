"""Tests that git never reads a word of the user or of the repository as an option."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandbox import GitSandbox

import ragit
from ragit.__main__ import run
from ragit.errors import GitFailed, NotARepository, UnknownRevision
from ragit.git import Repo
from ragit.git.command import END_OF_OPTIONS, Git, environment

ROOM = Path(ragit.__file__).parent / "git"

FORWARDS = {
    # (file, function) pairs that pass arguments on; their callers are checked instead
    ("command.py", "run"),
    ("patterns.py", "run"),
    ("layout.py", "_ask"),
    ("objects.py", "_start"),
    ("uncommitted.py", "_run_update"),
}

HOSTILE = "--output=pwned"
"""A word for which `git log`, `git diff-tree` and others would write a file."""


# Every call in the source


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Yield each call of `.run(...)` or `.start(...)` in ragit/git, with file and function."""
    for file in sorted(ROOM.glob("*.py")):
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                called = node.func if isinstance(node, ast.Call) else None
                if isinstance(called, ast.Attribute) and called.attr in {"run", "start"}:
                    assert isinstance(node, ast.Call)
                    yield file.name, function.name, node


def is_constant(node: ast.expr, constants: dict[str, ast.expr]) -> bool:
    """Return whether an argument is text written by ragit alone."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Starred):
        return is_constant(node.value, constants)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_constant(one, constants) for one in node.elts)
    if isinstance(node, ast.Name):
        known = constants.get(node.id)
        return node.id.lstrip("_").isupper() or (
            known is not None and is_constant(known, constants)
        )
    if isinstance(node, ast.JoinedStr):  # "--max-count=7": a value within an option is no option
        return isinstance(node.values[0], ast.Constant)
    return False


def constants_of(file: str, function: str) -> dict[str, ast.expr]:
    """Return the values of local names that a function assigns once."""
    tree = ast.parse((ROOM / file).read_text("utf-8"))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function]
    given: dict[str, list[ast.expr]] = {}
    for node in (one for body in found for one in ast.walk(body)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in given.items() if len(values) == 1}


def test_git_arguments_in_the_source_are_constant() -> None:
    wrong = []
    for file, function, call in calls():
        if (file, function) in FORWARDS or file == "credential.py":
            continue
        local = constants_of(file, function)
        args = call.args[1:] if ast.unparse(call.func) == "patterns.run" else call.args
        if not all(is_constant(one, local) for one in args):
            wrong.append(f"{file}:{call.lineno} {ast.unparse(call)}")
    assert wrong == []
    assert len(list(calls())) > 20


def test_only_the_git_package_starts_git() -> None:
    package = ROOM.parent
    started = [
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if '["git"' in file.read_text("utf-8") or "['git'" in file.read_text("utf-8")
    ]
    assert sorted(started) == ["git/command.py", "git/credential.py"]


# Every call in a run


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the arguments of every git process started."""
    seen: list[list[str]] = []
    popen = subprocess.Popen

    class Recorded(popen):  # type: ignore[type-arg, misc, valid-type]
        def __init__(self, args: Any, *more: Any, **named: Any) -> None:
            if args[0] == "git":
                seen.append(list(map(str, args)))
            super().__init__(args, *more, **named)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    return seen


@pytest.fixture
def hostile(repo: GitSandbox, monkeypatch: pytest.MonkeyPatch) -> GitSandbox:
    """Return a repository in which every name looks like an option."""
    repo.write(HOSTILE, "def f(): pass\n")
    repo.write("a.py", "def g(): pass\n")
    repo.write(".gitattributes", "*.py linguist-generated=--output=pwned\n")
    repo.write(".ragitignore", HOSTILE + "x\n")
    commit = repo.commit(HOSTILE)
    repo.git("update-ref", f"refs/heads/{HOSTILE}", commit)
    repo.git("update-ref", f"refs/tags/{HOSTILE}", commit)
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{HOSTILE}")
    repo.git("config", f"remote.{HOSTILE}.promisor", "true")
    repo.git("config", f"remote.{HOSTILE}.url", str(repo.path))
    repo.write("a.py", "def h(): pass\n")
    monkeypatch.chdir(repo.path)
    return repo


COMMANDS = [
    ["index"],
    ["index", "--fetch-missing"],
    ["index", "--fetch-missing", "--", HOSTILE],
    ["index", "--fetch-missing", f"refs/heads/{HOSTILE}"],
    ["index", "--all-branches"],
    ["index", "--", HOSTILE],
    ["search", "f", "--ref", HOSTILE],
    ["search", "f", "--ref", f"refs/tags/{HOSTILE}"],
    ["search", "f", "--path", HOSTILE],
    ["search", "--", HOSTILE],
    ["status"],
    ["check", "--staged"],
    ["check", "--", HOSTILE],
    ["gc"],
    ["hooks", "install"],
    ["hooks", "status"],
    ["hooks", "uninstall"],
    ["doctor"],
    ["eval", "--from-history", "2", "--ref", HOSTILE],
    ["describe", "--", HOSTILE],
    ["trust"],
    ["config"],
]


def test_hostile_names_are_never_passed_as_options(
    hostile: GitSandbox, traced: list[list[str]]
) -> None:
    before = {file.name for file in hostile.path.iterdir()}
    for command in COMMANDS:
        run(command)
    with Repo.open(hostile.path) as repo:
        commit = repo.head().commit
        assert commit
        repo.log(commit, 3)
        repo.set_config("ragit.test", HOSTILE)
        repo.remove_config_section(HOSTILE)
        repo.config(HOSTILE)
        for take in (repo.resolve, lambda name: repo.trees_named([name])):
            with pytest.raises(UnknownRevision):
                take(HOSTILE)
    assert len(traced) > 50
    for args in traced:
        options = args[: args.index(END_OF_OPTIONS)] if END_OF_OPTIONS in args else args
        assert not [word for word in options if "pwned" in word], args
        assert not [word for word in options if len(word) == 40 and word.isalnum()], args
    assert {file.name for file in hostile.path.iterdir()} == before


def test_revision_that_looks_like_an_option_writes_no_file(
    repo: GitSandbox, tmp_path: Path
) -> None:
    repo.write("a.py", "def f(): pass\n")
    repo.commit()
    target = tmp_path / "written"
    with ragit.open(repo.path) as index, pytest.raises(UnknownRevision):
        index.index(f"--output={target}", fetch_missing=True)
    assert not target.exists()


@pytest.mark.parametrize("name", ["HEAD", "main", "v1", ":/second", "HEAD^{/first}", "HEAD~1"])
def test_trees_named_accepts_every_form_of_a_revision(repo: GitSandbox, name: str) -> None:
    for number, subject in enumerate(("first", "second")):
        repo.write("a", str(number))
        repo.commit(subject)
    repo.git("tag", "-a", "-m", "x", "v1")
    with Repo.open(repo.path) as found:
        assert found.trees_named([name]) == [found.resolve(name).tree]
        assert found.trees_named(["nowhere", "HEAD:a", "HEAD^{tree}"]) == []


def test_words_are_not_options_for_git(repo: GitSandbox) -> None:
    repo.commit()
    git = Git(str(repo.path), environment({}))
    for command in ("log", "diff-tree", "ls-tree", "rev-parse"):
        with pytest.raises(GitFailed):
            git.run(command, words=(HOSTILE, HOSTILE))
    assert [file.name for file in repo.path.iterdir()] == [".git"]


@pytest.mark.skipif(os.name == "nt", reason="Windows looks for programs in another way")
@pytest.mark.parametrize("path", ["", ".", ":{usual}", "{usual}:", "bin:{usual}", None])
def test_git_program_in_the_repository_is_not_run(repo: GitSandbox, path: str | None) -> None:
    """An empty or relative folder in PATH is the current one, which may be a clone."""
    for place in ("git", "bin/git"):
        repo.write(
            place, f"#!/bin/sh\n: > {repo.path}/ran\nexec /usr/bin/git $*\n", executable=True
        )
    usual = str(Path(shutil.which("git") or "").parent)
    env = {**os.environ, "PATH": (path or "").format(usual=usual)}
    if path is None:
        del env["PATH"]
    out = Git(str(repo.path), environment(env)).run("rev-parse", "--git-dir")
    assert out == b".git\n"
    assert not (repo.path / "ran").exists()


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("not a git repository (or any of the parent directories): .git", "git init"),
        ("packfile x.pack cannot be mapped: Cannot allocate memory", "ran out of memory"),
        ("Out of memory, malloc failed (tried to allocate 9 bytes)", "ran out of memory"),
        ("bad config line 6 in file .git/config", "git itself fails here"),
        ("Expected git repo version <= 1, found 9", "git itself fails here"),
    ],
)
def test_message_of_git_decides_the_hint(tmp_path: Path, message: str, hint: str) -> None:
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\necho 'fatal: {message}' >&2\nexit 128\n")
    git.chmod(0o755)
    env = {**os.environ, "PATH": f"{git.parent}:{os.environ['PATH']}"}
    with pytest.raises(NotARepository) as caught, Repo.open(tmp_path, env=env):
        pass
    assert message in caught.value.message
    assert hint in caught.value.hint
