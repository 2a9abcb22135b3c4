"""Find where code that is gone stood last, on the first-parent line of HEAD.

Files are compared by their text, so nothing has to be indexed for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragit import chunk
from ragit.git import Objects, Repo, Step
from ragit.records import replaced
from ragit.refs import line_of
from ragit.types import Answer, Hit, LastStood, Oid, path_text

MOVES = 8
"""Times that a piece of code is followed to another file, at most."""

FILES = 400
"""Changed files of a commit that are looked at for code that moved; a commit that changes more is
not looked into.
"""


_SHALLOW = (
    "this clone is shallow: where code stood last is known only of commits that it has"
    " (git fetch --unshallow)"
)


def with_last_stood(repo: Repo, answer: Answer, since: Oid) -> Answer:
    """Return an answer whose hits say where each stood last: code that the commit `since` has and
    HEAD lacks.

    A hit says nothing where the first-parent line of HEAD never had it, or where its text still
    stands with other names around it.
    """
    head = repo.head().commit
    if head is None or not answer.hits:
        return answer
    with repo.objects() as objects:
        finder = _Finder(repo, objects, head)
        steps = finder.steps(since, [_raw(hit.path) for hit in answer.hits])
        hits = tuple(finder.with_place(hit, since, steps) for hit in answer.hits)
    unknown = not all(hit.last_stood for hit in hits)
    notes = (*answer.notes, _SHALLOW) if unknown and repo.shallow else answer.notes
    return replaced(answer, hits=hits, notes=notes)


class _Finder:
    """Follows pieces of code along the first-parent line of a commit."""

    def __init__(self, repo: Repo, objects: Objects, head: Oid) -> None:
        self._repo = repo
        self._objects = objects
        self._head = head
        self._texts: dict[Oid, bytes] = {}

    def steps(self, since: Oid, paths: Iterable[bytes]) -> list[Step]:
        """Return what changed some paths since a commit, newest first."""
        return self._repo.steps(since, self._head, sorted(set(paths)))

    def with_place(self, hit: Hit, since: Oid, steps: Sequence[Step]) -> Hit:
        """Return a hit that says where it stood last."""
        removal = self._removal(hit, [one for one in steps if one.path == _raw(hit.path)])
        for _ in range(MOVES):
            path = self._moved_to(hit, removal) if removal else None
            if removal is None or path is None:
                break
            later = self._removal(hit, self.steps(removal.commit, [path]))
            if later is None:
                return hit  # it still stands there
            removal = later
        if removal is None or removal.old is None:
            return hit
        line = self._line(hit, removal.old)
        commit = removal.parent or since
        stood = LastStood(
            path_text(removal.path), line, commit, removal.commit, removal.date, removal.subject
        )
        return replaced(hit, last_stood=stood)

    def _removal(self, hit: Hit, steps: Iterable[Step]) -> Step | None:
        """Return the newest step that took the code out of the file; None if none did."""
        for step in steps:
            if step.new and self._line(hit, step.new):
                return None
            if step.old and self._line(hit, step.old):
                return step
        return None

    def _moved_to(self, hit: Hit, removal: Step) -> bytes | None:
        """Return the file to which the commit that took code out of a file brought it; the first of
        several.
        """
        if removal.parent is None:
            return None
        trees = self._repo.trees_of([removal.parent, removal.commit])
        if len(trees) < 2:
            return None
        changes = self._repo.diff(trees[removal.parent], trees[removal.commit])
        if len(changes) > FILES:
            return None
        self._load(one.oid for change in changes for one in (change.old, change.new) if one)
        for change in changes:
            had = change.old and self._line(hit, change.old.oid)
            if change.new and not had and self._line(hit, change.new.oid):
                return change.path
        return None

    def _line(self, hit: Hit, blob: Oid) -> int:
        """Return the line at which a blob has the code of a hit; 0 if it has not."""
        if blob == hit.blob:
            return hit.start_line
        self._load([blob])
        return line_of(hit.text.encode("utf-8", "surrogateescape"), self._texts[blob])

    def _load(self, blobs: Iterable[Oid]) -> None:
        new = dict.fromkeys(blob for blob in blobs if blob not in self._texts)
        for oid, data in self._objects.read_many(new):
            self._texts[oid] = (chunk.text_of(data) if data else None) or b""


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
