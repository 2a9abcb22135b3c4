"""Find where git looks for each hook, and what is there. Reads only.

git alone knows the folder (core.hooksPath, linked worktrees, includeIf). Other tools use it too,
and each loses foreign lines in its own way.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from ragit.git import Repo, version
from ragit.hooks import script
from ragit.reports import INSTALL_HOOKS, HookState

CONFIG_HOOKS_FROM = (2, 54)
"""First git version that runs hooks named in its configuration, besides those in its hooks
folder.
"""

_SHELLS = re.compile(rb"#!\s*\S*?(?:/|\benv\s+(?:-S\s+)?)(?:ba|da|z|k|a|mk)?sh\b")
_MOVED = (".legacy", ".old")
"""Suffixes that pre-commit and lefthook give a replaced hook. Only pre-commit then runs it."""


class HookFiles:
    """The hooks of one repository."""

    def __init__(self, repo: Repo) -> None:
        self.folder = repo.hooks_dir()
        self.common_dir = repo.common_dir
        self.top = repo.top
        self.inside = _within(self.folder, repo.common_dir)
        self.by_config = version() >= CONFIG_HOOKS_FROM
        self._config = repo.config(r"^hook\.ragit-") if self.by_config else {}
        self._in_pre_commit = _mentions_ragit(repo.top)

    @property
    def dispatcher(self) -> Path:
        """The file that all hooks call."""
        return self.common_dir / script.FOLDER / script.DISPATCHER

    @property
    def husky(self) -> bool:
        """True if husky runs the hooks: it rewrites its folder `_`, and users write beside that."""
        return self.folder.name == "_" and (self.folder / "h").exists()

    def file(self, event: str) -> Path:
        """Return the file that a user would edit for this hook."""
        return (self.folder.parent if self.husky else self.folder) / event

    def shown(self, file: Path) -> str:
        """Return a file's path from the top of the working tree, or absolute if it is outside."""
        if self.top is not None and file.is_relative_to(self.top):
            return str(file.relative_to(self.top))
        return str(file)

    def variants(self, event: str) -> list[Path]:
        """Return every file that may contain ragit's lines for this hook."""
        folders = dict.fromkeys((self.folder, self.file(event).parent, self.common_dir / "hooks"))
        return [folder / f"{event}{suffix}" for folder in folders for suffix in ("", *_MOVED)]

    def interpreter(self) -> str | None:
        """Return the Python that the dispatcher starts; None if there is no dispatcher."""
        text = read(self.dispatcher).decode("utf-8", "surrogateescape")
        found = re.search(r"^python=(.*)$", text, re.M)
        return (shlex.split(found[1]) or [""])[0] if found else None

    def look(self, event: str) -> HookState:
        """Return whether this hook starts the worker; if not, why, and the remedy."""
        file = self.file(event)
        where = self._calling(event, file)
        if where:
            return self._called(event, where)
        tool = tool_of(file)
        if tool == "pre-commit" and self._in_pre_commit:
            note = "by ragit-index in .pre-commit-config.yaml"
            return HookState(event, self.shown(file), "active", note)
        if tool == "pre-commit" and _active(legacy := file.with_name(f"{event}.legacy")):
            return HookState(event, self.shown(legacy), "active", "run by pre-commit")
        advice = self.advice(event) if self.obstacle(event, force=False) else INSTALL_HOOKS
        return HookState(event, self.shown(file), "absent", self._lost(event), advice)

    def _calling(self, event: str, file: Path) -> str:
        """Return the file or setting by which git calls the dispatcher; empty if none."""
        if f"hook.ragit-{event}.command" in self._config:
            return f"git config hook.ragit-{event}"
        return self.shown(file) if _active(file) else ""

    def _called(self, event: str, where: str) -> HookState:
        if not os.access(self.dispatcher, os.X_OK):
            note = f"it calls {self.dispatcher}, which is not there"
            return HookState(event, where, "absent", note, INSTALL_HOOKS)
        python = self.interpreter() or ""
        if os.access(python, os.X_OK):
            return HookState(event, where, "active")
        gone = f"its Python is gone: {python}"
        if found := shutil.which("ragit"):
            return HookState(event, where, "active", f"{gone}; it starts {found}")
        return HookState(event, where, "broken", gone, INSTALL_HOOKS)

    def _lost(self, event: str) -> str:
        """Return where ragit's lines are without being run, if another tool moved them."""
        dead = next((file for file in self.variants(event) if script.has_block(read(file))), None)
        return f"ragit's lines are in {self.shown(dead)}, which nothing runs" if dead else ""

    def obstacle(self, event: str, *, force: bool) -> str:
        """Return why ragit must not write to this hook; empty if it may."""
        file = self.file(event)
        if self.by_config:
            return ""
        if (tool := tool_of(file)) in {"pre-commit", "lefthook"}:
            return f"{tool} rewrites it"
        if not self.inside and not force:
            return "husky's" if self.husky else "outside the git directory (core.hooksPath)"
        if file.is_symlink():
            return _unfit(file.resolve()) if force else "a link"
        return _unfit(file)

    def advice(self, event: str) -> str:
        """Return the remedy for an obstacle."""
        file, tool = self.file(event), tool_of(self.file(event))
        if tool == "pre-commit":
            return "add the id ragit-index to .pre-commit-config.yaml: docs/hooks.md"
        if tool == "lefthook":
            return f"add to lefthook.yml: {_LEFTHOOK.format(event=event)}"
        if not self.obstacle(event, force=True):
            return f"{INSTALL_HOOKS} --force"
        if _unfit(file) == _NO_SHELL:
            return f"call from {self.shown(file)}: ragit hooks run {event}"
        return f"chmod +x {shlex.quote(self.shown(file))}, then: {INSTALL_HOOKS}"


_NO_SHELL = "no shell script"
_LEFTHOOK = (
    "{event}: {{commands: {{ragit: {{run: "
    "'sh \"$(git rev-parse --git-common-dir)/ragit/hook\" {event} {{0}} || :'}}}}}}"
)


def read(file: Path) -> bytes:
    """Return a hook's content; empty if there is none."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def tool_of(file: Path) -> str:
    """Return the tool whose hook this is: pre-commit, lefthook or git-lfs; empty for a
    user's own.
    """
    content = read(file)
    for mark, tool in _MARKS:
        if mark in content:
            return tool
    return ""


_MARKS = (
    (b"File generated by pre-commit", "pre-commit"),
    (b"call_lefthook", "lefthook"),
    (b"git lfs post-", "git-lfs"),
)


def _unfit(file: Path) -> str:
    """Return why lines cannot be added to a file; empty if they can."""
    content = script.without_block(read(file))
    if not content:
        return ""
    if content.startswith(b"#!") and not _SHELLS.match(content):
        return _NO_SHELL
    if not os.access(file, os.X_OK):
        return "not executable, so git skips it"
    return ""


def _active(file: Path) -> bool:
    return script.has_block(read(file)) and os.access(file, os.X_OK)


def _mentions_ragit(top: Path | None) -> bool:
    config = read(top / ".pre-commit-config.yaml") if top else b""
    return re.search(rb"^[^#\n]*\bragit-index", config, re.M) is not None


def _within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
