"""Settings of servers and their models: embeddings, descriptions, reranking and rewriting."""

from __future__ import annotations

from ragit.config.knobs import FREE, Section, at_most, knob

Headers = tuple[tuple[str, str], ...]
"""By header in lower case, its value, or $NAME for that of an environment variable."""


def _model(default: str, help: str) -> str:
    """Declare the name of a model, which is not empty unless that is the default."""
    return knob(default, help, pattern=r".+", wanted="the name of a model")


def _concurrency(default: int) -> int:
    return knob(default, "Requests under way at once.", low=1, high=64)


def _timeout_ms(default: int, help: str, *, longest: int = 3_600_000) -> int:
    return knob(default, help, low=1, high=longest)


class Service(Section):
    """Settings of a server: address, model, key, proxy."""

    base_url: str = knob(
        "",
        "Address of the server with its version (https://host/v1); empty: the provider's own.",
        pattern=r"(https?://[^\s/]\S*)?",
        wanted="a URL that begins with http:// or https://",
    )
    model: str = knob("", "Name of the model; empty: the provider's usual one.")
    api_key_env: str = knob(
        "",
        "Name of the environment variable that holds the key; empty: the provider's usual one, "
        "which is sent to the provider's own address only.",
        pattern=r"([A-Za-z_][A-Za-z0-9_]*)?",
        wanted="the name of an environment variable (never the key itself)",
    )
    key_from: str = knob(
        "environment",
        "Where the key is kept: environment, git (its credential helper, by the server's address) "
        "or keyring (the library of that name; service: ragit, user: the server's host).",
        choices=("environment", "git", "keyring"),
    )
    headers: Headers = knob(
        (),
        "Further headers of each request; $NAME takes a value from the environment.",
        pattern=r"[\t\x20-\x7e]*",
        wanted="a table of headers, each a line of text or the $NAME of an environment variable",
    )
    proxy: str = knob(
        "",
        "http://host:port; none: no proxy; empty: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.",
        pattern=r"(none|http://[^\s/]\S*)?",
        wanted='"none" or a URL that begins with http://',
    )
    ca_file: str = knob(
        "",
        "Certificates to trust beside the system's: a PEM file.",
        pattern=r"[^\0\r\n]*",
        wanted="a path",
    )


class Embedding(Service):
    """Settings of the embedder. `static` and `none` send nothing."""

    provider: str = knob(
        "static",
        "static: the model in the package, offline. none: keywords only. "
        "Others: docs/providers.md.",
        pattern=r"[A-Za-z0-9_.-]+",
        wanted='"static", "none", a provider (docs/providers.md) or an installed embedder',
    )
    dimensions: int = knob(
        0, "Length of the vectors to ask for; 0: the model's own.", low=0, high=16_384
    )
    encoding_format: str = knob(
        "",
        "How vectors travel: float or base64; empty: as the provider likes it.",
        choices=("", "float", "base64"),
    )
    query_prefix: str = knob("", "Put before a query before it is embedded.")
    document_prefix: str = knob("", "Put before a chunk before it is embedded.")
    max_characters: int = knob(
        0,
        "Longer texts are cut to this length before they are sent; 0: where the server says so.",
        low=0,
        high=1 << 30,
    )
    batch_size: int = knob(100, "Texts in one request.", low=1, high=2048)
    concurrency: int = _concurrency(3)
    timeout_ms: int = _timeout_ms(30_000, "Milliseconds to wait for one answer of the server.")


class LanguageModel(Service):
    """Settings of a language model."""

    enabled: bool = knob(False, "Ask it.")
    base_url: str = knob(
        "http://localhost:11434/v1",
        "Address of a server with OpenAI's chat completions, with its version; default: local "
        "Ollama.",
        pattern=r"https?://[^\s/]\S*",
        wanted="a URL that begins with http:// or https://",
    )
    model: str = _model("", "Name of the model.")
    # A change of one of these settings repeats all descriptions, and their cost.
    prompt: str = knob("", "Instructions for the model; empty: ragit's own.")
    max_tokens: int = knob(300, "Tokens it may answer with.", low=1, high=100_000)
    concurrency: int = _concurrency(2)
    timeout_ms: int = _timeout_ms(60_000, "Milliseconds to wait for one answer.")


class Description(LanguageModel):
    """Settings of describing chunks, whose text is sent to the model: docs/descriptions.md."""

    enabled: bool = knob(False, "Describe chunks when `ragit index` runs, and embed both.")
    model: str = _model("qwen2.5:3b", "Name of the model.")
    max_content_chars: int = knob(
        4000, "Characters of a chunk that are sent; the rest is left out.", low=100, high=1_000_000
    )


class ImageDescription(LanguageModel):
    """Settings of describing images, which are sent to the model: docs/descriptions.md."""

    enabled: bool = knob(False, "Describe images when `ragit index` runs, and index the words.")
    model: str = _model("minicpm-v", "Name of a model that sees.")
    max_image_bytes: int = knob(
        10 << 20,
        "Larger images are skipped and counted.",
        low=1,
        high=1 << 30,
        untrusted=at_most(10 << 20),
    )
    max_pixels: int = knob(
        50_000_000,
        "Images of more pixels are skipped and counted.",
        low=1,
        high=1 << 30,
        untrusted=at_most(50_000_000),
    )
    max_dimension: int = knob(
        1024, "Pixels of the longer side to which an image is scaled down.", low=16, high=16_384
    )


NO_MINIMUM = -1000.0
"""Lowest minimum. Relevances may be logits, so 0 would be a real limit."""


class Reranking(Service):
    """Settings of the reranker, a model that orders the best candidates."""

    enabled: bool = knob(False, "Let a model order the best candidates of every search.")
    provider: str = knob(
        "llama.cpp",
        "Protocol of the server: a dialect of /rerank (jina also for vLLM and Infinity; tei is "
        "text-embeddings-inference), or chat for a language model with chat completions.",
        choices=("llama.cpp", "jina", "cohere", "tei", "voyage", "chat"),
    )
    model: str = knob("", "Name of the model; empty: the provider's usual one, or the only one.")
    candidates: int = knob(20, "How many of the best are sent to it.", low=1, high=1000)
    max_doc_chars: int = knob(
        1200, "Characters of each candidate that are sent.", low=50, high=100_000
    )
    doc_field: str = knob(
        "description+content",
        "What is sent of each candidate: its description, if there is one, and its text; or "
        "content: its text alone.",
        choices=("description+content", "content"),
    )
    query_template: str = knob(
        "",
        "What is sent as the query, with {query} in it; empty: the query itself.",
        pattern=r"(.*\{query\}.*)?",
        wanted="a text with {query} in it",
    )
    weight: float = knob(
        0.5,
        "Share of the model in the new order; the order before has the rest.",
        low=0,
        high=1,
        untrusted=FREE,
    )
    min_score: float = knob(
        NO_MINIMUM,
        "Hits of a lower relevance, in the model's own scale, are left out, and so are hits it "
        f"did not see; {NO_MINIMUM:g}: none are.",
        low=NO_MINIMUM,
        high=1000,
        untrusted=FREE,
    )
    timeout_ms: int = _timeout_ms(
        4000, "Milliseconds in all, after which the order stands as it was.", longest=600_000
    )


class QueryRewriting(Service):
    """Settings of query rewriting. `vocabulary` sends nothing, `chat` the query."""

    enabled: bool = knob(False, "Look also for other words than those of the query.")
    provider: str = knob(
        "vocabulary",
        "vocabulary: similar words of the searched tree, offline. chat: variants of the query by a "
        "language model with chat completions, each searched.",
        choices=("vocabulary", "chat"),
    )
    model: str = knob("", "Name of the language model.")
    variants: int = knob(
        3, "Variants of a query that the language model is asked for.", low=1, high=8
    )
    timeout_ms: int = _timeout_ms(
        4000, "Milliseconds in all, after which the query is searched as it is.", longest=600_000
    )
