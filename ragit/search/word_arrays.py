"""Look up words in the packed words of many files at once, as arrays, in a process that stays: to
the last bit as `rank.score_chunks` and `coverage` do it file by file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragit import postings
from ragit.postings import COUNT, HEAD, SYMBOL
from ragit.rank import B_CHUNK, CHUNK_LENGTH, HEAD_WEIGHT, K1, RUN, SYMBOL_WEIGHT, ChunkScores
from ragit.records import NamedTuple
from ragit.search.coverage import IN_A_ROW, LEAST_SHARE, Sequenced

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

_HASH_BITS = 32


class Packed(Protocol):
    """The packed words of a file."""

    @property
    def numbers(self) -> array[int]:
        """The numbers of the list, as the docstring of `postings` describes them."""


class Entries(NamedTuple):
    """The entries of some words in some files, word by word: equally long columns."""

    word: Numbers
    """Indices of the words."""
    chunk: Numbers
    """Indices among the chunks of all files."""
    bits: Numbers
    """The lower eight bits of the entries."""


class WordArrays:
    """The packed words of some files, one after another."""

    def __init__(self, words: Mapping[int, Packed]) -> None:
        self.chunkings = list(words)
        arrays = [np.frombuffer(one.numbers, np.uint32) for one in words.values()]
        sizes = np.array([len(one) for one in arrays], np.int64)
        begins = np.cumsum(sizes) - sizes
        self._numbers: Numbers = np.concatenate([*arrays, np.zeros(0, np.uint32)]).astype(np.int64)
        self._words: Numbers = self._numbers[begins]
        self.chunks: Numbers = self._numbers[begins + 1]
        """Number of chunks of each file."""
        self.first: Numbers = np.cumsum(self.chunks) - self.chunks
        """Index of each file's first chunk."""
        self.lengths: Numbers = self._numbers[_spans(begins + 2, self.chunks)]
        """Number of words of each chunk."""
        self._begins: Numbers = begins + 2 + self.chunks
        """Where the hashes of each file begin."""
        self._hashes: Numbers = _spans(self._begins, self._words)
        """Where each hash is."""
        files = np.repeat(np.arange(len(self.chunkings)), self._words)
        self._keys: Numbers = (files << _HASH_BITS) | self._numbers[self._hashes]
        """The hashes of all files, in order."""

    def entries(self, hashes: Sequence[int]) -> Entries:
        """Return the entries of words."""
        files = np.arange(len(self.chunkings))
        asked = ((files << _HASH_BITS)[:, None] | np.array(hashes, np.int64)).ravel()
        places = np.minimum(np.searchsorted(self._keys, asked), max(len(self._keys) - 1, 0))
        held = self._keys[places] == asked if len(self._keys) else np.zeros(len(asked), bool)
        shape = (len(files), len(hashes))
        word, file = np.nonzero(held.reshape(shape).T)
        places = places.reshape(shape)[file, word]
        slots = self._hashes[places] + self._words[file]
        counts = self._numbers[slots + 1] - self._numbers[slots]
        first = self._begins[file] + 2 * self._words[file] + 1 + self._numbers[slots]
        found = self._numbers[_spans(first, counts)]
        chunks = np.repeat(self.first[file], counts) + (found >> 8)
        return Entries(np.repeat(word, counts), chunks, found & 0xFF)

    def scores(self, rarities: Mapping[str, float], scoring: str) -> dict[int, ChunkScores]:
        """Return what `rank.score_chunks` does, for each file."""
        values = np.array([*rarities.values()], np.float64)
        found = self.entries([postings.term_hash(term) for term in rarities])
        times = (found.bits & COUNT).astype(np.float64)
        times[found.bits & SYMBOL > 0] += SYMBOL_WEIGHT
        times[found.bits & HEAD > 0] += HEAD_WEIGHT
        if scoring == "tfidf":
            gains = values[found.word] * times
        else:
            lengths = self.lengths[found.chunk]
            damped = K1 * ((1 - B_CHUNK) + B_CHUNK * lengths / CHUNK_LENGTH)
            gains = (values * (K1 + 1))[found.word] * times / (times + damped)
        scores = np.bincount(found.chunk, gains, len(self.lengths))  # adds in the given order
        names = np.zeros(len(self.lengths), bool)
        names[found.chunk[found.bits & SYMBOL > 0]] = True
        listed, named = scores.tolist(), names.tolist()
        return {
            chunking: ChunkScores(listed[first : first + count], named[first : first + count])
            for chunking, first, count in self._files()
        }

    def shares(self, sequences: Sequence[Sequenced]) -> dict[int, dict[int, float]]:
        """Return what `SequenceShares.of` does, for each file."""
        hashes = list(dict.fromkeys(hashed for one in sequences for hashed in one.hashes))
        rows = {hashed: row for row, hashed in enumerate(hashes)}
        found = self.entries(hashes)
        held = np.zeros((len(hashes), len(self.lengths)), bool)
        held[found.word, found.chunk] = True
        best = np.zeros(len(self.lengths))
        for one in sequences:
            of_words = held[[rows[hashed] for hashed in one.hashes]]
            chunks = np.flatnonzero(of_words.any(axis=0))
            best[chunks] = np.maximum(best[chunks], _shares(one, of_words[:, chunks]))
        listed = np.flatnonzero(best)
        ends = np.searchsorted(listed, self.first + self.chunks).tolist()
        at, values, every = 0, best[listed].tolist(), listed.tolist()
        shares: dict[int, dict[int, float]] = {}
        for (chunking, first, _), end in zip(self._files(), ends, strict=True):
            shares[chunking] = {every[row] - first: values[row] for row in range(at, end)}
            at = end
        return shares

    def _files(self) -> Iterator[tuple[int, int, int]]:
        """Yield the chunking, the index of the first chunk and the number of chunks of each
        file.
        """
        return zip(self.chunkings, self.first.tolist(), self.chunks.tolist(), strict=True)


def _shares(sequence: Sequenced, held: NDArray[np.bool_]) -> Floats:
    """Return the share of each chunk; `held` has a row for each of the sequence's words, and a
    column for each chunk.
    """
    shares = np.zeros(held.shape[1])
    for part, of_word in zip(sequence.parts, held, strict=True):
        shares[of_word] += part
    high = np.flatnonzero(shares > LEAST_SHARE)
    run = longest = np.zeros(len(high), np.int64)
    for word in sequence.order:
        run = (run + 1) * held[word, high]
        longest = np.maximum(longest, run)
    shares[high] += IN_A_ROW * np.minimum(longest, 2 * RUN)
    return shares


def _spans(first: Numbers, counts: Numbers) -> Numbers:
    """Return the numbers of all spans, each given by its first number and its length."""
    begins = np.cumsum(counts) - counts
    return np.repeat(first - begins, counts) + np.arange(counts.sum())
