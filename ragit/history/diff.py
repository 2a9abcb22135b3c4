"""Compare the definitions of two trees of a repository."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from ragit.changes import ADDED, REMOVED, Diff
from ragit.config import Config
from ragit.history.pairing import Cosines, changes
from ragit.history.units import touched
from ragit.index import IndexedTree, Indexer, completeness_of
from ragit.query import Query
from ragit.records import replaced
from ragit.search import OpenTree, Searcher, TreeOpener, without_gc
from ragit.store import Store, cosines
from ragit.types import OnIndex, Target, absent_advice, index_command, path_text

WITHOUT_VECTORS = "there are no vectors, so what was renamed is listed as removed and added"


class Comparer:
    """Compares trees of one repository."""

    def __init__(
        self, config: Config, indexer: Indexer, searcher: Searcher, opener: TreeOpener
    ) -> None:
        self._config = config
        self._indexer = indexer
        self._searcher = searcher
        self._opener = opener

    def diff(
        self,
        target: Target,
        query: Query,
        *,
        index: bool = True,
        on_index: OnIndex | None = None,
    ) -> Diff:
        """Return the changes of definitions between a tree and the older one, `target.without`.

        Files missing in the store are indexed first, unless `index` is False. If the query has a
        text, only the changes that it finds are returned, best first.
        """
        started = time.perf_counter()
        with self._opener.open(target, index=index, on_index=on_index) as opened:
            found = self._compared(opened)
            if query.text.strip():
                found = self._ranked(opened, found, query)
        return replaced(found, took_ms=(time.perf_counter() - started) * 1000)

    def _compared(self, opened: OpenTree) -> Diff:
        target, store, old = opened.target, opened.store_or_none, opened.without
        assert target.without is not None and old is not None
        empty = Diff(
            target.without.name,
            target.without.tree,
            target.name,
            target.tree,
            completeness_of(store, opened.trees),
        )
        if store is None:
            return empty
        near = self._cosines(store)
        with without_gc():
            found = touched(store, old.snapshot, opened.tree.snapshot)
            made = tuple(changes(found, near))
        notes = [*_incomplete(store, target.without, old)]
        notes += _incomplete(store, target, opened.tree)
        if near is None and {ADDED, REMOVED} <= {change.status for change in made}:
            notes.append(WITHOUT_VECTORS)
        return replaced(
            empty,
            changes=made,
            files=found.files,
            unnamed=tuple(map(path_text, found.unnamed)),
            notes=tuple(filter(None, (*notes, opened.refused, opened.failed))),
        )

    def _cosines(self, store: Store) -> Cosines | None:
        """Return the function that compares vectors; None if there are none."""
        embedder = self._indexer.embedder
        number = store.embedder(embedder.fingerprint) if embedder else None
        if number is None or not store.has_vectors:
            return None
        return partial(cosines, store, number)

    def _ranked(self, opened: OpenTree, found: Diff, query: Query) -> Diff:
        """Return the changes that a query finds, best first."""
        assert opened.without is not None
        added = {change.new.chunk for change in found.changes if change.new}
        removed = {change.shown.chunk for change in found.changes} - added
        score = self._searcher.scores
        scores = {
            **score(opened, opened.without.snapshot, removed, query),
            **score(opened, opened.tree.snapshot, added, query),
        }
        scored = [
            change._replace(score=scores[change.shown.chunk])
            for change in found.changes
            if change.shown.chunk in scores
        ]
        scored.sort(key=lambda change: -(change.score or 0.0))
        top_k = query.top_k or self._config.retrieval.top_k
        return replaced(
            found,
            query=query.text,
            changes=tuple(scored[:top_k]),
            unnamed=(),
            left_out=max(0, len(scored) - top_k),
        )


def _incomplete(store: Store, target: Target, tree: IndexedTree) -> Iterator[str]:
    """Yield what a tree lacks, with the command that completes it."""
    how = completeness_of(store, [tree])
    what = how.lacking(target.name)
    if what:
        yield f"{what}; to complete: {index_command(target.name)}"
    for why, count in how.absent.items():
        files, verb = ("1 file", "is") if count == 1 else (f"{count:,} files", "are")
        advice = absent_advice(target.name, [why])
        yield f"{files} of {target.name} {verb} {why} and not compared; {advice}"
