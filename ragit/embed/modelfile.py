"""Reads and writes the file of a static model, without numpy, so that a query stays fast.

Little-endian, mapped into memory; a query reads only a few rows:

    offset  type            meaning
    0       8 bytes         magic, b"RAGITEMB"
    8       u32             format version (1)
    12      u32             version of the word splitter it was trained with (`ragit.words.VERSION`)
    16      u32             D, dimensions
    20      u32             V, words
    24      u32             G, rows of letter groups for unknown words (0: they are ignored)
    28      u32             N, letters per group
    32      u32             B, bytes of all words together
    36      f32             exponent of a word's count in a text (0.5: nine times weigh as three)
    40      32 bytes        SHA-256 of everything that follows
    72      u32[V + 1]      where each word begins; the last one is B
            bytes[B]        the words in UTF-8, sorted by their bytes for bisection
            0..3 bytes      padding to a multiple of four
            f32[V + G]      scale of each row
            f32[D]          mean vector of documents
            i8[(V + G) * D] the rows: first those of the words, then those of the letter groups

A text's vector is u = unit(sum over its distinct words of count^exponent * scale * row), then
unit(u - mean). Subtracting the mean makes about half of the signs positive, so that sign bits alone
tell vectors apart. The row of an unknown word is the average of its groups' rows; a group's row
number is crc32(group) mod G.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
import zlib
from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ragit.errors import EmbedderUnavailable
from ragit.words import VERSION as WORDS_VERSION

MAGIC = b"RAGITEMB"
FORMAT = 1
_SPLITTERS = (1, WORDS_VERSION)
"""Usable versions of the word splitter: the first differs from the present one only beyond
ASCII.
"""
_HEADER = struct.Struct("<8s7If32s")

WEIGHT_STEP = 2.0**-12
"""Step of the weights of words."""

SCALE_BITS = 20
"""Bits of a scale. Rows have 7, and weights sum to at most 2**13, more than a chunk has: together
they fit into the 53 bits of a float.
"""


class ModelFile:
    """A mapped model file.

    Raises `EmbedderUnavailable` if it is missing, cut short or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map = _map(path)
        if len(self._map) < _HEADER.size or self._map[:8] != MAGIC:
            raise _unusable(path, "is not a model file")
        header = _HEADER.unpack_from(self._map)
        if header[1] != FORMAT or header[2] not in _SPLITTERS:
            raise _unusable(path, "was made for another version of ragit")
        self.dimensions: int = header[3]
        self.size: int = header[4]
        self.groups: int = header[5]
        self.group_length: int = header[6]
        text_bytes: int = header[7]
        self.exponent: float = header[8]
        self.digest: bytes = header[9]
        self._starts = _HEADER.size
        self._text = self._starts + 4 * (self.size + 1)
        self._scales = self._text + text_bytes + (-text_bytes) % 4
        self._mean = self._scales + 4 * (self.size + self.groups)
        self._rows = self._mean + 4 * self.dimensions
        if len(self._map) != self._rows + (self.size + self.groups) * self.dimensions:
            raise _unusable(path, "is cut short")

    def intact(self) -> bool:
        """Return whether the content matches the header's digest. Reads the whole file: not for
        queries.
        """
        import hashlib  # 5 ms that a query must not pay

        return hashlib.sha256(self._map[_HEADER.size :]).digest() == self.digest

    def find(self, word: str) -> int | None:
        """Return the row number of a word, by bisection; None for an unknown word."""
        wanted, low, high = word.encode(), 0, self.size
        while low < high:
            middle = (low + high) // 2
            found = self._word(middle)
            if found == wanted:
                return middle
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def find_all(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """Return the known words with their row numbers; `words` must be sorted.

        Each is searched from the place of the one before, since neighbours lie close together.
        """
        starts, text = struct.unpack_from(f"<{self.size + 1}I", self._map, self._starts), self._map
        base, size = self._text, self.size
        found: list[tuple[str, int]] = []
        low = 0
        for word in words:
            wanted, step, high = word.encode(), 1, low
            while high < size and text[base + starts[high] : base + starts[high + 1]] < wanted:
                low, high, step = high + 1, high + step, step * 2
            high = min(high, size)
            while low < high:
                middle = (low + high) // 2
                if text[base + starts[middle] : base + starts[middle + 1]] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < size and text[base + starts[low] : base + starts[low + 1]] == wanted:
                found.append((word, low))
        return found

    def group_rows(self, word: str) -> list[int]:
        """Return the row numbers whose average stands for an unknown word."""
        if not self.groups:
            return []
        return [
            self.size + zlib.crc32(group.encode()) % self.groups
            for group in letter_groups(word, self.group_length)
        ]

    def row(self, number: int) -> tuple[float, array[int]]:
        """Return the scale and the integers of one row."""
        (scale,) = struct.unpack_from("<f", self._map, self._scales + 4 * number)
        return scale, array("b", self.row_bytes(number))

    def row_bytes(self, number: int) -> bytes:
        """Return the integers of one row as in the file: signed bytes."""
        start = self._rows + number * self.dimensions
        return self._map[start : start + self.dimensions]

    def weight(self, count: int) -> float:
        """Return the rounded weight of a word that occurs `count` times in a text."""
        return round(math.pow(count, self.exponent) / WEIGHT_STEP) * WEIGHT_STEP

    def mean(self) -> tuple[float, ...]:
        """Return the mean vector of documents."""
        return struct.unpack_from(f"<{self.dimensions}f", self._map, self._mean)

    def words(self) -> list[str]:
        """Return all words in row order."""
        starts = struct.unpack_from(f"<{self.size + 1}I", self._map, self._starts)
        text = self._map[self._text : self._text + starts[-1]]
        return [text[starts[i] : starts[i + 1]].decode() for i in range(self.size)]

    def sections(self) -> tuple[memoryview, memoryview]:
        """Return all scales (f32) and all rows (i8), as in the map."""
        view = memoryview(self._map)
        return view[self._scales : self._mean], view[self._rows :]

    def _word(self, number: int) -> bytes:
        start, end = struct.unpack_from("<2I", self._map, self._starts + 4 * number)
        return self._map[self._text + start : self._text + end]


def open_model(path: Path) -> ModelFile:
    """Return the model in a file, mapped once per process.

    A map holds a descriptor until it is collected. Raises the errors of `ModelFile`. A replaced
    file is opened anew.
    """
    try:
        now = path.stat()
    except OSError as error:
        raise _unusable(path, f"cannot be opened ({error.strerror})") from error
    return _opened(path, (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))


@lru_cache(maxsize=2)
def _opened(path: Path, identity: tuple[int, ...]) -> ModelFile:
    return ModelFile(path)


def letter_groups(word: str, length: int) -> list[str]:
    """Return overlapping letter groups of a word with marks for begin and end; a short word is one
    group.
    """
    marked = f"<{word}>"
    return [marked[i : i + length] for i in range(max(1, len(marked) - length + 1))]


def write_model(
    path: Path,
    words: Sequence[str],
    scales: Sequence[float],
    rows: bytes,
    mean: Sequence[float],
    *,
    groups: int,
    group_length: int,
    exponent: float,
) -> str:
    """Write a model file and return its digest in hex.

    Words must be sorted by their UTF-8 bytes.
    """
    import hashlib

    encoded = [word.encode() for word in words]
    if encoded != sorted(set(encoded)):
        raise ValueError("words must be distinct and sorted by their UTF-8 bytes")
    if len(scales) != len(words) + groups or len(rows) != len(scales) * len(mean):
        raise ValueError("scales and rows must cover every word and every letter group")
    text, starts = b"".join(encoded), [0]
    for word in encoded:
        starts.append(starts[-1] + len(word))
    floats = struct.pack(f"<{len(scales)}f", *scales) + struct.pack(f"<{len(mean)}f", *mean)
    body = (
        struct.pack(f"<{len(starts)}I", *starts) + text + b"\0" * (-len(text) % 4) + floats + rows
    )
    digest = hashlib.sha256(body).digest()
    header = (
        MAGIC,
        FORMAT,
        WORDS_VERSION,
        len(mean),
        len(words),
        groups,
        group_length,
        len(text),
        exponent,
        digest,
    )
    path.write_bytes(_HEADER.pack(*header) + body)
    return digest.hex()


def _map(path: Path) -> mmap.mmap:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise _unusable(path, f"cannot be opened ({error.strerror})") from error
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise _unusable(path, f"cannot be read ({error})") from error
    finally:
        os.close(descriptor)


def _unusable(path: Path, what: str) -> EmbedderUnavailable:
    hint = (
        "embedding.model names it (ragit config embedding.model): unset that for the model in "
        "the package"
    )
    if path.is_relative_to(Path(__file__).parent):
        hint = "It is part of ragit: reinstall that"
    return EmbedderUnavailable(f"the static model {path} {what}", hint)
