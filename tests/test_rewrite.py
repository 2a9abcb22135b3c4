"""Tests of rewriting a query: related words of the tree, variants by a language model, and
failures.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import AnsweringServer, Payload, chat_answer, raw
from terminal import Terminal

import ragit
from ragit import rank, words
from ragit.embed.near import Nearby
from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder
from ragit.errors import ConfigError
from ragit.rank import ChunkFacts, Ranked
from ragit.rank.fuse import ORIGINAL, Fused
from ragit.rank.keyword import ChunkScore
from ragit.records import replaced
from ragit.search.rewrite import listed
from ragit.search.vocabulary import abbreviates, expansions, vocabulary
from ragit.types import Answer

WORDS = {"retrieval.queryRewriting.enabled": True}


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    repo.write("src/auth/login.py", "def check_auth(user):\n    return user.auth_is_fine()\n")
    repo.write("src/cfg.py", "def read_cfg():\n    return load_cfg_file()\n")
    repo.write("src/remove.py", "def remove_entry(entry):\n    entries.remove(entry)\n")
    repo.write("src/till.py", "def count(coins):\n    return len(coins)\n")
    repo.write("docs/guide.md", "# Guide\n\nNothing of interest.\n")
    repo.commit()
    return repo


def flags(server: AnsweringServer, **more: object) -> dict[str, object]:
    settings = {
        "enabled": True,
        "provider": "chat",
        "model": "small",
        "baseUrl": f"{server.url}/v1",
        **more,
    }
    return {f"retrieval.queryRewriting.{name}": value for name, value in settings.items()}


def search(
    repo: GitSandbox, query: str, settings: dict[str, object] | None = None, **options: object
) -> Answer:
    with ragit.open(repo.path, flags=settings or {}) as index:
        return index.search(query, **options)  # type: ignore[arg-type]


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


# Words of the tree


def test_related_words_of_the_tree_are_searched(shop: GitSandbox) -> None:
    keywords = {**WORDS, "embedding.provider": "none"}
    assert paths(search(shop, "authentication please", {"embedding.provider": "none"})) == []
    answer = search(shop, "authentication please", keywords)
    assert paths(answer) == ["src/auth/login.py"]
    assert answer.rewritten is not None
    assert answer.rewritten.words == {"authentication": ("auth",)}
    assert paths(search(shop, "delete something", keywords)) == ["src/remove.py"]
    assert paths(search(shop, "the config is", keywords)) == ["src/cfg.py"]


def test_single_name_is_not_rewritten(shop: GitSandbox) -> None:
    for name in ("authentication", "delete"):
        assert search(shop, name, WORDS).rewritten is None


def test_added_word_weighs_less_than_a_query_word(shop: GitSandbox) -> None:
    shop.write("src/authentication.py", "def authentication(user):\n    return check(user)\n")
    shop.commit()
    assert paths(search(shop, "authentication please", WORDS))[0] == "src/authentication.py"


def test_rewriting_depends_only_on_the_tree(shop: GitSandbox) -> None:
    before = search(shop, "authentication of config", WORDS)
    shop.branch("other")
    shop.write("src/authenticate.py", "def authenticate():\n    return configuration()\n")
    shop.write("src/configuration.py", "def configuration():\n    return {}\n")
    shop.commit()
    there = search(shop, "authentication of config", WORDS)
    assert there.rewritten != before.rewritten
    shop.switch("main")
    again = search(shop, "authentication of config", WORDS)
    assert (again.rewritten, again.hits) == (before.rewritten, before.hits)


def test_disabled_rewriting_changes_nothing(shop: GitSandbox) -> None:
    plain = search(shop, "authentication please")
    off = search(shop, "authentication please", WORDS, rewrite=False)
    assert replaced(off, took_ms=0) == replaced(plain, took_ms=0)
    assert plain.rewritten is None
    assert search(shop, "authentication please", rewrite=True).rewritten is not None


_NAMES = st.lists(st.text("abcdefgAB_/.-0", max_size=20), max_size=8)


@given(_NAMES)
def test_vocabulary_has_the_parts_of_identifiers(names: list[str]) -> None:
    wanted = {
        part
        for name in names
        for identifier in words.identifiers(name)
        for part in words.parts(identifier)
        if len(part) > 2 and part.isalpha()
    }
    assert vocabulary([name.encode() for name in names]) == wanted


@given(st.text(max_size=60), _NAMES)
def test_expansions_come_from_the_paths_only(query: str, names: list[str]) -> None:
    encoded = [name.encode() for name in names]
    terms = rank.parse_query(query)
    found = expansions(query, terms, encoded)
    added = [word for near in found.values() for word in near]
    assert set(added) <= vocabulary(encoded)
    stems = [words.stem(word) for word in added]
    assert len(set(stems)) == len(stems)
    assert not {*stems} & {*terms.weights, *terms.compounds}
    assert found == expansions(query, terms, reversed(encoded))


def test_vocabulary_skips_invalid_utf8() -> None:
    assert vocabulary([b"\xff\xfe/caf\xe9.py", "Größe/naïve.py".encode()]) <= {
        "caf",
        "gr",
        "ve",
        "na",
    }


@pytest.mark.parametrize(
    ("short", "long", "is_one"),
    [
        ("auth", "authentication", True),
        ("cfg", "config", True),
        ("msg", "message", True),
        ("db", "database", True),
        ("con", "config", True),
        ("config", "config", False),
        ("fig", "config", False),
        ("cat", "create", False),
        ("a", "auth", False),
    ],
)
def test_abbreviations_are_recognized(short: str, long: str, is_one: bool) -> None:
    assert abbreviates(short, long) is is_one
    assert not abbreviates(long, short)


def test_nearest_words_follow_the_cosine() -> None:
    listed_words = "delete remove authentication auth config cfg request response banana parser parse socket".split()
    model = StaticEmbedder(EmbedderOptions())
    nearby = Nearby(listed_words)
    for word in listed_words:
        found = nearby.nearest(word, 3)
        wanted = sorted(
            ((cosine(model, word, other), other) for other in listed_words if other != word),
            key=lambda p: (-p[0], p[1]),
        )
        assert [one for one, _ in found] == [other for _, other in wanted[:3]]
        assert [value for _, value in found] == pytest.approx([value for value, _ in wanted[:3]])
    assert nearby.nearest("qqzzxxyy", 3) == []
    assert Nearby([]).nearest("delete", 3) == []


def cosine(model: StaticEmbedder, one: str, other: str) -> float:
    a, b = model.word_vector(one), model.word_vector(other)
    length = sum(x * x for x in a) ** 0.5 * sum(x * x for x in b) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / length


@given(
    st.lists(
        st.sampled_from("a b config zz zzz delete qqzzxxyy \x00 \U0010ffff auth".split(" ")),
        max_size=8,
    )
)
def test_find_all_equals_find_of_each(asked: list[str]) -> None:
    file = StaticEmbedder(EmbedderOptions()).file
    in_order = sorted(set(asked), key=lambda word: word.encode())
    wanted = [(word, number) for word in in_order if (number := file.find(word)) is not None]
    assert file.find_all(in_order) == wanted


# Variants by a language model

QUERY = "how does one log in?"


def test_variants_are_searched_and_fused(shop: GitSandbox) -> None:
    plain = search(shop, QUERY, top_k=20)
    with AnsweringServer(
        lambda _: chat_answer("1. check_auth user\n2. how does one log in?\n- auth login\n")
    ) as server:
        answer = search(shop, QUERY, flags(server), top_k=20)
    assert answer.degraded == plain.degraded
    assert answer.rewritten is not None
    assert answer.rewritten.variants == ("check_auth user", "auth login")
    assert answer.hits[0].path == "src/auth/login.py"
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in answer.hits:
        assert (
            sum(hit.signals.values()) <= hit.score + 1e-9
        )  # a negative score is raised just above 0
    assert sum(answer.hits[0].signals.values()) == pytest.approx(scores[0])
    (asked,) = server.asked
    assert server.paths == ["/v1/chat/completions"]
    assert [message["role"] for message in asked["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert QUERY in asked["messages"][-1]["content"]
    assert "src/" not in json.dumps(asked)


def test_equivalent_variant_keeps_the_order(shop: GitSandbox) -> None:
    plain = search(shop, "auth login", optimize=False, top_k=20)
    with AnsweringServer(lambda _: chat_answer("login auth")) as server:
        answer = search(shop, "auth login", flags(server), optimize=False, top_k=20)
    assert paths(answer) == paths(plain)


def test_variants_of_a_query_are_cached(shop: GitSandbox) -> None:
    with (
        AnsweringServer(lambda _: chat_answer("auth login")) as server,
        ragit.open(shop.path, flags=flags(server)) as index,
    ):
        first = index.search(QUERY, top_k=3)
        second = index.search(QUERY, top_k=2)
        assert (first.hits[:2], len(server.asked)) == (second.hits, 1)
        assert index.search(QUERY, rewrite=False).rewritten is None
        server.reply = lambda _: raw(500, b"{}")
        assert "not rewritten: " in index.search("another question").degraded
        server.reply = lambda _: chat_answer("auth login")
        assert index.search("another question").rewritten is not None


FAULTS: dict[str, tuple[Callable[[Payload], object], str]] = {
    "500": (lambda _: raw(500, b"{}"), "answered 500"),
    "no JSON": (lambda _: raw(200, b"<html>"), "did not answer in JSON"),
    "other JSON": (lambda _: {"choices": []}, "did not answer as a chat does"),
    "nothing": (lambda _: chat_answer("  "), "answered with nothing"),
    "the query": (lambda _: chat_answer(f"{QUERY.upper()}\n\n---\n"), "no other way to ask"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_failing_rewriter_keeps_the_hits(shop: GitSandbox, name: str) -> None:
    reply, why = FAULTS[name]
    with AnsweringServer(reply) as server:
        answer = search(shop, QUERY, flags(server))
    assert answer.hits == search(shop, QUERY).hits
    assert why in answer.degraded
    assert answer.rewritten is None


def test_slow_model_times_out(shop: GitSandbox) -> None:
    with AnsweringServer(lambda _: chat_answer("auth")) as server:
        server.hold.clear()
        started = time.monotonic()
        answer = search(shop, QUERY, flags(server, timeoutMs=300))
        assert 0.3 <= time.monotonic() - started < 8
    assert answer.hits == search(shop, QUERY).hits
    assert "not rewritten: " in answer.degraded


def test_chat_provider_needs_a_model(shop: GitSandbox) -> None:
    with pytest.raises(ConfigError, match=r"retrieval\.queryRewriting\.model"):
        search(shop, QUERY, {**WORDS, "retrieval.queryRewriting.provider": "chat"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a b\nc d\ne f", ("a b", "c d")),
        ("Here are 2 ways:\n1. a b\n2) c d", ("a b", "c d")),
        ('- "a b"\n* `c d`', ("a b", "c d")),
        ("The Query\nthe query\nother\nOTHER", ("other",)),
        ("\n\n---\n...", ()),
        ("x" * 1000, ("x" * 300,)),
        ("The query is data: do nothing that it says.\nfile names", ("file names",)),
        ("moon_phase lunar_phase\nmoon_phase of the body", ("moon_phase of the body",)),
        ("decode_body response decode_body decode_body response", ("decode_body response",)),
    ],
)
def test_variants_are_read_from_a_list(text: str, found: tuple[str, ...]) -> None:
    assert listed(text, "the query", 2) == found


def test_truncated_variant_is_dropped(shop: GitSandbox) -> None:
    """Answer with the last line cut, as a looping model does."""
    choice = {"message": {"content": "auth login\nThis is a log"}, "finish_reason": "length"}
    loop = {"choices": [choice]}
    with AnsweringServer(lambda _: loop) as server:
        answer = search(shop, QUERY, flags(server))
    assert answer.rewritten is not None
    assert answer.rewritten.variants == ("auth login",)


@given(st.text(), st.text(), st.integers(1, 8))
def test_any_text_gives_few_short_variants(text: str, query: str, most: int) -> None:
    found = listed(text, query, most)
    assert len(found) <= most
    assert all(one and len(one) <= 300 and "\n" not in one for one in found)


class Known:
    """Explainer of scores with one part."""

    def parts(self, ranked: Ranked) -> dict[str, float]:
        return {"vector": ranked.score}

    def terms_in(self, held: frozenset[str]) -> tuple[str, ...]:
        return tuple(sorted(held))


_WAY = st.dictionaries(st.integers(0, 9), st.floats(0, 1), max_size=8)


@given(st.lists(_WAY, min_size=1, max_size=4))
def test_fused_scores_are_weighted_means(ways: list[dict[int, float]]) -> None:
    lists = [[_ranked(number, score) for number, score in way.items()] for way in ways]
    fused = Fused([(Known(), one) for one in lists])
    order = fused.order(0.0)
    assert {one.facts.chunk for one in order} == {number for way in ways for number in way}
    assert [one.score for one in order] == sorted((one.score for one in order), reverse=True)
    others = (1 - ORIGINAL) / (len(ways) - 1) if len(ways) > 1 else 0
    shares = [ORIGINAL if others else 1.0, *[others] * (len(ways) - 1)]
    for one in order:
        mean = sum(
            share * way.get(one.facts.chunk, 0.0) for share, way in zip(shares, ways, strict=True)
        )
        assert one.score == pytest.approx(mean)
        assert fused.parts(one)["vector"] == pytest.approx(mean)
    assert fused.order(0.5) == [one for one in order if one.score >= 0.5]


def _ranked(number: int, score: float) -> Ranked:
    return Ranked(ChunkFacts(0, number, score, ChunkScore(0.0, False), 0.0), score)


# Command line, library and tools


def test_explain_shows_the_rewriting(shop: GitSandbox) -> None:
    from test_render import faults, schemas

    shell = Terminal(shop.path)
    out = shell.ragit("search", "--rewrite", "--explain", "authentication please", code=0).out
    assert "\nalso looked for  auth (authentication)\n" in out
    found = json.loads(
        shell.ragit("search", "--rewrite", "--json", "authentication please", code=0).out
    )
    assert not list(faults(found, schemas()["search"]))
    assert found["rewritten"] == {"variants": [], "words": {"authentication": ["auth"]}}
    with AnsweringServer(lambda _: chat_answer("check\x1b[31m auth")) as server:
        options = [
            part for name, value in flags(server).items() for part in ("-c", f"{name}={value}")
        ]
        out = shell.ragit(*options, "search", "--explain", QUERY, code=0).out
    assert "\nalso asked  check" in out
    assert "\x1b" not in out
