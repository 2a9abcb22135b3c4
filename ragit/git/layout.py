"""Find the folders of a path's repository, by one `git rev-parse`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ragit.errors import GitFailed, NotARepository
from ragit.git.command import (
    NO_MEMORY,
    OLDEST,
    Git,
    clean_env,
    environment,
    git_message,
    lacks_memory,
)
from ragit.records import Record
from ragit.types import Oid

SYMLINK = 0o120000
GITLINK = 0o160000
FILE_MODES = (0o100644, 0o100755, 0o100664)
"""Modes of ordinary files; the last occurs in old histories only."""


class Layout(Record):
    """A repository as seen from one path. All paths are absolute."""

    common_dir: Path
    git_dir: Path
    index: Path
    objects: Path
    object_format: str
    prefix: bytes
    top: Path | None
    commit: Oid | None
    tree: Oid
    """HEAD's tree; the empty tree before the first commit."""
    git: Git
    """git at the top of the working tree (or in a bare git dir), with English messages."""
    git_with_filters: Git
    """git in the user's locale, for commands that run clean filters."""


EMPTY_TREES = {
    "sha1": Oid("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    "sha256": Oid("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
}
"""Object id of the tree without entries, by object format."""


def discover(path: str, caller: Mapping[str, str]) -> Layout:
    """Find the repository of `path`, in the environment `caller`.

    Raises NotARepository in git's words, GitFailed if git is missing or too old.
    """
    if not Path(path).is_dir():
        raise NotARepository(f"{path} is not a folder", "Name a folder inside a git repository")
    mark = f"--{os.urandom(6).hex()}"  # rev-parse repeats what it does not know
    args = ["rev-parse", "--path-format=absolute"]
    for question in ("--git-common-dir", "--git-dir", "--git-path=index", "--git-path=objects"):
        args += [*question.split("="), mark]
    args += ["--show-object-format", mark, "--show-prefix", mark, "--show-cdup", mark]
    args += ["--revs-only", "HEAD", _TREE]  # prints nothing, and does not fail, for an unborn HEAD
    answer = _ask(path, args, caller)
    parts = answer.split(mark.encode() + b"\n")
    if parts[0].startswith(b"--path-format"):
        raise GitFailed("this git is too old", "ragit needs git {}.{} or newer".format(*OLDEST))
    raw_up = parts[6]
    parts = [part[:-1] if part.endswith(b"\n") else part for part in parts]
    if "GIT_DIR" not in caller:
        _check_origin(
            Path(os.path.realpath(path)), Path(os.path.realpath(os.fsdecode(parts[1]))), caller
        )
    return _layout(path, parts, raw_up, caller)


def _check_origin(path: Path, git_dir: Path, caller: Mapping[str, str]) -> None:
    """Raise NotARepository for a git dir that is tracked as files of the repository around it.

    git takes any folder with a HEAD, objects and refs for a repository. A commit may contain one,
    whose configuration would count as the user's.
    """
    if not path.is_relative_to(git_dir):
        return  # found by its `.git`, which no commit can contain
    outer = next((folder for folder in git_dir.parents if os.path.lexists(folder / ".git")), None)
    if outer is None or git_dir.relative_to(outer).parts[0] == ".git":
        return
    inside = str(git_dir.relative_to(outer))
    try:
        tracked = Git(str(outer), environment(clean_env(caller))).run(
            "--literal-pathspecs", "ls-files", words=(inside,)
        )
    except GitFailed as error:
        if "not a git repository" in error.message:
            return
        raise
    if tracked:
        hint = f"Use {outer} instead; if you trust that folder's settings, set GIT_DIR to it"
        raise NotARepository(
            f"{git_dir} came with the files of {outer}, and its settings with it", hint
        )


_TREE = "HEAD^{tree}"


def _ask(path: str, args: list[str], caller: Mapping[str, str]) -> bytes:
    process = Git(path, environment(caller)).start(*args, stdin=subprocess.DEVNULL)
    out, err = process.communicate()
    if process.returncode and b"promisor remote" in err and args[-1] == _TREE:
        return _ask(path, args[:-1], caller)  # this partial clone lacks the tree
    if process.returncode:
        raise _refused(err)
    return out


def _refused(err: bytes) -> NotARepository:
    text = err.decode("utf-8", "replace").strip()
    first, _, rest = text.partition("\n")
    if b"safe.directory" in err:
        return NotARepository(
            git_message(first.encode()), "If you trust it: " + rest.strip().splitlines()[-1].strip()
        )
    if lacks_memory(err):
        return NotARepository(git_message(err), NO_MEMORY)
    if b"not a git repository" in err:
        hint = "Run ragit inside a git repository, or make one with `git init`"
    else:
        hint = "git itself fails here: `git status` says the same"
    return NotARepository(git_message(err), hint)


def _layout(path: str, parts: list[bytes], raw_up: bytes, caller: Mapping[str, str]) -> Layout:
    common, git_dir, index, objects = (Path(os.fsdecode(part)) for part in parts[:4])
    object_format = parts[4].decode()
    top = _top(path, parts[6], git_dir) if raw_up else None
    head = parts[7].split()
    cwd, env = str(top or git_dir), dict(caller)
    _make_absolute(env, "GIT_COMMON_DIR", common)
    _make_absolute(env, "GIT_INDEX_FILE", index)
    _make_absolute(env, "GIT_OBJECT_DIRECTORY", objects)
    if top is None or "GIT_DIR" in env or "GIT_WORK_TREE" in env or not _finds_from(top, git_dir):
        env["GIT_DIR"] = str(git_dir)
        if top is None:
            env.pop("GIT_WORK_TREE", None)
        else:
            env["GIT_WORK_TREE"] = str(top)
    git = Git(cwd, environment(env))
    return Layout(
        common_dir=common,
        git_dir=git_dir,
        index=index,
        objects=objects,
        object_format=object_format,
        prefix=parts[5],
        top=top,
        commit=Oid(head[0].decode()) if head else None,
        tree=_tree(git, head, object_format),
        git=git,
        git_with_filters=Git(cwd, environment(env, messages=False)),
    )


def commit_tree(git: Git, commit: str) -> Oid:
    """Return the tree of a commit as the commit names it; a partial clone may lack the tree
    itself.
    """
    return Oid(git.run("log", "-1", "--format=%T", words=(commit, "--")).decode().strip())


def _tree(git: Git, head: list[bytes], object_format: str) -> Oid:
    """Return HEAD's tree, even if a partial clone lacks it; `head` is rev-parse's output."""
    if not head:
        return EMPTY_TREES[object_format]
    return Oid(head[1].decode()) if len(head) == 2 else commit_tree(git, head[0].decode())


def _top(path: str, up: bytes, git_dir: Path) -> Path | None:
    """Return the top of the working tree; None if git, in a hook, takes the git dir for it."""
    top = Path(os.path.realpath(Path(path) / os.fsdecode(up)))
    return None if top == Path(os.path.realpath(git_dir)) else top


def _make_absolute(env: dict[str, str], name: str, path: Path) -> None:
    """Make a variable absolute: hooks get relative paths, and git runs in another folder."""
    if name in env:
        env[name] = str(path)


def _finds_from(top: Path, git_dir: Path) -> bool:
    """Return whether git finds this git dir from the top: core.worktree may point elsewhere."""
    link = top / ".git"
    return link.is_file() or (link.exists() and link.samefile(git_dir))
