"""Measures how near a path is to a query in meaning, by the word vectors of the package.

Paths are in no embedded text (one blob may have many), and a query compares some hundred of them
word by word, without numpy. The sums of a folder's and of a path's words, which do not depend on
the query, are cached.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import add, mul

from ragit import words
from ragit.embed.modelfile import ModelFile
from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder
from ragit.records import NamedTuple
from ragit.remembered import Remembered

REMEMBERED_WORDS = 1024
"""Limit of cached vectors of words, of 8 KB each."""

REMEMBERED_PATHS = 8192
"""Limit of cached vectors of paths, and of folders, of 2 KB each."""


class PathVector(NamedTuple):
    """The sum of the vectors of a path's words, and its length."""

    sum: Sequence[float]
    length: float


class PathVectors:
    """Vectors of paths by one model."""

    def __init__(self, model: StaticEmbedder) -> None:
        self._vector = lru_cache(maxsize=REMEMBERED_WORDS)(model.word_vector)
        self._sums: dict[str, Sequence[float]] = {"": (0.0,) * model.dimensions}
        """By folder."""
        self._paths: Remembered[str, PathVector] = Remembered(REMEMBERED_PATHS)

    def of(self, path: str) -> PathVector:
        """Return the vector of a path without its suffix."""
        known = self._paths.get(path)
        if known is None:
            folder, _, name = path.rpartition("/")
            total = self._with_words(self._of_folder(folder), name.rpartition(".")[0] or name)
            known = PathVector(array("d", total), math.sqrt(sum(map(mul, total, total))))
            self._paths.add(path, known)
        return known

    def _of_folder(self, folder: str) -> Sequence[float]:
        """Return the sum of the vectors of a folder's words.

        Loops: paths may be a thousand folders deep.
        """
        known = folder
        while known not in self._sums:
            known = known.rpartition("/")[0]
        total = self._sums[known]
        if len(self._sums) >= REMEMBERED_PATHS:
            self._sums = {"": self._sums[""]}
        for name in filter(None, folder[len(known) :].split("/")):
            total = self._with_words(total, name)
            known = f"{known}/{name}" if known else name
            self._sums[known] = array("d", total)
        return total

    def _with_words(self, total: Sequence[float], name: str) -> Sequence[float]:
        for word in words.words(name):
            total = tuple(map(add, total, self._vector(word)))
        return total


@lru_cache(maxsize=1)
def _path_vectors(file: ModelFile) -> PathVectors:
    """Return the vectors of a model file's paths, the same object for the same file."""
    return PathVectors(StaticEmbedder(EmbedderOptions()))


def path_nearness(query: str) -> Callable[[str], float]:
    """Return a function of a path: the cosine of its words with the query's, at least 0."""
    model = StaticEmbedder(EmbedderOptions())
    wanted = array("f", model.embed_query(query)).tolist()
    vectors = _path_vectors(model.file)

    def nearness(path: str) -> float:
        summed, length = vectors.of(path)
        return max(0.0, sum(map(mul, summed, wanted)) / length) if length else 0.0

    return nearness
