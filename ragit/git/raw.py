"""Parse what git writes with `--raw -z`."""

from __future__ import annotations

import re

from ragit.types import Change, Entry, Oid

_ZEROS = re.compile(rb"0+")


def change_of(facts: bytes, path: bytes) -> Change:
    """Parse `:old-mode SP new-mode SP old-oid SP new-oid SP status`; an absent side is zeros."""
    old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
    return Change(path, _side(path, old_mode, old_oid), _side(path, new_mode, new_oid))


def _side(path: bytes, mode: bytes, oid: bytes) -> Entry | None:
    return None if _ZEROS.fullmatch(mode) else Entry(path, int(mode, 8), Oid(oid.decode()))
