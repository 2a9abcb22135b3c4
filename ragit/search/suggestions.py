"""Suggest names of the tree for names that no file contains: "did you mean". Imported only for
those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragit import words
from ragit.rank import joined
from ragit.search.filtered_tree import FilteredTree
from ragit.store import Store

MOST = 3
"""Limit of suggestions in one answer."""

SHORTEST = 4
"""Least letters of a name that may be misspelt: too many others are near to a shorter one."""


def suggestions(store: Store, tree: FilteredTree, missing: Sequence[str]) -> tuple[str, ...]:
    """Return defined names of the tree that differ from a missing one by a letter or two, nearest
    first.
    """
    found: dict[str, None] = {}
    for name in missing:
        for other in _near(store, tree, name):
            found.setdefault(other)
    return tuple(found)[:MOST]


def _near(store: Store, tree: FilteredTree, name: str) -> Iterator[str]:
    key = joined(name)
    if len(key) < SHORTEST:
        return
    most = 1 if len(key) < 8 else 2
    stem = words.stem(key)
    near: list[tuple[int, str]] = []
    for term in store.terms_from(key[0]):
        length = min(abs(len(term) - len(key)), abs(len(term) - len(stem)))
        if length > most or term == key:
            continue
        distance = min(edits(term, key, most), edits(term, stem, most))
        if distance <= most:
            near.append((distance, term))
    for _, term in sorted(near):
        yield from _spelt(store, tree, term)


def _spelt(store: Store, tree: FilteredTree, term: str) -> Iterator[str]:
    """Yield the names defined in the tree under a term, as written."""
    chunkings = store.holding(term, "symbol")
    places = sorted(place for c in chunkings for place in tree.place_of.get(c, ()))
    for place in places[:1]:
        rows = store.chunks_of(tree.snapshot.chunkings[place])
        names = [name for row in rows.values() for name in row.symbol.split()]
        yield from (name for name in names if words.terms_of(name)[-1:] == (term,))


def edits(a: str, b: str, most: int) -> int:
    """Return the optimal string alignment distance of two words: letters added, dropped, changed or
    swapped.

    Distances above `most` are not told apart.
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        last, row, older = row, [i], before
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if older and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        before = last
        if min(row) > most:
            return most + 1
    return row[-1]
