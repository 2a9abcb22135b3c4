"""The remote embedder against a real server on this machine, well-behaved and not."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from server import Answer, EmbeddingServer, error, vector, well

from ragit.embed import EmbedderOptions, load_embedder
from ragit.embed.openai import OpenAIEmbedder
from ragit.errors import ConfigError, EmbedderUnavailable


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    running = EmbeddingServer()
    yield running
    running.close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which a test does not sit through."""
    pauses: list[float] = []
    monkeypatch.setattr(OpenAIEmbedder, "_pause", lambda _, seconds: pauses.append(seconds))
    return pauses


def remote(server: EmbeddingServer, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(EmbedderOptions(**{"base_url": server.url, "model": "tiny", "timeout": 5.0, **options}))


def unit(text: str, dimensions: int = 4) -> bytes:
    values = vector(text, dimensions)
    length = math.sqrt(math.fsum(x * x for x in values))
    return array("f", [x / length for x in values]).tobytes()


def test_vectors_come_back_in_order_and_at_length_one(server: EmbeddingServer) -> None:
    embedder = load_embedder("openai", EmbedderOptions(base_url=server.url + "/", model="tiny", batch_size=2))
    texts = ["one", "two", "three", "four", "five"]
    assert embedder.embed(texts) == [unit(text) for text in texts]
    assert [payload["input"] for payload in server.asked] == [["one", "two"], ["three", "four"], ["five"]]
    assert {payload["model"] for payload in server.asked} == {"tiny"}
    assert set(server.paths) == {"/v1/embeddings"}
    assert embedder.dimensions == 4
    assert not embedder.local


def test_some_requests_are_under_way_at_once(server: EmbeddingServer) -> None:
    three = threading.Barrier(3, timeout=5)

    def together(payload: dict[str, Any]) -> Answer:
        three.wait()  # is broken, and the answer with it, unless three requests are here at the same time
        return well(payload)

    embedder = remote(server, batch_size=1, concurrency=3)
    texts = [f"text {i}" for i in range(7)]
    server.replies = [well, *[together] * 6]  # the first is asked alone: it tells the dimensions
    assert embedder.embed(texts) == [unit(text) for text in texts]
    assert server.asked[0]["input"] == texts[:1]


def test_a_request_that_fails_for_good_ends_those_beside_it(server: EmbeddingServer) -> None:
    def each(payload: dict[str, Any]) -> Answer:
        return error(401, "who are you") if payload["input"] == ["0"] else error(503, "later", Retry_After="50")

    embedder = remote(server, batch_size=1, concurrency=2, dimensions=4)
    server.replies = [each] * 9
    with pytest.raises(EmbedderUnavailable, match="who are you"):
        embedder.embed(["0", "1", "2", "3"])
    assert len(server.asked) <= 3
    server.replies = []
    assert embedder.embed_query("one") == unit("one")


def test_a_batch_is_bounded_in_characters_too(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragit.embed.openai._BATCH_CHARACTERS", 10)
    remote(server).embed(["a" * 6, "b" * 6, "c" * 2, "d" * 40])
    assert [len(payload["input"]) for payload in server.asked] == [1, 2, 1]


def test_blank_texts_are_not_sent(server: EmbeddingServer) -> None:
    embedder = remote(server, document_prefix="passage: ")
    assert embedder.embed(["", "one", " \n"]) == [bytes(16), unit("passage: one"), bytes(16)]
    assert [payload["input"] for payload in server.asked] == [["passage: one"]]
    assert embedder.embed_query(" ") == bytes(16)
    assert len(server.asked) == 1


def test_dimensions_are_asked_for_when_set_and_learnt_when_not(server: EmbeddingServer) -> None:
    assert remote(server, dimensions=3).embed(["one"]) == [unit("one", 3)]
    assert server.asked[-1]["dimensions"] == 3
    assert remote(server).dimensions == 4
    assert "dimensions" not in server.asked[-1]


def test_the_key_comes_from_the_environment(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    remote(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
    assert "Authorization" not in server.headers[-1]
    monkeypatch.setenv("RAGIT_TEST_KEY", "k-123")
    remote(server, api_key_env="RAGIT_TEST_KEY").embed_query("one")
    assert server.headers[-1]["Authorization"] == "Bearer k-123"


def test_the_fingerprint_names_server_model_dimensions_and_prefix(server: EmbeddingServer) -> None:
    variants: list[dict[str, Any]] = [{}, {"model": "other"}, {"dimensions": 3}, {"document_prefix": "p"}]
    variants.append({"base_url": "http://localhost:1/v1"})
    assert len({remote(server, **variant).fingerprint for variant in variants}) == len(variants)
    assert remote(server, query_prefix="q", timeout=1.0).fingerprint == remote(server).fingerprint
    assert not server.asked


def test_a_busy_server_is_asked_again_when_it_says(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(429, "slow down", Retry_After="7"), lambda _: error(500, "oops"), lambda _: None]
    assert remote(server).embed(["one"]) == [unit("one")]
    assert waits[0] == 7 and 0 < waits[1] <= 1 and 0 < waits[2] <= 2
    assert len(server.asked) == 4


def test_retry_after_may_be_a_date(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(503, "later", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")]
    assert remote(server).embed(["one"]) == [unit("one")]
    assert waits == [0]


def test_tries_end(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(500, "disk on fire")] * 9
    with pytest.raises(EmbedderUnavailable, match="model tiny at http://127.*answered 500: disk on fire"):
        remote(server, retries=2).embed(["one"])
    assert len(server.asked) == 3 and len(waits) == 2


def test_no_waiting_for_a_quota(server: EmbeddingServer, waits: list[float]) -> None:
    spent = json.dumps({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}).encode()
    server.replies = [lambda _: error(429, "come back tomorrow", Retry_After="86400"), lambda _: (429, {}, spent)]
    for words in ("come back tomorrow", "exceeded your quota"):
        with pytest.raises(EmbedderUnavailable, match=words):
            remote(server).embed(["one"])
    assert waits == []


def test_a_query_gives_up_sooner(server: EmbeddingServer, waits: list[float]) -> None:
    server.replies = [lambda _: error(503, "busy")] * 2
    with pytest.raises(EmbedderUnavailable, match="busy"):
        remote(server).embed_query("one")
    server.replies = [lambda _: error(429, "busy", Retry_After="30")]
    with pytest.raises(EmbedderUnavailable, match="busy"):
        remote(server).embed_query("one")
    assert len(server.asked) == 3 and len(waits) == 1


def test_a_refused_key_is_told_with_the_variable(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGIT_TEST_KEY", "sk-secret")
    server.replies = [lambda _: error(401, "Incorrect API key provided: sk-secret")]
    with pytest.raises(EmbedderUnavailable, match=r"answered 401: Incorrect API key provided: \*\*\*") as caught:
        remote(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
    assert "RAGIT_TEST_KEY is set" in caught.value.hint
    assert "sk-secret" not in caught.value.message + caught.value.hint


WRONG: list[tuple[bytes, str]] = [
    (b"<html>welcome</html>", "did not answer with embeddings, but with b'<html>"),
    (b"[]", "did not answer with embeddings"),
    (b'{"data": null}', "did not answer with embeddings"),
    (b'{"data": [{"index": 0}]}', "did not answer with embeddings"),
    (b'{"data": []}', "0 embeddings to 1 texts"),
    (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}', "2 embeddings to 1 texts"),
    (b'{"data": [{"index": 5, "embedding": [1]}]}', "1 embeddings to 1 texts"),
    (b'{"data": [{"index": 0, "embedding": "AAAA"}]}', "not a list of numbers"),
    (b'{"data": [{"index": 0, "embedding": []}]}', "not a list of numbers"),
    (b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', "not finite"),
]


@pytest.mark.parametrize(("body", "words"), WRONG)
def test_an_answer_of_another_kind_is_named(server: EmbeddingServer, body: bytes, words: str) -> None:
    server.replies = [lambda _: (200, {}, body)]
    with pytest.raises(EmbedderUnavailable) as caught:
        remote(server).embed(["one"])
    assert words in caught.value.message and server.url in caught.value.message and "tiny" in caught.value.message
    assert caught.value.hint


def test_wrong_dimensions(server: EmbeddingServer) -> None:
    server.replies = [lambda payload: well(payload | {"dimensions": 5})]
    with pytest.raises(EmbedderUnavailable, match="5 dimensions instead of 3"):
        remote(server, dimensions=3).embed(["one"])
    embedder = remote(server)
    embedder.embed(["one"])
    server.replies = [lambda payload: well(payload, 6)]
    with pytest.raises(EmbedderUnavailable, match="6 dimensions instead of 4"):
        embedder.embed(["one"])


def test_what_is_too_long_is_sent_in_smaller_parts(server: EmbeddingServer) -> None:
    def limit(payload: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if sum(map(len, payload["input"])) > 500:
            return error(400, "This model's maximum context length is 500 letters")
        return well(payload)

    server.replies = [limit] * 20
    embedder = remote(server)
    assert embedder.embed(["a" * 300, "b" * 300, "c" * 900]) == [unit("a" * 300), unit("b" * 300), unit("c" * 450)]


def test_a_server_that_finds_everything_too_long_is_not_asked_for_ever(server: EmbeddingServer) -> None:
    server.replies = [lambda _: error(413, "no")] * 30
    with pytest.raises(EmbedderUnavailable, match="answered 413: no"):
        remote(server).embed(["a" * 1000])
    assert len(server.asked) == 4


def test_other_refusals_are_not_tried_again(server: EmbeddingServer) -> None:
    server.replies = [lambda _: (404, {}, b'{"error": "model \'tiny\' not found\\u001b[31m, try pulling it first"}')]
    with pytest.raises(EmbedderUnavailable, match=r"answered 404: model 'tiny' not found \[31m, try pulling") as caught:
        remote(server).embed(["one"])
    assert len(server.asked) == 1 and "\x1b" not in caught.value.message


def test_a_redirect_is_refused(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGIT_TEST_KEY", "k-123")
    other = EmbeddingServer()
    try:
        server.replies = [lambda _: (307, {"Location": other.url + "/embeddings"}, b"")]
        with pytest.raises(EmbedderUnavailable, match="answered 307"):
            remote(server, api_key_env="RAGIT_TEST_KEY").embed(["one"])
        assert not other.asked
    finally:
        other.close()


def test_nobody_there() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, not listening: refused
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        with pytest.raises(EmbedderUnavailable, match=f"{url}/embeddings cannot be reached") as caught:
            load_embedder("openai", EmbedderOptions(base_url=url, model="tiny")).embed_query("one")
    assert "static" in caught.value.hint


def test_a_silent_server_times_out(waits: list[float]) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        options = EmbedderOptions(base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05, retries=1)
        with pytest.raises(EmbedderUnavailable, match="connection broke"):
            load_embedder("openai", options).embed(["one"])
    assert len(waits) == 1


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host/v1", "http://", "file:///etc/passwd", "http://[::1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigError, match="baseUrl"):
        load_embedder("openai", EmbedderOptions(base_url=url))


def test_the_openai_package_is_not_imported(server: EmbeddingServer) -> None:
    script = (
        "import sys; from ragit.embed import *\n"
        f"load_embedder('openai', EmbedderOptions(base_url={server.url!r})).embed_query('x')\n"
        "sys.exit('openai' in sys.modules or 'numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
