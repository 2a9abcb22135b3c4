"""Tells whether the settings' files have changed, for a long-lived process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ragit.config import FILE_NAME
from ragit.git import Repo
from ragit.git import clean_env as clean_env
from ragit.repository import trust

Stamp = tuple[int, int, int]
"""Modification time in nanoseconds, size and inode of a file."""


class SettingsFiles:
    """The files that settings of a repository come from, as of construction.

    Changes by git's conditional includes are noticed for conditions on the folder only.
    """

    def __init__(self, repo: Repo, environ: Mapping[str, str], others: Iterable[Path]) -> None:
        """Record their state, and that of `others`."""
        found = {*_usual(repo, environ), *_named_by_git(repo), *others}
        self._stamps = {path: _stamp(path) for path in found}

    def changed(self) -> bool:
        """Return whether a file was changed, created or removed since."""
        return any(_stamp(path) != before for path, before in self._stamps.items())


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _usual(repo: Repo, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the possible files of settings, existing or not."""
    if repo.top is not None:
        yield repo.top / FILE_NAME
    yield trust.record_path(environ)
    yield repo.common_dir / "config"
    yield repo.git_dir / "config.worktree"
    home = Path(environ.get("HOME") or Path.home())
    yield home / ".gitconfig"
    yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"
    for variable in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        if environ.get(variable):
            yield Path(environ[variable])


def _named_by_git(repo: Repo) -> Iterator[Path]:
    """Yield the files from which git read a setting: the system's, and included ones."""
    folder = repo.top or repo.git_dir
    for _, origin in repo.config_origins(".").values():
        kind, _, path = origin.partition(" ")[2].partition(":")
        if kind == "file":
            yield folder / os.path.expanduser(path)  # noqa: PTH111 - leaves an unknown ~user
