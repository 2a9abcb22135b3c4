"""A repository with hooks installed, and waiting for its worker."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.hooks.install import Hooks
from ragit.hooks.state_files import LOCK, PENDING
from ragit.locks import lock
from ragit.reports import FreshnessReport, HooksReport
from ragit.repository.repository import Ragit

PATIENCE_S = 60.0


class Hooked(GitSandbox):
    """A repository with a keyword-only index, so that a worker has little to do."""

    def __init__(self, path: Path, *init: str) -> None:
        super().__init__(path, *init)
        self.git("config", "ragit.embedding.provider", "none")

    @property
    def folder(self) -> Path:
        """Return the folder of the store and the hooks' files."""
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "ragit"

    def index(self) -> Ragit:
        """Open the index; the caller closes it."""
        return ragit.open(self.path)

    def install(self, *, force: bool = False) -> HooksReport:
        with Hooks.of(self.path) as hooks:
            return hooks.install(force=force)

    def uninstall(self) -> HooksReport:
        with Hooks.of(self.path) as hooks:
            return hooks.uninstall()

    def status(self) -> HooksReport:
        with Hooks.of(self.path) as hooks:
            return hooks.status()

    def states(self) -> dict[str, str]:
        return {hook.event: hook.state for hook in self.status().hooks}

    def check(self, revision: str | None = None) -> FreshnessReport:
        with self.index() as index:
            return index.check(revision)

    def settle(self) -> None:
        """Wait until no worker runs or is requested."""
        settle(self.folder)

    def log(self) -> list[str]:
        """Return the worker's log, one line for each action."""
        file = self.folder / "worker.log"
        return file.read_text().splitlines() if file.exists() else []


def settle(folder: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if not (folder / PENDING).exists():
            with lock(folder / LOCK, shared=True) as free:
                if free and not (folder / PENDING).exists():
                    return
        time.sleep(0.02)
    log = folder / "worker.log"
    raise AssertionError(
        f"the worker did not finish: {log.read_text() if log.exists() else 'it never began'}"
    )


def command(
    *args: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ragit's command line in this process, ten times faster than in its own."""
    words = [str(arg) for arg in args]
    result = Terminal(cwd, **(env or {})).ragit(*words)
    return subprocess.CompletedProcess(words, result.code, result.out, result.err)


def process(
    *args: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ragit's command line in a process of its own, for tests of locks and signals."""
    return subprocess.run(
        [
            sys.executable,
            "-P" if sys.version_info >= (3, 11) else "-s",
            "-m",
            "ragit",
            *map(str, args),
        ],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
