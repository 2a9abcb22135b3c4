"""Find the last place of removed code, on the first-parent line of HEAD.

Files are compared by text, so nothing has to be indexed. Code is followed to the file to which a
commit moved it, as `following` does backwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragit.git import Repo, Step
from ragit.history.texts import TextFinder, other_file
from ragit.index import Indexer, OnDemand
from ragit.records import replaced
from ragit.types import Answer, Hit, LastStood, Oid, path_text

MOVES = 8
"""Limit of moves to another file that are followed."""

_SHALLOW = (
    "this clone is shallow: where code stood last is known only of commits that it has"
    " (git fetch --unshallow)"
)


def with_last_stood(repo: Repo, indexer: Indexer, answer: Answer, since: Oid) -> Answer:
    """Return an answer whose hits have their last place: code in the commit `since` that HEAD
    lacks.

    A hit has none if the first-parent line of HEAD never had it, or if its text still exists with
    other names around it.
    """
    head = repo.head().commit
    if head is None or not answer.hits:
        return answer
    with repo.objects() as objects:
        files = OnDemand(indexer, None, objects)
        hits = _Remover(repo, files, head, since).with_places(answer.hits)
    unknown = not all(hit.last_stood for hit in hits)
    notes = (*answer.notes, _SHALLOW) if unknown and repo.shallow else answer.notes
    return replaced(answer, hits=hits, notes=notes)


class _Remover:
    """Searches the first-parent line of a commit for the removal of a piece of code."""

    def __init__(self, repo: Repo, files: OnDemand, head: Oid, since: Oid) -> None:
        self._repo = repo
        self._files = files
        self._head = head
        self._since = since

    def with_places(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return the hits with their last places."""
        steps = self._steps(self._since, [_raw(hit.path) for hit in hits])
        return tuple(self._with_place(hit, steps) for hit in hits)

    def _steps(self, since: Oid, paths: Iterable[bytes]) -> list[Step]:
        """Return the changes of the paths since a commit, newest first."""
        return self._repo.steps(since, self._head, sorted(set(paths)))

    def _with_place(self, hit: Hit, steps: Sequence[Step]) -> Hit:
        code = hit.text.encode("utf-8", "surrogateescape")
        finder = TextFinder(self._files, code, {hit.blob: hit.start_line})
        removal = _removal(finder, [one for one in steps if one.path == _raw(hit.path)])
        for _ in range(MOVES):
            path = self._moved_to(finder, removal) if removal else None
            if removal is None or path is None:
                break
            later = _removal(finder, self._steps(removal.commit, [path]))
            if later is None:
                return hit  # it still stands there
            removal = later
        if removal is None or removal.old is None:
            return hit
        line = finder.line(removal.path, removal.old)
        commit = removal.parent or self._since
        stood = LastStood(
            path_text(removal.path), line, commit, removal.commit, removal.date, removal.subject
        )
        return replaced(hit, last_stood=stood)

    def _moved_to(self, finder: TextFinder, removal: Step) -> bytes | None:
        """Return the file to which a commit moved the code that it removed."""
        if removal.parent is None:
            return None
        trees = self._repo.trees_of([removal.parent, removal.commit])
        if len(trees) < 2:
            return None
        back = self._repo.diff(trees[removal.commit], trees[removal.parent])
        return other_file(finder, back, removal.path)


def _removal(finder: TextFinder, steps: Iterable[Step]) -> Step | None:
    """Return the newest step that removed the code from its file; None if none did."""
    for step in steps:
        if step.new and finder.line(step.path, step.new):
            return None
        if step.old and finder.line(step.path, step.old):
            return step
    return None


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
