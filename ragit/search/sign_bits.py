"""Keep the sign bits of chunks in memory, where a process that stays compares them as one array.

A chunk's vector never changes, so what was read stays right. Other trees of the repository share
most of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragit.store import ORDINAL_BITS, Store

MOST_BYTES = 32 << 20
"""Limit of the sign bits in memory: a million chunks of 256 dimensions."""

_WORD = 8
"""Number of bytes compared at once."""


class SignBits:
    """The sign bits that one embedder made of chunks."""

    def __init__(self) -> None:
        self._embedder = ""
        self._forget()

    def _forget(self) -> None:
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        """Numbers of the chunks."""
        self._words: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
        """A row for each eight bytes, a column for each chunk."""
        self._read: set[int] = set()
        """The chunkings of all these chunks."""
        self._members: Sequence[int] = ()
        """The chunkings of the last query."""
        self._columns: NDArray[np.int64] = np.zeros(0, np.int64)
        """The columns of their chunks."""

    def nearest(
        self,
        store: Store,
        bits: bytes,
        members: Sequence[int],
        embedder: tuple[int, str],
        limit: int,
    ) -> list[int] | None:
        """Return what `Store.nearest` does without distances; None if there are too many.

        `embedder` is its number in the store and its fingerprint.
        """
        number, fingerprint = embedder
        if len(bits) % _WORD or not hasattr(np, "bitwise_count"):  # numpy before 2.0
            return None
        if fingerprint != self._embedder:
            self._forget()
            self._embedder = fingerprint
        if members is not self._members and not self._load(store, len(bits), members, number):
            return None
        apart = np.zeros(len(self._numbers), np.uint16)
        for words, asked in zip(self._words, np.frombuffer(bits, np.uint64), strict=False):
            apart += np.bitwise_count(words ^ asked)
        apart = apart[self._columns]
        near = self._columns
        if len(near) > limit:
            near = near[apart <= np.partition(apart, limit - 1)[limit - 1]]
        found: list[int] = self._numbers[near].tolist()
        return found

    def _load(self, store: Store, size: int, members: Sequence[int], embedder: int) -> bool:
        """Read what is missing; return False if it is too much."""
        new = [one for one in members if one not in self._read]
        numbers, joined = store.sign_bits(new, embedder, size)
        if self._words.nbytes + len(joined) > MOST_BYTES:
            self._forget()
            if len(new) < len(members):
                return self._load(store, size, members, embedder)
            return False
        if numbers:
            words = np.frombuffer(joined, np.uint64).reshape(len(numbers), -1).T
            kept = [self._words, words] if self._words.size else [words]
            self._words = np.concatenate(kept, axis=1)
            self._numbers = np.concatenate([self._numbers, np.array(numbers, np.int64)])
        self._read.update(new)
        chunkings = self._numbers >> ORDINAL_BITS
        wanted = np.zeros(max(self._read, default=0) + 1, bool)
        wanted[np.array(members, np.int64)] = True
        self._columns, self._members = np.flatnonzero(wanted[chunkings]), members
        return True
