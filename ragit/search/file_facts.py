"""Collect the facts of the candidate files that the ranking signals read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ragit.rank import FileFacts, QueryTerms, Shares, greatest, paths
from ragit.records import NamedTuple

if TYPE_CHECKING:
    from ragit.search.choose import Matches
    from ragit.search.filtered_tree import FilteredTree

BODIES = {".h": (".c", ".m"), ".pyi": (".py",), ".mli": (".ml",), ".d.ts": (".js", ".ts", ".mjs")}
"""Suffixes of files that only declare, with the suffixes of the files that contain the bodies. C++
is left out: its headers contain and explain much of the code.
"""

NEAREST_OF_FILE = 3
"""Number of chunks in a file's mean cosine: one may be near by chance, and all would hide the right
ones.
"""

BEST_OF_FILE = 3
"""Number of chunks in a file's mean keyword score."""


class OfFile(NamedTuple):
    """Facts of one candidate file, from its chunks and the query."""

    place: int
    cosines: Sequence[float]
    """Cosines of all its chunks."""
    shares: Sequence[float]
    """Keyword scores of its chunks that pass the filters, as shares of the best candidate's."""
    best_kind: str
    """Kind of its best chunk."""
    mentioned: float


def file_facts(
    tree: FilteredTree,
    query: QueryTerms,
    found: Matches,
    path_nearness: Callable[[str], float],
    files: Sequence[OfFile],
) -> dict[int, FileFacts]:
    """Return the facts of all candidate files by index. `path_nearness` gives the cosine of a
    path's words with the query.
    """
    maker = _Maker(tree, query, found, path_nearness)
    return _with_comparisons({one.place: maker.facts(one) for one in files}, found.covered)


class _Maker:
    """Computes the facts of a file that do not depend on the other candidates."""

    def __init__(
        self,
        tree: FilteredTree,
        query: QueryTerms,
        found: Matches,
        path_nearness: Callable[[str], float],
    ) -> None:
        self._tree = tree
        self._path_nearness = path_nearness
        self._scores = found.scores.scores
        if isinstance(tree.places, range):
            best = greatest(self._scores)
        else:
            best = max((self._scores.get(place, 0.0) for place in tree.places), default=0.0)
        self._best = best or 1.0
        self._in_path = [(term, held.paths) for term, held in found.holders.items() if held.paths]
        counts = {term: len(held.paths) for term, held in found.holders.items()}
        self._paths = Shares(query, counts, len(tree.snapshot.paths))
        self._in_script = [held.files for term, held in found.holders.items() if not term.isascii()]

    def facts(self, one: OfFile) -> FileFacts:
        place, tree = one.place, self._tree
        path = tree.path(place)
        return FileFacts(
            path=path,
            keyword=self._scores.get(place, 0.0) / self._best,
            path_share=self._paths.of([term for term, held in self._in_path if place in held]),
            nearness=_mean(sorted(one.cosines, reverse=True)[:NEAREST_OF_FILE]),
            path_nearness=self._path_nearness(path),
            in_script=any(place in files for files in self._in_script),
            has_bodies=tree.has_other(path, BODIES),
            suffix_share=tree.suffix_share(path),
            mentioned=one.mentioned,
            is_outdated=tree.is_outdated(path),
            best_kind=one.best_kind,
            best_share=sum(sorted(one.shares, reverse=True)[:BEST_OF_FILE]) / BEST_OF_FILE,
        )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _with_comparisons(
    files: Mapping[int, FileFacts], covered: Mapping[int, float]
) -> dict[int, FileFacts]:
    """Return the facts, with those added that depend on other candidates: a test's subject, the
    words that no usual file has.
    """
    usual = [covered.get(place, 0.0) for place, file in files.items() if paths.is_usual(file.path)]
    most = max(usual, default=0.0)
    tests = {place for place, file in files.items() if paths.is_test(file.path)}
    subjects = {paths.subject_of(file.path) for place, file in files.items() if place not in tests}
    return {
        place: file._replace(
            lead=max(0.0, covered.get(place, 0.0) - most),
            tests_candidate=place in tests and paths.subject_of(file.path) in subjects,
        )
        for place, file in files.items()
    }
