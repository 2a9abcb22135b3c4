"""Defines the answers of `ragit diff` and `ragit since`. Standard library only, no IO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid

ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"
MOVED = "moved"
RENAMED = "renamed"
STATUSES = (ADDED, REMOVED, CHANGED, MOVED, RENAMED)
"""Kinds of changes of a definition, in the order of the summary."""


class Side(NamedTuple):
    """A chunk that defines names, in one of two trees."""

    path: str
    start_line: int
    end_line: int
    line: int
    """Line of the first changed name."""
    kind: str
    names: tuple[str, ...]
    """The changed names, in order of their lines."""
    parent: str
    """The names around the first of them."""
    chunk: int


class Change(NamedTuple):
    """A change of one definition, or of several in one chunk."""

    status: str
    """added, removed, changed (same name and parent in the same file, other text), moved (same
    text, or same name and parent, in another file) or renamed (similar text under another name).
    """
    old: Side | None
    """The definition before; None if it was added."""
    new: Side | None
    """The definition after; None if it was removed."""
    similarity: float | None = None
    """Cosine of both chunks' vectors, if it decided the change; else None."""
    score: float | None = None
    """Score for the query; None without a query."""

    @property
    def shown(self) -> Side:
        """Return the new side; the old one if removed."""
        side = self.new or self.old
        assert side is not None
        return side


class Diff(Record):
    """The changes of definitions between two trees."""

    old_ref: str
    old_tree: Oid
    new_ref: str
    new_tree: Oid
    completeness: Completeness
    """The indexed part of both trees."""
    changes: tuple[Change, ...] = ()
    """In order of path and line, or of the score for the query."""
    files: int = 0
    """Number of indexed files that differ."""
    unnamed: tuple[str, ...] = ()
    """Paths of files where text without a name changed: prose, data, imports."""
    took_ms: float = 0.0
    query: str = ""
    left_out: int = 0
    """Number of changes beyond the requested ones."""
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of listed definitions by status."""
        found: Counter[str] = Counter()
        for change in self.changes:
            found[change.status] += len(change.shown.names)
        return {status: found[status] for status in STATUSES}


class CommitFacts(NamedTuple):
    """Author, date and subject of a commit."""

    commit: Oid
    parents: tuple[Oid, ...]
    """Empty for a first commit, and for one whose parents a shallow clone lacks."""
    date: str
    """The author's date, as 2024-10-25T03:33:01+08:00."""
    author: str
    email: str
    subject: str


class Move(NamedTuple):
    """A commit that moved code from another file."""

    commit: CommitFacts
    old_path: str
    new_path: str


class Version(NamedTuple):
    """One version of a piece of code."""

    since: CommitFacts | None
    """The commit that brought this text; None if uncommitted."""
    path: str
    start_line: int
    end_line: int
    kind: str
    names: tuple[str, ...]
    parent: str


class Since(Record):
    """Since when a piece of code exists, and its earlier versions."""

    ref: str
    """The place or symbol in the question."""
    tree: Oid
    complete: bool
    """True if that tree is completely indexed. The history itself is read from git, indexed
    or not.
    """
    now: Version
    """The present code, and the commit that brought its text."""
    path_then: str
    """The file in that commit."""
    first_tag: str
    """The first tag, by version, with this text in one of its files; empty if none."""
    tag_has_commit: bool
    """False if that tag does not contain the commit: the text came to it by another one."""
    moves: tuple[Move, ...]
    """Later commits that moved it to another file, newest first."""
    earlier: tuple[Version, ...]
    """The earlier texts of the definition, newest first."""
    more: bool
    """True if there are or may be further ones."""
    unknown: str
    """Why the code may be older than reported, in a sentence; else empty."""
    commits: int
    """Number of commits examined."""
    tags: int
    """Number of tags examined."""
    blobs: int
    """Number of versions of files examined."""
    absent: int
    """Number of these versions that the repository lacks."""
    took_ms: float = 0.0


class Gone(Record):
    """The removal of a definition."""

    symbol: str
    ref: str
    tree: Oid
    complete: bool
    last: Version
    """Its last text, in the parent of the commit that removed it."""
    last_commit: Oid
    """That parent."""
    removed: CommitFacts
    last_tag: str
    """The last tag, by version, with this text in this file; empty if none."""
    unknown: str
    """Reason why the text may be older than `last` says; empty if it is not."""
    commits: int
    tags: int
    blobs: int
    absent: int
    took_ms: float = 0.0
