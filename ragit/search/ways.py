"""A query to ranked chunks: both arms, the facts of the candidates, their order; and the same for a rewritten query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ragit import rank
from ragit.config import Config
from ragit.embed.paths import path_nearness
from ragit.embed.quantize import quantize_query
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.query import Query
from ragit.records import replaced
from ragit.search.gather import QueryVector, gather
from ragit.search.view import View
from ragit.store import Store
from ragit.types import Embedder, Rewritten

if TYPE_CHECKING:
    from ragit.search.rewrite import Rewriter

_NO_WORDS: Mapping[str, float] = MappingProxyType({})


class Ground(NamedTuple):
    """Where a query is asked: what is the same for all ways to ask it."""

    store: Store
    view: View
    refused: str
    """Why there are no vectors, if that is known already; empty if it is not."""
    least: float
    """Score that a chunk has to have to be ranked below the best ones."""
    wanted: int
    """How many of the best are ranked at any rate; 0 for all."""


class Way(NamedTuple):
    """One way to ask, ranked; or several as one."""

    scorer: rank.Explains
    ranked: Sequence[rank.Ranked]
    degraded: str
    unmatched_names: tuple[str, ...]
    rewritten: Rewritten | None = None


class Ways:
    """Ranks the chunks of a view for a query, under one configuration and embedder."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self._config = config
        self._retrieval = config.retrieval
        self._embedder = embedder
        self._weights = rank.signal_weights(dict(config.retrieval.signals))

    def ranked(self, query: Query, ground: Ground) -> Way:
        """The order for a query, as it is or with what rewriting adds."""
        settings = self._retrieval.query_rewriting
        if not (settings.enabled if query.rewrite is None else query.rewrite):
            return self._way(query, ground)
        if settings.provider == "vocabulary":
            return self._with_near_words(query, ground)
        return self._with_variants(query, ground)

    @property
    def distinct(self) -> bool:
        """Whether the best chunks of different files come before the others of a file."""
        return rank.REPEAT in self._weights

    def _with_near_words(self, query: Query, ground: Ground) -> Way:
        """The query with words of the searched tree added that are near to its own."""
        from ragit.search import vocabulary

        words = vocabulary.expansions(
            query.text, rank.take_apart(query.text), ground.view.snapshot.paths
        )
        way = self._way(query, ground, vocabulary.weights(words))
        return way._replace(rewritten=Rewritten(words=words) if words else None)

    def _with_variants(self, query: Query, ground: Ground) -> Way:
        """The query and other ways to ask it, each searched and all fused; alone where a model gave none."""
        variants, why = self._rewriter.variants(query.text)
        if not variants:
            way = self._way(query, ground)
            return way._replace(degraded="; ".join(filter(None, (way.degraded, why))))
        from ragit.rank.fuse import Fused

        asked = (query, *(replaced(query, text=text) for text in variants))
        ways = [self._way(one, ground._replace(least=0.0, wanted=0)) for one in asked]
        fused = Fused([(way.scorer, way.ranked) for way in ways])
        return Way(
            fused,
            fused.order(ground.least),
            ways[0].degraded,
            ways[0].unmatched_names,
            Rewritten(variants),
        )

    @cached_property
    def _rewriter(self) -> Rewriter:
        from ragit.search.rewrite import Rewriter  # HTTP, and all that comes with it

        return Rewriter(self._retrieval.query_rewriting)

    def _way(
        self, query: Query, ground: Ground, expansions: Mapping[str, float] = _NO_WORDS
    ) -> Way:
        terms = rank.take_apart(query.text)
        if expansions:
            terms = replaced(terms, expansions=expansions)
        mode = self._mode(query)
        vector, degraded = None, ground.refused
        if not degraded and mode != "keyword":
            vector, degraded = self._vector(ground.store, query, mode)
        gathered = gather(
            ground.store, ground.view, terms, vector, self._retrieval.hybrid_search.keyword_scoring
        )
        if vector:
            degraded = self._one_armed(
                query, has_words=mode == "vector" or gathered.keyword_hits > 0
            )
        mix = self._mix(query, terms.shape, mode, vector is not None)
        ask = rank.QueryFacts(terms, gathered.names, rank.held_in_code(gathered.files.values()))
        scorer = rank.Scorer(ask, mix, gathered.files, partial(_names, ground.store))
        return Way(
            scorer,
            scorer.order(gathered.chunks, ground.least, ground.wanted),
            degraded,
            gathered.unmatched_names,
        )

    def _mode(self, query: Query) -> str:
        enabled = self._retrieval.hybrid_search.enabled
        return "vector" if query.mode == "hybrid" and not enabled else query.mode

    def _vector(self, store: Store, query: Query, mode: str) -> tuple[QueryVector | None, str]:
        """The query's vector; or None, and why there is none where one was to be expected."""
        embedder = self._embedder
        if embedder is None:
            if mode == "vector":
                raise ConfigError(
                    "there are no vectors: embedding.provider is none", "Search with --mode keyword"
                )
            return None, ""
        if not store.has_vectors:
            return None, "this platform has no sqlite-vec: vectors took no part"
        number = store.embedder(embedder.fingerprint)
        if number is None:
            return None, "no vectors are stored for the configured embedder"
        prefix = self._config.query_prefix if query.query_prefix is None else query.query_prefix
        try:
            vector = self._asked(embedder, prefix + query.text[: rank.QUERY_BYTES], store, number)
            store.check_dimensions(number, len(vector) // 4)
        except EmbedderUnavailable as error:
            if mode == "vector":
                raise
            return None, error.message
        if not any(vector):
            return (
                None,
                "the query holds no letter or digit, so nothing can match it (git grep -F finds signs)",
            )
        return QueryVector(quantize_query(vector), number, path_nearness(query.text)), ""

    @staticmethod
    def _asked(embedder: Embedder, text: str, store: Store, number: int) -> bytes:
        """What the embedder makes of a query; where that is asked of a server, by the model of the stored vectors."""
        if embedder.local:
            return embedder.embed_query(text)
        from ragit.index.vectors.same_model import query_vector

        return query_vector(embedder, text, store, number)

    def _one_armed(self, query: Query, *, has_words: bool) -> str:
        """Why one arm had nothing to say about a query, in words; empty if both had something."""
        asked = rank.telling(query.text)
        known = self._embedder is None or self._embedder.knows(asked)
        if has_words:
            # In plain letters it is a name that someone made up: found by itself, as it should be.
            foreign = not known and not asked.isascii()
            return (
                "the model knows no word of the query: ranked by its words and letters alone"
                if foreign
                else ""
            )
        none = "no file that passes the filters" if query.paths or query.languages else "no file"
        if known:
            return f"{none} holds a word of the query: ranked by meaning alone"
        return f"{none} holds a word of the query, and the model knows none: these are guesses by letters"

    def _mix(self, query: Query, shape: str, mode: str, has_vectors: bool) -> rank.Mix:
        hybrid = self._retrieval.hybrid_search
        weight = hybrid.keyword_weight if query.keyword_weight is None else query.keyword_weight
        repeat = self._weights.get(rank.REPEAT, 0.0)
        if mode == "hybrid":
            return rank.Mix(
                weight if has_vectors else 1.0, rank.shaped(self._weights, shape), repeat
            )
        return rank.Mix(0.0 if mode == "vector" else 1.0, {}, repeat)


def _names(store: Store, chunks: Iterable[int]) -> dict[int, rank.Names]:
    return {
        number: rank.Names(row.kind, row.symbol, row.parent)
        for number, row in store.chunks(chunks).items()
    }
