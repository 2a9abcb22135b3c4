"""How near a path's words are in meaning to a query, by the word vectors of the package, whoever embeds the chunks.

A path is no part of any embedded text (the same blob lies at many), and a query meets some hundred paths: they are
compared word by word, without numpy, each word's vector being read and scaled once.
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
    """A function of a path: cosine of its words with the query's, 0 where they point apart."""
    model = StaticEmbedder(EmbedderOptions())
    wanted = array("f", model.embed_query(query))
    zero: Vector = (0.0,) * model.dimensions
    vector = lru_cache(maxsize=None)(model.word_vector)

    sums: dict[str, Vector] = {"": zero}

    def sum_of(path: str) -> Vector:
        """Return the sum of the vectors of a path's words. A loop: paths may be a thousand folders deep."""
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
