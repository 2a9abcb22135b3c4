"""Vectors in the two sizes that are stored: a bit per dimension to sift, a byte per dimension to rank.

A vector's bytes are scaled by its own largest component: cosine does not depend on length, and scaling a unit vector of
256 dimensions by 127 (what sqlite-vec's own `vec_quantize_int8(v, 'unit')` does) would leave some eight steps each.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple


class Quantized(NamedTuple):
    """One vector: sign bits (dimension i is bit i % 8 of byte i // 8, as sqlite-vec has it) and signed bytes."""

    bits: bytes
    bytes: bytes


def quantize(vectors: Sequence[bytes]) -> list[Quantized]:
    """Float32 vectors, quantised as one matrix."""
    if not vectors:
        return []
    import numpy as np

    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    peak = np.abs(matrix).max(axis=1, keepdims=True)
    scaled = np.rint(matrix * (127 / np.where(peak > 0, peak, 1))).astype(np.int8)
    bits = np.packbits(matrix > 0, axis=1, bitorder="little")
    return [Quantized(b.tobytes(), v.tobytes()) for b, v in zip(bits, scaled, strict=True)]


def quantize_query(vector: bytes) -> Quantized:
    """One vector, without numpy: a query must not pay for its import."""
    values = array("f")
    values.frombytes(vector)
    peak = max((abs(value) for value in values), default=0.0) or 1.0
    scaled = array("b", (round(value * (127 / peak)) for value in values))
    bits = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value > 0:
            bits[i >> 3] |= 1 << (i & 7)
    return Quantized(bytes(bits), scaled.tobytes())
