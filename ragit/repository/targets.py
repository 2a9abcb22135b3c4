"""What a caller names, found in one repository: the tree of a revision or of uncommitted work, files, patterns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ragit import globs
from ragit.errors import ConfigError, GitFailed
from ragit.git import GitStatus
from ragit.query import Query
from ragit.records import replaced
from ragit.repository.early_status import Ahead
from ragit.types import HEAD, STAGED, UNCOMMITTED, Oid, Target

DAY = 86_400


class Targets:
    """Finds trees and paths. `most_bytes` says how large an uncommitted file of a path may be."""

    def __init__(self, ahead: Ahead, most_bytes: Callable[[bytes], int]) -> None:
        self._repo, self._started = ahead
        self._most_bytes = most_bytes
        self._looked = False
        self._under_way: GitStatus | None = None

    def look_again(self) -> None:
        """See where HEAD stands now: it may have moved since the last call (the first one finds it just looked up)."""
        if self._looked:
            self._repo.refresh()
        self._looked = True

    def begin(self, revision: str | None, scope: str) -> None:
        """Let git look at the working tree, if it is meant, until `of` asks for the tree: it takes a while."""
        if self._under_way:
            self._under_way.stop()  # whoever let it begin went away
        self._under_way = None
        if revision is None and scope == "worktree":
            self._under_way, self._started = self._started or self._repo.start_status(), None

    def of(self, revision: str | None, scope: str) -> Target:
        """The tree of a revision; if none is named, by `scope` HEAD's, the staged or the working tree.

        Raises UnknownRevision.
        """
        head = self._repo.head()
        if revision is not None:
            return Target(revision, self._repo.resolve(revision).tree, head.tree)
        if scope == "worktree":
            return self.working()[0]
        if scope == "staged":
            return Target(STAGED, self._repo.staged_tree(), head.tree)
        return Target(HEAD, head.tree, head.tree)

    def working(self) -> tuple[Target, Mapping[bytes, str]]:
        """HEAD with the uncommitted changes, and the changed files that are left out of it, with the reason."""
        status, self._under_way = self._under_way, None
        tree, _, left_out = self._repo.working_tree(self._most_bytes, status)
        head = self._repo.head()  # which may have moved until then
        return Target(HEAD if tree == head.tree else UNCOMMITTED, tree, head.tree), left_out

    def reachable(self, reflog_days: int) -> set[Oid]:
        """Trees of all refs, all worktrees' HEADs, recent reflog entries, and the uncommitted states here."""
        repo = self._repo
        since = time.time() - reflog_days * DAY
        commits = {worktree.head for worktree in repo.worktrees() if worktree.head}
        trees = {revision.tree for revision in repo.refs()} | set(repo.trees_of(commits).values())
        trees |= {entry.tree for entry in repo.reflog() if entry.seconds >= since}
        trees |= {repo.head().tree}
        if repo.top is not None:
            trees |= {repo.working_tree(self._most_bytes).tree, *self._staged()}
        return trees

    def _staged(self) -> set[Oid]:
        try:
            return {self._repo.staged_tree()}
        except GitFailed:  # there are conflicts: what is staged is no tree yet
            return set()

    def from_top(self, query: Query) -> Query:
        """The query with its path patterns as they are from the top."""
        return (
            replaced(query, paths=tuple(map(self._pattern, query.paths))) if query.paths else query
        )

    def file(self, path: str) -> bytes:
        """A file's path as git has it; the given one is of the opened folder."""
        top = self._repo.top or self._repo.common_dir
        found = os.path.relpath(os.path.join(top, os.fsdecode(self._repo.prefix), path), top)  # noqa: PTH118
        return os.fsencode(found).replace(os.sep.encode(), b"/")

    def _pattern(self, pattern: str) -> str:
        if pattern.startswith(globs.LESS):
            return globs.LESS + self._pattern(pattern.removeprefix(globs.LESS))
        top = str(self._repo.top) if self._repo.top else None
        if not pattern.strip():
            raise ConfigError(
                "an empty path is asked for",
                "Leave the path out, or name a file, a folder or a pattern",
            )
        if top and pattern.startswith("/") and not Path(pattern).is_relative_to(top):
            real = os.path.realpath(
                pattern
            )  # one may have come here by a link, and a shell names the way one came
            pattern = real if Path(real).is_relative_to(top) else pattern
        found = globs.from_top(pattern, os.fsdecode(self._repo.prefix), top)
        if found is None:
            raise ConfigError(
                f"{pattern} is outside the repository",
                f"It begins at {top or self._repo.common_dir}",
            )
        return found
