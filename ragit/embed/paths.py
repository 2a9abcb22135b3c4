"""How near a path's words are in meaning to a query, by the word vectors of the package, whoever embeds the chunks.

A path is no part of any embedded text (the same blob lies at many), and a query meets some hundred paths: they are
compared word by word, without numpy, each word's vector being read and scaled once.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from functools import cache, lru_cache
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

    @cache
    def folder(path: str) -> Vector:
        above, _, name = path.rpartition("/")
        total = folder(above) if above else zero
        for word in words.words(name):
            total = tuple(map(add, total, vector(word)))
        return total

    def nearness(path: str) -> float:
        above, _, name = path.rpartition("/")
        summed = folder(
            f"{above}/{name.rpartition('.')[0] or name}"
            if above
            else name.rpartition(".")[0] or name
        )
        length = math.sqrt(sum(map(mul, summed, summed)))
        return max(0.0, sum(map(mul, summed, wanted)) / length) if length else 0.0

    return nearness
