"""Code search that lives in your git repository: content-addressed, branch-aware, offline."""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing: see __main__
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ragit.repository import Ragit

__version__ = "0.1.0"

__all__ = ["__version__", "open"]


def open(
    path: Path | str = ".",
    *,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Ragit:
    """Open the index of the repository around `path`; see `ragit.repository.repository.Ragit`."""
    from ragit.repository import (
        open_repository,  # here, so that importing a module of ragit does not load all of them
    )

    return open_repository(path, env=env, flags=flags)
