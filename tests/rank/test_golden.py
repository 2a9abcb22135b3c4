"""Tests of the ranking of a small repository against golden.txt, with the parts of each score.

`python tests/rank/golden.py` shows the effect of a change, `--write` accepts it.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import golden  # noqa: E402

import ragit  # noqa: E402
from ragit.rank import SIGNAL_NAMES  # noqa: E402


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return golden.make_repository(tmp_path_factory.mktemp("golden") / "repo").path


def test_ranking_matches_golden_txt(repository: Path) -> None:
    now = golden.ranking(golden.GitSandbox(repository))
    assert now.splitlines() == golden.GOLDEN.read_text("utf-8").splitlines(), (
        "see `python tests/rank/golden.py`; --write accepts an intended change"
    )


def test_explain_does_not_change_the_ranking(repository: Path) -> None:
    """An explained search ranks all chunks, any other one only those that may be hits."""
    with ragit.open(repository) as index:
        for _, query in golden.queries():
            plain, explained = (
                index.search(query, scope="committed", top_k=2, optimize=False, explain=explain)
                for explain in (False, True)
            )
            places = [
                [(hit.path, hit.start_line, hit.score) for hit in answer.hits]
                for answer in (plain, explained)
            ]
            assert places[0] == places[1], query


def test_golden_queries_have_every_shape() -> None:
    shapes = Counter(shape for shape, _ in golden.queries())
    assert set(shapes) >= {
        "symbol",
        "owner and symbol",
        "words",
        "question",
        "prose and documents",
        "message",
        "path",
        "other script",
        "nothing",
    }
    assert shapes.total() >= 60


def test_every_signal_occurs_in_golden_txt() -> None:
    text = golden.GOLDEN.read_text("utf-8")
    assert [name for name in SIGNAL_NAMES if f" {name}=" not in text] == []


SHOWS = {
    "defines": "OrderService",
    "named": "OrderService",
    "alike": "reserve stock",
    "fileVector": "reserve stock",
    "fileKeyword": "reserve stock",
    "fileName": "cart view",
    "path": "payments/gateway.py",
    "pathVector": "payments/gateway.py",
    "test": "formatPrice",
    "aside": "create_order",
    "old": "OrderService",
    "tooling": "Confirm order",
    "exact": "OrderService",
    "mentioned": "payments/gateway.py",
    "bestKeyword": "reserve stock",
    "suffixShare": "reserve stock",
    "notCode": "reserve stock",
    "vendored": "bounded queue of jobs",
    "prose": "reserve stock",
    "declares": "cache_evict_oldest",
    "longName": "StockLedger",
    "repeat": "StockLedger",
}
"""A query for each signal whose hits have a part from it."""


def test_every_signal_has_a_query_that_shows_it() -> None:
    assert set(SHOWS) == set(SIGNAL_NAMES)


@pytest.mark.parametrize("name", SIGNAL_NAMES)
def test_weight_zero_switches_a_signal_off(repository: Path, name: str) -> None:
    def parts(flags: dict[str, str]) -> set[str]:
        with ragit.open(repository, flags=flags) as index:
            hits = index.search(SHOWS[name], scope="committed", top_k=40, optimize=False).hits
        return {part for hit in hits for part in hit.signals}

    assert name in parts({})
    assert name not in parts({f"retrieval.signals.{name}": "0"})
