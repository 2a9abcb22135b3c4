"""Tests that a server's change to another model under the same name is noticed before its vectors
are stored or compared.
"""

from __future__ import annotations

import math
import os
import random
import struct
import time
from array import array
from typing import Any

import apsw
import pytest
from describing import Model, body
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import AnsweringServer, EmbeddingServer, Reply, as_base64, error

import ragit
from ragit.embed.quantize import quantize
from ragit.errors import EmbedderUnavailable
from ragit.index.vectors import same_model
from ragit.index.vectors.same_model import LEAST, PROBE, RECENT, cosine
from ragit.repository.repository import Ragit
from ragit.store import Store

DIMENSIONS = 64
CHANGED = "is not the model that made the stored vectors, though it has the same name"


def direction(text: str, model: int, noise: float = 0.0) -> list[float]:
    """Return one model's vector of a text, with some `noise`."""
    chance = random.Random(f"{model} {text}")
    exact = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
    other = random.Random(f"{noise} {text}")
    return [x + other.gauss(0, noise) for x in exact] if noise else exact


def made_by(model: int, *, noise: float = 0.0, half: bool = False) -> Reply:
    """Return a function that answers as a server with this model; in 16-bit floats if `half`."""

    def reply(payload: dict[str, Any]) -> object:
        rows = []
        for at, text in enumerate(payload["input"]):
            vector = direction(text, model, noise)
            if half:
                vector = list(
                    struct.unpack(f"<{DIMENSIONS}e", struct.pack(f"<{DIMENSIONS}e", *vector))
                )
            packed = payload.get("encoding_format") == "base64"
            rows.append({"index": at, "embedding": as_base64(vector) if packed else vector})
        return {"data": rows}

    return reply


@pytest.fixture
def code(repo: GitSandbox, server: EmbeddingServer) -> GitSandbox:
    server.reply = made_by(1)
    for number in range(4):
        repo.write(f"{number}.py", body(f"thing_{number}", 5))
    repo.commit()
    return repo


def opened(repo: GitSandbox, server: AnsweringServer, **more: object) -> Ragit:
    named = {name.replace("__", "."): value for name, value in more.items()}
    settings = {
        "embedding.provider": "openai",
        "embedding.baseUrl": server.url,
        "embedding.model": "tiny",
    }
    return ragit.open(repo.path, flags={**settings, "embedding.encodingFormat": "float", **named})


def indexed(repo: GitSandbox, server: AnsweringServer, **more: object) -> Any:
    with opened(repo, server, **more) as index:
        return index.index()


def changed(repo: GitSandbox, number: int) -> None:
    repo.write(f"{number}.py", body(f"changed_{number}", 5))
    repo.commit()


def texts_sent(server: AnsweringServer) -> list[str]:
    return [text for payload in server.asked for text in payload["input"]]


def stored_of(repo: GitSandbox, server: AnsweringServer) -> set[int]:
    """Return the models that made the stored vectors."""
    made = {
        quantize([_packed(direction(text, model))])[0].bytes: model
        for text in set(texts_sent(server))
        for model in (1, 2)
    }
    db = apsw.Connection(str(repo.store), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [
        name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'vec_i8_%'")
    ]
    return {made[vector] for table in tables for (vector,) in db.execute(f"SELECT v FROM {table}")}


def _packed(vector: list[float]) -> bytes:
    length = math.sqrt(math.fsum(x * x for x in vector))
    return array("f", [x / length for x in vector]).tobytes()


# -- indexing
# ----------------------------------------------------------------------------------------------------------


def test_index_refuses_vectors_of_another_model(code: GitSandbox, server: EmbeddingServer) -> None:
    indexed(code, server)
    changed(code, 1)
    server.reply = made_by(2)
    with pytest.raises(EmbedderUnavailable, match=CHANGED) as caught:
        indexed(code, server)
    assert f"model tiny at {server.url}/embeddings {CHANGED}" in caught.value.message
    assert "ragit index --rebuild" in caught.value.hint and "embedding.model" in caught.value.hint
    assert stored_of(code, server) == {1}
    server.reply = made_by(1)
    assert indexed(code, server).embedded == 1


@pytest.mark.parametrize("after", [1, 2, 3, 5])
def test_model_changed_during_a_run_adds_no_vector(
    code: GitSandbox, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr("ragit.index.run.run.BATCH_FILES", 1)
    for number in range(4, 8):
        code.write(f"{number}.py", body(f"thing_{number}", 5))
    code.commit()
    server.replies = [made_by(1)] * after
    server.reply = made_by(2)
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server)
    assert stored_of(code, server) == {1}
    with Store(code.store, writable=False) as store:
        assert store.info().chunkings == after


@pytest.mark.parametrize("after", [2, 3, 4])
def test_model_changed_during_a_batch_adds_none_of_it(
    code: GitSandbox, server: EmbeddingServer, after: int
) -> None:
    server.replies = [
        made_by(1)
    ] * after  # the first file alone, then six texts and two probes in pairs
    server.reply = made_by(2)
    for number in range(4, 7):
        code.write(f"{number}.py", body(f"thing_{number}", 5))
    code.commit()
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server, embedding__batchSize=2, embedding__concurrency=1)  # in this order
    assert stored_of(code, server) == {1}
    with Store(code.store, writable=False) as store:
        assert store.info().chunkings == 1


def test_renamed_model_and_rebuild_accept_the_new_model(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    indexed(code, server)
    changed(code, 1)
    server.reply = made_by(2)
    renamed = indexed(code, server, embedding__model="tiny-2")
    assert renamed.embedded == 4 and stored_of(code, server) == {1, 2}
    with opened(code, server) as index:
        index.index(rebuild=True)
        assert index.check().fresh and not index.search("changed", mode="vector").degraded
    assert stored_of(code, server) == {2}


def test_float16_and_noise_are_accepted_as_the_same_model(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    indexed(code, server)
    for number, reply in enumerate((made_by(1, half=True), made_by(1, noise=0.1), made_by(1))):
        changed(code, number)
        server.reply = reply
        assert indexed(code, server, embedding__encodingFormat="base64").embedded == 1
        with opened(code, server) as index:
            assert not index.search("changed").degraded


def test_check_adds_one_text_and_no_request(code: GitSandbox, server: EmbeddingServer) -> None:
    indexed(code, server)
    changed(code, 1)
    server.asked.clear()
    with opened(code, server) as index:
        index.index()
        assert [len(payload["input"]) for payload in server.asked] == [2]
        assert server.asked[0]["input"][0] == PROBE
        server.asked.clear()
        index.index()
        assert not server.asked, "nothing was missing"
        index.search("changed")
        index.search("thing")
        assert [payload["input"] for payload in server.asked] == [["changed", PROBE], ["thing"]]


def test_undescribed_vectors_of_another_model_are_not_reused(
    code: GitSandbox, server: EmbeddingServer, model: Model
) -> None:
    """A description changes the embedder's fingerprint, but vectors of code alone can be shared."""
    indexed(code, server)
    server.reply = made_by(2)
    model.faults["thing_1"] = error(400, "no")
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(
            code,
            server,
            **{name.replace(".", "__"): value for name, value in model.settings.items()},
        )
    assert stored_of(code, server) == {1}


def test_older_store_records_the_model_on_its_next_run(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    indexed(code, server)
    with Store(code.store, writable=True) as store, store.writing():
        store._db.execute("UPDATE embedder SET mark = x''")
    changed(code, 1)
    indexed(code, server)
    changed(code, 2)
    server.reply = made_by(2)
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server)


def test_concurrent_runs_cannot_mix_two_models(code: GitSandbox, server: EmbeddingServer) -> None:
    """Another process writes the first vectors while this one waits for its own."""
    inside = False

    def reply(payload: dict[str, Any]) -> object:
        nonlocal inside
        if not inside:
            inside = True
            indexed(code, server)  # by model 1, like every later request
            return made_by(2)(payload)
        return made_by(1)(payload)

    server.reply = reply
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server)
    assert stored_of(code, server) == {1}


def test_server_that_rejects_the_probe_is_used_without_it(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    def minding(payload: dict[str, Any]) -> object:
        return error(400, "no such text") if PROBE in payload["input"] else made_by(1)(payload)

    server.reply = minding
    assert indexed(code, server).embedded == 4
    with opened(code, server) as index:
        assert index.search("thing", mode="vector").hits


def test_bundled_model_needs_no_probe(code: GitSandbox) -> None:
    with ragit.open(code.path) as index:
        index.index()
    with Store(code.store, writable=False) as store:
        assert [store.mark(number) for number in store.embedders().values()] == [b""]


# -- searching
# ---------------------------------------------------------------------------------------------------------


def test_search_with_another_model_degrades_to_keywords(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    indexed(code, server)
    server.reply = made_by(2)
    with opened(code, server) as index:
        answer = index.search("thing_1")
        assert CHANGED in answer.degraded and answer.complete
        assert answer.hits[0].path == "1.py"
        with pytest.raises(EmbedderUnavailable, match=CHANGED):
            index.search("thing_1", mode="vector")
        code.write("new.py", body("brand_new", 5))
        answer = index.search("brand new")
        assert CHANGED in answer.degraded and answer.hits[0].path == "new.py"
        assert answer.completeness.without_vectors == (1, 5)
    assert stored_of(code, server) == {1}
    server.reply = made_by(1)
    with opened(code, server) as index:
        assert not index.search("brand new").degraded


def test_query_checks_the_model_once_an_hour(code: GitSandbox, server: EmbeddingServer) -> None:
    indexed(code, server)
    note = code.store.with_name("index.db.model")

    def degraded(query: str) -> bool:
        with opened(code, server) as index:
            return CHANGED in index.search(query).degraded

    assert not degraded("thing_1")
    server.reply = made_by(2)
    assert not degraded("thing_2"), "the check may cost several times as much as a query"
    os.utime(note, (0, time.time() - RECENT - 1))
    assert degraded("thing_1") and degraded("thing_1"), "repeated while the model differs"
    server.reply = made_by(1)
    assert not degraded("thing_1")
    os.utime(note, (0, time.time() + 99))
    assert len(server.asked[-1]["input"]) == 2
    assert not degraded("thing_1") and len(server.asked[-1]["input"]) == 2, (
        "a time in the future does not count"
    )
    assert not degraded("thing_1") and len(server.asked[-1]["input"]) == 1
    changed(code, 1)
    server.reply = made_by(2)
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server)
    assert degraded("thing_1"), "after a failed index run, the next query checks"


def test_every_query_checks_the_model_if_nothing_can_be_stored(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    indexed(code, server)
    code.store.with_name("index.db.model").mkdir()
    with opened(code, server) as index:
        for query in ("thing_1", "thing_2"):
            assert not index.search(query).degraded
            assert server.asked[-1]["input"] == [query, PROBE]


def test_each_embedder_is_checked_separately(code: GitSandbox, server: EmbeddingServer) -> None:
    indexed(code, server)
    indexed(code, server, embedding__model="other")
    for model in ("tiny", "other", "tiny"):
        with opened(code, server, embedding__model=model) as index:
            index.search("thing_1")
        assert server.asked[-1]["input"] == ["thing_1", PROBE]


def test_provider_with_input_types_gets_queries_without_the_probe(
    repo: GitSandbox, server: EmbeddingServer
) -> None:
    server.reply = made_by(1)
    repo.write("a.py", body("thing", 5))
    repo.commit()
    voyage = {"embedding__provider": "voyage"}
    indexed(repo, server, **voyage)
    server.asked.clear()
    with opened(repo, server, **voyage) as index:
        assert not index.search("thing").degraded
        assert [(payload["input"], payload["input_type"]) for payload in server.asked] == [
            (["thing"], "query")
        ]
        repo.write("b.py", body("other", 5))
        server.reply = made_by(2)
        assert CHANGED in index.search("other").degraded, "indexing checks the model"


# -- trying it
# ---------------------------------------------------------------------------------------------------------


def test_test_embedder_reports_a_changed_model(code: GitSandbox, server: EmbeddingServer) -> None:
    with opened(code, server) as index:
        assert not index.test_embedder().notes
        index.index()
        assert index.test_embedder().notes == ("it has the model that made the stored vectors",)
        server.reply = made_by(2)
        with pytest.raises(EmbedderUnavailable, match=CHANGED):
            index.test_embedder()


# -- the measure
# -------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=8))
def test_cosine_of_a_vector_with_itself_is_1(numbers: list[float]) -> None:
    vector = array("f", numbers).tobytes()
    alike = cosine(vector, vector)
    assert alike == pytest.approx(1.0) if any(x * x for x in numbers) else alike is None
    assert cosine(vector, bytes(len(vector))) is None
    assert cosine(b"", vector) is None


def test_cosine_bound_is_exact() -> None:
    """A vector with that much noise is refused; with a little less it is not."""
    one = [1.0, *[0.0] * 9]
    for angle, refused in ((math.acos(LEAST) * 1.01, True), (math.acos(LEAST) * 0.99, False)):
        seen = _packed([math.cos(angle), math.sin(angle), *[0.0] * 8])
        if refused:
            with pytest.raises(EmbedderUnavailable, match=r"cosine 0\.[0-9]+"):
                same_model.confirm(None, [_packed(one)], seen)
        else:
            same_model.confirm(None, [_packed(one)], seen)


def test_model_changed_between_parallel_requests_adds_nothing(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    """A request split by the change is repeated, although the last one was answered."""

    def changing(payload: dict[str, Any]) -> object:
        first_or_last = len(server.asked) <= 2 or any(
            "thing_6" in text for text in payload["input"]
        )
        return made_by(1 if first_or_last else 2)(payload)

    server.reply = changing
    for number in range(4, 7):
        code.write(f"{number}.py", body(f"thing_{number}", 5))
    code.commit()
    with pytest.raises(EmbedderUnavailable, match=CHANGED):
        indexed(code, server, embedding__batchSize=2)
    assert stored_of(code, server) == {1}


@pytest.mark.parametrize("status", [500, 413, 400])
def test_server_limited_to_one_text_gets_the_query_alone(
    code: GitSandbox, server: EmbeddingServer, status: int
) -> None:
    answer = made_by(1)
    server.reply = lambda payload: (
        answer(payload) if len(payload["input"]) == 1 else error(status, "one at a time")
    )
    indexed(code, server, embedding__batchSize=1)
    with opened(code, server, embedding__batchSize=1) as index:
        answered = index.search("thing_1")
    assert answered.degraded == ""
    assert len(server.asked[-1]["input"]) == 1
