"""Parse the PATH:LINE that names a line of a file."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(.*[^:]):(\d+)")


def path_and_line(text: str) -> tuple[str, int] | None:
    """Return the path and the line of PATH:LINE; None for a name."""
    found = _PLACE.fullmatch(text)
    return (found[1], int(found[2])) if found else None
