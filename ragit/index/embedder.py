"""The embedder that the configuration names."""

from __future__ import annotations

from ragit.config import Description, Embedding
from ragit.embed import EmbedderOptions, load_embedder
from ragit.index.describing import DescribedEmbedder, chunk_asking
from ragit.types import Embedder


def embedder_of(settings: Embedding, description: Description | None = None) -> Embedder | None:
    """None where the configuration wants keywords only. The query prefix is search's to add.

    Its fingerprint says whether, and by whom, what it is given is described.
    """
    embedder = _embedder_of(settings)
    asking = chunk_asking(description) if description else None
    return DescribedEmbedder(embedder, asking) if embedder and asking else embedder


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
    )
    return load_embedder(settings.provider, options)
