"""Rank the chunks of a tree for a query: both arms, the candidates' facts, their order; also for a
rewritten query.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragit import rank
from ragit.config import Config
from ragit.embed import name_nearness, path_nearness, quantize_query
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.index import chunk_task
from ragit.query import Query
from ragit.records import NamedTuple, replaced
from ragit.search.candidates import Candidates, QueryVector, find_candidates
from ragit.search.evidence import Evidence, find_evidence
from ragit.search.filtered_tree import FilteredTree
from ragit.search.texts import Texts
from ragit.search.unmatched import misspelt, unheld_phrases, unmatched_names
from ragit.store import Store
from ragit.types import Embedder, Rewritten

if TYPE_CHECKING:
    from ragit.search.rewrite import Rewriter

_NO_WORDS: Mapping[str, float] = MappingProxyType({})

NEAR_ENOUGH = 0.27
"""Cosine of the nearest chunk below which a query has no answer if no file contains any of its
words.
"""


COMPARED = 100
"""Best chunks whose names are compared with the query by meaning: the same ones for each top_k."""

REMEMBERED_QUERIES = 256
"""Number of query vectors that a long-lived process remembers: at most 1 MB."""


class SearchScope(NamedTuple):
    """The store, tree and limits of a search, the same for all variants of its query."""

    store: Store
    tree: FilteredTree
    texts: Texts
    refused: str
    """Reason why there are no vectors, if known already; else empty."""
    least: float
    """Least score of a hit."""
    wanted: int
    """Number of best chunks that must be ranked; 0 for all."""
    top_k: int


class RankedQuery(NamedTuple):
    """The ranking of a query, or of it and its variants."""

    terms: rank.QueryTerms
    weights: rank.WordWeights
    scorer: rank.Explains
    ranked: Sequence[rank.Ranked]
    degraded: str
    unmatched_names: tuple[str, ...] = ()
    misspelt: tuple[str, ...] = ()
    """Names for which the tree may have a similar one."""
    nothing: str = ""
    """Reason why there is no answer; else empty."""
    word_files: int = 0
    """Number of files that contain words of the query."""
    candidates: Collection[int] = ()
    """The ranked files, by index."""
    rewritten: Rewritten | None = None
    unheld_phrases: tuple[str, ...] = ()
    """Quoted phrases that surely no file contains."""


class QueryRanker:
    """Ranks the chunks of a tree under one configuration and embedder."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self._config = config
        self._retrieval = config.retrieval
        self._embedder = embedder
        self._weights = rank.signal_weights(dict(config.retrieval.signals))
        self._vectors: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        """Vectors of the last queries, by text and by the mark of the stored vectors, which
        identifies the model.
        """

    def ranked(self, query: Query, scope: SearchScope) -> RankedQuery:
        """Return the ranking of a query, as it is or rewritten."""
        settings = self._retrieval.query_rewriting
        if not (settings.enabled if query.rewrite is None else query.rewrite):
            return self._rank_one(query, scope)
        if settings.provider == "vocabulary":
            return self._with_near_words(query, scope)
        return self._with_variants(query, scope)

    @property
    def distinct(self) -> bool:
        """Return whether the best chunks of different files come before further chunks of a
        file.
        """
        return rank.REPEAT in self._weights

    def _with_near_words(self, query: Query, scope: SearchScope) -> RankedQuery:
        """Rank with words of the searched tree added that are near to the query's."""
        from ragit.search import vocabulary

        terms = rank.parse_query(query.text)
        words = vocabulary.expansions(query.text, terms, scope.tree.snapshot.paths)
        found = self._rank_one(query, scope, vocabulary.weights(words))
        return found._replace(rewritten=Rewritten(words=words) if words else None)

    def _with_variants(self, query: Query, scope: SearchScope) -> RankedQuery:
        """Rank the fused query and variants; the query alone if the model gave none."""
        variants, why = self._rewriter.variants(query.text)
        if not variants:
            alone = self._rank_one(query, scope)
            return alone._replace(degraded="; ".join(filter(None, (alone.degraded, why))))
        from ragit.rank import Fused

        asked = (query, *(replaced(query, text=text) for text in variants))
        every = [self._rank_one(one, scope._replace(least=0.0, wanted=0)) for one in asked]
        fused = Fused([(one.scorer, one.ranked) for one in every])
        nothing = "" if any(not one.nothing for one in every) else every[0].nothing
        return every[0]._replace(
            scorer=fused,
            ranked=fused.order(scope.least),
            nothing=nothing,
            rewritten=Rewritten(variants),
        )

    @cached_property
    def _rewriter(self) -> Rewriter:
        from ragit.search.rewrite import Rewriter  # HTTP, and all that comes with it

        return Rewriter(self._retrieval.query_rewriting)

    def _rank_one(
        self, query: Query, scope: SearchScope, expansions: Mapping[str, float] = _NO_WORDS
    ) -> RankedQuery:
        terms = rank.parse_query(query.text)
        if expansions:
            terms = replaced(terms, expansions=expansions)
        mode = self._mode(query)
        store, tree = scope.store, scope.tree
        vector, degraded = None, scope.refused
        if not degraded and mode != "keyword":
            vector, degraded = self._vector(store, query, terms, mode)
        scoring = self._retrieval.hybrid_search.keyword_scoring
        found = find_candidates(store, tree, terms, vector, scoring, scope.top_k)
        mix = self._mix(query, terms.shape, mode, vector is not None)
        evidence = Evidence({}, rank.WordWeights({}, 0.0, {}))
        if mix.exact and mode != "vector":
            evidence = find_evidence(store, tree, scope.texts, terms, found)
        nothing = ""
        if vector:
            has_words = mode == "vector" or found.keyword_hits > 0
            nothing = self._nothing(query, found, has_words=has_words)
            degraded = "" if nothing else self._without_one_arm(query, has_words=has_words)
        unheld: tuple[str, ...] = ()
        if terms.phrases and mode != "vector" and 1.0 not in evidence.of.values():
            unheld = unheld_phrases(tree, scope.texts, terms, found)
        if unheld and terms.is_quoted and not query.guess:
            quoted = ", ".join(f'"{phrase}"' for phrase in unheld)
            nothing = nothing or f"no file holds {quoted} word for word (--guess shows the nearest)"
        in_code = rank.held_in_code(found.files.values())
        facts = rank.QueryFacts(terms, found.names, in_code, evidence.headings)
        scorer = rank.Scorer(facts, mix, found.files)
        nearness = vector.name_nearness if vector else None
        ranked = _ordered(scorer, scope, found, evidence, mix, nearness)
        unmatched = unmatched_names(tree, scope.texts, terms, found)
        return RankedQuery(
            terms,
            evidence.weights,
            scorer,
            () if nothing else ranked,
            degraded,
            unmatched,
            misspelt(terms, unmatched, found),
            nothing,
            found.keyword_hits,
            [place for place, file in found.files.items() if file.keyword > 0],
            unheld_phrases=unheld,
        )

    def _mode(self, query: Query) -> str:
        enabled = self._retrieval.hybrid_search.enabled
        return "vector" if query.mode == "hybrid" and not enabled else query.mode

    def _vector(
        self, store: Store, query: Query, terms: rank.QueryTerms, mode: str
    ) -> tuple[QueryVector | None, str]:
        """Return the query's vector; or None, and the reason if one was expected."""
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
        # Similar code is asked for by vectors alone: a chunk is no report with a title.
        has_title = terms.is_pasted and query.mode != "vector"
        text = terms.title if has_title else query.text[: rank.QUERY_BYTES]
        try:
            vector = self._embed(embedder, prefix + text, store, number)
            store.check_dimensions(number, len(vector) // 4)
        except EmbedderUnavailable as error:
            if mode == "vector":
                raise
            return None, error.message
        if not any(vector):
            return (
                None,
                "the query holds no letter or digit, so nothing can match it (git grep -F finds signs)",  # noqa: E501
            )
        # Vectors are made again when the descriptions of their chunks come.
        unchanging = "" if chunk_task(self._config.description) else embedder.fingerprint
        return QueryVector(
            quantize_query(vector),
            number,
            path_nearness(text),
            name_nearness(rank.content_words(text)),
            unchanging,
        ), ""

    def _embed(self, embedder: Embedder, text: str, store: Store, number: int) -> bytes:
        """Return the query's vector; from a server, by the model of the stored vectors.

        A long-lived process embeds no query twice, for any tree and paths.
        """
        key = (text, store.mark(number))
        vector = self._vectors.pop(key, None)
        if vector is None:
            vector = self._new_vector(embedder, text, store, number)
        self._vectors[key] = vector
        if len(self._vectors) > REMEMBERED_QUERIES:
            self._vectors.popitem(last=False)
        return vector

    @staticmethod
    def _new_vector(embedder: Embedder, text: str, store: Store, number: int) -> bytes:
        if embedder.local:
            return embedder.embed_query(text)
        from ragit.index import query_vector

        return query_vector(embedder, text, store, number)

    def _without_one_arm(self, query: Query, *, has_words: bool) -> str:
        """Return why one arm found nothing for a query; empty if both did."""
        asked = rank.content_words(query.text)
        known = self._knows(asked)
        if has_words:
            # An unknown ASCII word is an invented name: found by itself, as it should be.
            foreign = not known and not asked.isascii()
            return (
                "the model knows no word of the query: ranked by its words and letters alone"
                if foreign
                else ""
            )
        none = "no file that passes the filters" if query.paths or query.languages else "no file"
        if known:
            return f"{none} holds a word of the query: ranked by meaning alone"
        return f"{none} holds a word of the query, and the model knows none: these are guesses by letters"  # noqa: E501

    def _nothing(self, query: Query, found: Candidates, *, has_words: bool) -> str:
        """Return why no candidate is an answer: no file contains a word, and no chunk is near in
        meaning.
        """
        if has_words or query.guess:
            return ""
        nearest = max((max(one.cosines, default=0.0) for one in found.chunks), default=0.0)
        if self._knows(rank.content_words(query.text)) and nearest >= NEAR_ENOUGH:
            return ""
        none = "no file that passes the filters" if query.paths or query.languages else "no file"
        return f"{none} holds a word of the query, and none is near in meaning (--guess shows the nearest)"  # noqa: E501

    def _knows(self, asked: str) -> bool:
        return self._embedder is None or self._embedder.knows(asked)

    def _mix(self, query: Query, shape: str, mode: str, has_vectors: bool) -> rank.Mix:
        hybrid = self._retrieval.hybrid_search
        weight = hybrid.keyword_weight if query.keyword_weight is None else query.keyword_weight
        weights = rank.shaped(self._weights, shape)
        if mode == "hybrid":
            return rank.mix_of(weight if has_vectors else 1.0, weights)
        return rank.mix_of(0.0 if mode == "vector" else 1.0, weights, one_arm=True)


def _ordered(
    scorer: rank.Scorer,
    scope: SearchScope,
    found: Candidates,
    evidence: Evidence,
    mix: rank.Mix,
    nearness: Callable[[str], float] | None,
) -> list[rank.Ranked]:
    """Return the candidates' chunks in order. Names are read for those that need them.

    `nearness` tells how near the words of a name are to the query's.
    """
    compared = COMPARED if nearness and mix.signals.get(rank.ALIKE) else 0
    contenders = scorer.contenders(found.chunks, scope.wanted, evidence.of, compared)
    if not mix.signals:
        return scorer.order(contenders, rank.Details({}, evidence.of), scope.least)
    evident = {chunk for _, chunk in evidence.of}
    every = (one.facts for one in contenders)
    named = {one.chunk for one in every if one.keyword.names or one.chunk in evident}
    listed = sorted(contenders, key=lambda one: one.plain, reverse=True)
    best = {one.facts.chunk for one in listed[:compared]}
    rows = {chunk: rank.ChunkNames(*row) for chunk, row in scope.store.named(named | best).items()}
    names = {chunk: row for chunk, row in rows.items() if chunk in named}
    details = rank.Details(names, evidence.of)
    kept = scorer.narrowed(contenders, details, scope.wanted, evident | best)
    if nearness:
        alike = {chunk: nearness(rows[chunk].symbol.partition(" ")[0]) for chunk in best}
        kept = [one.with_alike(alike.get(one.facts.chunk, 0.0)) for one in kept]
    return scorer.order(kept, details, scope.least)
