"""Load the configured embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragit.config import Description, Embedding
from ragit.embed import EMBEDDERS, EmbedderOptions, load_embedder
from ragit.index.descriptions.settings import DescribedEmbedder, chunk_task
from ragit.types import Embedder

if TYPE_CHECKING:
    from ragit.remote import Server
    from ragit.reports import Sent, Served


def embedder_of(settings: Embedding, description: Description | None = None) -> Embedder | None:
    """Load the configured embedder; None for keywords only.

    A search adds the query prefix. The fingerprint includes the describer of its texts, if any.
    """
    embedder = _embedder_of(settings)
    task = chunk_task(description) if description else None
    return DescribedEmbedder(embedder, task) if embedder and task else embedder


def sent_by(embedder: Embedder | None) -> Sent | None:
    """Return what the embedder sent to a server so far; None if it sends nothing."""
    server = served(embedder)
    return server.sent if server else None


def served(embedder: Embedder | None) -> Served | None:
    """Return the embedder without wrappers if it asks a server, else None."""
    from ragit.reports import Served  # a search reports nothing

    while isinstance(embedder, DescribedEmbedder):
        embedder = embedder.embedder
    return embedder if isinstance(embedder, Served) else None


def warm_up(embedder: Embedder | None) -> None:
    """Start importing a server's client in a thread, while the search reads the store."""
    if embedder is not None and not embedder.local:
        getattr(served(embedder), "warm_up", lambda: None)()


def server_name(settings: Embedding, embedder: Embedder | None) -> str:
    """Return the name of the server that makes the vectors; empty if none does."""
    if embedder is None or settings.provider in EMBEDDERS:
        return ""
    server = served(embedder)
    if server is None:
        return ""
    from ragit.remote import origin  # a server's embedder has loaded it

    _, host = origin(server.about().address)
    return f"{settings.provider} at {host}" if host else settings.provider


def _embedder_of(settings: Embedding) -> Embedder | None:
    if settings.provider == "none":
        return None
    options = EmbedderOptions(
        model=settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        dimensions=settings.dimensions or None,
        document_prefix=settings.document_prefix,
        batch_size=settings.batch_size,
        concurrency=settings.concurrency,
        timeout=settings.timeout_ms / 1000,
        encoding_format=settings.encoding_format,
        max_characters=settings.max_characters,
        server=None if settings.provider in EMBEDDERS else _server(settings),
    )
    return load_embedder(settings.provider, options)


def _server(settings: Embedding) -> Server | None:
    """Return the configured server; None for an embedder of another distribution."""
    from ragit.remote import PRESETS
    from ragit.services import server_of

    preset = PRESETS.get(settings.provider)
    if preset is None:
        return None
    return server_of(
        settings,
        "embedding",
        preset=preset,
        timeout_ms=settings.timeout_ms,
        concurrency=settings.concurrency,
    )
