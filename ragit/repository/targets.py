"""Resolves a caller's trees, files and path patterns in one repository."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ragit import globs
from ragit.errors import ConfigError, GitFailed
from ragit.git import GitStatus
from ragit.query import Query, is_about_worktree
from ragit.records import replaced
from ragit.repository.early_status import EarlyStatus
from ragit.types import HEAD, STAGED, UNCOMMITTED, Oid, Target, path_text

DAY = 86_400


class Targets:
    """Trees and paths of one repository. `most_bytes` returns the size limit of an uncommitted file
    by path.
    """

    def __init__(self, early: EarlyStatus, most_bytes: Callable[[bytes], int]) -> None:
        self._repo, self._started = early
        self._most_bytes = most_bytes
        self._looked = False
        self._under_way: GitStatus | None = None

    def look_again(self) -> None:
        """Read HEAD again, except in the first call."""
        if self._looked:
            self._repo.refresh()
        self._looked = True

    def begin(self, query: Query) -> None:
        """Start git's status of the working tree, if a query needs it. `of` waits for it."""
        if self._under_way:
            self._under_way.stop()  # the caller of an earlier one left
        self._under_way = None
        if is_about_worktree(query):
            self._under_way, self._started = self._started or self._repo.start_status(), None

    def asked(self, query: Query) -> Target:
        """Return the tree of a query, with the tree whose code it excludes. Raises
        UnknownRevision.
        """
        if query.new_in is not None:
            return self._new_in(query.new_in, query.scope)
        if query.gone_since is not None:
            here = self.of(None, query.scope)
            return replaced(self.of(query.gone_since, query.scope), without=here)
        return self.of(query.ref, query.scope)

    def _searched_tree(self, query: Query) -> Target:
        """Return the tree that a query searches, without exclusions; for several refs HEAD's."""
        if query.new_in:
            return self._new_in(query.new_in, query.scope)
        if query.refs or query.all_refs:
            return self.of(None, "committed")
        return self.of(query.gone_since or query.ref, query.scope)

    def _new_in(self, text: str, scope: str) -> Target:
        """Return the later tree of a range without the code of the earlier one."""
        found = self._repo.range(text)
        head = self._repo.head().tree
        if found.new is None:
            new = self.of(None, scope)
        else:
            new = Target(found.new.name, found.new.tree, head)
        old = Target(found.old.name, found.old.tree, new.tree)
        return replaced(new, without=old)

    def of(self, revision: str | None, scope: str) -> Target:
        """Return the tree of a revision, or by `scope` HEAD's, the staged or the working tree.

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
        """Return HEAD with the uncommitted changes, and the reasons for skipping changed files."""
        status, self._under_way = self._under_way, None
        tree, _, left_out = self._repo.working_tree(self._most_bytes, status)
        head = self._repo.head()  # which may have moved until then
        return Target(HEAD if tree == head.tree else UNCOMMITTED, tree, head.tree), left_out

    def reachable(self, reflog_days: int) -> set[Oid]:
        """Return the trees of all refs, worktrees' HEADs, recent reflog entries and uncommitted
        states.
        """
        repo = self._repo
        since = time.time() - reflog_days * DAY
        commits = {worktree.head for worktree in repo.worktrees() if worktree.head}
        trees = {revision.tree for revision in repo.refs()} | set(repo.trees_of(commits).values())
        trees |= {entry.tree for entry in repo.reflog() if entry.seconds >= since}
        trees |= {repo.head().tree}
        if repo.top is not None:
            trees |= self._staged()
            with suppress(GitFailed):  # a full disk: uncommitted work is indexed again later
                trees.add(repo.working_tree(self._most_bytes).tree)
        return trees

    def _staged(self) -> set[Oid]:
        try:
            return {self._repo.staged_tree()}
        except GitFailed:  # there are conflicts, so there is no staged tree
            return set()

    def from_top(self, query: Query) -> Query:
        """Return the query with its path patterns relative to the top."""
        if not query.paths:
            return query
        return replaced(query, paths=tuple(self._pattern(one, query) for one in query.paths))

    def file(self, path: str) -> bytes:
        """Return a path relative to the opened folder as git has it."""
        top = self._repo.top or self._repo.common_dir
        found = os.path.relpath(os.path.join(top, os.fsdecode(self._repo.prefix), path), top)  # noqa: PTH118
        return os.fsencode(found).replace(os.sep.encode(), b"/")

    def has(self, path: str, query: Query) -> bool:
        """Return whether the tree of a query has a file or folder, relative to the opened
        folder.
        """
        found = self.file(path)
        inside = found != b".." and not found.startswith((b"../", b".git/")) and found != b".git"
        return inside and self._exists(found, query)

    def _exists(self, path: bytes, query: Query) -> bool:
        if path == b".":
            return True
        if is_about_worktree(query) and query.gone_since is None and self._repo.top:
            return os.path.lexists(os.path.join(os.fsencode(self._repo.top), path))  # noqa: PTH118
        tree = self._searched_tree(query).tree
        below = path.rstrip(b"/") + b"/"
        return any(
            entry.path == path or entry.path.startswith(below) for entry in self._repo.entries(tree)
        )

    def literal(self, path: str) -> str:
        """Return a pattern for a path below the opened folder and everything in it."""
        found = path_text(self.file(path))
        return "**" if found == "." else f"/{globs.literal(found)}"

    def _pattern(self, pattern: str, query: Query) -> str:
        if pattern.startswith(globs.LESS):
            return globs.LESS + self._pattern(pattern.removeprefix(globs.LESS), query)
        top = str(self._repo.top) if self._repo.top else None
        if not pattern.strip():
            raise ConfigError(
                "an empty path is asked for",
                "Leave the path out, or name a file, a folder or a pattern",
            )
        pattern = _without_links(pattern, top)
        if any(sign in pattern for sign in "*?[\\") and self._is_literal(pattern, top, query):
            pattern = globs.literal(pattern)
        found = globs.from_top(pattern, os.fsdecode(self._repo.prefix), top)
        if found is None:
            raise ConfigError(
                f"{pattern} is outside the repository",
                f"It begins at {top or self._repo.common_dir}",
            )
        return found

    def _is_literal(self, pattern: str, top: str | None, query: Query) -> bool:
        """Return whether a pattern is an existing path, which takes precedence, as in git's
        pathspecs.
        """
        here = pattern.split("/")[0] in {".", ".."}
        if here or (top and Path(pattern).is_relative_to(top)):
            return self.has(pattern, query)
        path = os.fsencode(pattern.strip("/"))
        return bool(path) and b".." not in path.split(b"/") and self._exists(path, query)


def _without_links(pattern: str, top: str | None) -> str:
    """Return an absolute pattern below the real top; a shell may give one below a link to it."""
    if top and pattern.startswith("/") and not Path(pattern).is_relative_to(top):
        real = os.path.realpath(pattern)
        return real if Path(real).is_relative_to(top) else pattern
    return pattern
