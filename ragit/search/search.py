"""The order of a search: which tree, both arms, the ranking, the optimisation, the text of what is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from ragit import globs, rank
from ragit.config import Config
from ragit.errors import EmbedderUnavailable, NotIndexed, WorkerDied
from ragit.git import Objects, Repo
from ragit.index import IndexedTree, Indexer, WaitingSearch
from ragit.index.descriptions.settings import chunk_task
from ragit.index.selection import SUBMODULE
from ragit.index.tree import chunks_without_vectors
from ragit.index.vectors.embedder import warm_up
from ragit.query import Query
from ragit.search.ask import check, language
from ragit.search.show import Show, one_path_each
from ragit.search.view import View
from ragit.search.ways import Ground, Way, Ways
from ragit.store import OF_CHUNK, Snapshot, Store
from ragit.types import (
    DEFERRED,
    NO_FILE_PASSES,
    Answer,
    Demoted,
    Hit,
    OnIndex,
    RerankedBy,
    Rewritten,
    Target,
    index_command,
    lacking,
)

if TYPE_CHECKING:
    from ragit.search.rerank import Reordered, Reranker

OVERFETCH = 3
"""The seed's factor: the optimiser chooses among this many times top_k."""


class Found(NamedTuple):
    """What a search found in a tree."""

    hits: tuple[Hit, ...] = ()
    degraded: str = ""
    demoted: tuple[Demoted, ...] = ()
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None
    unmatched_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class _State(NamedTuple):
    """One state of the store, and the searched tree in it."""

    store: Store | None
    tree: IndexedTree
    moment: ExitStack
    """Holds the read transaction."""
    refused: str = ""
    """Why what was missing has no vectors."""
    failed: str = ""
    """Why something is still missing."""


class Searcher:
    """Answers queries about the trees of one repository."""

    def __init__(self, repo: Repo, config: Config, indexer: Indexer) -> None:
        self._repo = repo
        self._config = config
        self._indexer = indexer
        self._ways = Ways(config, indexer.embedder)

    @staticmethod
    def check(query: Query) -> None:
        """Raise UnknownLanguage for a language of a query that is not in the table."""
        check(query)

    def search(self, query: Query, target: Target, on_index: OnIndex | None = None) -> Answer:
        """The hits in a tree. `on_index` is told what is missing before it is indexed."""
        started = time.perf_counter()
        if query.mode != "keyword":
            warm_up(self._indexer.embedder)
        with ExitStack() as stack:
            objects = stack.enter_context(self._repo.objects())
            state = self._state(stack, target)
            if not state.tree.complete and self._may_index(query, target, state):
                state = self._indexed(stack, query, target, state, objects, on_index)
            store, resolved = state.store, state.tree
            if store is None and resolved.missing:
                raise NotIndexed("nothing is indexed in this repository", "Type: ragit index")
            found = Found()
            if store and resolved.snapshot.paths:
                objects.warm()  # git starts while the store is searched; text is read at the end
                found = self._found(store, query, resolved.snapshot, state.refused, objects)
            undescribed = self._indexer.descriptions.waiting(store, resolved)
            vectorless = chunks_without_vectors(store, resolved)
        if (
            resolved.walked
            and resolved.complete
            and query.index
            and self._config.freshness.policy == "refresh"
        ):
            self._indexer.keep(target.tree)
        took = (time.perf_counter() - started) * 1000
        return Answer(
            query.text,
            target.name,
            target.tree,
            resolved.complete,
            len(resolved.missing),
            "; ".join(filter(None, (state.failed, found.degraded))),
            took,
            found.hits,
            found.demoted,
            reranked_by=found.reranked_by,
            rewritten=found.rewritten,
            without_vectors=vectorless,
            undescribed=undescribed,
            absent=resolved.absent,
            unmatched_names=found.unmatched_names,
            deferred=resolved.count_of(DEFERRED),
            notes=found.notes + _unsearched_submodules(query, resolved, found),
            unsearched=resolved.reasons if resolved.searches_nothing else {},
        )

    def _state(self, stack: ExitStack, target: Target) -> _State:
        """Return a reader that sees one state of the store until the stack is closed, and the tree in that state."""
        store = self._indexer.open_store()
        moment = ExitStack()
        if store:
            stack.enter_context(store)
            stack.enter_context(moment)
            moment.enter_context(store.reading())
        tree = self._indexer.trees.resolve(
            store, target.tree, near=target.near, absent=self._indexer.absent
        )
        return _State(store, tree, moment)

    def _may_index(self, query: Query, target: Target, state: _State) -> bool:
        policy = self._config.freshness.policy
        if policy == "refuse" and query.index:
            vectorless = chunks_without_vectors(state.store, state.tree)
            what = lacking(len(state.tree.missing), vectorless, target.name)
            raise NotIndexed(
                f"{what}, and freshness.policy is refuse", f"Type: {index_command(target.name)}"
            )
        return query.index and policy == "refresh"

    def _indexed(
        self,
        stack: ExitStack,
        query: Query,
        target: Target,
        state: _State,
        objects: Objects,
        on_index: OnIndex | None,
    ) -> _State:
        """Index what is missing, as far as that is quick, and return the state after that."""
        self._indexer.prepare(state.tree)
        progress = on_index(self._indexer.announced(state.tree)) if on_index else None
        waiting = WaitingSearch(state.tree, state.store, objects, state.moment)
        complete = partial(
            Indexer.complete, trees=[target.tree], near=target.near, progress=progress
        )
        refused = failed = ""
        try:
            complete(self._indexer, search=waiting)
        except EmbedderUnavailable as error:
            if query.mode == "vector":
                raise
            words_only = self._indexer.without_vectors()
            complete(words_only, search=WaitingSearch(state.tree, None, objects, ExitStack()))
            self._indexer.absent |= words_only.absent
            refused = error.message
        except WorkerDied as error:
            if not state.tree.snapshot.paths:
                raise
            failed = error.message
        if waiting.taken and not refused:
            return _State(state.store, waiting.tree, state.moment, failed=failed)
        state.moment.close()
        if state.store:
            state.store.close()
        return self._state(stack, target)._replace(refused=refused, failed=failed)

    def _found(
        self, store: Store, query: Query, snapshot: Snapshot, refused: str, objects: Objects
    ) -> Found:
        view = View(snapshot, self._filter(store, query))
        if not view.places:
            return Found(notes=(NO_FILE_PASSES,))
        reranker = self._reranker if self._reranks(query) else None
        least = self._config.retrieval.min_score if query.min_score is None else query.min_score
        wanted = (
            0
            if query.explain
            else max(OVERFETCH * self._top_k(query), reranker.candidates if reranker else 0)
        )
        way = self._ways.ranked(query, Ground(store, view, refused, least, wanted))
        hits, done = self._shown(objects, store, query, view, way, reranker)
        degraded = "; ".join(
            filter(None, (way.degraded, done.degraded if done else "", _lost(hits)))
        )
        found = Found(
            hits, degraded, (), done.by if done else None, way.rewritten, way.unmatched_names
        )
        if not query.explain or len(hits) < self._top_k(query):
            return found
        from ragit.search.demoted import demoted

        shown = {path for hit in hits for path in (hit.path, *hit.also)}
        return found._replace(
            demoted=demoted(store, view, way.scorer, way.ranked, shown, hits[-1].score)
        )

    def _reranks(self, query: Query) -> bool:
        return self._config.retrieval.reranking.enabled if query.rerank is None else query.rerank

    @cached_property
    def _reranker(self) -> Reranker:
        from ragit.search.rerank import Reranker  # HTTP, and all that comes with it

        return Reranker(self._config.retrieval.reranking)

    def _shown(
        self,
        objects: Objects,
        store: Store,
        query: Query,
        view: View,
        way: Way,
        reranker: Reranker | None,
    ) -> tuple[tuple[Hit, ...], Reordered | None]:
        knobs = self._config.retrieval.context_optimization
        top_k = self._top_k(query)
        optimizes = knobs.enabled if query.optimize is None else query.optimize
        pool = top_k * OVERFETCH if optimizes else top_k
        seen = max(pool, reranker.candidates) if reranker else pool
        show = Show(objects, store, view.snapshot, way.scorer, one_path_each(way.ranked, seen))
        done = None
        if reranker:
            described = partial(_described, store, self._config)
            done = reranker.rerank(show, query.text, described, distinct=self._ways.distinct)
        pieces = show.pieces()[:pool]
        if not optimizes:
            return tuple(show.hits((piece, None) for piece in pieces)), done
        options = rank.Options(
            knobs.merge_adjacent,
            knobs.adjacent_gap_threshold,
            knobs.similarity_threshold,
            knobs.max_per_file,
        )
        return tuple(show.hits(rank.optimize(pieces, top_k, options))), done

    def _top_k(self, query: Query) -> int:
        return self._config.retrieval.top_k if query.top_k is None else query.top_k

    def _filter(self, store: Store, query: Query) -> Callable[[int, bytes], bool] | None:
        by_path = globs.chooser(query.paths)
        if not query.languages:
            return None if by_path is None else lambda _, path: by_path(path)
        wanted = {language(name) for name in query.languages}
        languages = store.languages()
        return lambda chunking, path: (
            languages[chunking] in wanted and (by_path is None or by_path(path))
        )


def _unsearched_submodules(query: Query, resolved: IndexedTree, found: Found) -> tuple[str, ...]:
    """Return a note on submodules where the tree itself has no good answer."""
    count = resolved.count_of({SUBMODULE})
    if query.recurse_submodules or not count or (found.hits and not found.degraded):
        return ()
    are = "submodule is" if count == 1 else "submodules are"
    return (f"{count:,} {are} not searched; --recurse-submodules searches what is checked out",)


def _lost(hits: tuple[Hit, ...]) -> str:
    """What is said of hits whose file was there when it was indexed: no chunk is without text."""
    lost = sorted({hit.path for hit in hits if not hit.text})
    return (
        f"missing or damaged in git since it was indexed (git fsck): {', '.join(lost)}"
        if lost
        else ""
    )


def _described(store: Store, config: Config, hashes: list[bytes]) -> Mapping[bytes, str]:
    """What was said about chunks, by the hash of what was embedded of them; nothing where none is wanted."""
    task = chunk_task(config.description)
    return store.descriptions.of(OF_CHUNK, task.fingerprint, hashes) if task else {}
