"""Library methods about the structure of a tree: each opens it and passes it on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ragit.errors import ConfigError
from ragit.query import Query
from ragit.types import Answer, OnIndex

if TYPE_CHECKING:
    from ragit.contexts import Context
    from ragit.outlines import Choices, FileSkeleton, FolderSkeleton, RepositoryMap, Shown
    from ragit.search import OpenTree
    from ragit.tree_world import TreeWorld


MAP_HITS = 10
"""Hits of a query whose files a map begins at."""


class TreeQuestions(ABC):
    """The methods of `Ragit` that read structure. The tree, and `index`, are as for `search`."""

    @abstractmethod
    def reading(
        self,
        ref: str | None = None,
        scope: str = "worktree",
        *,
        index: bool = True,
        on_index: OnIndex | None = None,
        fresh_s: float = 0.0,
    ) -> AbstractContextManager[OpenTree]:
        """Open a tree to read its chunks and texts."""

    @abstractmethod
    def ask(self, query: Query, on_index: OnIndex | None = None) -> Answer:
        """Return the answer to a query."""

    @abstractmethod
    def path_from_top(self, path: str) -> bytes:
        """Return a path relative to the opened folder as one from the top, as git has it."""

    def context(
        self,
        path: str,
        line: int,
        text: str | None = None,
        *,
        max_tokens: int = 1200,
        fresh_s: float = 2.0,
        ref: str | None = None,
        scope: str = "worktree",
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Context:
        """Return context for a model that completes code at a line of a file.

        That is, declarations in other files of names used or imported there, and similar code.
        `text` is the unsaved text of the file. If the same tree was opened less than `fresh_s`
        seconds ago, the repository is not read again, and no process is started. Raises NoSuchPath,
        UnknownRevision and NotIndexed.
        """
        from ragit.repository.completion_context import context_at

        with (
            self.reading(ref, scope, index=index, on_index=on_index, fresh_s=fresh_s) as opened,
            self._world_of(opened) as world,
        ):
            return context_at(opened, world, self.path_from_top(path), line, text, max_tokens)

    def map(
        self,
        query: str = "",
        *,
        max_tokens: int = 2000,
        ref: str | None = None,
        scope: str = "worktree",
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> RepositoryMap:
        """Return the most important definitions of a tree that fit into `max_tokens`.

        With a query they are those that its best files refer to, directly or through others;
        without one, those that most of the tree refers to.

        Raises ConfigError, UnknownRevision and NotIndexed.
        """
        from ragit.outline import repository_map

        if max_tokens < 1:
            raise ConfigError(f"max_tokens is {max_tokens}", "It is at least 1")
        asked = Query(query, ref=ref, scope=scope, index=index, top_k=MAP_HITS)
        hits = self.ask(asked, on_index).hits if query.strip() else ()
        best = {hit.path: hit.score for hit in reversed(hits)}
        with self.reading(ref, scope, index=index, on_index=on_index) as opened:
            return repository_map(opened, query, best, max_tokens)

    @contextmanager
    def _world_of(self, opened: OpenTree) -> Iterator[TreeWorld]:
        """Give what is known of the names of a tree; that of the last one is kept. Another thread
        makes its own meanwhile.
        """
        from ragit.tree_world import TreeWorld

        try:
            world = self._worlds.pop()
        except IndexError:
            world = TreeWorld(opened)
        if world.snapshot is not opened.tree.snapshot:
            world = TreeWorld(opened)
        world.open(opened)
        yield world
        self._worlds[:] = [world]

    @cached_property
    def _worlds(self) -> list[TreeWorld]:
        return []

    def skeleton(
        self,
        path: str = ".",
        *,
        ref: str | None = None,
        scope: str = "worktree",
        index: bool = True,
        on_index: OnIndex | None = None,
        fresh_s: float = 0.0,
    ) -> FileSkeleton | FolderSkeleton:
        """Return the definitions of a file, or a line for each file of a folder.

        `path` is relative to the opened folder; `fresh_s` is as for `context`. Raises NoSuchPath,
        UnknownRevision and NotIndexed.
        """
        from ragit.outline import skeleton

        with self.reading(ref, scope, index=index, on_index=on_index, fresh_s=fresh_s) as opened:
            return skeleton(opened, self.path_from_top(path))

    def show(
        self,
        symbol: str,
        *,
        body: bool = False,
        page: int = 1,
        ref: str | None = None,
        scope: str = "worktree",
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Shown | Choices:
        """Return the definition of a name, or at PATH:LINE; a list if a name has several.

        Of a class with members only the outline is returned, unless `body` is True. Raises
        NoSuchPath, UnknownRevision and NotIndexed.
        """
        from ragit.outline import path_and_line, show, show_line

        with self.reading(ref, scope, index=index, on_index=on_index) as opened:
            line = path_and_line(symbol)
            if line is None:
                return show(opened, symbol, body=body, page=page)
            return show_line(opened, self.path_from_top(line[0]), line[1], body=body)
