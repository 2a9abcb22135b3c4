"""Tests that statistics from arrays equal those taken file by file, to the last bit."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from ragit import rank
from ragit.postings import COLUMN_BITS, COLUMNS
from ragit.search.holders import _read
from ragit.search.tree_arrays import TreeArrays
from ragit.search.whole_tree import WholeTree
from ragit.store import Snapshot

NAMES = ("entry", "entries", "Parser.py", "parsing", "a-b", "v1", "HTTPServer.java", "Öl.md", "x")
TERMS = ("entry", "pars", "http", "server", "httpserver", "a", "b", "öl", "x", "none")


class Occurrences:
    """A store that knows the occurrences of each term."""

    def __init__(self, of: dict[str, list[int]]) -> None:
        self._of = of

    def occurrences(self, term: str) -> list[int]:
        return self._of.get(term, [])


@st.composite
def trees(draw: st.DrawFn) -> tuple[Snapshot, Occurrences]:
    parts = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)
    listed = draw(st.lists(parts.map("/".join), min_size=1, max_size=12))
    paths = sorted(path.encode() for path in listed)  # in a union of trees, a path is there twice
    numbers = st.integers(1, 9)  # a blob may lie at several paths
    chunkings = [draw(numbers) for _ in paths]
    lengths = [draw(st.integers(0, 500)) for _ in paths]
    snapshot = Snapshot(paths, array("Q", chunkings), array("Q", lengths), {})
    occurrence = st.tuples(numbers, st.integers(0, len(COLUMNS) - 1))
    of = {
        term: [c << COLUMN_BITS | at for c, at in draw(st.lists(occurrence, max_size=12))]
        for term in TERMS
    }
    return snapshot, Occurrences(of)


@given(trees())
def test_tree_arrays_equal_per_file_statistics(drawn: tuple[Snapshot, Occurrences]) -> None:
    snapshot, store = drawn
    plain, other = WholeTree(snapshot), WholeTree(snapshot)
    arrays = other.arrays = TreeArrays(snapshot)
    query = rank.parse_query("where does the HTTPServer parse an entry of a b öl?")
    held = {term: _read(store, plain, term) for term in TERMS}  # type: ignore[arg-type]
    again = {term: _read(store, other, term) for term in TERMS}  # type: ignore[arg-type]
    assert {term: one[:3] for term, one in again.items()} == {
        term: one[:3] for term, one in held.items()
    }
    files = {term: held[term].files for term in query.listed if term in held}
    columns = arrays.columns({term: again[term] for term in files})
    scores = rank.score_files(query, files, snapshot.lengths)
    assert arrays.score_files(query, columns) == scores
    covered = rank.coverage(query, files, scores.rarity)
    in_arrays = arrays.coverage(query, columns, scores.rarity)
    assert in_arrays == covered
    assert rank.greatest(in_arrays) == rank.greatest(covered)
    then = arrays.score_files(query, columns).scores
    for limit in (1, 3, 99):
        for among in (None, range(0, len(snapshot.paths), 2)):
            expected = rank.best_first(covered, limit, among, scores.scores)
            assert rank.best_first(in_arrays, limit, among, then) == expected
            alone = rank.best_first(then, limit, among)
            assert alone == rank.best_first(scores.scores, limit, among)
    without = {term: again[term]._replace(columns=None) for term in files}
    assert arrays.score_files(query, arrays.columns(without)) == scores
