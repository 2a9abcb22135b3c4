"""Writes a log of an unexpected exception, with what a bug report needs."""

from __future__ import annotations

import datetime
import os
import platform
import tempfile
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ragit import __version__

_PACKAGES = (
    "apsw",
    "click",
    "numpy",
    "pygit2",
    "sqlite-vec",
    "tree-sitter",
    "tree-sitter-language-pack",
)


def report(args: Sequence[str]) -> Path:
    """Write the exception being handled to a file, and return the file. For use in an `except`
    block.
    """
    now = datetime.datetime.now(datetime.timezone.utc)
    text = "\n".join(
        [
            f"ragit {__version__}, {now:%Y-%m-%d %H:%M:%S} UTC",
            f"python {platform.python_version()} on {platform.platform()}",
            *(f"{name} {_version(name)}" for name in _PACKAGES),
            f"command: ragit {' '.join(map(repr, args))}",
            "",
            traceback.format_exc(),
        ]
    )
    for folder in (_state_folder(), Path(tempfile.gettempdir())):
        path = folder / "ragit-crash.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return path
    return Path(os.devnull)


def _state_folder() -> Path:
    folder = os.environ.get("XDG_STATE_HOME", "")
    return (
        Path(folder) if Path(folder).is_absolute() else Path.home() / ".local" / "state"
    ) / "ragit"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"
