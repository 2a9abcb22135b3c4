"""Let a model reorder the best candidates, within a timeout.

Imported only for a search that reranks. If the model fails, the fused order stays and the answer
says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from ragit.config import NO_MINIMUM, Reranking
from ragit.errors import ConfigError
from ragit.rank import Ranked, reranked
from ragit.records import NamedTuple
from ragit.remote import (
    DIALECTS,
    PRESETS,
    Client,
    CrossEncoder,
    RetryPolicy,
    TooLong,
    decode_without_keys,
)
from ragit.search.hits import Document, HitBuilder, Pool
from ragit.search.timeout import NoAnswer, in_time
from ragit.services import server_of
from ragit.types import RerankedBy

QUERY_CHARS = 2000
"""Limit of a query's characters: a longer one would leave no room for a document, since most
cross-encoders read some 500 words of both.
"""

HALVINGS = 3
"""Number of times that documents are halved for a server that does not cut them. By default
llama-server takes 512 tokens of query and document together, and rejects the whole request for one
that is too long.
"""

CONCURRENCY = 4
"""Number of parallel requests if the candidates exceed what a server takes in one."""

SECTION = "retrieval.reranking"

Judge = Callable[[str, Sequence[str], RetryPolicy], "list[float | None]"]
"""From query and documents to relevances."""

Describe = Callable[[list[bytes]], Mapping[bytes, str]]
"""From hashes of embedded texts to their descriptions."""


class Reordered(NamedTuple):
    """Candidates in order, each with its previous rank (from 0)."""

    order: list[tuple[int, Ranked]]
    by: RerankedBy | None = None
    degraded: str = ""
    """Reason why the order is unchanged; empty if the model gave one."""
    alone: bool = False
    """True if the chunks below the candidates are left out: minScore then refers to the model's
    relevances.
    """


class RerankedPool(NamedTuple):
    """A pool of chunks whose best are in the model's order."""

    pool: Pool
    by: RerankedBy | None
    degraded: str
    """Reason why the order is unchanged; else empty."""


class Reranker:
    """A configured reranker with its connection. Raises ConfigError for invalid settings."""

    def __init__(self, settings: Reranking) -> None:
        self._settings = settings
        self._ask, self._name, self._client = _asker(settings)
        self._longest = 0
        """Limit of a document's characters after the server refused longer ones; else 0."""

    @property
    def candidates(self) -> int:
        """Number of candidates given to the model."""
        return self._settings.candidates

    def rerank(
        self, builder: HitBuilder, query: str, described: Describe, *, distinct: bool
    ) -> RerankedPool:
        """Return the pool with its best in the model's order. For `distinct` see `rank.rerank`."""
        pool = builder.pool
        best = pool[: self.candidates]
        wants = self._settings.doc_field != "content"
        documents = builder.documents(
            best, described if wants else lambda _: {}, decode_without_keys
        )
        done = self.order(
            query,
            [one for one, _ in best],
            list(map(self._document_text, documents)),
            distinct=distinct,
        )
        reordered = [(one, best[old][1]) for old, one in done.order]
        rest = () if done.alone else pool[len(best) :]
        return RerankedPool([*reordered, *rest], done.by, done.degraded)

    def _document_text(self, one: Document) -> str:
        """Return what the model reads of a candidate: its path, name and beginning.

        Secrets are removed before the end is cut off: half a secret would not be recognised.
        """
        text = self._client.clean(
            f"{one.description}\n\n{one.text}" if one.description else one.text
        )
        return (
            self._client.clean(f"{one.path} {one.name}".rstrip())[:200]
            + "\n"
            + text[: self._settings.max_doc_chars]
        )

    def order(
        self, query: str, candidates: Sequence[Ranked], documents: Sequence[str], *, distinct: bool
    ) -> Reordered:
        """Return the candidates, whose texts are `documents`, in the model's order; unchanged if it
        fails.
        """
        if len(candidates) < 2:
            return Reordered(list(enumerate(candidates)))
        settings = self._settings
        started = time.perf_counter()
        text = (settings.query_template or "{query}").replace(
            "{query}", self._client.clean(query)[:QUERY_CHARS]
        )
        try:
            relevances = in_time(
                lambda policy: self._relevances(text, documents, policy),
                settings.timeout_ms,
                SECTION,
            )
        except NoAnswer as why:
            return _as_before(candidates, str(why))
        by = RerankedBy(self._name, len(candidates), (time.perf_counter() - started) * 1000)
        order = reranked(candidates, relevances, settings.weight, distinct=distinct)
        if (
            settings.min_score <= NO_MINIMUM or settings.provider == "chat"
        ):  # a chat orders, and measures nothing
            return Reordered(order, by)
        return Reordered(
            [one for one in order if _at_least(relevances[one[0]], settings.min_score)],
            by,
            alone=True,
        )

    def _relevances(
        self, text: str, documents: Sequence[str], policy: RetryPolicy
    ) -> list[float | None]:
        """Return the relevances of documents, or of their beginnings if the server says they are
        too long.
        """
        for _ in range(HALVINGS):
            shown = [document[: self._longest or None] for document in documents]
            try:
                return self._ask(text, shown, policy)
            except TooLong:
                self._longest = max(1, max(map(len, shown)) // 2)
        return self._ask(
            text, [document[: self._longest or None] for document in documents], policy
        )


def _at_least(relevance: float | None, least: float) -> bool:
    return relevance is not None and relevance >= least


def _as_before(candidates: Sequence[Ranked], reason: str) -> Reordered:
    return Reordered(list(enumerate(candidates)), degraded=f"not reranked: {reason}")


def _asker(settings: Reranking) -> tuple[Judge, str, Client]:
    """Return a function that asks the configured model, the model's name, and the connection."""
    if settings.provider == "chat":
        from ragit.search.listwise import Lister

        if not settings.model:
            raise ConfigError(
                f"{SECTION}.model is not set", "Name the language model that is to order candidates"
            )
        client = _client(settings, "openai")
        lister = Lister(client, settings.model)
        return lister.relevances, lister.name, client
    dialect = DIALECTS[settings.provider]
    client = _client(settings, settings.provider, dialect.base_url)
    encoder = CrossEncoder(client, dialect, settings.model)

    def ask(query: str, documents: Sequence[str], policy: RetryPolicy) -> list[float | None]:
        return encoder.relevances(query, documents, policy=policy)

    return ask, encoder.model or settings.provider, client


def _client(settings: Reranking, preset: str, base_url: str = "") -> Client:
    return Client(
        server_of(
            settings,
            SECTION,
            preset=PRESETS[preset],
            base_url=base_url,
            timeout_ms=settings.timeout_ms,
            concurrency=CONCURRENCY,
        )
    )
