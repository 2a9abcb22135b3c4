"""Measures how near a path is to a query in meaning, by the word vectors of the package.

Paths are in no embedded text (one blob may have many), and a query meets some hundred of them: they
are compared word by word, without numpy, and each word's vector is read and scaled once.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from functools import lru_cache
from operator import add, mul

from ragit import words
from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder

Vector = tuple[float, ...]


def path_nearness(query: str) -> Callable[[str], float]:
    """Return a function of a path: the cosine of its words with the query's, at least 0."""
    model = StaticEmbedder(EmbedderOptions())
    wanted = array("f", model.embed_query(query))
    zero: Vector = (0.0,) * model.dimensions
    vector = lru_cache(maxsize=None)(model.word_vector)

    sums: dict[str, Vector] = {"": zero}

    def sum_of(path: str) -> Vector:
        """Return the sum of the vectors of a path's words.

        Loops: paths may be a thousand folders deep.
        """
        known = path
        while known not in sums:
            known = known.rpartition("/")[0]
        total = sums[known]
        for name in filter(None, path[len(known) :].split("/")):
            for word in words.words(name):
                total = tuple(map(add, total, vector(word)))
            known = f"{known}/{name}" if known else name
            sums[known] = total
        return total

    def nearness(path: str) -> float:
        above, _, name = path.rpartition("/")
        stem = name.rpartition(".")[0] or name
        summed = sum_of(f"{above}/{stem}" if above else stem)
        length = math.sqrt(sum(map(mul, summed, summed)))
        return max(0.0, sum(map(mul, summed, wanted)) / length) if length else 0.0

    return nearness
