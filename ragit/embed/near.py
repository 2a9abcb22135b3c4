"""Finds words that are near in meaning, by their word vectors: of a list those nearest to a word,
and how near a name is to a query.

Works without numpy, since queries use it. Signs of the vectors are compared first, as one operation
on long integers, then the numbers of the words with the most equal signs.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import mul

from ragit import words
from ragit.embed.modelfile import ModelFile
from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder
from ragit.records import NamedTuple

SIFTED = 12
"""Words whose numbers are compared. Twelve find 99 of 100 of the two nearest (names of git and
kafka).
"""


FAR = 118
"""Different signs, of 256, from which two words have nothing to do with each other: their cosine is
some 0.1.
"""

REMEMBERED_WORDS = 4096
"""Words of names whose rows a process remembers, of 1 KB each."""


class Nearby:
    """A list of words, with the vectors of the known ones."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._file = StaticEmbedder(EmbedderOptions()).file
        self._mask = int.from_bytes(b"\x80" * self._file.dimensions, "big")
        self._known = self._file.find_all(sorted(vocabulary))
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


class _Word(NamedTuple):
    """A word's row: its signs as one number, its numbers, and their length."""

    signs: int
    row: array[int]
    length: float


@lru_cache(maxsize=REMEMBERED_WORDS)
def _word(file: ModelFile, word: str) -> _Word | None:
    """Return the row of a word; None for an unknown one."""
    number = file.find(word)
    if number is None:
        return None
    _, row = file.row(number)
    mask = int.from_bytes(b"\x80" * len(row), "big")
    signs = int.from_bytes(row.tobytes(), "big") & mask
    return _Word(signs, row, math.sqrt(sum(map(mul, row, row))))


def name_nearness(query: str) -> Callable[[str], float]:
    """Return a function of a name: the mean over its words of the greatest cosine with a word of
    the query, from 0 to 1.

    These are the maxima of a late interaction (Khattab and Zaharia 2020, "ColBERT"), taken from the
    side of the name, so that a long query does not lower them.
    """
    file = StaticEmbedder(EmbedderOptions()).file
    typed = dict.fromkeys(words.words(query))
    asked = [row for word in typed if (row := _word(file, word)) is not None]
    known: dict[str, float] = dict.fromkeys(typed, 1.0)

    def nearest(word: str) -> float:
        value = known.get(word)
        if value is None:
            row = _word(file, word)
            value = known[word] = _greatest_cosine(row, asked) if row else 0.0
        return value

    def nearness(name: str) -> float:
        parts = frozenset(words.words(name))
        return sum(map(nearest, parts)) / len(parts) if parts else 0.0

    return nearness


def _greatest_cosine(word: _Word, others: list[_Word]) -> float:
    """Return the cosine of a word with the nearest of others, at least 0."""
    best = 0.0
    for other in others:
        if (word.signs ^ other.signs).bit_count() < FAR:
            whole = word.length * other.length
            best = max(best, sum(map(mul, word.row, other.row)) / whole if whole else 0.0)
    return best
