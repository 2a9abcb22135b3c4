"""Add ragit's lines to hooks, and remove them without a trace.

Hooks of other tools are not changed, since such a tool would drop the lines when it rewrites them;
its user is told what to do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragit.errors import ConfigError, HooksNotWritable
from ragit.git import Repo
from ragit.hooks import failure, script, state_files
from ragit.hooks.files import HookFiles, read, tool_of
from ragit.installation import is_temporary, source
from ragit.reports import HooksReport, HookState

_OURS = (state_files.PENDING, state_files.LOCK, state_files.LOG, f"{state_files.LOG}.1")


class Hooks:
    """The hooks of one repository."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._files = HookFiles(repo)

    @classmethod
    @contextmanager
    def of(cls, directory: Path | str) -> Iterator[Hooks]:
        """Open the hooks of the repository around a folder. Raises NotARepository."""
        with Repo.open(directory) as repo:
            yield cls(repo)

    def status(self) -> HooksReport:
        """Report for each hook whether it starts the worker."""
        return self._report(list(map(self._files.look, script.EVENTS)), changed=False)

    def install(self, *, force: bool = False) -> HooksReport:
        """Add ragit to all hooks; `force` also writes to links and outside the git directory.

        Raises ConfigError if hooks could not start this ragit, HooksNotWritable if a file cannot be
        written.
        """
        python = _interpreter()
        before = self._fingerprint()
        try:
            _write(self._files.dispatcher, script.dispatcher(python).encode(), 0o755)
            if self._files.by_config:
                self._strip()
                self._configure()
            states = [self._add(event, force) for event in script.EVENTS]
        except OSError as error:
            raise HooksNotWritable(
                f"cannot write {error.filename}: {error.strerror}",
                "Make it writable, or go without hooks: a search indexes what is missing",
            ) from error
        return self._report(states, changed=self._fingerprint() != before)

    def uninstall(self) -> HooksReport:
        """Remove ragit's lines, even where another tool moved them; the index stays.

        Raises HooksNotWritable.
        """
        before = self._fingerprint()
        try:
            self._strip()
            for event in script.EVENTS:
                self._repo.remove_config_section(f"hook.ragit-{event}")
            folder = self._files.dispatcher.parent
            for name in (script.DISPATCHER, *_OURS):
                (folder / name).unlink(missing_ok=True)
            for file in state_files.leftovers(folder, age=0.0):
                file.unlink(missing_ok=True)
            failure.forget(folder)
        except OSError as error:
            raise HooksNotWritable(
                f"cannot change {error.filename}: {error.strerror}",
                "Make it writable and try again",
            ) from error
        changed = self._fingerprint() != before
        self._files = HookFiles(self._repo)
        return self._report(list(map(self._files.look, script.EVENTS)), changed=changed)

    def interpreter(self) -> str | None:
        """Return the Python that the dispatcher starts; None if there is no dispatcher."""
        return self._files.interpreter()

    def can_start(self, python: str) -> bool:
        """Return whether this Python exists and finds ragit by itself."""
        return _finds_ragit(python)

    def current(self) -> bool:
        """Return whether the dispatcher is up to date."""
        return read(self._files.dispatcher) == script.dispatcher(self.interpreter() or "").encode()

    def _report(self, states: list[HookState], *, changed: bool) -> HooksReport:
        return HooksReport(str(self._files.dispatcher), tuple(states), changed)

    # Adding

    def _configure(self) -> None:
        for event in script.EVENTS:
            self._repo.set_config(f"hook.ragit-{event}.command", script.line(event))
            self._repo.set_config(f"hook.ragit-{event}.event", event)
        self._files = HookFiles(self._repo)

    def _add(self, event: str, force: bool) -> HookState:
        found = self._files.look(event)
        if found.state == "active" and not self._outdated(event):
            return found
        file = self._files.file(event)
        shown = self._files.shown(file)
        if why := self._files.obstacle(event, force=force):
            return HookState(event, shown, "left alone", why, self._files.advice(event))
        is_lfs = tool_of(file) == "git-lfs"
        block = script.block(event, beside=self._beside)
        _write(file, script.with_block(read(file), block), None if file.exists() else 0o755)
        note = "`git lfs update` will refuse this file: git lfs update --manual" if is_lfs else ""
        return HookState(event, shown, "active", note)

    @property
    def _beside(self) -> bool:
        return self._files.folder.resolve() == (self._files.common_dir / "hooks").resolve()

    def _outdated(self, event: str) -> bool:
        content = read(self._files.file(event))
        return script.has_block(content) and script.block(event, beside=self._beside) not in content

    # Removing

    def _strip(self) -> None:
        for event in script.EVENTS:
            for file in self._files.variants(event):
                content = read(file)
                left = script.without_block(content)
                if left == content:
                    continue
                if left == script.SHEBANG and not file.is_symlink():
                    file.unlink()
                else:
                    _write(file, left, None)

    def _fingerprint(self) -> object:
        """Return everything that installing may change, for comparison."""
        files = [self._files.dispatcher]
        for event in script.EVENTS:
            files += self._files.variants(event)
        states = [(read(file), os.access(file, os.X_OK)) for file in files]
        return states, self._repo.config(r"^hook\.ragit-")


def _write(file: Path, content: bytes, mode: int | None) -> None:
    """Replace a file atomically; with `mode` None it keeps its own. A link stays a link."""
    file = file.resolve()
    mode = file.stat().st_mode & 0o7777 if mode is None else mode
    same_mode = file.exists() and file.stat().st_mode & 0o777 == mode & 0o777
    if same_mode and file.read_bytes() == content:
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
    """Return the Python for hooks to start.

    Raises ConfigError if it is temporary, or does not find ragit by itself.
    """
    python = sys.executable
    if is_temporary(python):
        raise ConfigError(
            f"this ragit runs from a temporary environment ({python}), which will be removed",
            f"Install ragit, then run `ragit hooks install` again: uv tool install {source()}",
        )
    if not _finds_ragit(python):
        raise ConfigError(
            f"{python} does not find ragit outside this folder, so hooks could not start it",
            f"Install ragit into an environment: {python} -m pip install {source()}",
        )
    return python


def _finds_ragit(python: str) -> bool:
    probe = [python, "-E", "-c", "import ragit.hooks.worker"]
    try:
        done = subprocess.run(probe, cwd=Path(python).parent, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0
