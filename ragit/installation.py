"""Tells where this ragit was installed from, and whether it will stay."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

_TEMPORARY = ("/uv/archive-v", "/uv/builds-v", "/.cache/pre-commit/", "/pre-commit/repo")
"""Parts of the paths of temporary environments, of uvx and of pre-commit."""


def is_temporary(path: str) -> bool:
    """Return whether a path lies in a temporary environment."""
    return any(part in Path(path).as_posix() for part in _TEMPORARY)


def source() -> str:
    """Return the folder or address that this ragit was installed from, never a bare name.

    The name on a package index may belong to another project.
    """
    try:
        found = json.loads(metadata.distribution("ragit").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        found = {}
    url = str(found.get("url", ""))
    if "vcs_info" in found:
        return f"git+{url}"
    return url.removeprefix("file://") or "PATH (of a clone of ragit)"
