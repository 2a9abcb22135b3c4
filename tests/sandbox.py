"""A real git repository for tests: fixed identity, one second between commits, no configuration."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ragit.types import Oid

EPOCH = 1_700_000_000


def set_environment(wanted: dict[str, str]) -> None:
    """Make the environment equal to `wanted`, but keep pytest's own variables."""
    for name in os.environ.keys() | wanted.keys():
        if name.startswith("PYTEST_"):
            continue
        if name in wanted:
            os.environ[name] = wanted[name]
        else:
            del os.environ[name]


def clean_environment(home: Path) -> dict[str, str]:
    """Return the environment of a user with an empty home: no system configuration, no GIT_*
    variables.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "XDG_", "RAGIT_")) and name != "PYTHONDONTWRITEBYTECODE"
    }
    who = {
        f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY
    }
    return {
        **kept,
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        **who,
    }


_IDENTITY = (("NAME", "Tester"), ("EMAIL", "tester@example.org"))


_INIT = ("init", "-q", "--template=", "-b", "main")


def _git_is_as_installed() -> bool:
    """Return whether `git init` has its defaults: no test has configured it."""
    given = os.environ.keys() & {"GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT", "XDG_CONFIG_HOME"}
    return not given and not (Path.home() / ".gitconfig").exists()


@cache
def _empty_repository() -> Path:
    """Return the .git of a repository without a commit; copying it is ten times faster than `git
    init`.
    """
    kept = tempfile.TemporaryDirectory()
    atexit.register(kept.cleanup)
    subprocess.run(["git", *_INIT], cwd=kept.name, check=True)
    return Path(kept.name, ".git")


class GitSandbox:
    """A repository at `path`, made on construction unless it exists.

    HOME and the like come from the process's environment: `conftest.py` points them at an empty
    home.
    """

    def __init__(self, path: Path, *init: str) -> None:
        self.path = path
        self.clock = EPOCH
        if not path.exists() or not any(path.iterdir()):
            path.mkdir(parents=True, exist_ok=True)
            if init or not _git_is_as_installed():
                self.git(*_INIT, *init)
            else:
                shutil.copytree(_empty_repository(), path / ".git")

    @property
    def store(self) -> Path:
        """Return the path of its index."""
        return self.path / ".git" / "ragit" / "index.db"

    def run(
        self, *args: str | bytes, env: dict[str, str] | None = None, stdin: bytes = b""
    ) -> bytes:
        """Run git and return its raw output. Raises CalledProcessError, with stderr, on failure."""
        date = f"{self.clock} +0000"
        dated = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **(env or {})}
        done = subprocess.run(
            ["git", *args], cwd=self.path, env=dated, input=stdin, capture_output=True, check=False
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, args, done.stdout, done.stderr)
        return done.stdout

    def git(self, *args: str | bytes, env: dict[str, str] | None = None) -> str:
        """Run git and return its output as text, without the final line end."""
        return self.run(*args, env=env).decode("utf-8", "surrogateescape").rstrip("\n")

    def write(
        self, path: str | bytes, content: str | bytes = "", *, executable: bool = False
    ) -> Path:
        """Write a file of the working tree, and its folders; text is written in UTF-8."""
        file = self.path / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if executable:
            file.chmod(0o755)
        return file

    def rm(self, path: str | bytes) -> None:
        """Remove a file or folder from the working tree only."""
        file = self.path / os.fsdecode(path)
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()

    def commit(self, message: str = "change", *, all: bool = True) -> str:
        """Stage everything (unless `all` is false), commit, and return the commit's oid."""
        self.clock += 1
        if all:
            self.git("add", "-A")
        # No maintenance, which has nothing to do here, and no sync: no test needs to survive a
        # power cut.
        quiet = ("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.fsync=none")
        self.git(*quiet, "commit", "-q", "--allow-empty", "-m", message)
        return self._head()

    def _head(self) -> str:
        """Return the commit of HEAD, without a process if its ref is a file of this folder."""
        folder = self.path / ".git"
        if folder.is_dir():
            name = (folder / "HEAD").read_text().removeprefix("ref: ").strip()
            with contextlib.suppress(FileNotFoundError):
                return (folder / name).read_text().strip()
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Create a branch and switch to it."""
        self.git("switch", "-q", "-c", name, start)

    def switch(self, name: str) -> None:
        """Switch to a branch, or detach at a revision."""
        self.git("-c", "advice.detachedHead=false", "checkout", "-q", name)

    def tag(self, name: str, rev: str = "HEAD", *, annotated: bool = False) -> None:
        """Tag a revision."""
        self.git("tag", *(["-a", "-m", name] if annotated else []), name, rev)

    def tree(self, rev: str = "HEAD") -> str:
        """Return the oid of a revision's tree."""
        return self.git("rev-parse", "--verify", f"{rev}^{{tree}}")

    def tree_oid(self, rev: str = "HEAD") -> Oid:
        """Return the oid of a revision's tree, typed."""
        return Oid(self.tree(rev))

    def clone(self, path: Path, *args: str) -> GitSandbox:
        """Clone this repository to `path` over file://, so that shallow and partial clones are
        real.
        """
        self.git("clone", "-q", "--template=", *args, f"file://{self.path}", str(path))
        copy = GitSandbox(path)
        copy.clock = self.clock
        return copy
