"""Decide whether a hook starts the worker, for callers in Python: pre-commit and hook runners.

The rules are those of the dispatcher, as a test checks. pre-commit passes a hook's arguments in
environment variables.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragit.git import Repo
from ragit.hooks import script, state_files
from ragit.hooks.state_files import LOG, PENDING


def run(directory: str, event: str, args: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Record that HEAD moved and start the worker; return False if this hook needs none.

    An empty `event` is taken from pre-commit's variables, or else is a commit.
    """
    with Repo.open(directory, environ) as repo:
        if not moves_head(event, args, environ, repo.git_dir, detached=not repo.branch()):
            return False
        folder = repo.common_dir / script.FOLDER
        folder.mkdir(exist_ok=True)
        state_files.append(folder / PENDING, os.fsencode(repo.top or repo.git_dir) + b"\n")
    _start(folder)
    return True


def moves_head(
    event: str, args: Sequence[str], environ: Mapping[str, str], git_dir: Path, *, detached: bool
) -> bool:
    """Return whether a hook with this name and these arguments moved HEAD permanently."""
    if environ.get("RAGIT") == "0" or environ.get("_PRE_COMMIT_SKIP_POST_CHECKOUT"):
        return False
    event, args = (event, args) if event else _from_pre_commit(environ)
    if _is_a_step(event, list(args), git_dir):
        return False
    return not (detached and (git_dir / "BISECT_LOG").is_file())


def _is_a_step(event: str, args: list[str], git_dir: Path) -> bool:
    """Return whether it is `git checkout FILE`, the second hook of an amend, or a step of a
    rebase.
    """
    if event == "post-checkout":
        return bool(args) and args[2:3] != ["1"]
    if event == "post-rewrite":
        return args[:1] == ["amend"]
    folders = [git_dir / name for name in ("rebase-merge", "rebase-apply")]
    return event == "post-commit" and any(folder.is_dir() for folder in folders)


def _from_pre_commit(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    if kind := environ.get("PRE_COMMIT_CHECKOUT_TYPE"):
        return "post-checkout", ["", "", kind]
    if command := environ.get("PRE_COMMIT_REWRITE_COMMAND"):
        return "post-rewrite", [command]
    return ("post-merge", []) if "PRE_COMMIT_IS_SQUASH_MERGE" in environ else ("post-commit", [])


_DETACHED = 0x00000208
"""Windows: DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP."""


def _start(folder: Path) -> None:
    """Start the worker without this process's terminal, descriptors and folder."""
    flags = {"creationflags": _DETACHED} if sys.platform == "win32" else {"start_new_session": True}
    state_files.remove_irregular(folder / LOG)
    with (folder / LOG).open("ab") as log:
        subprocess.Popen(
            [sys.executable, "-E", "-m", "ragit.hooks.worker"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=True, **flags,
        )  # fmt: skip
