"""Tests of the remote embedder against a real server on this machine that answers well or badly."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
from array import array
from typing import Any

import pytest
from serving import Answer, EmbeddingServer, Reply, embeddings_answer, error, vector

from ragit.embed import EmbedderOptions, load_embedder
from ragit.embed.served import ServedEmbedder, load
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.remote.presets import PRESETS


def make_embedder(server: EmbeddingServer, **options: Any) -> ServedEmbedder:
    return load(
        EmbedderOptions(**{"base_url": server.url, "model": "tiny", "timeout": 5.0, **options})
    )


def unit_vector(text: str, dimensions: int = 4) -> bytes:
    values = vector(text, dimensions)
    length = math.sqrt(math.fsum(x * x for x in values))
    return array("f", [x / length for x in values]).tobytes()


def test_vectors_are_in_order_and_of_unit_length(server: EmbeddingServer) -> None:
    embedder = load_embedder(
        "openai", EmbedderOptions(base_url=server.url + "/", model="tiny", batch_size=2)
    )
    texts = ["one", "two", "three", "four", "five"]
    assert embedder.embed(texts) == [unit_vector(text) for text in texts]
    assert [payload["input"] for payload in server.asked] == [
        ["one", "two"],
        ["three", "four"],
        ["five"],
    ]
    assert {payload["model"] for payload in server.asked} == {"tiny"}
    assert set(server.paths) == {"/v1/embeddings"}
    assert embedder.dimensions == 4
    assert not embedder.local


def test_requests_run_concurrently(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.embed.pace._FAST", 0.0)  # as the server is, on an idle machine
    three = threading.Barrier(3, timeout=30)

    def together(payload: dict[str, Any]) -> Answer:
        three.wait()  # raises unless three requests arrive together
        return embeddings_answer(payload)

    embedder = make_embedder(server, batch_size=1, concurrency=3, timeout=40.0)
    texts = [f"text {i}" for i in range(7)]
    server.replies = [
        embeddings_answer,
        *[together] * 6,
    ]  # the first runs alone, to learn the dimensions
    assert embedder.embed(texts) == [unit_vector(text) for text in texts]
    assert server.asked[0]["input"] == texts[:1]


def test_permanent_failure_ends_concurrent_requests(server: EmbeddingServer) -> None:
    def each(payload: dict[str, Any]) -> Answer:
        return (
            error(401, "who are you")
            if payload["input"] == ["0"]
            else error(503, "later", Retry_After="50")
        )

    embedder = make_embedder(server, batch_size=1, concurrency=2, dimensions=4)
    server.replies = [each] * 9
    with pytest.raises(EmbedderUnavailable, match="who are you"):
        embedder.embed(["0", "1", "2", "3"])
    assert len(server.asked) <= 3
    server.replies = []
    assert embedder.embed_query("one") == unit_vector("one")


def test_batch_is_bounded_in_characters(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = PRESETS["openai"]
    assert row.embeddings
    small = row._replace(embeddings=row.embeddings._replace(characters=10))
    monkeypatch.setitem(PRESETS, "openai", small)
    make_embedder(server).embed(["a" * 6, "b" * 6, "c" * 2, "d" * 40])
    assert [len(payload["input"]) for payload in server.asked] == [1, 2, 1]


def test_blank_texts_are_not_sent(server: EmbeddingServer) -> None:
    embedder = make_embedder(server, document_prefix="passage: ")
    assert embedder.embed(["", "one", " \n"]) == [bytes(16), unit_vector("passage: one"), bytes(16)]
    assert [payload["input"] for payload in server.asked] == [["passage: one"]]
    assert embedder.embed_query(" ") == bytes(16)
    assert len(server.asked) == 1


def test_dimensions_are_sent_if_set_and_else_learnt(server: EmbeddingServer) -> None:
    assert make_embedder(server, dimensions=3).embed(["one"]) == [unit_vector("one", 3)]
    assert server.asked[-1]["dimensions"] == 3
    assert make_embedder(server).dimensions == 4
    assert "dimensions" not in server.asked[-1]


def test_key_comes_from_the_environment(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_embedder(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
    assert "Authorization" not in server.headers[-1]
    monkeypatch.setenv("RAGIT_TEST_KEY", "k-123")
    make_embedder(server, api_key_env="RAGIT_TEST_KEY").embed_query("one")
    assert server.headers[-1]["Authorization"] == "Bearer k-123"


def test_fingerprint_depends_on_server_model_dimensions_and_prefix(server: EmbeddingServer) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"model": "other"},
        {"dimensions": 3},
        {"document_prefix": "p"},
    ]
    variants.append({"base_url": "http://localhost:1/v1"})
    assert len({make_embedder(server, **variant).fingerprint for variant in variants}) == len(
        variants
    )
    assert (
        make_embedder(server, query_prefix="q", timeout=1.0).fingerprint
        == make_embedder(server).fingerprint
    )
    assert not server.asked


def test_retry_waits_for_the_time_in_retry_after(
    server: EmbeddingServer, waits: list[float]
) -> None:
    server.replies = [
        lambda _: error(429, "slow down", Retry_After="7"),
        lambda _: error(500, "oops"),
        lambda _: None,
    ]
    assert make_embedder(server).embed(["one"]) == [unit_vector("one")]
    # The third reply was cut on an idle connection: a new one is opened without waiting.
    assert waits[0] == 7 and 0.5 <= waits[1] <= 1 and len(waits) == 2
    assert len(server.asked) == 4


def test_retry_after_may_be_a_date(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(503, "later", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")]
    assert make_embedder(server).embed(["one"]) == [unit_vector("one")]
    assert len(waits) == 1 and waits[0] <= 0.5


def test_number_of_retries_is_bounded(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(500, "disk on fire")] * 9
    with pytest.raises(
        EmbedderUnavailable, match="model tiny at http://127.*answered 500: disk on fire"
    ):
        make_embedder(server, retries=2).embed(["one"])
    assert len(server.asked) == 3 and len(waits) == 2


def test_exhausted_quota_is_not_retried(server: EmbeddingServer, waits: list[float]) -> None:
    spent = json.dumps(
        {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    ).encode()
    server.replies = [
        lambda _: error(429, "come back tomorrow", Retry_After="86400"),
        lambda _: (429, {}, spent),
    ]
    for words in ("come back tomorrow", "exceeded your quota"):
        with pytest.raises(EmbedderUnavailable, match=words):
            make_embedder(server).embed(["one"])
    assert waits == []


def test_query_is_retried_at_most_once(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(503, "busy")] * 2
    with pytest.raises(EmbedderUnavailable, match="busy"):
        make_embedder(server).embed_query("one")
    server.replies = [lambda _: error(429, "busy", Retry_After="30")]
    with pytest.raises(EmbedderUnavailable, match="busy"):
        make_embedder(server).embed_query("one")
    assert len(server.asked) == 3 and len(waits) == 1


def test_query_vector_is_cached(server: EmbeddingServer) -> None:
    embedder = make_embedder(server)
    for text in ("one", "two", "one"):
        assert embedder.embed_query(text) == unit_vector(text)
    assert [payload["input"] for payload in server.asked] == [["one"], ["two"]]


def test_rejected_key_error_names_the_variable_but_not_the_key(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGIT_TEST_KEY", "sk-secret")
    server.replies = [lambda _: error(401, "Incorrect API key provided: sk-secret")]
    with pytest.raises(
        EmbedderUnavailable, match=r"answered 401: Incorrect API key provided: \*\*\*"
    ) as caught:
        make_embedder(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
    assert (
        caught.value.hint
        == "the environment variable RAGIT_TEST_KEY (embedding.apiKeyEnv) is set, but not accepted"
    )
    assert "sk-secret" not in caught.value.message + caught.value.hint


WRONG: list[tuple[bytes, str]] = [
    (b"<html>welcome</html>", "did not answer in JSON, but with b'<html>"),
    (b"[]", "did not answer with embeddings"),
    (b'{"data": null}', "did not answer with embeddings"),
    (b'{"data": [{"index": 0}]}', "did not answer with embeddings"),
    (b'{"data": []}', "0 embeddings to 1 texts"),
    (
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
        "2 embeddings to 1 texts",
    ),
    (b'{"data": [{"index": 5, "embedding": [1]}]}', "did not answer with embeddings"),
    (b'{"data": [{"index": 0, "embedding": [true]}]}', "not a list of numbers"),
    (b'{"data": [{"index": 0, "embedding": "AAAAAAAA8H8="}]}', "not finite"),
    (b'{"data": [{"index": 0, "embedding": "AAAA"}]}', "not a list of numbers"),
    (b'{"data": [{"index": 0, "embedding": []}]}', "not a list of numbers"),
    (b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', "not finite"),
]


@pytest.mark.parametrize(("body", "words"), WRONG)
def test_malformed_answer_is_reported(server: EmbeddingServer, body: bytes, words: str) -> None:
    server.replies = [lambda _: (200, {}, body)]
    with pytest.raises(EmbedderUnavailable) as caught:
        make_embedder(server).embed(["one"])
    assert (
        words in caught.value.message
        and server.url in caught.value.message
        and "tiny" in caught.value.message
    )
    assert caught.value.hint


def test_wrong_dimensions_are_rejected(server: EmbeddingServer) -> None:
    server.replies = [lambda payload: embeddings_answer(payload | {"dimensions": 5})]
    with pytest.raises(EmbedderUnavailable, match="5 dimensions instead of 3"):
        make_embedder(server, dimensions=3).embed(["one"])
    embedder = make_embedder(server)
    embedder.embed(["one"])
    server.replies = [lambda payload: embeddings_answer(payload, 6)]
    with pytest.raises(EmbedderUnavailable, match="6 dimensions instead of 4"):
        embedder.embed(["one"])


def test_too_long_text_is_cut_and_counted(server: EmbeddingServer) -> None:
    def limit(payload: dict[str, Any]) -> Answer:
        if sum(map(len, payload["input"])) > 500:
            return error(400, "This model's maximum context length is 500 letters")
        return embeddings_answer(payload)

    server.replies = [limit] * 20
    embedder = make_embedder(server)
    assert embedder.embed(["a" * 300, "b" * 300, "c" * 900]) == [
        unit_vector("a" * 300),
        unit_vector("b" * 300),
        unit_vector("c" * 379),
    ]
    assert embedder.counts["shortened"] == 1


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("Input validation error: `inputs` must have less than 512 tokens. Given: 1024", 475),
        (
            "input (1024 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
            475,
        ),
        ("maximum context length is 512 tokens, however you requested 1024 tokens", 475),
        ("maximum context length is 8192 tokens, however you requested 9000000 tokens", 750),
        ("text-embedding-3-small: too long", 750),
    ],
)
def test_text_is_cut_by_the_limit_in_the_error(
    server: EmbeddingServer, words: str, kept: int
) -> None:
    server.replies = [lambda _: error(400, words)]
    assert make_embedder(server).embed(["a" * 1000]) == [unit_vector("a" * kept)]


def test_cut_of_a_text_does_not_depend_on_its_batch(server: EmbeddingServer) -> None:
    def limit(payload: dict[str, Any]) -> Answer:
        return (
            error(400, "too long")
            if max(map(len, payload["input"])) > 400
            else embeddings_answer(payload)
        )

    server.replies = [limit] * 60
    texts = ["x" * length for length in (900, 3, 401, 400, 5000, 20, 650)]
    together = make_embedder(server, dimensions=4).embed(texts)
    server.replies = [limit] * 60
    assert together == [make_embedder(server, dimensions=4).embed([text])[0] for text in texts]


def test_max_characters_cuts_texts_before_they_are_sent(server: EmbeddingServer) -> None:
    embedder = make_embedder(server, max_characters=10)
    assert embedder.embed(["a" * 10, "b" * 11]) == [unit_vector("a" * 10), unit_vector("b" * 10)]
    assert embedder.counts["shortened"] == 1 and len(server.asked) == 1
    assert embedder.fingerprint != make_embedder(server).fingerprint


def test_requests_are_bounded_if_every_text_is_too_long(
    server: EmbeddingServer,
) -> None:
    server.replies = [lambda _: error(413, "no")] * 30
    with pytest.raises(EmbedderUnavailable, match="answered 413: no"):
        make_embedder(server).embed(["a" * 1000])
    assert len(server.asked) == 7


def test_rejected_text_does_not_affect_the_others(server: EmbeddingServer) -> None:
    def strict(payload: dict[str, Any]) -> Answer:
        return (
            error(400, "I do not like that")
            if "bad" in payload["input"]
            else embeddings_answer(payload)
        )

    server.replies = [strict] * 40
    embedder = make_embedder(server)
    texts = ["bad", "one", "two", "three", "four"]
    assert embedder.embed(texts) == [bytes(16), *map(unit_vector, texts[1:])]
    assert embedder.counts["refused"] == 1


def test_server_that_rejects_every_text_is_an_error(server: EmbeddingServer) -> None:
    server.replies = [lambda _: error(400, "this is a model for chats")] * 20
    with pytest.raises(EmbedderUnavailable, match="a model for chats"):
        make_embedder(server).embed(["one", "two"])
    assert len(server.asked) == 3  # both together, one alone, and a harmless text


def zeros(payload: dict[str, Any]) -> Answer:
    """Answer with vectors of zeros."""
    rows = [{"index": i, "embedding": [0.0] * 4} for i in range(len(payload["input"]))]
    return 200, {}, json.dumps({"data": rows}).encode()


@pytest.mark.parametrize("broken", [lambda _: error(400, "no more"), zeros])
def test_server_that_starts_to_reject_every_text_is_an_error(
    server: EmbeddingServer, broken: Reply
) -> None:
    embedder = make_embedder(server, batch_size=2)
    texts = [f"text {i}" for i in range(8)]
    assert embedder.embed(texts[:4]) == [unit_vector(text) for text in texts[:4]]
    server.reply = broken
    with pytest.raises(EmbedderUnavailable, match="no more|all zero"):
        embedder.embed(texts)


@pytest.mark.parametrize("rejection", [lambda _: error(400, "not that"), zeros])
def test_consecutive_rejected_texts_do_not_affect_the_others(
    server: EmbeddingServer, rejection: Reply
) -> None:
    server.reply = lambda payload: (
        rejection(payload) if "bad" in payload["input"][0] else embeddings_answer(payload)
    )
    embedder = make_embedder(server, batch_size=1, concurrency=1)
    texts = ["one", "bad 1", "bad 2", "bad 3", "two"]
    assert embedder.embed(texts) == [unit_vector("one"), *[bytes(16)] * 3, unit_vector("two")]
    assert embedder.counts["refused"] == 3


@pytest.mark.parametrize(
    ("options", "parameter", "setting"),
    [
        ({"dimensions": 3}, "dimensions", "embedding.dimensions"),
        ({"encoding_format": "base64"}, "encoding_format", "embedding.encodingFormat"),
    ],
)
def test_rejected_parameter_is_named(
    server: EmbeddingServer, options: dict[str, Any], parameter: str, setting: str
) -> None:
    server.replies = [lambda _: error(400, f"Unknown parameter: {parameter}")]
    with pytest.raises(
        EmbedderUnavailable, match=f"answered 400: Unknown parameter: {parameter}"
    ) as caught:
        make_embedder(server, **options).embed(["one", "two"])
    assert caught.value.hint == f"Leave {setting} out: this server does not take it"
    assert len(server.asked) == 1


def test_base64_vectors_equal_plain_ones(server: EmbeddingServer) -> None:
    assert make_embedder(server, encoding_format="base64").embed(["one", "two"]) == [
        unit_vector("one"),
        unit_vector("two"),
    ]
    assert server.asked[-1]["encoding_format"] == "base64"


def test_secrets_are_not_sent(server: EmbeddingServer) -> None:
    key = "ghp_" + "a1B2" * 9
    embedder = make_embedder(server, document_prefix="passage: ")
    embedder.embed([f"a = {key}", "b"])
    embedder.embed_query(f"where is {key}")
    assert [payload["input"] for payload in server.asked] == [
        ["passage: a = ***", "passage: b"],
        ["where is ***"],
    ]
    assert embedder.taken_out == {"GitHub token": 2}


def test_other_client_errors_are_not_retried(server: EmbeddingServer) -> None:
    server.replies = [
        lambda _: (
            404,
            {},
            b'{"error": "model \'tiny\' not found\\u001b[31m, try pulling it first"}',
        )
    ]
    with pytest.raises(
        EmbedderUnavailable, match=r"answered 404: model 'tiny' not found \[31m, try pulling"
    ) as caught:
        make_embedder(server).embed(["one"])
    assert len(server.asked) == 1 and "\x1b" not in caught.value.message


def test_redirect_is_not_followed(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGIT_TEST_KEY", "k-123")
    other = EmbeddingServer()
    try:
        server.replies = [lambda _: (307, {"Location": other.url + "/embeddings"}, b"")]
        with pytest.raises(EmbedderUnavailable, match="answered 307"):
            make_embedder(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
        assert not other.asked
    finally:
        other.close()


def test_unreachable_server_is_reported() -> None:
    with socket.socket() as unlistened:
        unlistened.bind(("127.0.0.1", 0))  # bound, not listening: refused
        url = f"http://127.0.0.1:{unlistened.getsockname()[1]}/v1"
        with pytest.raises(
            EmbedderUnavailable, match=f"{url}/embeddings cannot be reached"
        ) as caught:
            load_embedder("openai", EmbedderOptions(base_url=url, model="tiny")).embed_query("one")
    assert (
        "static, without embedding.model" in caught.value.hint
    )  # `static` takes embedding.model for a file


def test_silent_server_times_out(waits: list[float]) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        options = EmbedderOptions(
            base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05, retries=1
        )
        with pytest.raises(EmbedderUnavailable, match="no answer in time"):
            load_embedder("openai", options).embed(["one"])
    assert not waits


@pytest.mark.parametrize(
    "url", ["localhost:11434", "ftp://host/v1", "http://", "file:///etc/passwd", "http://[::1"]
)
def test_invalid_address_is_rejected(url: str) -> None:
    with pytest.raises(ConfigError, match="baseUrl"):
        load_embedder("openai", EmbedderOptions(base_url=url))


@pytest.mark.parametrize(("provider", "expected"), [("openai", True), ("ollama", False)])
def test_openai_package_is_imported_for_its_own_protocol_only(
    server: EmbeddingServer, provider: str, expected: bool
) -> None:
    server.reply = lambda payload: (
        embeddings_answer(payload)
        if provider == "openai"
        else (200, {}, json.dumps({"embeddings": [vector("x")]}).encode())
    )
    script = (
        "import sys; from ragit.embed import *\n"
        f"options = EmbedderOptions(base_url={server.url[:-3] if provider == 'ollama' else server.url!r})\n"
        f"load_embedder({provider!r}, options).embed_query('x')\n"
        "print('openai' in sys.modules, 'httpx2' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == [str(expected), "True", "False"]
