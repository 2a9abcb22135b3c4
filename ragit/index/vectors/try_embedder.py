"""Try the configured embedder once, and report its name, address, speed and notes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from ragit.config import Config
from ragit.embed import EMBEDDERS
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.index import model_costs
from ragit.index.descriptions.settings import fingerprints_of
from ragit.index.vectors import same_model
from ragit.index.vectors.embedder import embedder_of, served
from ragit.reports import EmbedderTried, Reached
from ragit.store import Store
from ragit.types import Embedder

SAMPLE = (
    "def close_idle_connections(pool):\n"
    "    for connection in pool.idle():\n"
    "        connection.close()\n"
)
QUERY = "where are idle connections closed"

LARGE = 2048
"""Dimensions from which a hint is given: each takes 1.1 bytes per chunk, and time at every
search.
"""

_ZEROS = (
    "Is it a model for embeddings? Ask its server by itself, or name another: docs/providers.md"
)

_T = TypeVar("_T")


def tried(config: Config, store: Store | None) -> EmbedderTried:
    """Embed one text and one query with the configured embedder, and report on it.

    Raises the embedder's errors, and EmbedderUnavailable if another model made the stored vectors.
    """
    embedder = embedder_of(config.embedding, config.description)
    if embedder is None:
        raise ConfigError(
            "embedding.provider is none: there is no embedder to test", "Searches use words alone"
        )
    marks = _marks(store, embedder)
    document_ms, (document, *seen) = _timed(
        lambda: embedder.embed([SAMPLE, *([same_model.PROBE] if marks else [])])
    )
    for mark in seen:
        same_model.confirm(embedder, marks, mark)
    query_ms, query = _timed(lambda: embedder.embed_query(config.query_prefix + QUERY))
    for what, vector in (("code", document), ("a question", query)):
        if not any(vector):
            raise EmbedderUnavailable(
                f"{_model_name(config)} makes {what} a vector of zeros: it finds nothing", _ZEROS
            )
    server = served(embedder)
    sent = model_costs.of_vectors(config, server.sent) if server else None
    reached = (
        server.about()
        if server
        else Reached(config.embedding.provider, "", config.embedding.model, "", False)
    )
    return EmbedderTried(
        provider=reached.provider,
        address=reached.address,
        model=reached.model,
        key=reached.key,
        dimensions=embedder.dimensions,
        document_ms=document_ms,
        query_ms=query_ms,
        tokens=sent.tokens if sent else 0,
        cost=sent.cost if sent else None,
        notes=tuple(_notes(config, embedder, reached, document == query, known=bool(marks))),
    )


def _marks(store: Store | None, embedder: Embedder) -> list[bytes]:
    """Return the marks of the stored vectors' model; empty if there are none to compare."""
    if store is None or embedder.local:
        return []
    return list(
        filter(any, map(store.mark, same_model.tables_of(store, fingerprints_of(embedder))))
    )


def _timed(call: Callable[[], _T]) -> tuple[float, _T]:
    started = time.perf_counter()
    value = call()
    return (time.perf_counter() - started) * 1000, value


def _model_name(config: Config) -> str:
    settings = config.embedding
    return (
        f"model {settings.model} of {settings.provider}"
        if settings.model
        else f"the model of {settings.provider}"
    )


def _notes(
    config: Config, embedder: Embedder, reached: Reached, same: bool, *, known: bool
) -> Iterator[str]:
    if config.embedding.provider in EMBEDDERS:
        yield "it is part of ragit, and sends nothing anywhere"
    if known:
        yield "it has the model that made the stored vectors"
    if reached.in_clear:
        yield "the key travels unencrypted: the address begins with http://"
    if same:
        yield "two different texts have the same vector: this is no model for search"
    if embedder.dimensions > LARGE:
        yield (
            f"{embedder.dimensions:,} dimensions make a large index; "
            "embedding.dimensions asks for fewer"
        )
