"""Lists values for shell completion: languages, refs and settings."""

from __future__ import annotations

import os
from pathlib import Path

from ragit.chunk import languages
from ragit.config import KNOBS
from ragit.errors import RagitError
from ragit.git import Repo

_SHORT = ("refs/heads/", "refs/tags/", "refs/remotes/")


def language_names() -> list[str]:
    """Return the languages of the table."""
    return sorted(languages())


def setting_names() -> list[str]:
    """Return the names of all settings."""
    return list(KNOBS)


def ref_names(folder: Path | str) -> list[str]:
    """Return HEAD and the short names of the refs of the repository around a folder; empty without
    one.
    """
    try:
        with Repo.open(folder, dict(os.environ)) as repo:
            names = [revision.name for revision in repo.refs()]
    except RagitError:
        return []
    for prefix in _SHORT:
        names = [name.removeprefix(prefix) for name in names]
    return list(dict.fromkeys(["HEAD", *names]))
