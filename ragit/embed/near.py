"""Finds the words of a list nearest to a word in meaning, by their word vectors.

Works without numpy, since queries use it. Signs of the vectors are compared first, as one operation
on long integers, then the numbers of the words with the most equal signs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import mul

from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder

SIFTED = 12
"""Words whose numbers are compared. Twelve find 99 of 100 of the two nearest (names of git and
kafka).
"""


class Nearby:
    """A list of words, with the vectors of the known ones."""

    def __init__(self, words: Iterable[str]) -> None:
        self._file = StaticEmbedder(EmbedderOptions()).file
        self._mask = int.from_bytes(b"\x80" * self._file.dimensions, "big")
        self._known = self._file.find_all(sorted(words))
        self._signs = [self._signs_of(number) for _, number in self._known]

    def nearest(self, word: str, most: int) -> list[tuple[str, float]]:
        """Return the `most` nearest other words with their cosine; none for an unknown word."""
        number = self._file.find(word)
        if number is None:
            return []
        signs = self._signs_of(number)
        apart = [(signs ^ other).bit_count() for other in self._signs]
        # Keep all words as near as the last one: a cut would go by the alphabet.
        bound = sorted(apart)[: SIFTED + 1][-1:]
        found = []
        for (other, row), distance in zip(self._known, apart, strict=True):
            if distance <= bound[0] and row != number:
                found.append((other, self._cosine(number, row)))
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return found[:most]

    def _cosine(self, one: int, other: int) -> float:
        (_, a), (_, b) = self._file.row(one), self._file.row(other)
        whole = math.sqrt(sum(map(mul, a, a)) * sum(map(mul, b, b)))
        return sum(map(mul, a, b)) / whole if whole else 0.0

    def _signs_of(self, number: int) -> int:
        return int.from_bytes(self._file.row_bytes(number), "big") & self._mask
