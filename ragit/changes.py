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
    """The line of the first of the names that the change is about."""
    kind: str
    names: tuple[str, ...]
    """The names that the change is about, in order of their lines."""
    parent: str
    """The names around the first of them."""
    chunk: int
    """The chunk's number in the store."""


class Change(NamedTuple):
    """A change of one definition, or of several that lie in one chunk."""

    status: str
    """added, removed, changed (same name and parent in the same file, other text), moved (same
    text, or same name and parent, in another file) or renamed (similar text under another name).
    """
    old: Side | None
    """The definition before; None if it was added."""
    new: Side | None
    """The definition after; None if it was removed."""
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


class CommitFacts(NamedTuple):
    """A commit as a person knows it."""

    commit: Oid
    parents: tuple[Oid, ...]
    """Empty for a first commit, and for one whose parents a shallow clone lacks."""
    date: str
    """The author's, as 2024-10-25T03:33:01+08:00."""
    author: str
    email: str
    subject: str


class Move(NamedTuple):
    """A commit that moved code from another file."""

    commit: CommitFacts
    old_path: str
    new_path: str


class Version(NamedTuple):
    """A text that some code had."""

    since: CommitFacts | None
    """The commit that brought this text; None if it is not committed."""
    path: str
    start_line: int
    end_line: int
    kind: str
    names: tuple[str, ...]
    parent: str


class Since(Record):
    """Since when a piece of code exists, and what it was before."""

    ref: str
    """The place or symbol of the question, in words."""
    tree: Oid
    complete: bool
    """True if all of that tree is indexed. What is followed are texts in git, indexed or not."""
    now: Version
    """The code as it is, and the commit that brought its text."""
    path_then: str
    """The file that this commit brought it to."""
    first_tag: str
    """The first tag, by version, that has this text in one of the files that it was in; empty if
    none has.
    """
    tag_has_commit: bool
    """False if that tag does not contain the commit: the text came to it by another one."""
    moves: tuple[Move, ...]
    """Commits that moved it to another file since, newest first."""
    earlier: tuple[Version, ...]
    """The texts that the definition had before, newest first."""
    more: bool
    """True if there are further ones, or may be."""
    unknown: str
    """Why the code may be older than is said, in a sentence; else empty."""
    commits: int
    """The number of commits that were looked at."""
    tags: int
    """The number of tags that were looked at."""
    blobs: int
    """The number of versions of files that were looked at."""
    absent: int
    """Files among them that the repository lacks."""
    took_ms: float = 0.0


class Gone(Record):
    """The removal of a definition that the tree no longer has."""

    symbol: str
    ref: str
    tree: Oid
    complete: bool
    last: Version
    """The text that it had last, in the parent of the commit that removed it."""
    last_commit: Oid
    """The parent named before."""
    removed: CommitFacts
    last_tag: str
    """The last tag, by version, that has this text in this file; empty if none has."""
    commits: int
    tags: int
    blobs: int
    absent: int
    took_ms: float = 0.0
