"""Which files are lowered as prose: every format that people write text in, and none that holds data."""

from __future__ import annotations

import pytest

from ragit.chunk import language_of
from ragit.chunk.languages import LANGUAGES
from ragit.rank import take_apart
from ragit.rank.keyword import Shares
from ragit.rank.signals import FILE_SIGNALS, FileFacts, QueryFacts


def lowered(path: str, query: str = "where are carts kept") -> bool:
    terms = take_apart(query)
    facts = QueryFacts(terms, Shares(terms, dict.fromkeys(terms.weights, 0), 1))
    return FILE_SIGNALS["prose"].of(FileFacts(path, 0.0, 0.0, 0.0, 0.0), facts) == 1.0


@pytest.mark.parametrize("language", ["restructuredtext", "asciidoc"])
def test_markup_is_prose_under_each_of_its_suffixes(language: str) -> None:
    suffixes = LANGUAGES[language].files.split()
    assert suffixes
    for suffix in suffixes:
        assert lowered(f"src/carts{suffix}"), suffix
        assert not lowered(f"src/carts{suffix}", "documentation of carts"), suffix


@pytest.mark.parametrize(
    "path", ["carts.csv", "carts.tsv", "carts.tab", "carts.json", "carts.yaml", "carts.py"]
)
def test_data_and_code_are_no_prose(path: str) -> None:
    assert language_of(path.encode()) != "text"
    assert not lowered(path)
