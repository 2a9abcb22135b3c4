"""Find the files of a tree that contain the query's terms: in text, names and paths."""

from __future__ import annotations

from ragit.postings import COLUMN_BITS, COLUMNS
from ragit.rank import FIELD_WEIGHTS, PATH_WEIGHT, QueryTerms
from ragit.search.filtered_tree import FilteredTree
from ragit.search.splits import split_holders
from ragit.search.whole_tree import Holders, WholeTree
from ragit.store import Store

_WEIGHTS = (*FIELD_WEIGHTS.values(), *[0.0] * ((1 << COLUMN_BITS) - len(COLUMNS)))
"""Weights by column number."""

_COLUMN = (1 << COLUMN_BITS) - 1
_NAMES = COLUMNS.index("symbol")
_OF_TERM = 8
"""Size of a term itself in the memory of a tree, counted in files."""


def find_holders(store: Store, tree: FilteredTree, query: QueryTerms) -> dict[str, Holders]:
    """Return the files of the whole tree that contain each looked-up term."""
    found = {term: _holders_of(store, tree.whole, term) for term in query.listed}
    for term, files in split_holders(store, tree, query, found).items():
        held = found[term]
        found[term] = held._replace(
            files={**files, **held.files}, defining=held.defining.union(files), columns=None
        )
    return found


def _holders_of(store: Store, whole: WholeTree, term: str) -> Holders:
    """Return the files that contain a term. A tree remembers them: its chunkings never change."""
    key = (whole.number, term)
    known = whole.holders.get(key)
    if known is None:
        known = _read(store, whole, term)
        whole.holders.add(key, known, len(known.files) + len(known.paths) + _OF_TERM)
    return known


def _read(store: Store, whole: WholeTree, term: str) -> Holders:
    in_path = whole.paths_with(term)
    if whole.arrays:
        columns, named = whole.arrays.weighed(store.occurrences(term), in_path)
        held = whole.arrays.mapping(columns)
        return Holders(held, frozenset(in_path), frozenset(named), columns)
    files: dict[int, float] = {}
    defining: list[int] = []
    weighed, places_of = files.get, whole.place_of.get
    for number in store.occurrences(term):
        column = number & _COLUMN
        for place in places_of(number >> COLUMN_BITS, ()):
            files[place] = weighed(place, 0.0) + _WEIGHTS[column]
            if column == _NAMES:
                defining.append(place)
    for place in in_path:
        files[place] = weighed(place, 0.0) + PATH_WEIGHT
    return Holders(files, frozenset(in_path), frozenset(defining))
