"""Finds the running ragit's command, for agents to start."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ragit.errors import ConfigError
from ragit.installation import is_temporary, source


def own_command() -> str:
    """Return the absolute path of the running command.

    A link such as ~/.local/bin/ragit is not followed, since it outlives an update of its target.
    Raises ConfigError if there is no command, or it will be removed.
    """
    found = _started() or _beside_python()
    if found is None:
        raise ConfigError(
            f"there is no ragit command beside {sys.executable}, so agents could not start it",
            f"Install ragit: uv tool install {source()}",
        )
    if is_temporary(found) or is_temporary(os.path.realpath(found)):
        raise ConfigError(
            f"this ragit runs from a temporary environment ({found}), which will be removed",
            f"Install ragit, then try again: uv tool install {source()}",
        )
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"the path of ragit is not UTF-8: {found!r}", f"Move it: uv tool install {source()}"
        ) from error
    return found


def _started() -> str | None:
    """Return the command that started this process, if it is ragit's."""
    found = shutil.which(sys.argv[0]) if sys.argv and sys.argv[0] else None
    if found is None or Path(found).stem != "ragit":
        return None
    return os.path.abspath(found)  # noqa: PTH100 - `resolve` would follow links


def _beside_python() -> str | None:
    return shutil.which("ragit", path=str(Path(sys.executable).parent))
