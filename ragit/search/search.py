"""The order of a search: which tree, both arms, the ranking, the optimisation, the text of what is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ragit import globs, rank
from ragit.config import Config
from ragit.embed.paths import path_nearness
from ragit.embed.quantize import quantize_query
from ragit.errors import ConfigError, EmbedderUnavailable, NotIndexed
from ragit.git import Objects, Repo
from ragit.index import Composed, Indexer
from ragit.index.describing import chunk_asking
from ragit.records import replaced
from ragit.search.ask import check, language
from ragit.search.gather import QueryVector, gather
from ragit.search.show import Show, one_path_each
from ragit.search.view import View
from ragit.store import OF_CHUNK, Snapshot, Store
from ragit.types import Answer, Demoted, Hit, Query, RerankedBy, Rewritten, Target

if TYPE_CHECKING:
    from ragit.search.rerank import Reordered, Reranker
    from ragit.search.rewrite import Rewriter

OVERFETCH = 3
"""The seed's factor: the optimiser chooses among this many times top_k."""


class Found(NamedTuple):
    """What a search found in a tree."""

    hits: tuple[Hit, ...] = ()
    degraded: str = ""
    demoted: tuple[Demoted, ...] = ()
    reranked_by: RerankedBy | None = None
    rewritten: Rewritten | None = None


class Way(NamedTuple):
    """One way to ask, ranked; or several as one."""

    scorer: rank.Explains
    ranked: Sequence[rank.Ranked]
    degraded: str


class Searcher:
    """Answers queries about the trees of one repository."""

    def __init__(self, repo: Repo, config: Config, indexer: Indexer) -> None:
        self._repo = repo
        self._config = config
        self._indexer = indexer
        retrieval = config.retrieval
        self._weights = rank.signal_weights(dict(retrieval.signals))

    @staticmethod
    def check(query: Query) -> None:
        """Raise ConfigError for an option of a query that has no meaning."""
        check(query)

    def search(self, query: Query, target: Target, on_index: Callable[[int], None] | None = None) -> Answer:
        """The hits in a tree. `on_index` is told how many files are missing before they are indexed."""
        started = time.perf_counter()
        with ExitStack() as stack:
            store, composed = self._open(stack, self._indexer, target)
            refused = ""
            if composed.missing and self._may_index(query, target, len(composed.missing)):
                stack.close()
                indexer, refused = self._refresh(query, target, len(composed.missing), on_index)
                store, composed = self._open(stack, indexer, target)
            if store is None and composed.missing:
                raise NotIndexed("nothing is indexed in this repository", "Type: ragit index")
            searchable = store if composed.snapshot.paths else None
            found = self._find(searchable, query, composed.snapshot, refused) if searchable else Found()
            undescribed = self._indexer.undescribed(store, composed)
        if composed.walked and not composed.missing and query.index and self._config.freshness.policy == "refresh":
            self._indexer.keep(target.tree)
        took = (time.perf_counter() - started) * 1000
        missing = len(composed.missing)
        return Answer(
            query.text,
            target.name,
            target.tree,
            missing == 0,
            missing,
            found.degraded,
            took,
            found.hits,
            found.demoted,
            reranked_by=found.reranked_by,
            rewritten=found.rewritten,
            undescribed=undescribed,
        )

    @staticmethod
    def _open(stack: ExitStack, indexer: Indexer, target: Target) -> tuple[Store | None, Composed]:
        """A reader that sees one state of the store until the stack is closed, and the tree in that state."""
        store = indexer.open_store()
        if store:
            stack.enter_context(store)
            stack.enter_context(store.reading())
        return store, indexer.composer.compose(store, target.tree, near=target.near, absent=indexer.absent)

    def _may_index(self, query: Query, target: Target, missing: int) -> bool:
        policy = self._config.freshness.policy
        if policy == "refuse" and query.index:
            raise NotIndexed(
                f"{missing} files of {target.name} are not indexed, and freshness.policy is refuse",
                "Type: ragit index" + (f" {target.name}" if query.ref else ""),
            )
        return query.index and policy == "refresh"

    def _refresh(
        self, query: Query, target: Target, missing: int, on_index: Callable[[int], None] | None
    ) -> tuple[Indexer, str]:
        """Index what is missing; who did it, and why it has no vectors if it could only read words."""
        if on_index:
            on_index(missing)
        try:
            self._indexer.complete([target.tree], near=target.near)
        except EmbedderUnavailable as error:
            if query.mode == "vector":
                raise
            words_only = self._indexer.without_vectors()
            words_only.complete([target.tree], near=target.near)
            return words_only, error.message
        return self._indexer, ""

    def _find(self, store: Store, query: Query, snapshot: Snapshot, refused: str) -> Found:
        with self._repo.objects() as objects:
            objects.warm()  # git starts while the store is searched; the hits' text is read at the end
            return self._found(store, query, snapshot, refused, objects)

    def _found(self, store: Store, query: Query, snapshot: Snapshot, refused: str, objects: Objects) -> Found:
        view = View(snapshot, self._filter(store, query))
        if not view.places:
            return Found(degraded="no file passes the filters")
        reranker = self._reranker if self._reranks(query) else None
        wanted = max(OVERFETCH * self._top_k(query), reranker.candidates if reranker else 0)
        way, rewritten = self._rewritten(store, query, view, refused, 0 if query.explain else wanted)
        hits, done = self._shown(objects, store, query, view, way, reranker)
        degraded = "; ".join(filter(None, (way.degraded, done.degraded if done else "")))
        found = Found(hits, degraded, (), done.by if done else None, rewritten)
        if not query.explain or len(hits) < self._top_k(query):
            return found
        from ragit.search.demoted import demoted

        shown = {path for hit in hits for path in (hit.path, *hit.also)}
        return found._replace(demoted=demoted(store, view, way.scorer, way.ranked, shown, hits[-1].score))

    def _rewritten(
        self, store: Store, query: Query, view: View, refused: str, wanted: int
    ) -> tuple[Way, Rewritten | None]:
        """The order for a query, as it is or with what rewriting adds; and what that was."""
        settings = self._config.retrieval.query_rewriting
        least = self._config.retrieval.min_score if query.min_score is None else query.min_score
        if not (settings.enabled if query.rewrite is None else query.rewrite):
            return self._way(store, query, view, refused, least, wanted), None
        if settings.provider == "vocabulary":
            return self._with_near_words(store, query, view, refused, least, wanted)
        return self._with_variants(store, query, view, refused, least, wanted)

    def _with_near_words(
        self, store: Store, query: Query, view: View, refused: str, least: float, wanted: int
    ) -> tuple[Way, Rewritten | None]:
        """The query with words of the searched tree added that are near to its own."""
        from ragit.search import vocabulary

        words = vocabulary.expansions(query.text, rank.take_apart(query.text), view.snapshot.paths)
        way = self._way(store, query, view, refused, least, wanted, vocabulary.weights(words))
        return way, Rewritten(words=words) if words else None

    def _with_variants(
        self, store: Store, query: Query, view: View, refused: str, least: float, wanted: int
    ) -> tuple[Way, Rewritten | None]:
        """The query and other ways to ask it, each searched and all fused; alone where a model gave none."""
        variants, why = self._rewriter.variants(query.text)
        if not variants:
            way = self._way(store, query, view, refused, least, wanted)
            return way._replace(degraded="; ".join(filter(None, (way.degraded, why)))), None
        from ragit.rank.fuse import Fused

        asked = (query, *(replaced(query, text=text) for text in variants))
        ways = [self._way(store, one, view, refused, 0.0, 0) for one in asked]
        fused = Fused([(way.scorer, way.ranked) for way in ways])
        return Way(fused, fused.order(least), ways[0].degraded), Rewritten(variants)

    def _way(
        self,
        store: Store,
        query: Query,
        view: View,
        refused: str,
        least: float,
        wanted: int,
        expansions: Mapping[str, float] = MappingProxyType({}),
    ) -> Way:
        """One way to ask, ranked: chunks that score at least `least`, at any rate the best `wanted` (0: all)."""
        terms = rank.take_apart(query.text)
        if expansions:
            terms = replaced(terms, expansions=expansions)
        mode = self._mode(query)
        vectors, degraded = (None, refused) if refused or mode == "keyword" else self._vectors(store, query, mode)
        gathered = gather(store, view, terms, vectors, self._config.retrieval.hybrid_search.keyword_scoring)
        if vectors:
            degraded = self._one_armed(query, has_words=mode == "vector" or gathered.keyword_hits > 0)
        mix = self._mix(query, terms.shape, mode, vectors is not None)
        ask = rank.Ask(terms, gathered.names, rank.held_in_code(gathered.files.values()))
        scorer = rank.Scorer(ask, mix, gathered.files, partial(_names, store))
        return Way(scorer, scorer.order(gathered.chunks, least, wanted), degraded)

    @cached_property
    def _rewriter(self) -> Rewriter:
        from ragit.search.rewrite import Rewriter  # HTTP, and all that comes with it

        return Rewriter(self._config.retrieval.query_rewriting)

    def _reranks(self, query: Query) -> bool:
        return self._config.retrieval.reranking.enabled if query.rerank is None else query.rerank

    @cached_property
    def _reranker(self) -> Reranker:
        from ragit.search.rerank import Reranker  # HTTP, and all that comes with it

        return Reranker(self._config.retrieval.reranking)

    def _one_armed(self, query: Query, *, has_words: bool) -> str:
        """Why one arm had nothing to say about a query, in words; empty if both had something."""
        embedder = self._indexer.embedder
        asked = rank.telling(query.text)
        known = embedder is None or embedder.knows(asked)
        if has_words:
            # In plain letters it is a name that someone made up: found by itself, as it should be.
            foreign = not known and not asked.isascii()
            return "the model knows no word of the query: ranked by its words and letters alone" if foreign else ""
        if known:
            return "no file holds a word of the query: ranked by meaning alone"
        return "no file holds a word of the query, and the model knows none: these are guesses by letters"

    def _mix(self, query: Query, shape: str, mode: str, has_vectors: bool) -> rank.Mix:
        hybrid = self._config.retrieval.hybrid_search
        weight = hybrid.keyword_weight if query.keyword_weight is None else query.keyword_weight
        repeat = self._weights.get(rank.REPEAT, 0.0)
        if mode == "hybrid":
            return rank.Mix(weight if has_vectors else 1.0, rank.shaped(self._weights, shape), repeat)
        return rank.Mix(0.0 if mode == "vector" else 1.0, {}, repeat)

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
            done = reranker.rerank(show, query.text, described, distinct=rank.REPEAT in self._weights)
        pieces = show.pieces()[:pool]
        if not optimizes:
            return tuple(show.hits((piece, None) for piece in pieces)), done
        options = rank.Options(
            knobs.merge_adjacent, knobs.adjacent_gap_threshold, knobs.similarity_threshold, knobs.max_per_file
        )
        return tuple(show.hits(rank.optimize(pieces, top_k, options))), done

    def _top_k(self, query: Query) -> int:
        return self._config.retrieval.top_k if query.top_k is None else query.top_k

    def _mode(self, query: Query) -> str:
        enabled = self._config.retrieval.hybrid_search.enabled
        return "vector" if query.mode == "hybrid" and not enabled else query.mode

    def _vectors(self, store: Store, query: Query, mode: str) -> tuple[QueryVector | None, str]:
        """The query's vector; or None, and why there is none where one was to be expected."""
        embedder = self._indexer.embedder
        if embedder is None:
            if mode == "vector":
                raise ConfigError("there are no vectors: embedding.provider is none", "Search with --mode keyword")
            return None, ""
        if not store.has_vectors:
            return None, "this platform has no sqlite-vec: vectors took no part"
        number = store.embedder(embedder.fingerprint)
        if number is None:
            return None, "no vectors are stored for the configured embedder"
        prefix = self._config.query_prefix if query.query_prefix is None else query.query_prefix
        try:
            vector = embedder.embed_query(prefix + query.text[: rank.QUERY_BYTES])
            store.check_dimensions(number, len(vector) // 4)
        except EmbedderUnavailable as error:
            if mode == "vector":
                raise
            return None, error.message
        if not any(vector):
            return None, "the query holds no word: vectors took no part"
        return QueryVector(quantize_query(vector), number, path_nearness(query.text)), ""

    def _filter(self, store: Store, query: Query) -> Callable[[int, bytes], bool] | None:
        by_path = globs.matcher(query.paths)
        if not query.languages:
            return None if by_path is None else lambda _, path: by_path(path)
        wanted = {language(name) for name in query.languages}
        languages = store.languages()
        return lambda chunking, path: languages[chunking] in wanted and (by_path is None or by_path(path))


def _names(store: Store, chunks: Iterable[int]) -> dict[int, rank.Names]:
    return {number: rank.Names(row.kind, row.symbol, row.parent) for number, row in store.chunks(chunks).items()}


def _described(store: Store, config: Config, hashes: list[bytes]) -> Mapping[bytes, str]:
    """What was said about chunks, by the hash of what was embedded of them; nothing where none is wanted."""
    asking = chunk_asking(config.description)
    return store.descriptions.of(OF_CHUNK, asking.fingerprint, hashes) if asking else {}
