"""Tell which blobs contain a text, and which file of a commit has it instead of another. Used by
both directions of following a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragit.refs import line_of

if TYPE_CHECKING:
    from ragit.index import OnDemand
    from ragit.types import Change, Oid

_AT_ONCE = 400
"""Number of a commit's changed files that are read together."""


class TextFinder:
    """Tells which blobs contain a text, as whole lines. Each blob is read once; the lines of
    `known` blobs are given.
    """

    def __init__(
        self, files: OnDemand, code: bytes, known: Mapping[Oid, int] = MappingProxyType({})
    ) -> None:
        self._files = files
        self._code = code
        self._lines = dict(known)
        self.lacking = False
        """True once the repository lacked a requested blob."""

    def line(self, path: bytes, blob: Oid) -> int:
        """Return the line of the text in a blob; 0 if the blob lacks it, or is missing."""
        if blob not in self._lines:
            self._note(blob, self._files.text(path, blob))
        return self._lines[blob]

    def load(self, files: Iterable[tuple[bytes, Oid]]) -> None:
        """Read blobs together, except those already read."""
        new = {blob: path for path, blob in files if blob not in self._lines}
        for blob, text in self._files.texts((path, blob) for blob, path in new.items()):
            self._note(blob, text)

    def _note(self, blob: Oid, text: bytes | None) -> None:
        self.lacking |= text is None
        self._lines[blob] = line_of(self._code, text) if text else 0


def other_file(finder: TextFinder, changes: Iterable[Change], path: bytes) -> bytes | None:
    """Return the file that lost the text by the changes; None if none did.

    They are checked in the order of `alike_first`. To find the file that gained the text, pass the
    changes from the new tree to the old one.
    """
    waiting = iter(alike_first(changes, path))
    while some := list(islice(waiting, _AT_ONCE)):
        finder.load((one.path, one.old.oid) for one in some if one.old)
        for one in some:
            if _has_lost(finder, one):
                return one.path
    return None


def _has_lost(finder: TextFinder, change: Change) -> bool:
    """Return whether a file had the text before a change, but not after it."""
    if change.old is None or not finder.line(change.path, change.old.oid):
        return False
    return change.new is None or not finder.line(change.path, change.new.oid)


def alike_first(changes: Iterable[Change], path: bytes) -> list[Change]:
    """Return the changes of ordinary files other than `path`: files of the same name first, then
    removed ones.
    """
    name = _name(path)
    others = [one for one in changes if one.path != path and _was_file(one)]
    return sorted(others, key=lambda one: (_name(one.path) != name, one.new is not None))


def _was_file(change: Change) -> bool:
    return change.old is not None and change.old.mode & 0o170000 == 0o100000


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
