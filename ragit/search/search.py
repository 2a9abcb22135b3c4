"""Search a tree: complete its index, rank, rerank, optimise, and read the text of the hits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ragit import chunk, globs, rank
from ragit.config import Config
from ragit.index import (
    SUBMODULE,
    IndexedTree,
    Indexer,
    chunk_task,
    completeness_of,
    warm_up,
)
from ragit.query import Query
from ragit.records import NamedTuple
from ragit.search.filtered_tree import FilteredTree
from ragit.search.hits import HitBuilder
from ragit.search.kept import Kept, without_gc
from ragit.search.open_tree import OpenTree, TreeOpener
from ragit.search.query_ranker import QueryRanker, RankedQuery, SearchScope
from ragit.search.texts import Texts
from ragit.store import OF_CHUNK, ORDINAL_BITS, Snapshot, Store
from ragit.types import (
    LOST_SINCE_INDEXED,
    NO_FILE_PASSES,
    Answer,
    Demoted,
    Hit,
    LeftOut,
    LookedAt,
    OnIndex,
    RerankedBy,
    Rewritten,
    Target,
    path_text,
)

if TYPE_CHECKING:
    from ragit.search.lacked import Lacked
    from ragit.search.rerank import Reranker

OVERFETCH = 3
"""The optimiser chooses among this many times top_k chunks."""


class TreeAnswer(NamedTuple):
    """The part of an answer that comes from the tree."""

    hits: tuple[Hit, ...] = ()
    degraded: str = ""
    demoted: tuple[Demoted, ...] = ()
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None
    unmatched_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Searcher:
    """Answers queries about the trees of one repository."""

    def __init__(self, config: Config, indexer: Indexer, kept: Kept) -> None:
        self._config = config
        self._indexer = indexer
        self._trees = TreeOpener(config, indexer, kept)
        self._ranker = QueryRanker(config, indexer.embedder)

    @staticmethod
    def check(query: Query) -> None:
        """Raise UnknownLanguage if a language of the query is not in the table."""
        if query.languages:
            from ragit.search.validate import validate

            validate(query)

    def search(self, query: Query, target: Target, on_index: OnIndex | None = None) -> Answer:
        """Return the hits in a tree. `on_index` is called with what is missing before it is
        indexed.
        """
        started = time.perf_counter()
        if query.mode != "keyword":
            warm_up(self._indexer.embedder)
        only_vectors = query.mode == "vector"
        with self._trees.open(
            target,
            index=query.index,
            only_vectors=only_vectors,
            patient=query.complete,
            on_index=on_index,
        ) as opened:
            store, resolved = opened.store_or_none, opened.tree
            found = TreeAnswer()
            if store and resolved.snapshot.paths:
                opened.objects.warm()  # git starts while the store is searched
                found = self._find(opened, query)
            undescribed = self._indexer.descriptions.waiting(store, resolved)
            completeness = completeness_of(store, opened.trees, undescribed)
        took = (time.perf_counter() - started) * 1000
        return Answer(
            query.text,
            target.name,
            target.tree,
            completeness,
            "; ".join(filter(None, (opened.failed, found.degraded))),
            took,
            found.hits,
            without=LeftOut(target.without.name, target.without.tree) if target.without else None,
            looked_at=self._looked_at(opened) if target.union else None,
            union=target.union,
            demoted=found.demoted,
            reranked_by=found.reranked_by,
            rewritten=found.rewritten,
            unmatched_names=found.unmatched_names,
            notes=found.notes + _unsearched_submodules(query, resolved, found),
        )

    def scores(
        self, opened: OpenTree, snapshot: Snapshot, chunks: Set[int], query: Query
    ) -> dict[int, float]:
        """Return the scores of those of the chunks that a query finds.

        The tree must be indexed in the opened state of the store.
        """
        within = {number >> ORDINAL_BITS for number in chunks}
        tree = FilteredTree(snapshot, lambda chunking, _: chunking in within)
        if not tree.places:
            return {}
        top_k = self._top_k(query)
        scope = SearchScope(opened.store, tree, opened.texts, opened.refused, 0.0, 0, top_k)
        ranked = self._ranker.ranked(query, scope).ranked
        return {one.facts.chunk: one.score for one in reversed(ranked) if one.facts.chunk in chunks}

    def _looked_at(self, opened: OpenTree) -> LookedAt:
        """Return how much of a union was searched. Refs are unknown here, so each tree counts as
        one.
        """
        trees = len(self._indexer.trees.unions[opened.target.tree])
        stored = len(set(opened.tree.snapshot.chunkings))
        lacking = len({file.key for file in opened.tree.missing})
        whole = trees - opened.tree.incomplete_parts
        return LookedAt(trees, trees, whole, stored + lacking, stored)

    @without_gc()
    def _find(self, opened: OpenTree, query: Query) -> TreeAnswer:
        store, texts = opened.store, opened.texts
        lacked = _lacked(store, opened)
        tree = FilteredTree(
            opened.tree.snapshot,
            self._filter(store, query, lacked),
            lacked,
            opened.whole,
            union=opened.target.union,
        )
        if not tree.places:
            return TreeAnswer(notes=(_nothing_passes(opened, query),))
        reranker = self._reranker if self._reranks(query) else None
        top_k = self._top_k(query)
        least = self._config.retrieval.min_score if query.min_score is None else query.min_score
        wanted = max(OVERFETCH * top_k, reranker.candidates if reranker else 0)
        scope = SearchScope(
            store, tree, texts, opened.refused, least, 0 if query.explain else wanted, top_k
        )
        ranked = self._ranker.ranked(query, scope)
        hits, by, not_reranked = self._hits(texts, store, query, tree, ranked, reranker)
        degraded = "; ".join(
            filter(None, (ranked.degraded, not_reranked, _note_on_lost(texts, tree.snapshot)))
        )
        found = TreeAnswer(
            hits,
            degraded,
            (),
            by,
            ranked.rewritten,
            ranked.unmatched_names,
            tuple(self._notes(store, tree, ranked, hits, top_k, least)),
        )
        if not query.explain or len(hits) < top_k:
            return found
        from ragit.search.demoted import demoted

        shown = {path for hit in hits for path in (hit.path, *hit.also)}
        lowered = demoted(store, tree, ranked.scorer, ranked.ranked, shown, hits[-1].score)
        return found._replace(demoted=lowered)

    def _reranks(self, query: Query) -> bool:
        return self._config.retrieval.reranking.enabled if query.rerank is None else query.rerank

    @cached_property
    def _reranker(self) -> Reranker:
        from ragit.search.rerank import Reranker  # HTTP, and all that comes with it

        return Reranker(self._config.retrieval.reranking)

    @staticmethod
    def _notes(
        store: Store,
        tree: FilteredTree,
        ranked: RankedQuery,
        hits: tuple[Hit, ...],
        top_k: int,
        least: float,
    ) -> Iterator[str]:
        """Yield notes on the hits for the reader, a sentence each."""
        if ranked.nothing:
            yield ranked.nothing
        if ranked.misspelt:
            from ragit.search.suggestions import suggestions

            near = suggestions(store, tree, ranked.misspelt)
            if near:
                yield f"did you mean {', '.join(near)}?"
        if hits and not ranked.terms.is_pasted:
            for phrase in rank.unmatched_phrases(ranked.terms, (hit.text for hit in hits)):
                if phrase in ranked.unheld_phrases:
                    yield f'no file holds "{phrase}" word for word'
                else:
                    yield f'no hit holds "{phrase}" word for word; `git grep -F` finds exact text'
        if len(hits) < top_k and not ranked.nothing:
            yield from _more_files(tree, ranked, hits, least)
        if ranked.terms.is_cut:
            yield "the query is long: only its most telling words are looked up"

    def _hits(
        self,
        texts: Texts,
        store: Store,
        query: Query,
        tree: FilteredTree,
        ranked: RankedQuery,
        reranker: Reranker | None,
    ) -> tuple[tuple[Hit, ...], RerankedBy | None, str]:
        """Return the hits; the reranker that ordered them, if any; and the reason if reranking
        failed.
        """
        knobs = self._config.retrieval.context_optimization
        top_k = self._top_k(query)
        optimizes = knobs.enabled if query.optimize is None else query.optimize
        size = top_k * OVERFETCH if optimizes else top_k
        limit = max(size, reranker.candidates) if reranker else size
        builder = HitBuilder(texts, store, tree, ranked, limit)
        pool, by, not_reranked = builder.pool, None, ""
        if reranker:
            described = partial(_descriptions, store, self._config)
            done = reranker.rerank(builder, query.text, described, distinct=self._ranker.distinct)
            pool, by, not_reranked = done.pool, done.by, done.degraded
        pieces = builder.pieces(pool)[:size]
        if not optimizes:
            return tuple(builder.hits(pool, ((piece, None) for piece in pieces))), by, not_reranked
        options = rank.Options(
            knobs.merge_adjacent,
            knobs.adjacent_gap_threshold,
            knobs.similarity_threshold,
            knobs.max_per_file,
        )
        chosen = rank.optimize(pieces, top_k, options)
        return tuple(builder.hits(pool, chosen)), by, not_reranked

    def _top_k(self, query: Query) -> int:
        return self._config.retrieval.top_k if query.top_k is None else query.top_k

    def _filter(
        self, store: Store, query: Query, lacked: Lacked | None
    ) -> Callable[[int, bytes], bool] | None:
        """Return a test of a file by chunking and path; None if all files pass."""
        tests: list[Callable[[int, bytes], bool]] = []
        if lacked:
            tests.append(lambda chunking, _: lacked.may_be_in(chunking))
        if query.languages:
            from ragit.search.validate import language

            wanted = {one for name in query.languages for one in chunk.dialects(language(name))}
            languages = store.languages()
            tests.append(lambda chunking, _: languages[chunking] in wanted)
        by_path = globs.chooser(query.paths)
        if by_path:
            tests.append(lambda _, path: by_path(path))
        if len(tests) < 2:
            return tests[0] if tests else None
        return lambda chunking, path: all(test(chunking, path) for test in tests)


def _lacked(store: Store, opened: OpenTree) -> Lacked | None:
    """Return the chunks that the tree left out lacks; None if none is left out."""
    if opened.without is None:
        return None
    from ragit.search.lacked import Lacked

    return Lacked(store, opened.without.snapshot)


def _more_files(
    tree: FilteredTree, ranked: RankedQuery, hits: Sequence[Hit], least: float
) -> Iterator[str]:
    """Yield how many files hold words of the query and are not among the hits, if any do."""
    shown = {path for hit in hits for path in (hit.path, *hit.also)}
    more = ranked.word_files - sum(tree.path(place) in shown for place in ranked.candidates)
    if more > 0:
        files = "1 more file holds" if more == 1 else f"{more:,} more files hold"
        low = f", with scores below {least:g}" if least > 0 else ""
        yield f"{files} words of the query{low}"


def _nothing_passes(opened: OpenTree, query: Query) -> str:
    """Return why no file passes the filters."""
    without = opened.target.without
    if without and not (query.paths or query.languages):
        return f"{opened.target.name} has no code that {without.name} lacks"
    filters = [f"path {path.removeprefix('/')}" for path in query.paths]
    filters += [f"language {name}" for name in query.languages]
    return f"{NO_FILE_PASSES}: {', '.join(filters)}"


def _unsearched_submodules(
    query: Query, resolved: IndexedTree, found: TreeAnswer
) -> tuple[str, ...]:
    """Return a note on submodules if the tree itself has no good answer."""
    count = resolved.count_of({SUBMODULE})
    if query.recurse_submodules or not count or (found.hits and not found.degraded):
        return ()
    are = "submodule is" if count == 1 else "submodules are"
    return (f"{count:,} {are} not searched; --recurse-submodules searches what is checked out",)


def _note_on_lost(texts: Texts, snapshot: Snapshot) -> str:
    """Return a note on candidates that git has lost since they were indexed.

    It names them even if none is a hit: a file without its text may have lost its rank.
    """
    if not texts.lost:
        return ""
    files = zip(snapshot.paths, snapshot.chunkings, strict=True)
    lost = sorted(path_text(path) for path, chunking in files if chunking in texts.lost)
    return f"{LOST_SINCE_INDEXED} (git fsck): {', '.join(lost)}"


def _descriptions(store: Store, config: Config, hashes: list[bytes]) -> Mapping[bytes, str]:
    """Return descriptions of chunks by the hash of the embedded text; none if not configured."""
    task = chunk_task(config.description)
    return store.descriptions.of(OF_CHUNK, task.fingerprint, hashes) if task else {}
