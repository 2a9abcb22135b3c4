"""Defines the answers of `ragit diff` and `ragit since`. Standard library only, no IO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ragit.records import Record
from ragit.types import Completeness, Oid

ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"
MOVED = "moved"
RENAMED = "renamed"
STATUSES = (ADDED, REMOVED, CHANGED, MOVED, RENAMED)
"""What may have become of a definition, in the order of the summary."""


class Side(NamedTuple):
    """A chunk that defines names, in one of two trees."""

    path: str
    start_line: int
    end_line: int
    line: int
    """The line of the first of the names that the change is about."""
    kind: str
    names: tuple[str, ...]
    """The names that the change is about, in order of their lines."""
    parent: str
    """The names around them, as in a hit."""
    chunk: int
    """The chunk's number in the store."""


class Change(NamedTuple):
    """What became of one definition, or of several that lie in one chunk."""

    status: str
    """added, removed, changed (same name and parent in the same file, other text), moved (same
    text, or same name and parent, in another file) or renamed (similar text under another name).
    """
    old: Side | None
    """None for what was added."""
    new: Side | None
    """None for what was removed."""
    similarity: float | None = None
    """The cosine of both chunks' vectors, for what was found by it; else None."""
    score: float | None = None
    """The score for the query; None without a query."""

    @property
    def shown(self) -> Side:
        """Return the new side, or the old one of what was removed."""
        side = self.new or self.old
        assert side is not None
        return side


class Diff(Record):
    """What became of the definitions between two trees."""

    old_ref: str
    old_tree: Oid
    new_ref: str
    new_tree: Oid
    completeness: Completeness
    """How much of both trees is indexed."""
    changes: tuple[Change, ...] = ()
    """In order of path and line, or of the score for the query."""
    files: int = 0
    """The number of files that differ and are indexed."""
    unnamed: tuple[str, ...] = ()
    """Paths of files of which text without a name changed: prose, data, imports."""
    took_ms: float = 0.0
    query: str = ""
    left_out: int = 0
    """The number of changes beyond those that were asked for."""
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of definitions by status, of those that are listed."""
        found: Counter[str] = Counter()
        for change in self.changes:
            found[change.status] += len(change.shown.names)
        return {status: found[status] for status in STATUSES}
