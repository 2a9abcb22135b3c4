"""Placing the hooks and removing them without a trace. Writes hook files, three lines in each, and git's settings.

What belongs to another tool is not written to: its user is told the exact line to add. A tool that rewrites its own
hook would drop ours without a word.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragit.errors import ConfigError, HooksNotWritable
from ragit.git import Repo
from ragit.hooks import failure, script, worker
from ragit.hooks.place import Places, obstacle, read, tool_of
from ragit.reports import HooksReport, HookState

_OURS = (worker.PENDING, worker.LOCK, worker.LOG, f"{worker.LOG}.1")
_PASSING = ("/uv/archive-v", "/uv/builds-v", "/.cache/pre-commit/", "/pre-commit/repo")
"""Parts of the paths of interpreters that vanish again: of uvx and of pre-commit."""


class Hooks:
    """The hooks of one repository."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._places = Places(repo)

    @classmethod
    @contextmanager
    def of(cls, directory: Path | str) -> Iterator[Hooks]:
        """The hooks of the repository that a folder lies in. Raises NotARepository."""
        with Repo.open(directory) as repo:
            yield cls(repo)

    def status(self) -> HooksReport:
        """For each hook, whether it wakes ragit. Changes nothing."""
        return self._report(list(map(self._places.look, script.EVENTS)), changed=False)

    def install(self, *, force: bool = False) -> HooksReport:
        """Place all hooks, as far as others' tools allow; `force` writes to a hooks folder outside the git dir too.

        Raises ConfigError if the hooks could not find this ragit, HooksNotWritable if a file cannot be written.
        """
        python = _interpreter()
        before = self._fingerprint()
        try:
            _write(self._places.dispatcher, script.dispatcher(python).encode(), 0o755)
            if self._places.by_config:
                self._strip()
                self._configure()
            states = [self._place(event, force) for event in script.EVENTS]
        except OSError as error:
            raise HooksNotWritable(
                f"cannot write {error.filename}: {error.strerror}",
                "Make it writable, or go without hooks: a search indexes what is missing",
            ) from error
        return self._report(states, changed=self._fingerprint() != before)

    def uninstall(self) -> HooksReport:
        """Remove what was placed, also where another tool moved it; the index stays."""
        before = self._fingerprint()
        try:
            self._strip()
            for event in script.EVENTS:
                self._repo.remove_config_section(f"hook.ragit-{event}")
            folder = self._places.dispatcher.parent
            for name in (script.DISPATCHER, *_OURS):
                (folder / name).unlink(missing_ok=True)
            failure.forget(folder)
        except OSError as error:
            raise HooksNotWritable(
                f"cannot change {error.filename}: {error.strerror}",
                "Make it writable and try again",
            ) from error
        changed = self._fingerprint() != before
        self._places = Places(self._repo)
        return self._report(list(map(self._places.look, script.EVENTS)), changed=changed)

    def interpreter(self) -> str | None:
        """The Python that the dispatcher starts; None if there is no dispatcher."""
        text = read(self._places.dispatcher).decode("utf-8", "surrogateescape")
        found = re.search(r"^python=(.*)$", text, re.M)
        return (shlex.split(found[1]) or [""])[0] if found else None

    def can_start(self, python: str) -> bool:
        """Whether this Python is there and finds ragit by itself."""
        return _finds_ragit(python)

    def current(self) -> bool:
        """Whether the dispatcher is what this ragit would write."""
        return read(self._places.dispatcher) == script.dispatcher(self.interpreter() or "").encode()

    def _report(self, states: list[HookState], *, changed: bool) -> HooksReport:
        return HooksReport(str(self._places.dispatcher), tuple(states), changed)

    # -- placing -----------------------------------------------------------------------------------------------------

    def _configure(self) -> None:
        for event in script.EVENTS:
            self._repo.set_config(f"hook.ragit-{event}.command", script.line(event))
            self._repo.set_config(f"hook.ragit-{event}.event", event)
        self._places = Places(self._repo)

    def _place(self, event: str, force: bool) -> HookState:
        places = self._places
        found = places.look(event)
        if found.state == "active" and not self._outdated(event):
            return found
        file = places.file(event)
        tool = tool_of(file)
        why = self._reason(file, tool, force)
        if why:
            return HookState(event, str(file), "left alone", why, _advice(event, file, tool))
        _insert(file, script.block(event, beside=self._beside))
        note = (
            "`git lfs update` will refuse this file: git lfs update --manual"
            if tool == "git-lfs"
            else ""
        )
        return HookState(event, str(file), "active", note)

    @property
    def _beside(self) -> bool:
        return self._places.folder.resolve() == (self._places.common_dir / "hooks").resolve()

    def _outdated(self, event: str) -> bool:
        content = read(self._places.file(event))
        return script.has_block(content) and script.block(event, beside=self._beside) not in content

    def _reason(self, file: Path, tool: str, force: bool) -> str:
        """Why this file is left alone; empty if it may be written."""
        if tool in ("pre-commit", "lefthook"):
            return f"it is {tool}'s, which rewrites it"
        if not self._places.inside and not force:
            return (
                "husky runs the hooks here"
                if self._places.husky
                else "core.hooksPath leads out of the git directory"
            )
        why = obstacle(file)
        return "" if force and file.is_symlink() and not obstacle(file.resolve()) else why

    # -- removing ----------------------------------------------------------------------------------------------------

    def _strip(self) -> None:
        for event in script.EVENTS:
            for file in self._places.variants(event):
                content = read(file)
                left = script.without_block(content)
                if left == content:
                    continue
                if left == script.SHEBANG and not file.is_symlink():
                    file.unlink()
                else:
                    _write(file, left, None)

    def _fingerprint(self) -> object:
        """All that installing may change."""
        files = [
            self._places.dispatcher,
            *(file for event in script.EVENTS for file in self._places.variants(event)),
        ]
        return [(read(file), os.access(file, os.X_OK)) for file in files], self._repo.config(
            r"^hook\.ragit-"
        )


def _advice(event: str, file: Path, tool: str) -> str:
    """What to add, and where, by hand."""
    if tool == "pre-commit":
        return "add the id ragit-index to .pre-commit-config.yaml (see docs/hooks.md)"
    if tool == "lefthook":
        return f"add to lefthook.yml, under {event}: commands: ragit: run: {shlex.quote(script.line(event))}"
    return f"add to {file}: {script.line(event)}"


def _insert(file: Path, block: bytes) -> None:
    _write(file, script.with_block(read(file), block), None if file.exists() else 0o755)


def _write(file: Path, content: bytes, mode: int | None) -> None:
    """Replace a file in one step; `mode` None keeps the one it has. A link keeps leading to its file."""
    file = file.resolve()
    mode = file.stat().st_mode & 0o7777 if mode is None else mode
    if (
        file.exists()
        and file.read_bytes() == content
        and file.stat().st_mode & 0o777 == mode & 0o777
    ):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.ragit-{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.chmod(mode)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _interpreter() -> str:
    """The Python that hooks are to start. ConfigError if it will be gone tomorrow, or does not find ragit by itself."""
    python = sys.executable
    if any(part in Path(python).as_posix() for part in _PASSING):
        raise ConfigError(
            f"this ragit runs from a temporary environment ({python}), which hooks could not find tomorrow",
            "Install it for good, for example with: uv tool install ragit",
        )
    if not _finds_ragit(python):
        raise ConfigError(
            f"{python} does not find ragit outside this folder, so hooks could not start it",
            "Install ragit into an environment, for example with: uv tool install ragit",
        )
    return python


def _finds_ragit(python: str) -> bool:
    probe = [python, "-E", "-c", "import ragit.hooks.worker"]
    try:
        return (
            subprocess.run(
                probe, cwd=Path(python).parent, capture_output=True, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False
