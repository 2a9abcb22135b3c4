"""Tests of each provider's dialect, against a server that answers as the provider documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from serving import Answer, EmbeddingServer, as_base64, error, vector
from test_served import unit_vector

from ragit.embed import EmbedderOptions, load_embedder
from ragit.embed.served import ServedEmbedder
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.remote.presets import PRESETS, Preset
from ragit.remote.server import Server

SERVED = [preset for preset in PRESETS.values() if preset.embeddings]


def answer(preset: Preset, payload: dict[str, Any]) -> Answer:
    """Return the provider's answer, in its own form."""
    dialect = preset.embeddings
    assert dialect
    vectors = [vector(text, payload.get(dialect.dimensions, 4)) for text in payload[dialect.texts]]
    if dialect.answer == "embeddings":
        return 200, {}, json.dumps({"embeddings": vectors, "prompt_eval_count": 7}).encode()
    if dialect.answer == "by type":
        return 200, {}, json.dumps({"embeddings": {"float": vectors}}).encode()
    packed = payload.get(dialect.encoding) == "base64"
    rows = [
        {"index": i, "embedding": as_base64(one) if packed else one}
        for i, one in enumerate(vectors)
    ]
    return 200, {}, json.dumps({"data": rows, "usage": {"total_tokens": 7}}).encode()


def provider_embedder(preset: Preset, server: EmbeddingServer, **options: Any) -> ServedEmbedder:
    """Return the provider's embedder, with the address of a local server."""
    server.replies = [lambda payload: answer(preset, payload)] * 9
    address = (
        server.url
        if preset.base_url.endswith(("/v1", "/v2")) or not preset.base_url
        else server.url[:-3]
    )
    model = {} if preset.embeddings and preset.embeddings.model else {"model": "tiny"}
    options = {"base_url": address, "timeout": 5.0, **model, **options}
    embedder = load_embedder(preset.name, EmbedderOptions(**options))
    assert isinstance(embedder, ServedEmbedder)
    return embedder


@pytest.mark.parametrize("preset", SERVED, ids=lambda preset: preset.name)
def test_provider_needs_only_its_name(preset: Preset, server: EmbeddingServer) -> None:
    dialect = preset.embeddings
    assert dialect
    embedder = provider_embedder(preset, server)
    texts = ["one", "two"]
    assert embedder.embed(texts) == [unit_vector(dialect.prefixes[1] + text) for text in texts]
    assert embedder.embed_query("one") == unit_vector(dialect.prefixes[0] + "one")
    document, query = server.asked
    for payload, kind in ((document, dialect.document), (query, dialect.query)):
        assert payload["model"] == (dialect.model or "tiny")
        assert payload.items() >= dict(kind).items()
        assert {
            name: list(v) if isinstance(v, tuple) else v for name, v in dialect.always
        }.items() <= payload.items()
    assert server.paths[0].endswith(f"/{dialect.path}")


@pytest.mark.parametrize("preset", SERVED, ids=lambda preset: preset.name)
def test_dimensions_are_sent_in_the_parameter_of_the_provider(
    preset: Preset, server: EmbeddingServer
) -> None:
    dialect = preset.embeddings
    assert dialect
    embedder = provider_embedder(preset, server, dimensions=3)
    if not dialect.dimensions:
        with pytest.raises(ConfigError, match=r"no parameter for embedding\.dimensions"):
            embedder.embed(["one"])
        return
    embedder.embed(["one"])
    assert server.asked[0][dialect.dimensions] == 3


@pytest.mark.parametrize("preset", SERVED, ids=lambda preset: preset.name)
def test_batches_respect_the_limit_of_the_provider(
    preset: Preset, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.embed.pace.FIRST", 1 << 30)  # no slow start on a loaded machine
    dialect = preset.embeddings
    assert dialect
    embedder = provider_embedder(
        preset, server, batch_size=2048, dimensions=4 if dialect.dimensions else None
    )
    server.replies *= 9
    embedder.embed([str(i) for i in range(3 * dialect.most)])
    sizes = [len(payload[dialect.texts]) for payload in server.asked]
    assert max(sizes) == dialect.most and sum(sizes) == 3 * dialect.most


def test_presets_are_complete() -> None:
    for preset in PRESETS.values():
        assert preset.page.startswith("https://")
        assert preset.local or preset.key_env
        assert preset.local == preset.base_url.startswith("http://")


def test_ollama_with_a_v1_address_uses_the_openai_protocol(server: EmbeddingServer) -> None:
    embedder = load_embedder("ollama", EmbedderOptions(base_url=server.url))
    embedder.embed(["one"])
    assert server.paths == ["/v1/embeddings"]
    assert server.asked[0] == {"model": "nomic-embed-text", "input": ["search_document: one"]}


def test_default_prefixes_apply_to_the_default_model_only(server: EmbeddingServer) -> None:
    provider_embedder(PRESETS["ollama"], server, model="all-minilm").embed(["one"])
    provider_embedder(PRESETS["ollama"], server, document_prefix="passage: ").embed(["one"])
    assert [payload["input"] for payload in server.asked] == [["one"], ["passage: one"]]


def test_older_ollama_is_asked_again_without_truncate(server: EmbeddingServer) -> None:
    embedder = provider_embedder(PRESETS["ollama"], server)
    server.replies.insert(0, lambda _: error(400, 'unknown field "truncate"'))
    assert len(embedder.embed(["one"])) == 1
    assert "truncate" in server.asked[0] and "truncate" not in server.asked[1]


def test_default_base64_is_dropped_if_the_server_rejects_it(
    server: EmbeddingServer,
) -> None:
    embedder = provider_embedder(PRESETS["vllm"], server)
    server.replies.insert(0, lambda _: error(400, "encoding_format base64 is not supported"))
    assert embedder.embed(["one"]) == [unit_vector("one")]
    assert [payload.get("encoding_format") for payload in server.asked] == ["base64", None]


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("jina-embeddings-v3", "retrieval.query"),
        ("jina-embeddings-v2-base-code", None),
        ("", "nl2code.query"),
    ],
)
def test_jina_task_depends_on_the_model(
    server: EmbeddingServer, model: str, query: str | None
) -> None:
    provider_embedder(PRESETS["jina"], server, model=model).embed_query("one")
    assert server.asked[0].get("task") == query


def test_fingerprint_differs_by_provider_and_holds_no_key(server: EmbeddingServer) -> None:
    names = {provider_embedder(preset, server).fingerprint for preset in SERVED}
    assert len(names) == len(SERVED)
    assert all(":secrets " in name or ",secrets " in name for name in names)
    voyage = provider_embedder(PRESETS["voyage"], server)
    assert "input_type=document" in voyage.fingerprint and "voyage-code-3" in voyage.fingerprint
    hidden = load_embedder(
        "openai", EmbedderOptions(base_url=f"{server.url}?key=abc123", model="m")
    )
    assert "abc123" not in hidden.fingerprint


@pytest.mark.parametrize(
    ("address", "key", "in_clear"),
    [
        ("http://models.example.org/v1", "k-123456", True),
        ("http://models.example.org/v1", "", False),
        ("https://models.example.org/v1", "k-123456", False),
        ("http://localhost:1/v1", "k-123456", False),
        ("http://127.0.0.1:1/v1", "k-123456", False),
        ("http://[::1]:1/v1", "k-123456", False),
    ],
)
def test_key_sent_in_clear_is_reported(address: str, key: str, in_clear: bool) -> None:
    embedder = ServedEmbedder(EmbedderOptions(model="m"), PRESETS["openai"], Server(address, key))
    assert embedder.about().in_clear is in_clear
    assert "k-123456" not in str(embedder.about())


def test_missing_model_or_embeddings_is_an_error(server: EmbeddingServer) -> None:
    with pytest.raises(ConfigError, match="model is not set"):
        load_embedder("azure", EmbedderOptions(base_url=server.url))
    with pytest.raises(ConfigError, match="DeepSeek has no embeddings"):
        ServedEmbedder(EmbedderOptions(), PRESETS["deepseek"], Server(server.url))


def test_rejected_provider_parameter_is_named(server: EmbeddingServer) -> None:
    embedder = provider_embedder(PRESETS["voyage"], server)
    server.replies.insert(0, lambda _: error(400, "Unknown argument 'input_type'"))
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["one"])
    assert "does not take the parameter input_type" in caught.value.hint
