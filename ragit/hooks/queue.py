"""What a hook decides, for callers that start Python anyway: pre-commit's ids and hook runners without a shell line.

The same rules as the dispatcher's, which a test holds equal; pre-commit hands a hook's arguments over in variables.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragit.git import Repo
from ragit.hooks import script
from ragit.hooks.worker import LOG, PENDING


def run(directory: str, event: str, args: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Note that something moved and start the worker in the background; False if this hook is no reason to.

    Without an `event`, it is told from pre-commit's variables, or else taken for a commit.
    """
    with Repo.open(directory, environ) as repo:
        if not wanted(event, args, environ, repo.git_dir, detached=not repo.branch()):
            return False
        folder = repo.common_dir / script.FOLDER
        folder.mkdir(exist_ok=True)
        with (folder / PENDING).open("ab") as pending:
            pending.write(os.fsencode(repo.top or repo.git_dir) + b"\n")
    _start(folder)
    return True


def wanted(
    event: str, args: Sequence[str], environ: Mapping[str, str], git_dir: Path, *, detached: bool
) -> bool:
    """Whether a hook of this name and arguments moved HEAD to where it will stay."""
    if environ.get("RAGIT") == "0" or environ.get("_PRE_COMMIT_SKIP_POST_CHECKOUT"):
        return False
    event, args = (event, args) if event else _from_pre_commit(environ)
    if event == "post-checkout" and (list(args) or ["", "", "1"])[2:3] != ["1"]:
        return False
    if event == "post-rewrite" and list(args[:1]) == ["amend"]:
        return False
    if event == "post-commit" and any(
        (git_dir / name).is_dir() for name in ("rebase-merge", "rebase-apply")
    ):
        return False
    return not (detached and (git_dir / "BISECT_LOG").is_file())


def _from_pre_commit(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    if kind := environ.get("PRE_COMMIT_CHECKOUT_TYPE"):
        return "post-checkout", ["", "", kind]
    if command := environ.get("PRE_COMMIT_REWRITE_COMMAND"):
        return "post-rewrite", [command]
    return ("post-merge", []) if "PRE_COMMIT_IS_SQUASH_MERGE" in environ else ("post-commit", [])


def _start(folder: Path) -> None:
    """Start the worker so that nothing ties it to us: no descriptor, no terminal, no variable of the repository's."""
    flags = (
        {"creationflags": 0x00000208} if sys.platform == "win32" else {"start_new_session": True}
    )
    with (folder / LOG).open(
        "ab"
    ) as log:  # the flags of Windows: DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(
            [sys.executable, "-E", "-m", "ragit.hooks.worker"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=True, **flags,
        )  # fmt: skip
