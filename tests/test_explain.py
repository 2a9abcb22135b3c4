"""Tests of explanations: the meaning of each part of a score, and hits removed by a demotion."""

from __future__ import annotations

import json

import pytest
from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.rank.signals import MEANINGS, SIGNAL_NAMES
from ragit.types import Answer


def function(name: str, *lines: str) -> str:
    return f"def {name}():\n" + "".join(f"    {line}\n" for line in lines)


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    """Return a repository in which a test answers best, and code contains only some of the
    words.
    """
    repo.write(
        "tests/test_basket.py",
        function("test_empty_the_basket", "empty the basket: basket.empty()"),
    )
    repo.write("src/basket.py", function("remove_everything", "basket.clear()  # empty"))
    repo.write("src/bin.py", function("open_bin", "return basket"))
    repo.write("src/till.py", function("count", "return coins"))
    repo.commit()
    return repo


def ask(repo: GitSandbox, flags: dict[str, str] | None = None, **options: object) -> Answer:
    with ragit.open(repo.path, flags=flags or {}) as index:
        return index.search("empty the basket", **options)  # type: ignore[arg-type]


def test_every_signal_has_a_meaning(shop: GitSandbox) -> None:
    assert set(SIGNAL_NAMES) <= MEANINGS.keys()
    for hit in ask(shop).hits:
        assert hit.signals.keys() <= MEANINGS.keys()
    assert all(MEANINGS.values())


def test_demoted_hit_is_listed(shop: GitSandbox) -> None:
    heavy = {"retrieval.signals.test": "-3"}
    answer = ask(shop, heavy, top_k=1, explain=True)
    assert [hit.path for hit in answer.hits] == ["src/basket.py"]
    (demoted,) = answer.demoted
    assert (demoted.path, demoted.symbol, set(demoted.signals)) == (
        "tests/test_basket.py",
        "test_empty_the_basket",
        {"test", "longName"},
    )
    assert demoted.score < answer.hits[0].score <= demoted.otherwise
    free = ask(shop, {"retrieval.signals.test": "0", "retrieval.signals.longName": "0"}, top_k=1)
    assert free.hits[0].path == "tests/test_basket.py"
    assert free.hits[0].score == pytest.approx(demoted.otherwise)


def test_nothing_is_demoted_if_every_hit_is_shown(shop: GitSandbox) -> None:
    assert ask(shop, {"retrieval.signals.test": "-3"}, top_k=50, explain=True).demoted == ()
    assert ask(shop, {"retrieval.signals.test": "0"}, top_k=1, explain=True).demoted == ()
    assert ask(shop, {"retrieval.signals.test": "-3"}, top_k=1).demoted == ()


def test_explain_changes_no_hit(shop: GitSandbox) -> None:
    assert ask(shop, top_k=2, explain=True).hits == ask(shop, top_k=2).hits


def test_explain_prints_matches_and_demotions(shop: GitSandbox) -> None:
    shell = Terminal(shop.path)
    args = (
        "-c",
        "retrieval.signals.test=-3",
        "search",
        "-k",
        "1",
        "--explain",
        "empty the basket with Coins",
    )
    lines = shell.ragit(*args, code=0).out.splitlines()
    assert any("words of the query in these lines (keyword)" in line for line in lines)
    assert "  matches     empty, basket" in lines
    assert "  lacks       Coins" in lines
    after = lines[lines.index("kept out by a demotion:") :]
    assert after[1].startswith("  tests/test_basket.py:1  test_empty_the_basket  ")
    assert after[2].endswith(" a test, and the query asks for none (test)")


def test_words_of_parents_and_path_count_as_matched(repo: GitSandbox) -> None:
    repo.write(
        "billing/till.py",
        "class Session:\n    x = 1\n\n"
        + "".join(f"    def {n}(self):\n" + "        return 1\n" * 90 for n in ("send", "other")),
    )
    repo.commit()
    lines = (
        Terminal(repo.path)
        .ragit("search", "-k", "1", "--explain", "Session.send of billing in Euros", code=0)
        .out.splitlines()
    )
    assert "Session.send" in lines[1]
    assert "  matches     Session, send" in lines
    assert "  in path     billing" in lines
    assert "  lacks       Euros" in lines
    hit = json.loads(
        Terminal(repo.path)
        .ragit("search", "-k", "1", "--explain", "--json", "Session.send billing")
        .out
    )
    assert hit["results"][0]["explain"]["matched"] == ["Session", "send"]
    assert hit["results"][0]["explain"]["matched_in_path"] == ["billing"]
    assert hit["results"][0]["explain"]["unmatched"] == []


def test_explain_in_json_follows_the_schema(shop: GitSandbox) -> None:
    from test_render import faults, schemas

    args = (
        "-c",
        "retrieval.signals.test=-3",
        "search",
        "-k",
        "1",
        "--explain",
        "--json",
        "empty the basket",
    )
    found = json.loads(Terminal(shop.path).ragit(*args, code=0).out)
    assert not list(faults(found, schemas()["search"]))
    assert found["results"][0]["explain"]["matched"] == ["empty", "basket"]
    assert all(part["meaning"] for part in found["results"][0]["explain"]["raised_by"])
    assert found["demoted"][0]["lowered_by"][0]["signal"] == "test"
