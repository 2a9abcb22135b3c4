"""Weigh and score the files of a tree as arrays, in a process that stays: to the last bit as
`holders` and `rank` do it file by file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragit import rank
from ragit.postings import COLUMN_BITS, COLUMNS
from ragit.rank import B_FILE, FIELD_WEIGHTS, K1, PATH_WEIGHT, FileScores, QueryTerms, RanksFiles
from ragit.records import NamedTuple
from ragit.search.word_arrays import Packed, WordArrays
from ragit.store import Snapshot

_COLUMN = (1 << COLUMN_BITS) - 1
_NAMES = COLUMNS.index("symbol")

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class FileColumns(NamedTuple):
    """The files that hold a term: equally long columns."""

    places: Numbers
    """Indices of the files, in order."""
    times: Floats
    """Weighted occurrences."""


class FileNumbers(Mapping[int, float]):
    """Numbers of some files by index. A mapping of thousands of files is made when one of them is
    looked up, which is seldom needed.
    """

    def __init__(self, columns: FileColumns) -> None:
        self.columns = columns

    @cached_property
    def _by_place(self) -> dict[int, float]:
        places, numbers = self.columns
        return dict(zip(places.tolist(), numbers.tolist(), strict=True))

    def __getitem__(self, place: int) -> float:
        """Return the number of a file."""
        return self._by_place[place]

    def __iter__(self) -> Iterator[int]:
        """Iterate over the files, in order."""
        return iter(self.columns.places.tolist())

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.columns.places)


class FileValues(RanksFiles):
    """A value of each of some files by index."""

    def __init__(self, values: Floats, held: NDArray[np.bool_]) -> None:
        self._values = values
        self._held = held
        self._places = np.flatnonzero(held)

    def __getitem__(self, place: int) -> float:
        """Return the value of a file."""
        if place < 0 or place >= len(self._held) or not self._held[place]:
            raise KeyError(place)
        return float(self._values[place])

    def __iter__(self) -> Iterator[int]:
        """Iterate over the files, in order."""
        return iter(self._places.tolist())

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self._places)

    @property
    def greatest(self) -> float:
        """The greatest value; 0 without files."""
        return float(self._values[self._places].max(initial=0.0))

    def best_first(
        self, limit: int, among: Iterable[int] | None, then: Mapping[int, float] | None
    ) -> list[int]:
        """Return what `rank.best_first` does."""
        places = self._places
        if among is not None:
            listed = np.fromiter(among, np.int64)
            places = listed[self._held[listed]]
        values = self._values[places]
        if len(places) > limit > 0:
            least = np.partition(values, len(values) - limit)[len(values) - limit]
            places, values = places[values >= least], values[values >= least]
        order = [places, -values]
        if isinstance(then, FileValues):
            order.insert(1, -then._values[places])
        found: list[int] = places[np.lexsort(order)][:limit].tolist()
        return found


class HasFiles(Protocol):
    """The files that hold a term, as a mapping and, if they are known, as columns."""

    @property
    def files(self) -> Mapping[int, float]:
        """Return weighted occurrences by the index of the file."""

    @property
    def columns(self) -> FileColumns | None:
        """Return the same occurrences as arrays; None if they were not computed."""


class TreeArrays:
    """The files of a tree, for statistics of all of them at once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._files = len(snapshot.paths)
        chunkings = np.array(snapshot.chunkings, np.int64)
        self._places: Numbers = np.argsort(chunkings, kind="stable")
        self._chunkings = chunkings[self._places]
        lengths = np.array(snapshot.lengths, np.float64)
        mean = (sum(snapshot.lengths) / self._files if self._files else 0) or 1.0
        self._damped: Floats = K1 * (1 - B_FILE + B_FILE * lengths / mean)
        weights = [*FIELD_WEIGHTS.values()]
        self._weights: Floats = np.array(weights + [0.0] * (_COLUMN + 1 - len(weights)))

    @staticmethod
    def words(of: Mapping[int, Packed]) -> WordArrays:
        """Return the packed words of files, by chunking, for look-ups in all of them at once."""
        return WordArrays(of)

    def weighed(
        self, occurrences: Sequence[int], in_path: Sequence[int]
    ) -> tuple[FileColumns, list[int]]:
        """Return the files that hold a term, and those that define a name which holds it.

        `occurrences` are as `Store.occurrences` gives them; the path of `in_path` holds the term.
        """
        numbers = np.array(occurrences, np.int64)
        first = np.searchsorted(self._chunkings, numbers >> COLUMN_BITS, "left")
        after = np.searchsorted(self._chunkings, numbers >> COLUMN_BITS, "right")
        counts = after - first  # 0 for files of other trees, several for a blob at several paths
        begins = np.cumsum(counts) - counts
        at = np.repeat(first - begins, counts) + np.arange(counts.sum())
        places, columns = self._places[at], np.repeat(numbers & _COLUMN, counts)
        times: Floats = np.bincount(places, self._weights[columns], self._files).astype(np.float64)
        counted = np.bincount(places, minlength=self._files)
        also = np.array(in_path, np.int64)
        times[also] += PATH_WEIGHT
        counted[also] += 1
        held = np.flatnonzero(counted)
        return FileColumns(held, times[held]), places[columns == _NAMES].tolist()

    @staticmethod
    def mapping(columns: FileColumns) -> Mapping[int, float]:
        """Return the occurrences by file."""
        return FileNumbers(columns)

    @staticmethod
    def columns(holders: Mapping[str, HasFiles]) -> dict[str, FileColumns]:
        """Return the files that hold each term."""
        found = {}
        for term, held in holders.items():
            files, count = held.files, len(held.files)
            found[term] = held.columns or FileColumns(
                np.fromiter(files, np.int64, count), np.fromiter(files.values(), np.float64, count)
            )
        return found

    def score_files(self, query: QueryTerms, found: Mapping[str, FileColumns]) -> FileScores:
        """Return what `rank.score_files` does."""
        scores = np.zeros(self._files)
        held = np.zeros(self._files, bool)
        rarities: dict[str, float] = {}
        for term, (places, times) in found.items():
            if len(places):
                rarity = rank.rarity(len(places), self._files)
                value = rarities[term] = query.weight(term) * rarity
                value *= K1 + 1
                scores[places] += value * times / (times + self._damped[places])
                held[places] = True
        return FileScores(FileValues(scores, held), rarities)

    def coverage(
        self,
        query: QueryTerms,
        found: Mapping[str, FileColumns],
        rarities: Mapping[str, float],
    ) -> FileValues:
        """Return what `rank.coverage` does."""
        total = sum(rarities.get(term, 0.0) for term in query.weights) or 1.0
        covered = np.zeros(self._files)
        held = np.zeros(self._files, bool)
        for term in query.weights:
            if term in found:
                places = found[term].places
                covered[places] += rarities.get(term, 0.0) / total
                held[places] = True
        return FileValues(covered, held)
