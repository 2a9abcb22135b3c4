"""Tests of reranking: dialects of servers, failures without effect on the answer, scores by
rank.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import AnsweringServer, Payload, chat_answer, error, raw
from terminal import Terminal

import ragit
from ragit import rank
from ragit.errors import ConfigError
from ragit.rank.keyword import ChunkScore
from ragit.rank.rerank import reranked
from ragit.records import replaced
from ragit.search.listwise import listed
from ragit.types import Answer

QUERY = "commit offset"
NAMES = ("offsets", "broker", "consumer", "producer", "cluster", "ledger", "journal")


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    """Return several files with several functions, each a chunk of its own, that all match."""
    for number, name in enumerate(NAMES):
        functions = [
            f"def {verb}_{name}(offset):\n"
            + "    commit(offset)\n" * (number + at + 1)
            + "".join(f"    {name}_{verb}_step_{step}(state_of_{name})\n" for step in range(20))
            for at, verb in enumerate(("commit", "open", "drop"))
        ]
        repo.write(f"src/{name}.py", "\n\n".join(functions))
    repo.commit()
    return repo


@pytest.fixture
def server() -> Iterator[AnsweringServer]:
    with AnsweringServer(lambda payload: jina(payload, in_order)) as one:
        yield one


Relevance = Callable[[str, int], float]


def in_order(document: str, at: int) -> float:
    return -at


def reversed_order(document: str, at: int) -> float:
    return at


def likes_ledger(document: str, at: int) -> float:
    return 1.0 if document.startswith("src/ledger.py") else 0.5 - at / 1000


def rows(
    documents: list[str], relevance: Relevance, name: str = "relevance_score"
) -> list[dict[str, Any]]:
    """Return rows out of the documents' order, numbered as in the protocol."""
    listed = [{"index": at, name: relevance(document, at)} for at, document in enumerate(documents)]
    return sorted(listed, key=lambda row: -row[name])


def jina(payload: Payload, relevance: Relevance) -> object:
    return {"model": payload.get("model"), "results": rows(payload["documents"], relevance)}


def flags(server: AnsweringServer, **more: object) -> dict[str, object]:
    settings = {
        "enabled": True,
        "provider": "jina",
        "baseUrl": f"{server.url}/v1",
        "weight": 1.0,
        **more,
    }
    return {f"retrieval.reranking.{name}": value for name, value in settings.items()}


def search(
    repo: GitSandbox, settings: dict[str, object] | None = None, **options: object
) -> Answer:
    with ragit.open(repo.path, flags=settings or {}) as index:
        return index.search(QUERY, **{"top_k": 5, **options})  # type: ignore[arg-type]


def places(answer: Answer) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in answer.hits]


# Dialects


def test_every_dialect_sends_its_own_request(
    shop: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RERANK_KEY", "the-key")
    monkeypatch.setenv("LLAMA_API_KEY", "the-key")  # the variable of a local server
    plain = places(search(shop))
    answers: dict[str, Callable[[Payload], object]] = {
        "jina": lambda p: jina(p, likes_ledger),
        "cohere": lambda p: {"id": "1", "results": rows(p["documents"], likes_ledger), "meta": {}},
        "llama.cpp": lambda p: jina(p, likes_ledger),
        "tei": lambda p: rows(p["texts"], likes_ledger, "score"),
        "voyage": lambda p: {"object": "list", "data": rows(p["documents"], likes_ledger)},
    }
    wanted = {
        "jina": ({"model", "query", "documents", "top_n", "return_documents"}, "Bearer the-key"),
        "cohere": ({"model", "query", "documents", "top_n"}, "Bearer the-key"),
        "llama.cpp": ({"query", "documents", "top_n"}, "Bearer the-key"),
        "tei": ({"query", "texts", "truncate"}, None),
        "voyage": ({"model", "query", "documents", "top_k", "truncation"}, "Bearer the-key"),
    }
    for provider, reply in answers.items():
        with AnsweringServer(reply) as server:
            needs_key = {} if provider in ("llama.cpp", "tei") else {"apiKeyEnv": "RERANK_KEY"}
            answer = search(shop, flags(server, provider=provider, **needs_key))
            assert answer.degraded == "", provider
            assert answer.hits[0].path == "src/ledger.py", provider
            assert places(answer) != plain
            (asked,) = server.asked
            assert (set(asked), server.headers[0].get("Authorization")) == wanted[provider], (
                provider
            )
            assert server.paths == ["/v1/rerank"]
            assert asked["query"] == QUERY


@pytest.mark.parametrize("provider", ["llama.cpp", "chat"])
def test_too_long_documents_are_shortened(shop: GitSandbox, provider: str) -> None:
    """Answer with errors of llama-server: a document longer than its batch, a chat longer than its
    context.
    """
    most = 400 if provider == "llama.cpp" else 1500
    words = {
        "llama.cpp": "input (881 tokens) is too large to process. increase the physical batch size",
        "chat": "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
    }[provider]

    def reply(payload: Payload) -> object:
        size = (
            max(map(len, payload["documents"]))
            if provider == "llama.cpp"
            else len(json.dumps(payload))
        )
        if size > most:
            return error(500, words)
        return jina(payload, likes_ledger) if provider == "llama.cpp" else chat_answer("[2] > [1]")

    plain = search(shop)
    with AnsweringServer(reply) as server:
        settings = flags(server, provider=provider, candidates=4, model="small")
        with ragit.open(shop.path, flags=settings) as index:
            answer = index.search(QUERY)
            assert (answer.degraded, answer.reranked_by is not None) == ("", True)
            asked = len(server.asked)
            assert 1 < asked <= 4
            index.search(f"{QUERY} again")
            assert len(server.asked) == asked + 1  # the limit is remembered
        server.reply = lambda _: error(500, words)
        answer = search(shop, settings)
    assert answer.hits == plain.hits
    assert words[:20] in answer.degraded


def test_too_many_candidates_are_not_shortened(shop: GitSandbox, server: AnsweringServer) -> None:
    server.reply = lambda _: error(400, "too many documents: 20 given, 10 are the most")
    answer = search(shop, flags(server))
    assert answer.degraded.startswith("not reranked: ") and "10 are the most" in answer.degraded
    assert len(server.asked) == 1


def test_candidate_is_sent_with_path_symbol_and_text(
    shop: GitSandbox, server: AnsweringServer
) -> None:
    answer = search(shop, flags(server, candidates=3, maxDocChars=60), optimize=False)
    (asked,) = server.asked
    assert len(asked["documents"]) == 3
    for document, hit in zip(asked["documents"], answer.hits, strict=False):
        assert document == f"{hit.path} {hit.symbol}\n{hit.text[:60]}"


def test_description_is_sent_before_the_text(shop: GitSandbox, server: AnsweringServer) -> None:
    from describing import Model

    with Model() as model:
        settings = {**flags(server, candidates=3), **model.settings}
        with ragit.open(shop.path, flags=settings) as index:
            index.index()
            answer = index.search(QUERY, optimize=False)
            row = server.asked[0]["documents"][0]
            head, description, code = row.split("\n", 2)
            assert head == f"{answer.hits[0].path} {answer.hits[0].symbol}"
            assert description.startswith("About ")
            assert code.startswith("\n" + answer.hits[0].text[:100])
        search(shop, {**settings, "retrieval.reranking.docField": "content"})
        assert not any("About " in document for document in server.asked[1]["documents"])


def test_candidates_are_sent_in_batches(shop: GitSandbox) -> None:
    for number in range(40):
        shop.write(
            f"more/m{number}.py",
            f"def commit_{number}(offset):\n    return commit(offset, {number})\n",
        )
    shop.commit()
    with AnsweringServer(
        lambda p: rows(p["texts"], lambda text, _: float(len(text)), "score")
    ) as server:
        answer = search(shop, flags(server, provider="tei", candidates=45))
        assert sorted(len(asked["texts"]) for asked in server.asked) == [13, 32]
        assert answer.reranked_by and answer.reranked_by.candidates == 45


def test_query_template_is_applied(shop: GitSandbox, server: AnsweringServer) -> None:
    search(shop, flags(server, queryTemplate="Find code for: {query}!"))
    assert server.asked[0]["query"] == f"Find code for: {QUERY}!"


def test_secrets_are_not_sent(shop: GitSandbox, server: AnsweringServer) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    shop.write(
        "src/secret.py", f'def commit_offset(offset):\n    return commit(offset, "{token}")\n'
    )
    shop.commit()
    answer = search(shop, flags(server))
    assert any(token in hit.text for hit in answer.hits)
    assert any("commit(offset, " in document for document in server.asked[0]["documents"])
    assert token not in json.dumps(server.asked)


# Chat models


def test_chat_model_orders_candidates(shop: GitSandbox) -> None:
    plain = places(search(shop, optimize=False))
    with AnsweringServer(lambda _: chat_answer("The best are [3] > [1] > [3] > [99].")) as server:
        settings = flags(server, provider="chat", model="small", candidates=4)
        answer = search(shop, settings, optimize=False)
    assert answer.degraded == ""
    first = [plain[2], plain[0], plain[1], plain[3], plain[4]]
    assert places(answer) == first
    assert [hit.reranked.place for hit in answer.hits if hit.reranked] == [3, 1, 2, 4]
    (asked,) = server.asked
    assert server.paths == ["/v1/chat/completions"]
    assert all(f"[{number}] src/" in asked["messages"][1]["content"] for number in range(1, 5))


def test_chat_answer_without_candidates_changes_nothing(shop: GitSandbox) -> None:
    plain = search(shop)
    with AnsweringServer(lambda _: chat_answer("I would rather not.")) as server:
        answer = search(shop, flags(server, provider="chat", model="small"))
    assert answer.hits == plain.hits
    assert "named no candidate" in answer.degraded


def test_chat_provider_needs_a_model(shop: GitSandbox, server: AnsweringServer) -> None:
    with pytest.raises(ConfigError, match=r"retrieval\.reranking\.model"):
        search(shop, flags(server, provider="chat"))


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("[2] > [3] > [1]", [1, 2, 0]),
        ("2, 3, 1", [1, 2, 0]),
        ("[2, 3, 1]", [1, 2, 0]),
        ("Of the 5 results, 3 is best:\n3 > 5 > 1", [2, 4, 0]),
        ("[1] [1] [2] [7] [0]", [0, 1]),
        ("2\n3\n1", [1, 2, 0]),
        ("1. [2] src/till.py\n2. [3] src/auth.py\n3. [1] src/cfg.py", [1, 2, 0]),
        ("[3] is best, [1] comes next, and [5] is about something else", [2, 0, 4]),
        ("[4]", [3]),
        ("4.", [3]),
        ("The order of [1] to [5] is not valid syntax. The order of [1] to [5] is not", []),
        ("[1] urllib3.py\n\nThe module is a library.", []),
        ("It is 1 of the best modules", []),
        ("# 1.1.1.1.1.1.1", []),
        ("none of them", []),
        ("", []),
        ("[99999999999999]", []),
    ],
)
def test_order_is_read_from_a_chat_answer(text: str, order: list[int]) -> None:
    assert listed(text, 5) == order


@given(st.text(), st.integers(0, 50))
def test_any_chat_answer_lists_valid_candidates_once(text: str, count: int) -> None:
    found = listed(text, count)
    assert len(set(found)) == len(found)
    assert all(0 <= at < count for at in found)


# Faults


def twice(payload: Payload) -> object:
    found = rows(payload["documents"], in_order)
    return {"results": [*found, found[0]]}


def one(**row: object) -> Callable[[Payload], object]:
    return lambda _: {"results": [row]}


FAULTS: dict[str, tuple[Callable[[Payload], object], str]] = {
    "500": (lambda _: raw(500, b'{"error": {"message": "on fire"}}'), "on fire"),
    "404": (lambda _: raw(404, b"<html>nothing here</html>"), "answered 404"),
    "401": (lambda _: raw(401, b'{"detail": "who are you"}'), "answered 401"),
    "no JSON": (lambda _: raw(200, b"<html>"), "did not answer in JSON"),
    "other JSON": (lambda _: {"answer": 42}, "did not answer as a reranker does"),
    "a list": (lambda _: [1, 2], "did not answer as a reranker does"),
    "a text": (lambda _: "yes", "did not answer as a reranker does"),
    "nothing": (lambda _: {"results": []}, "gave no document a relevance"),
    "NaN": (
        lambda _: raw(200, b'{"results": [{"index": 0, "relevance_score": NaN}]}'),
        "the relevance nan",
    ),
    "endless": (
        lambda _: raw(200, b'{"results": [{"index": 0, "relevance_score": 1e999}]}'),
        "the relevance inf",
    ),
    "huge": (one(index=0, relevance_score=10**400), "the relevance 1000"),
    "no number": (one(index=0, relevance_score="high"), "the relevance 'high'"),
    "true": (one(index=True, relevance_score=1), "named document True"),
    "twice": (twice, "twice"),
    "too far": (one(index=500, relevance_score=1), "named document 500"),
    "negative": (one(index=-1, relevance_score=1), "named document -1"),
    "no index": (one(relevance_score=1), "did not answer as a reranker does"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_failing_reranker_keeps_the_hits(shop: GitSandbox, name: str) -> None:
    reply, words = FAULTS[name]
    with AnsweringServer(reply) as server:
        answer = search(shop, flags(server))
    assert answer.hits == search(shop).hits
    assert answer.degraded.startswith("not reranked: ")
    assert words in answer.degraded
    assert answer.reranked_by is None


def test_unreachable_reranker_keeps_the_hits(shop: GitSandbox, server: AnsweringServer) -> None:
    settings = flags(server, baseUrl="http://127.0.0.1:1/v1")
    answer = search(shop, settings)
    assert answer.hits == search(shop).hits
    assert "cannot be reached" in answer.degraded


def test_slow_reranker_times_out(shop: GitSandbox, server: AnsweringServer) -> None:
    plain = search(shop)
    server.hold.clear()
    started = time.monotonic()
    answer = search(shop, flags(server, timeoutMs=300))
    assert 0.3 <= time.monotonic() - started < 8
    assert answer.hits == plain.hits
    assert answer.degraded.startswith("not reranked: ")


def test_unranked_candidates_follow_in_their_order(shop: GitSandbox) -> None:
    plain = places(search(shop, optimize=False))
    with AnsweringServer(lambda p: {"results": rows(p["documents"], reversed_order)[:1]}) as server:
        answer = search(shop, flags(server, candidates=3), optimize=False)
    assert places(answer) == [plain[2], *plain[:2], *plain[3:]]
    assert [hit.reranked.relevance for hit in answer.hits if hit.reranked] == [2, None, None]


# Invariants


def test_disabled_reranking_sends_nothing(shop: GitSandbox, server: AnsweringServer) -> None:
    plain = search(shop)
    off = search(shop, flags(server, enabled=False))
    assert (replaced(off, took_ms=0), server.asked) == (replaced(plain, took_ms=0), [])
    assert all(hit.reranked is None and "rerank" not in hit.signals for hit in plain.hits)
    not_now = search(shop, flags(server), rerank=False)
    assert (not_now.hits, server.asked) == (plain.hits, [])
    assert search(shop, flags(server, enabled=False), rerank=True).reranked_by is not None


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("top_k", [1, 5, 30])
@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_agreeing_reranker_changes_nothing(
    shop: GitSandbox, server: AnsweringServer, top_k: int, optimize: bool, weight: float
) -> None:
    plain = search(shop, top_k=top_k, optimize=optimize)
    answer = search(shop, flags(server, weight=weight), top_k=top_k, optimize=optimize)
    assert server.asked
    assert [replaced(hit, reranked=None) for hit in answer.hits] == list(plain.hits)


def test_reranking_is_deterministic(shop: GitSandbox) -> None:
    with AnsweringServer(lambda p: jina(p, lambda text, _: len(text) % 7)) as server:
        assert search(shop, flags(server)).hits == search(shop, flags(server)).hits


def test_reranked_scores_stay_the_sum_of_their_signals(shop: GitSandbox) -> None:
    plain = search(shop, optimize=False, top_k=12)
    with AnsweringServer(lambda p: jina(p, reversed_order)) as server:
        answer = search(shop, flags(server, candidates=8), optimize=False, top_k=12)
    assert places(answer) != places(plain)
    assert [hit.score for hit in answer.hits] == [hit.score for hit in plain.hits]
    assert places(answer)[8:] == places(plain)[8:]
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(hit.signals.values()))


def test_first_reranked_hits_are_of_distinct_files(shop: GitSandbox) -> None:
    """A reranker that prefers one file gets its best chunk first, not all of them."""
    whole = {"optimize": False, "top_k": 21}
    with AnsweringServer(lambda p: jina(p, likes_ledger)) as server:
        spread = search(shop, flags(server, candidates=21), **whole)
        packed = search(
            shop, {**flags(server, candidates=21), "retrieval.signals.repeat": 0}, **whole
        )
    assert spread.hits[0].path == packed.hits[0].path == "src/ledger.py"
    assert (
        len({hit.path for hit in spread.hits[:7]})
        >= len({hit.path for hit in search(shop, **whole).hits[:7]})
        > 3
    )
    assert [hit.path for hit in packed.hits[:3]] == ["src/ledger.py"] * 3


def test_min_score_keeps_relevant_hits(shop: GitSandbox) -> None:
    with AnsweringServer(lambda p: jina(p, likes_ledger)) as server:
        answer = search(shop, flags(server, minScore=0.9), optimize=False, top_k=30)
        assert {hit.path for hit in answer.hits} == {"src/ledger.py"}
        assert len(search(shop, flags(server, minScore=-900), optimize=False, top_k=30).hits) == 20
        assert search(shop, flags(server, minScore=2)).hits == ()


def test_min_score_of_0_applies(shop: GitSandbox) -> None:
    """Use relevances that are logits, so that 0 is in their middle."""
    with AnsweringServer(
        lambda p: jina(p, lambda text, _: 3.0 if text.startswith("src/ledger.py") else -3.0)
    ) as server:
        kept = search(shop, flags(server, minScore=0), optimize=False, top_k=30)
        assert {hit.path for hit in kept.hits} == {"src/ledger.py"}
        assert len(search(shop, flags(server), optimize=False, top_k=30).hits) > 20


def test_single_candidate_is_not_sent(shop: GitSandbox, server: AnsweringServer) -> None:
    answer = search(shop, flags(server, candidates=1))
    assert (server.asked, answer.degraded, answer.reranked_by) == ([], "", None)


def test_reranked_answers_are_cached_by_query_and_failures_are_not(
    shop: GitSandbox, server: AnsweringServer
) -> None:
    with ragit.open(shop.path, flags=flags(server)) as index:
        first = index.search(QUERY)
        assert index.search(QUERY).hits == first.hits
        assert len(server.asked) == 1
        assert index.search(QUERY, rerank=False).reranked_by is None
        server.reply = lambda _: raw(500, b"{}")
        index.search("offset", optimize=False)
        asked = len(server.asked)
        index.search("offset", optimize=False)
        assert len(server.asked) > asked  # a failure is not cached


def test_untrusted_settings_file_cannot_enable_reranking(
    shop: GitSandbox, server: AnsweringServer
) -> None:
    shop.write(
        ".ragit.toml",
        f'[retrieval.reranking]\nenabled = true\nprovider = "jina"\nbaseUrl = "{server.url}/v1"\n',
    )
    shop.commit()
    answer = search(shop)
    assert (server.asked, answer.degraded) == ([], "")
    with ragit.open(shop.path) as index:
        index.settings.trust()
    assert search(shop).reranked_by is not None


def chunk(place: int, number: int, score: float) -> rank.Ranked:
    return rank.Ranked(rank.ChunkFacts(place, number, score, ChunkScore(0.0, False), 0.0), score)


_RELEVANCES = st.lists(st.none() | st.floats(-1e9, 1e9), min_size=2, max_size=30)


@given(_RELEVANCES, st.floats(0, 1), st.booleans(), st.data())
def test_reranked_is_a_permutation_with_the_same_scores(
    relevances: list[float | None], weight: float, distinct: bool, data: st.DataObject
) -> None:
    files = data.draw(
        st.lists(st.integers(0, 5), min_size=len(relevances), max_size=len(relevances))
    )
    before = [chunk(file, at, 1 / (at + 1)) for at, file in enumerate(files)]
    after = reranked(before, relevances, weight, distinct=distinct)
    assert sorted(old for old, _ in after) == list(range(len(before)))
    assert [one.score for _, one in after] == [one.score for one in before]
    for old, one in after:
        assert one.facts == before[old].facts
        assert one.reranked and math.isclose(before[old].score + one.reranked.change, one.score)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.floats(0, 1), st.booleans())
def test_agreement_keeps_any_order(files: list[int], weight: float, distinct: bool) -> None:
    before = [chunk(file, at, 1 / (at + 1)) for at, file in enumerate(files)]
    falling = [-float(at) for at in range(len(files))]
    assert [old for old, _ in reranked(before, falling, weight, distinct=distinct)] == list(
        range(len(files))
    )


@given(_RELEVANCES, st.data())
def test_distinct_keeps_the_spread_over_files(
    relevances: list[float | None], data: st.DataObject
) -> None:
    files = data.draw(
        st.lists(st.integers(0, 3), min_size=len(relevances), max_size=len(relevances))
    )
    before = [chunk(file, at, 1 / (at + 1)) for at, file in enumerate(files)]
    after = [one.facts.place for _, one in reranked(before, relevances, 1.0, distinct=True)]
    for end in range(1, len(files) + 1):
        assert len(set(after[:end])) >= len(set(files[:end])) or max(
            Counter(after[:end]).values()
        ) <= max(Counter(files[:end]).values())


# Command line, library and tools


def test_explain_shows_the_reranking(shop: GitSandbox) -> None:
    shell = Terminal(shop.path)
    with AnsweringServer(lambda p: jina(p, likes_ledger)) as server:
        options = [
            part
            for name, value in flags(server, enabled=False).items()
            for part in ("-c", f"{name}={value}")
        ]
        output = shell.ragit(*options, "search", "--explain", "--rerank", QUERY, code=0).out
        assert "  reranked    rank " in output
        assert ", relevance 1\n" in output
        assert "the reranker moved it (rerank)" in output
        assert "\nreranked the best 20 by jina-reranker-v2-base-multilingual, " in output
        plain = shell.ragit(*options, "search", QUERY, code=0).out
        assert len(server.asked) == 1
        server.reply = lambda _: raw(500, b"{}")
        failed = shell.ragit(*options, "search", "--rerank", QUERY, code=0)
    assert failed.out == plain
    assert "note: not reranked: " in failed.err


def test_json_follows_the_schema(shop: GitSandbox) -> None:
    from test_render import faults, schemas

    with AnsweringServer(lambda p: jina(p, likes_ledger)) as server:
        options = [
            part for name, value in flags(server).items() for part in ("-c", f"{name}={value}")
        ]
        found = json.loads(
            Terminal(shop.path).ragit(*options, "search", "--json", "--explain", QUERY, code=0).out
        )
    assert not list(faults(found, schemas()["search"]))
    assert found["reranked_by"]["candidates"] == 20
    assert found["results"][0]["reranked"]["relevance"] == 1.0


def test_eval_compares_a_reranker_with_none(shop: GitSandbox, tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text(
        '[[queries]]\nquery = "commit offset"\nrelevant = ["src/ledger.py"]\n'
    )
    (tmp_path / "off.toml").write_text("")
    with AnsweringServer(lambda p: jina(p, likes_ledger)) as server:
        (tmp_path / "on.toml").write_text(
            f'[retrieval.reranking]\nenabled = true\nprovider = "jina"\nbaseUrl = "{server.url}/v1"\n'
        )
        words = ("-c", "embedding.provider=none")
        args = (
            *words,
            "eval",
            "--golden",
            "../set.toml",
            "--json",
            "--compare",
            "../off.toml",
            "../on.toml",
        )
        found = json.loads(Terminal(shop.path).ragit(*args, code=0).out)
        assert found["after"]["overall"]["ndcg"] == 1.0 > found["before"]["overall"]["ndcg"]
        server.reply = lambda _: raw(400, b'{"message": "no such model"}')
        found = json.loads(Terminal(shop.path).ragit(*args, code=1).out)
        (failure,) = found["failures"]
        assert failure.startswith("the reranker is dead in on.toml: not reranked: ")
