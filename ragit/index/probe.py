"""The configured embedder, tried once: what it is, where it is, how fast it answers, and what is worth knowing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from ragit.config import Config
from ragit.embed import EMBEDDERS
from ragit.errors import ConfigError
from ragit.index import costs
from ragit.index.describing import DescribedEmbedder
from ragit.index.embedder import embedder_of, sent_by
from ragit.reports import EmbedderTried
from ragit.types import Embedder

SAMPLE = "def close_idle_connections(pool):\n    for connection in pool.idle():\n        connection.close()\n"
QUERY = "where are idle connections closed"


LARGE = 2048
"""Dimensions from which a hint is worth a line: each takes 1.1 bytes a chunk, and time at every search."""

T = TypeVar("T")


def tried(config: Config) -> EmbedderTried:
    """One text and one query through the embedder that the settings name. Raises what it raises."""
    embedder = embedder_of(config.embedding, config.description)
    if embedder is None:
        raise ConfigError("embedding.provider is none: there is no embedder to test", "Searches use words alone")
    document_ms, (document,) = _timed(lambda: embedder.embed([SAMPLE]))
    query_ms, query = _timed(lambda: embedder.embed_query(config.query_prefix + QUERY))
    about = _about(embedder)
    sent = costs.priced(config, sent_by(embedder))
    return EmbedderTried(
        provider=str(about.get("provider") or config.embedding.provider),
        address=str(about.get("address", "")),
        model=sent.model if sent else config.embedding.model,
        key=str(about.get("key", "")),
        dimensions=embedder.dimensions,
        document_ms=document_ms,
        query_ms=query_ms,
        tokens=sent.tokens if sent else 0,
        cost=sent.cost if sent else None,
        notes=tuple(_notes(config, embedder, about, document == query)),
    )


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    value = call()
    return (time.perf_counter() - started) * 1000, value


def _about(embedder: Embedder) -> Mapping[str, object]:
    """What an embedder says of its server; nothing for one that has none."""
    while isinstance(embedder, DescribedEmbedder):
        embedder = embedder.embedder
    about = getattr(embedder, "about", None)
    said = about() if callable(about) else {}
    return said if isinstance(said, dict) else {}


def _notes(config: Config, embedder: Embedder, about: Mapping[str, object], same: bool) -> Iterator[str]:
    if config.embedding.provider in EMBEDDERS:
        yield "it is part of ragit, and sends nothing anywhere"
    if about.get("in clear"):
        yield "the key travels unencrypted: the address begins with http://"
    if same:
        yield "two different texts have the same vector: this is no model for search"
    if embedder.dimensions > LARGE:
        yield f"{embedder.dimensions:,} dimensions make a large index; embedding.dimensions asks for fewer"
