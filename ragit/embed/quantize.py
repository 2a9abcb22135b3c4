"""Quantizes vectors: to a bit per dimension for sifting, and to a byte per dimension for ranking.

Bytes are scaled by the vector's largest component, since cosine does not depend on length. Scaling
a unit vector of 256 dimensions by 127 (as sqlite-vec's `vec_quantize_int8(v, 'unit')` does) would
leave some eight steps each.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ragit.records import NamedTuple


class Quantized(NamedTuple):
    """Sign bits and signed bytes of a vector.

    Dimension i is bit i % 8 of byte i // 8, as in sqlite-vec.
    """

    bits: bytes
    bytes: bytes


def quantize(vectors: Sequence[bytes]) -> list[Quantized]:
    """Quantize float32 vectors as one matrix."""
    from ragit.embed import few  # a query quantizes one vector, by `quantize_query`

    if len(vectors) <= few.TEXTS:
        return [Quantized(*few.quantize(vector)) for vector in vectors]
    import numpy as np

    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    peak = np.abs(matrix).max(axis=1, keepdims=True)
    scaled = np.rint(matrix * (127 / np.where(peak > 0, peak, 1))).astype(np.int8)
    bits = np.packbits(matrix > 0, axis=1, bitorder="little")
    return [Quantized(b.tobytes(), v.tobytes()) for b, v in zip(bits, scaled, strict=True)]


def quantize_query(vector: bytes) -> Quantized:
    """Quantize one vector without numpy, whose import is too slow for a query."""
    values = array("f")
    values.frombytes(vector)
    peak = max((abs(value) for value in values), default=0.0) or 1.0
    scaled = array("b", (round(value * (127 / peak)) for value in values))
    bits = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value > 0:
            bits[i >> 3] |= 1 << (i & 7)
    return Quantized(bytes(bits), scaled.tobytes())
