"""Embed and quantize a few texts without numpy, bit for bit as with numpy.

A search after an edit has one or two new chunks. Importing numpy for them, and making the tables of
the static model, takes 110 ms; plain Python takes some 3 ms for a chunk.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import add, mul

from ragit.embed.modelfile import SCALE_BITS, ModelFile
from ragit.words import parts

TEXTS = 16
"""Limit of texts that count as few."""

_NAMES = 3_000
"""Limit of identifiers of few texts: 30 ms."""


def are_few(texts: Sequence[Sequence[str]]) -> bool:
    """Return whether texts, given by their identifiers, are embedded faster without numpy."""
    few = len(texts) <= TEXTS and sum(map(len, texts)) <= _NAMES
    return few and "numpy" not in sys.modules


def embed(file: ModelFile, identifiers: Iterable[str]) -> bytes:
    """Return the unit vector of one text (float32); all zero for a text without words."""
    total = [0.0] * file.dimensions
    for word, count in Counter(chain.from_iterable(map(parts, identifiers))).items():
        weight = file.weight(count)
        total = list(map(add, total, map(mul, repeat(weight), _row(file, word))))
    length = math.sqrt(_sum([x * x for x in total]))
    if length == 0:
        return bytes(4 * file.dimensions)
    moved = [x / length - m for x, m in zip(total, file.mean(), strict=True)]
    norm = math.sqrt(_sum([x * x for x in moved])) or 1.0
    return array("f", [x / norm for x in moved]).tobytes()


def _row(file: ModelFile, word: str) -> Sequence[float]:
    """Return the vector of a word with its rounded scale, or the rounded mean of its letter
    groups.
    """
    step = _step(file)
    number = file.find(word)
    if number is not None:
        return _dequantized(file, number, step)
    numbers = file.group_rows(word)
    total: Sequence[float] = [0.0] * file.dimensions
    for number in numbers:
        total = list(map(add, total, _dequantized(file, number, step)))
    return [round(x / len(numbers) / step) * step for x in total] if numbers else total


def _dequantized(file: ModelFile, number: int, step: float) -> Sequence[float]:
    scale, row = file.row(number)
    return list(map(mul, repeat(round(scale / step) * step), row))


@lru_cache(maxsize=1)
def _step(file: ModelFile) -> float:
    """Return the step of rounded scales, by the largest scale of a row that is not zero."""
    scales = array("f", file.sections()[0].tobytes())
    largest = max(scales, default=0.0)
    while largest and not any(file.row_bytes(scales.index(largest))):
        scales[scales.index(largest)] = 0.0
        largest = max(scales)
    return 2.0 ** (math.frexp(largest)[1] - SCALE_BITS)


def _sum(numbers: list[float]) -> float:
    """Sum pairwise by halves, as `static` does with numpy."""
    while len(numbers) > 1:
        half = (len(numbers) + 1) // 2
        lower, upper = numbers[:half], numbers[half:]
        numbers = [*map(add, lower, upper), *lower[len(upper) :]]
    return numbers[0]


def quantize(vector: bytes) -> tuple[bytes, bytes]:
    """Return the sign bits and the signed bytes of a vector (float32)."""
    values = array("f", vector)
    peak = max(map(abs, values), default=0.0)
    (factor,) = array("f", [127 / (peak or 1.0)])
    scaled = array("b", map(round, array("f", map(mul, values, repeat(factor)))))
    bits = bytearray((len(values) + 7) // 8)
    for place, value in enumerate(values):
        if value > 0:
            bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits), scaled.tobytes()
