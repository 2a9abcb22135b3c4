"""What a user may say about an embedder, and the name under which its vectors are kept. Standard library only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragit.records import Record

if TYPE_CHECKING:
    from ragit.remote.server import Server


class EmbedderOptions(Record):
    """The settings under `embedding.`; an embedder ignores those that mean nothing to it."""

    model: str = ""
    """A model's name on the server, or a file for the static one; empty for the embedder's own default."""
    base_url: str = ""
    """Where the server's API begins, for example http://localhost:11434/v1."""
    api_key_env: str = ""
    """The environment variable that holds the key. The key itself is never a setting, so it cannot be committed."""
    dimensions: int | None = None
    """Length of the vectors to ask for; None for the model's own."""
    document_prefix: str = ""
    query_prefix: str = ""
    batch_size: int = 100
    """Texts per request."""
    concurrency: int = 1
    """Requests under way at once."""
    timeout: float = 30.0
    """Seconds to wait for one answer."""
    retries: int = 5
    """Further tries after an answer that says to come back later, or after a cut connection."""
    provider: str = "openai"
    """The row of `remote.presets`, where it is one."""
    encoding_format: str = ""
    """float or base64; empty: as the provider likes it."""
    max_characters: int = 0
    """Longer texts are cut to this before they are sent; 0: where the server says so."""
    server: Server | None = None
    """The server with its key, proxy and headers, where settings name one; else `base_url` and `api_key_env` do."""


def fingerprint(kind: str, model: str, dimensions: int | None, options: EmbedderOptions) -> str:
    """Everything that determines a document's vector beside its text, in a form that people can read.

    The query prefix is not part of it: it changes no stored vector. Not hashed: importing hashlib costs a query 5 ms.
    """
    prefix = f":{options.document_prefix!r}" if options.document_prefix else ""
    return f"{kind}:{model}:{dimensions or 'default'}{prefix}"
