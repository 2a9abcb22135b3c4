"""Convert paths of files from a model."""

from __future__ import annotations

import os
from pathlib import Path

from ragit.repository import Ragit


def of_file(index: Ragit, path: str) -> str:
    """Return a path relative to the opened folder, as the library expects.

    The given one is relative to the top of the repository, as in results, or absolute.
    """
    if index.top is None:
        return path
    found = Path(os.path.normpath(index.top / path))
    if not found.is_relative_to(index.top):  # the top may be named by a link
        found = Path(os.path.realpath(found.parent), found.name)
    return str(found)
