"""Tests that requests are sized by the server's speed."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from serving import Answer, EmbeddingServer, embeddings_answer, error

from ragit.embed import EmbedderOptions
from ragit.embed.pace import SECONDS, Pace
from ragit.embed.served import ServedEmbedder, load
from ragit.errors import EmbedderUnavailable

TEXTS = [f"text {number} " + "x" * 900 for number in range(60)]


def make_embedder(server: EmbeddingServer, **options: Any) -> ServedEmbedder:
    return load(
        EmbedderOptions(**{"base_url": server.url, "model": "m", "concurrency": 3, **options})
    )


def simulate(per_text: float, texts: int = 2000, max_texts: int = 100) -> list[tuple[int, float]]:
    """Return texts and seconds of each request to a server that takes `per_text` for a text of
    length 900.
    """
    pace, found, start = Pace(max_texts, 200_000), [], 0
    lengths = [900] * texts
    while start < len(lengths):
        end = pace.take(lengths, start)
        seconds = 0.05 + per_text * (end - start)
        pace.answered(end - start, 900 * (end - start), seconds)
        found.append((end - start, seconds))
        start = end
    return found


@pytest.mark.parametrize("per_text", [0.1, 0.4, 1.0, 2.0])
def test_requests_to_a_slow_server_take_5_to_10_seconds(per_text: float) -> None:
    requests = simulate(per_text, 200)
    assert requests[0][0] <= 2
    assert all(seconds <= 10 for _, seconds in requests)
    assert all(seconds >= 5 for _, seconds in requests[4:-1])


def test_requests_to_a_fast_server_grow_to_the_maximum() -> None:
    sizes = [texts for texts, _ in simulate(0.002)]
    assert sizes[:6] == [2, 8, 32, 100, 100, 100] and set(sizes[3:-1]) == {100}


def test_requests_shrink_when_the_server_slows_down() -> None:
    pace = Pace(100, 200_000)
    for _ in range(8):
        pace.answered(8, 8000, 1.0)
    before = pace.take([900] * 100, 0)
    pace.answered(before, 900 * before, 4 * SECONDS)
    assert pace.take([900] * 100, 0) <= before // 2
    pace.timed_out(before, 900 * before)
    assert pace.take([900] * 100, 0) <= before // 2


def test_timed_out_request_is_repeated_in_smaller_parts(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server works on one request at a time, also on abandoned ones."""
    monkeypatch.setattr("ragit.embed.pace.FIRST", 20_000)
    working = threading.Lock()

    def slowly(payload: dict[str, Any]) -> Answer:
        with working:
            time.sleep(0.15 * len(payload["input"]))
        return embeddings_answer(payload)

    server.reply = slowly
    embedder = make_embedder(server, timeout=2.0)
    assert len(embedder.embed(TEXTS[:30])) == 30
    batches = [tuple(payload["input"]) for payload in server.asked]
    assert len(batches[0]) > 12 and len(set(batches)) == len(batches)
    assert max(map(len, batches[1:])) < len(batches[0])


def test_slow_server_gets_one_request_at_a_time(server: EmbeddingServer) -> None:
    running, peak = [0], [0]

    def slowly(payload: dict[str, Any]) -> Answer:
        running[0] += 1
        peak[0] = max(peak[0], running[0])
        time.sleep(0.15 * len(payload["input"]))
        running[0] -= 1
        return embeddings_answer(payload)

    server.reply = slowly
    assert len(make_embedder(server, batch_size=2).embed(TEXTS[:8])) == 8
    assert peak[0] == 1


def test_unanswered_requests_are_given_up(server: EmbeddingServer) -> None:
    server.reply = lambda payload: time.sleep(1)
    with pytest.raises(EmbedderUnavailable, match="no answer in time") as caught:
        make_embedder(server, timeout=0.1).embed(TEXTS[:4])
    assert "embedding.timeoutMs" in caught.value.hint
    assert len(server.asked) <= 5


@pytest.mark.parametrize(
    "message", ["batch size {n} > maximum allowed batch size 10", "too many inputs"]
)
def test_batch_limit_of_a_server_is_learnt_once(server: EmbeddingServer, message: str) -> None:
    def limited(payload: dict[str, Any]) -> Answer:
        size = len(payload["input"])
        return error(422, message.format(n=size)) if size > 10 else embeddings_answer(payload)

    server.reply = limited
    embedder = make_embedder(server, concurrency=1)
    for _ in range(5):
        assert len(embedder.embed(TEXTS)) == len(TEXTS)
    refused = [payload for payload in server.asked if len(payload["input"]) > 10]
    assert len(refused) <= 3
    assert 5 <= embedder.sent.most_texts <= 10


def test_limit_on_the_total_length_is_learnt(server: EmbeddingServer) -> None:
    def limited(payload: dict[str, Any]) -> Answer:
        much = sum(map(len, payload["input"])) > 10_000
        return error(400, "too many tokens in batch") if much else embeddings_answer(payload)

    server.reply = limited
    embedder = make_embedder(server, concurrency=1)
    for _ in range(5):
        embedder.embed(TEXTS)
    assert not embedder.counts["shortened"]
    assert len([1 for payload in server.asked if sum(map(len, payload["input"])) > 10_000]) <= 4
