"""Lists the known providers: addresses, names of parameters, and limits.

To add one, add a row with the page of its documentation, and run `python
tests/test_providers_page.py` to update docs/providers.md. A row follows that page as of 2026;
settings override it. A key is sent to the row's own address, or to an address that the user named
together with the key's variable, never to one where only the URL was changed.
"""

from __future__ import annotations

from ragit.records import NamedTuple
from ragit.remote.server import origin

NOMIC = ("search_query: ", "search_document: ")
"""Prefixes of a query and of a document for nomic-embed-text, by its model card."""


class Embeddings(NamedTuple):
    """Names of parameters and limits of a provider's embedding requests."""

    model: str = ""
    """Default model, for code if there is one; empty if the user must name it."""
    path: str = "embeddings"
    texts: str = "input"
    answer: str = "data"
    """Place of the vectors in an answer: data (OpenAI), embeddings (a list), or by type in
    embeddings.
    """
    dimensions: str = "dimensions"
    """Parameter for the length of a vector; empty for none."""
    encoding: str = "encoding_format"
    """Parameter for base64; empty for none."""
    base64: bool = False
    """Request base64 by default: a third of the bytes, and quick to parse."""
    query: tuple[tuple[str, str], ...] = ()
    document: tuple[tuple[str, str], ...] = ()
    """Parameters that mark a document; `query` marks a query."""
    always: tuple[tuple[str, object], ...] = ()
    """Parameters of every request. They stop servers from cutting long texts silently: ragit cuts
    and counts them.
    """
    prefixes: tuple[str, str] = ("", "")
    """Prefixes of a query and of a document in the training of `model`; for that model only."""
    most: int = 2048
    """Limit of texts in one request."""
    characters: int = 200_000
    """Limit of characters in one request. Servers limit tokens; code rarely has more than one in
    two characters.
    """

    @property
    def is_openai(self) -> bool:
        """True if requests and answers are plain OpenAI, without further parameters."""
        usual = Embeddings()
        return (self.path, self.texts, self.answer) == (
            usual.path,
            usual.texts,
            usual.answer,
        ) and not (self.query or self.document or self.always)


class Preset(NamedTuple):
    """One provider."""

    name: str
    title: str
    base_url: str
    """Empty if each user has a separate address."""
    page: str
    """Page of its documentation."""
    key_env: str = ""
    """Variable that its own tools read the key from; empty if it needs none."""
    key_header: str = "Authorization"
    local: bool = False
    """True if it usually runs on the user's machine."""
    embeddings: Embeddings | None = Embeddings()
    """Its embeddings API; None if it has none."""


_ROWS = (
    Preset(
        "openai",
        "OpenAI, and any server with its protocol",
        "https://api.openai.com/v1",
        "https://platform.openai.com/docs/api-reference/embeddings",
        "OPENAI_API_KEY",
        embeddings=Embeddings("text-embedding-3-small", base64=True),
    ),
    # The v1 API: no api-version, and the deployment's name is the model.
    Preset(
        "azure",
        "Azure OpenAI",
        "",
        "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
        "AZURE_OPENAI_API_KEY",
        "api-key",
        embeddings=Embeddings(base64=True),
    ),
    # Its own API, since /v1/embeddings silently cuts long texts. OpenAI's if baseUrl ends in /v1.
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434",
        "https://docs.ollama.com/api/embed",
        local=True,
        embeddings=Embeddings(
            "nomic-embed-text",
            "api/embed",
            answer="embeddings",
            encoding="",
            always=(("truncate", False),),
            prefixes=NOMIC,
            most=32,
        ),
    ),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://localhost:1234/v1",
        "https://lmstudio.ai/docs/api/openai-api",
        local=True,
        embeddings=Embeddings("text-embedding-nomic-embed-text-v1.5", prefixes=NOMIC, most=32),
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        "https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html",
        "VLLM_API_KEY",
        local=True,
        embeddings=Embeddings(base64=True),
    ),
    # llama-server --embeddings. It serves one model, whatever the requested name.
    Preset(
        "llama.cpp",
        "llama.cpp's llama-server",
        "http://localhost:8080/v1",
        "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        "LLAMA_API_KEY",
        local=True,
        embeddings=Embeddings("default", most=32),
    ),
    # Also one model. It refuses more than --max-client-batch-size texts, by default 32.
    Preset(
        "tei",
        "text-embeddings-inference",
        "http://localhost:8080/v1",
        "https://huggingface.github.io/text-embeddings-inference/",
        local=True,
        embeddings=Embeddings("default", dimensions="", most=32),
    ),
    Preset(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "https://docs.mistral.ai/api/endpoint/embeddings",
        "MISTRAL_API_KEY",
        embeddings=Embeddings(
            "codestral-embed", dimensions="output_dimension", base64=True, characters=30_000
        ),
    ),
    Preset(
        "voyage",
        "Voyage AI",
        "https://api.voyageai.com/v1",
        "https://docs.voyageai.com/reference/embeddings-api",
        "VOYAGE_API_KEY",
        embeddings=Embeddings(
            "voyage-code-3",
            dimensions="output_dimension",
            base64=True,
            query=(("input_type", "query"),),
            document=(("input_type", "document"),),
            always=(("truncation", False),),
            most=1000,
        ),
    ),
    Preset(
        "jina",
        "Jina AI",
        "https://api.jina.ai/v1",
        "https://api.jina.ai/openapi.json",
        "JINA_API_KEY",
        embeddings=Embeddings(
            "jina-code-embeddings-1.5b",
            encoding="embedding_type",
            base64=True,
            query=(("task", "nl2code.query"),),
            document=(("task", "nl2code.passage"),),
            most=512,
        ),
    ),
    Preset(
        "cohere",
        "Cohere",
        "https://api.cohere.com/v2",
        "https://docs.cohere.com/reference/embed",
        "CO_API_KEY",
        embeddings=Embeddings(
            "embed-v4.0",
            "embed",
            "texts",
            "by type",
            "output_dimension",
            "",
            query=(("input_type", "search_query"),),
            document=(("input_type", "search_document"),),
            always=(("embedding_types", ("float",)), ("truncate", "NONE")),
            most=96,
        ),
    ),
    Preset(
        "nvidia",
        "NVIDIA NIM",
        "https://integrate.api.nvidia.com/v1",
        "https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html",
        "NVIDIA_API_KEY",
        embeddings=Embeddings(
            "nvidia/llama-nemotron-embed-1b-v2",
            base64=True,
            query=(("input_type", "query"),),
            document=(("input_type", "passage"),),
            always=(("truncate", "NONE"),),
            most=128,
        ),
    ),
    Preset(
        "together",
        "Together AI",
        "https://api.together.xyz/v1",
        "https://docs.together.ai/reference/embeddings",
        "TOGETHER_API_KEY",
        embeddings=Embeddings(
            "intfloat/multilingual-e5-large-instruct", dimensions="", encoding="", most=128
        ),
    ),
    Preset(
        "fireworks",
        "Fireworks AI",
        "https://api.fireworks.ai/inference/v1",
        "https://docs.fireworks.ai/api-reference/creates-an-embedding-vector-representing-the-input-text",
        "FIREWORKS_API_KEY",
        embeddings=Embeddings(
            "nomic-ai/nomic-embed-text-v1.5", encoding="", prefixes=NOMIC, most=256
        ),
    ),
    # Chat only, listed for their keys.
    Preset(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        "https://api-docs.deepseek.com/",
        "DEEPSEEK_API_KEY",
        embeddings=None,
    ),
    Preset(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        "https://console.groq.com/docs/openai",
        "GROQ_API_KEY",
        embeddings=None,
    ),
)

PRESETS = {row.name: row for row in _ROWS}
"""Providers by the name for `embedding.provider`."""


def preset_at(base_url: str) -> Preset | None:
    """Return the provider whose address has the same scheme and host, so that its key may
    be sent.
    """
    wanted = origin(base_url)
    known = (
        row for row in _ROWS if row.base_url and not row.local and origin(row.base_url) == wanted
    )
    return next(known, None)


def dialect_for(preset: Preset, model: str, base_url: str) -> Embeddings | None:
    """Return the provider's dialect for a model at an address; None if it has no embeddings."""
    dialect = preset.embeddings
    if dialect is None:
        return None
    address = base_url.rstrip("/")
    if preset.name == "ollama" and address.endswith("/v1"):
        dialect = Embeddings(dialect.model, prefixes=dialect.prefixes, most=dialect.most)
    if preset.base_url and address != preset.base_url and not preset.local:
        dialect = dialect._replace(base64=False)  # another server may not know it
    if model in ("", dialect.model):
        return dialect
    dialect = dialect._replace(prefixes=("", ""))
    if preset.name == "jina" and "code-embeddings" not in model:
        return _jina_text_dialect(dialect, model)
    return dialect


def _jina_text_dialect(dialect: Embeddings, model: str) -> Embeddings:
    """Return the dialect of a model for text: v1 and v2 have no tasks, later ones retrieval."""
    if "-v2-" in model or "-v1-" in model:
        return dialect._replace(query=(), document=())
    return dialect._replace(
        query=(("task", "retrieval.query"),), document=(("task", "retrieval.passage"),)
    )
