"""The embedder that the configuration names."""

from __future__ import annotations

from ragit.config import Embedding
from ragit.embed import EmbedderOptions, load_embedder
from ragit.types import Embedder


def embedder_of(settings: Embedding) -> Embedder | None:
    """None where the configuration wants keywords only. The query prefix is search's to add."""
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
    )
    return load_embedder(settings.provider, options)
