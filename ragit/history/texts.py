"""Tell in which blobs a text is, and in which file of a commit it is instead of another. What both
the way back of a text and the way on from where it was are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType

from ragit.index import OnDemand
from ragit.refs import line_of
from ragit.types import Change, Oid

_AT_ONCE = 400
"""Changed files of a commit that are read together."""


class TextFinder:
    """Tells in which blobs a text is, as whole lines. Each blob is read once; of those in `known`
    the line is known.
    """

    def __init__(
        self, files: OnDemand, code: bytes, known: Mapping[Oid, int] = MappingProxyType({})
    ) -> None:
        self._files = files
        self._code = code
        self._lines = dict(known)
        self.lacking = False
        """True once a blob was asked for that the repository lacks."""

    def line(self, path: bytes, blob: Oid) -> int:
        """Return the line at which a blob has the text; 0 if it has not, or is not there."""
        if blob not in self._lines:
            self._note(blob, self._files.text(path, blob))
        return self._lines[blob]

    def load(self, files: Iterable[tuple[bytes, Oid]]) -> None:
        """Read some blobs together, as far as they are not read yet."""
        new = {blob: path for path, blob in files if blob not in self._lines}
        for blob, text in self._files.texts((path, blob) for blob, path in new.items()):
            self._note(blob, text)

    def _note(self, blob: Oid, text: bytes | None) -> None:
        self.lacking |= text is None
        self._lines[blob] = line_of(self._code, text) if text else 0


def other_file(finder: TextFinder, changes: Iterable[Change], path: bytes) -> bytes | None:
    """Return the file that lost the text by some changes; None if none did.

    They are looked at in the order of `alike_first`. For the file that gained the text, give the
    changes from the new tree to the old one.
    """
    waiting = iter(alike_first(changes, path))
    while some := list(islice(waiting, _AT_ONCE)):
        finder.load((one.path, one.old.oid) for one in some if one.old)
        for one in some:
            if _lost(finder, one):
                return one.path
    return None


def _lost(finder: TextFinder, change: Change) -> bool:
    """Return whether a file had the text before a change, and has it no more."""
    if change.old is None or not finder.line(change.path, change.old.oid):
        return False
    return change.new is None or not finder.line(change.path, change.new.oid)


def alike_first(changes: Iterable[Change], path: bytes) -> list[Change]:
    """Return the changes of what were ordinary files, without `path`: files that are called like it
    first, then those that are gone.
    """
    name = _name(path)
    others = [one for one in changes if one.path != path and _was_file(one)]
    return sorted(others, key=lambda one: (_name(one.path) != name, one.new is not None))


def _was_file(change: Change) -> bool:
    return change.old is not None and change.old.mode & 0o170000 == 0o100000


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
