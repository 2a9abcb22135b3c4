"""Tell whether a folder's time changes with its entries, as git's untracked cache needs.

git tests that with files (`update-index --test-untracked-cache`), which takes ten seconds. This
decides by the type of file system, which Linux tells.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_KINDS = frozenset("bcachefs btrfs ext2 ext3 ext4 f2fs overlay tmpfs xfs".split())
"""Linux file systems that maintain the times of folders."""

_MOUNTS = Path("/proc/self/mountinfo")

_ESCAPED = re.compile(rb"\\([0-7]{3})")


def have_times(top: Path) -> bool:
    """Return whether all folders below this one certainly have such times."""
    try:
        listed = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return False
    return _have_times(os.fsencode(os.path.realpath(top)), [row.split() for row in listed])


def _have_times(top: bytes, mounts: list[list[bytes]]) -> bool:
    """Decide by rows of mountinfo: `id parent device root place ... - kind ...`."""
    around, kind, others = b"", "", set[str]()
    for row in mounts:
        place = _ESCAPED.sub(lambda code: bytes([int(code[1], 8)]), row[4])
        found = row[row.index(b"-") + 1].decode()
        if _is_within(top, place) and len(place) >= len(around):  # the last one of a place counts
            around, kind = place, found
        elif _is_within(place, top):
            others.add(found)
    return {kind, *others} <= _KINDS


def _is_within(place: bytes, folder: bytes) -> bool:
    return (place + b"/").startswith(folder.rstrip(b"/") + b"/")
