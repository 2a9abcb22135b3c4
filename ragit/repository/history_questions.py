"""Library methods about history."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ragit.errors import UnknownRevision
from ragit.query import Query, checked
from ragit.records import NamedTuple
from ragit.repository.tree_questions import TreeQuestions
from ragit.types import Oid, OnIndex, Progress

if TYPE_CHECKING:
    from ragit.changes import Diff, Gone, Since
    from ragit.config import Config
    from ragit.git import Repo
    from ragit.index import Indexer
    from ragit.repository.targets import Targets
    from ragit.search import Searcher, TreeOpener


class Parts(NamedTuple):
    """The parts of an open repository."""

    repo: Repo
    config: Config
    targets: Targets
    indexer: Indexer
    searcher: Callable[[], Searcher]
    opener: TreeOpener


class HistoryQuestions(TreeQuestions):
    """The methods of `Ragit` about history."""

    @abstractmethod
    def _parts(self) -> Parts:
        """Return the parts of the repository."""

    def diff(
        self,
        revisions: str = "",
        query: str = "",
        *,
        top_k: int | None = None,
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Diff:
        """Return the changes of definitions in a range, `A..B` or `A...B` as in git.

        Without a range, HEAD with its uncommitted changes is compared with the commit where it left
        its upstream or the default branch. With a query, only changes that match are returned, the
        best `top_k` first. Raises UnknownRevision, NotIndexed and ConfigError.
        """
        from ragit.history import Comparer

        asked = checked(Query(query, new_in=revisions, top_k=top_k))
        _, config, targets, indexer, searcher, opener = self._parts()
        targets.look_again()
        targets.begin(asked)
        comparer = Comparer(config, indexer, searcher(), opener)
        return comparer.diff(targets.asked(asked), asked, index=index, on_index=on_index)

    def since(
        self,
        place: str,
        *,
        ref: str | None = None,
        versions: int | None = None,
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Since:
        """Return since when code exists: the chunk at PATH:LINE, or the one that defines a symbol.

        Its text is followed back from HEAD, or from a revision, through renamed files and moves
        between files; then as many earlier `versions` of the definition. Paths are relative to the
        opened folder. Raises NoSuchPath, SeveralDefinitions and UnknownRevision.
        """
        from ragit.history import MOST, Historian, find_named_chunk
        from ragit.outline import path_and_line

        parts = self._parts()
        line = path_and_line(place)
        with parts.repo.ancestry as ancestry, ExitStack() as stack:
            commit = _commit(parts.repo, ref)
            if line and commit:  # git reads its history while the tree is opened
                ancestry.history(commit, self.path_from_top(line[0]))
            opened = stack.enter_context(self.reading(ref, index=index, on_index=on_index))
            found = find_named_chunk(opened, place, self.path_from_top)
            historian = Historian(parts.repo, ancestry, parts.indexer, opened)
            most = MOST if versions is None else versions
            return historian.since(found, _commit(parts.repo, ref), most)

    def gone(
        self,
        symbol: str,
        *,
        ref: str | None = None,
        index: bool = True,
        on_index: OnIndex | None = None,
        progress: Progress | None = None,
        within_s: float | None = None,
    ) -> Gone:
        """Return when the definition of a name was removed, and its last place, as of HEAD or a
        revision.

        Without a revision, uncommitted changes count, too. Commits are looked at, the newest first,
        for `within_s` seconds at most (default: all), and `progress` is told how many. Raises
        NoSuchPath if it is still defined or no commit removed it, and UnknownRevision.
        """
        from ragit.history import Historian

        parts = self._parts()
        with (
            parts.repo.ancestry as ancestry,
            self.reading(ref, index=index, on_index=on_index) as opened,
        ):
            historian = Historian(parts.repo, ancestry, parts.indexer, opened)
            return historian.gone(symbol, _commit(parts.repo, ref), progress, within_s)


def _commit(repo: Repo, ref: str | None) -> Oid | None:
    """Return the commit of a revision or of HEAD; None before the first commit."""
    if ref is None:
        return repo.head().commit
    commit = repo.resolve(ref).commit
    if commit is None:
        raise UnknownRevision(
            f"{ref} is no commit, so it has no history", "Name a branch, a tag or a commit"
        )
    return commit
