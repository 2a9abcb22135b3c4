"""Defines the options of an embedder, and the fingerprint of its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragit.records import Record

if TYPE_CHECKING:
    from ragit.remote import Server


class EmbedderOptions(Record):
    """The settings under `embedding.`. An embedder ignores those that do not concern it."""

    model: str = ""
    """Name of a model on the server, or a file for the static one; empty for the default."""
    base_url: str = ""
    """Address of the server's API, for example http://localhost:11434/v1."""
    api_key_env: str = ""
    """Environment variable with the key. The key is never a setting, so it cannot be committed."""
    dimensions: int | None = None
    """Requested length of the vectors; None for the model's own."""
    document_prefix: str = ""
    query_prefix: str = ""
    batch_size: int = 100
    """Texts per request."""
    concurrency: int = 1
    """Concurrent requests."""
    timeout: float = 30.0
    """Timeout of one answer in seconds."""
    retries: int = 5
    """Further tries after a temporary error or a broken connection."""
    provider: str = "openai"
    """Name of the embedder, or of a row of `remote.presets`."""
    encoding_format: str = ""
    """float or base64; empty for the provider's default."""
    max_characters: int = 0
    """Length to which longer texts are cut; 0 to cut only if the server refuses."""
    server: Server | None = None
    """Server with key, proxy and headers; None to use `base_url` and `api_key_env`."""


def fingerprint(kind: str, model: str, dimensions: int | None, options: EmbedderOptions) -> str:
    """Return everything that determines a document's vector besides its text, in readable form.

    The query prefix is left out, since it changes no stored vector. Not hashed: importing hashlib
    costs a query 5 ms.
    """
    prefix = f":{options.document_prefix!r}" if options.document_prefix else ""
    return f"{kind}:{model}:{dimensions or 'default'}{prefix}"
