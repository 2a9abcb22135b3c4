"""Follow a piece of code back through the commits, to the one that introduced its text.

A commit introduced a text in a file if the file has it, as whole lines, and had it in none of the
commit's parents. If the commit removed the same text from another file, it moved it, and that file
is followed from there.
"""

from __future__ import annotations

from ragit.changes import CommitFacts, Move
from ragit.git import Ancestry, FileHistory, Node
from ragit.history.texts import TextFinder, other_file
from ragit.index import OnDemand
from ragit.records import NamedTuple
from ragit.types import Oid, path_text

CUT = "this is a shallow clone, and its history ends at that commit: git fetch --unshallow"
NOT_HERE = "older content of the file is not in this repository (`ragit doctor` says more)"


class Start(NamedTuple):
    """The newest commit of a file's history."""

    history: FileHistory
    node: Node
    path: bytes


class Stop(NamedTuple):
    """The oldest place to which a text can be followed."""

    history: FileHistory
    """The history of the file in which it was introduced."""
    node: Node
    """The commit that introduced it."""
    path: bytes
    paths: tuple[bytes, ...]
    """All files that contained it, the first one in time last."""
    moves: tuple[Move, ...]
    unknown: str
    """Reason why the text may be older; empty if it is not."""


class Follower:
    """Follows texts through the commits of one repository."""

    def __init__(self, ancestry: Ancestry, files: OnDemand) -> None:
        self._files = files
        self.ancestry = ancestry

    def follow(self, code: bytes, commit: Oid, path: bytes) -> Stop | None:
        """Follow the text of a file in a commit to its origin, and return that; None if git lists
        no commit of the file.
        """
        start = self.start(commit, path)
        return self.follow_on(code, *start) if start else None

    def follow_on(self, code: bytes, history: FileHistory, node: Node, path: bytes) -> Stop:
        """Follow a text from a commit whose file has it to its origin, and return that."""
        finder = self.finder(code)
        paths = [path]
        moves: list[Move] = []
        while True:
            node = _first(finder, history, node, path)
            facts = self.ancestry.facts(node.commit)
            unknown = self._unknown(finder, facts)
            source = None if unknown else self._source(finder, node.commit, path)
            if source is None:
                return Stop(history, node, path, tuple(paths), tuple(moves), unknown)
            moves.append(Move(facts, path_text(source.path), path_text(path)))
            history, node, path = source
            paths.append(path)

    def _unknown(self, finder: TextFinder, facts: CommitFacts) -> str:
        """Return why the text may be older than this commit; empty if it is not."""
        if finder.lacking:
            return NOT_HERE
        return CUT if not facts.parents and self.ancestry.is_cut(facts.commit) else ""

    def _source(self, finder: TextFinder, commit: Oid, path: bytes) -> Start | None:
        """Return the file from which a commit moved a text; None if from none."""
        for parent, changes in self.ancestry.changes(commit):
            found = other_file(finder, changes, path)
            start = self.start(parent, found) if found is not None else None
            if start:
                return start
        return None

    def start(self, commit: Oid, path: bytes) -> Start | None:
        """Return the start of a file's history, back from a commit; None if git lists none."""
        history = self.ancestry.history(commit, path)
        node = history.newest()
        return Start(history, node, path) if node else None

    def finder(self, code: bytes) -> TextFinder:
        """Return a finder of the blobs that contain a text."""
        return TextFinder(self._files, code)


def _first(finder: TextFinder, history: FileHistory, node: Node, path: bytes) -> Node:
    """Return the commit that introduced the text in this file: none of its parents has it there."""
    while True:
        finder.lacking = False
        older = (history.node(parent) for parent in node.parents)
        having = (one for one in older if one and one.blob and finder.line(path, one.blob))
        found = next(having, None)
        if found is None:
            return node
        node = found
