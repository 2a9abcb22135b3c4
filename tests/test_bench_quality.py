"""Tests of the question sets that quality is measured with, and of their figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit

sys.path.append(str(Path(__file__).parents[1] / "bench"))
import quality_all  # noqa: E402
import quality_measures as measures  # noqa: E402
import quality_sets  # noqa: E402
from quality_measures import NEVER, Outcome  # noqa: E402

BASKET = '''\
class BasketLock:
    """A lock that one shopper at a time may hold."""


def total_of(prices):
    """Return what a shopper pays for the prices of everything in a basket."""
    if not prices:
        raise ValueError("a basket without any prices was given by the shop")
    minimum_order_value = 5
    return max(minimum_order_value, sum(prices))


def unlock(key):
    """Give up exclusive ownership so that others can proceed with theirs."""
    state = key.state
    return state
'''


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[quality_sets.Question]]:
    repo = GitSandbox(Path(tmp_path_factory.mktemp("quality")) / "repo")
    repo.write("shop/basket.py", BASKET.replace("5", "4"))
    repo.commit("begin")
    repo.write("shop/basket.py", BASKET)
    repo.commit("Charge five for small baskets of a shopper")
    bare = repo.path.parent / "bare"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    spec = {"name": "bare", "role": "report", "revision": repo.git("rev-parse", "HEAD").strip()}
    with ragit.open(bare) as index:
        found = quality_sets.sets_of(index, bare, spec["revision"])
        result = index.search("exclusive ownership", ref=found["docs"][0].revision).hits
    assert not any("exclusive" in hit.text or "shopper pays" in hit.text for hit in result)
    outcomes = quality_all.of_repository(repo.path.parent, bare.parent, spec)
    rows = list(quality_all.table(outcomes))
    assert any(row.startswith("| docs | MRR |") for row in rows), rows
    return found


def test_doc_comment_is_a_query_for_its_function(
    sets: dict[str, list[quality_sets.Question]],
) -> None:
    asked = {one.query: one.places[0] for one in sets["docs"]}
    query = "Return what a shopper pays for the prices of everything in a basket"
    assert asked[query].is_in("shop/basket.py", 5, 6)
    assert not asked[query].is_in("shop/basket.py", 14, 15)


def test_doc_comment_without_shared_words_is_a_paraphrase(
    sets: dict[str, list[quality_sets.Question]],
) -> None:
    assert [one.query for one in sets["paraphrases"]] == [
        "Give up exclusive ownership so that others can proceed with theirs"
    ]


def test_sets_of_names_messages_and_history(
    sets: dict[str, list[quality_sets.Question]],
) -> None:
    assert [one.query for one in sets["short"]] == ["basket lock"]
    assert "minimum_order_value" in [one.query for one in sets["identifiers"]]
    assert [one.query for one in sets["messages"]] == [
        "a basket without any prices was given by the shop"
    ]
    assert [one.query for one in sets["history"]] == ["Charge five for small baskets of a shopper"]


def test_measures_of_ranks() -> None:
    assert measures.ndcg(Outcome((1, NEVER))) == pytest.approx(1 / (1 + 1 / 1.5849625007211562))
    assert measures.reciprocal(Outcome((NEVER, 2))) == 0.5
    assert measures.first(Outcome((1, 3))) == 1.0
    assert measures.all_files(3)(Outcome((), (3, 1))) == 1.0
    assert measures.all_files(3)(Outcome((), (4, 1))) == 0.0
    assert measures.file_ranks(["b", "c"], [("a", 1, 2), ("a", 3, 4), ("b", 1, 1)]) == (2, NEVER)


def test_interval_contains_the_mean_and_grows_with_spread() -> None:
    alike = measures.interval([[0.0, 1.0] * 20] * 8)
    apart = measures.interval([[0.0] * 40, [1.0] * 40] * 4)
    assert alike[0] < 0.5 < alike[1]
    assert apart[1] - apart[0] > alike[1] - alike[0]
