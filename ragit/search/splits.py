"""Find definitions whose name a query writes as one word: `oauth` for OAuthHandler, `websocket` for
WebSocketServer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragit import words
from ragit.rank import FIELD_WEIGHTS, QueryTerms

if TYPE_CHECKING:
    from ragit.search.filtered_tree import FilteredTree
    from ragit.store import Store

SHORTEST = 5
"""Least letters of a word that may be two joined."""

NAME_COLUMN = "symbol"


def split_holders(
    store: Store, tree: FilteredTree, query: QueryTerms, found: Mapping[str, Any]
) -> dict[str, dict[int, float]]:
    """Return for words of the query the files that define names with both halves of the word.

    A lone name is always split; of several words only those that no file contains.
    """
    splits: dict[str, dict[int, float]] = {}
    for word in query.names if query.shape == "symbol" else _unheld(query, found):
        key = words.stem(word.lower())
        if len(word) < SHORTEST or not word.isascii() or not word.isalpha() or key not in found:
            continue
        files: dict[int, float] = {}
        for place in _defining(store, tree, word.lower()):
            files[place] = FIELD_WEIGHTS[NAME_COLUMN] / 2
        if files:
            splits[key] = files
    return splits


def _unheld(query: QueryTerms, found: Mapping[str, Any]) -> list[str]:
    if query.is_pasted:
        return []
    spelled = {word for sequence in query.sequences for word in sequence}
    return [
        word for word in sorted(spelled) if (one := found.get(words.stem(word))) and not one.files
    ]


def _defining(store: Store, tree: FilteredTree, word: str) -> Iterator[int]:
    """Yield the files that define names with both halves of a word, for each way to split it."""
    for at in range(1, len(word) - 1):
        second = _chunkings(store, word[at:])
        if not second:
            continue
        for chunking in sorted(second & _chunkings(store, word[:at])):
            yield from tree.place_of.get(chunking, ())


def _chunkings(store: Store, half: str) -> set[int]:
    return store.holding(words.stem(half), NAME_COLUMN)
