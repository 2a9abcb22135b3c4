"""Packs the words of many blobs at once with numpy, as `postings.pack` does for one. No IO."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ragit import postings, words
from ragit.postings import COUNT, HEAD, SYMBOL, Packed
from ragit.records import NamedTuple
from ragit.types import Chunk
from ragit.word_numbers import Identifiers, NumberedTexts, NumberLists, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_HASH_BITS = 32
_LEAST = np.array((1, 2, 4, 10))
"""Least occurrences in a blob for each of the four body columns."""


class ChunkWords(NamedTuple):
    """The identifiers of chunks, by where they are."""

    texts: Texts
    symbols: Texts
    parents: Texts
    notes: Texts
    """Those of signature and doc."""


def chunk_words(numbered: NumberedTexts, chunks: Sequence[Chunk]) -> ChunkWords:
    """Return the identifiers of chunks."""
    return ChunkWords(
        *numbered.of(
            (chunk.text for chunk in chunks),
            (chunk.symbol for chunk in chunks),
            (chunk.parent for chunk in chunks),
            (f"{chunk.signature} {chunk.doc}" for chunk in chunks),
        )
    )


class _Entries(NamedTuple):
    """The entries of packed lists, by blob, hash of the term, and chunk."""

    values: Ints
    begins: Ints
    """Index of the first entry of each term of a blob; the next four are by term of a blob, too."""
    terms: Ints
    hashes: Ints
    blobs: Ints
    doubtful: Ints
    """Blobs in which two terms have the same hash, whose entries are mixed up."""


class BulkPacker:
    """Packs the words of batches of blobs; remembers the terms of identifiers."""

    def __init__(self) -> None:
        self._begin(Identifiers())

    def pack(self, blobs: Sequence[Sequence[Chunk]], found: ChunkWords) -> list[Packed]:
        """Return the packed words of blobs. `found` has the words of all their chunks, in order."""
        if found.texts.table is not self._lists.table:
            self._begin(found.texts.table)
        sizes = np.array([len(chunks) for chunks in blobs], dtype=np.int64)
        counted = [_counted(texts, self._lists) for texts in found]
        self._add_terms()
        rows, _, times = counted[0]
        lengths = np.bincount(rows, weights=times, minlength=sizes.sum()).astype(np.int64)
        entries = _entries(sizes, counted, self._hashes)
        made = list(self._packed(entries, sizes, lengths))
        for blob in entries.doubtful.tolist():
            made[blob] = postings.pack(blobs[blob])
        return made

    def _begin(self, table: Identifiers) -> None:
        """Forget all terms, and begin with another table of identifiers."""
        self._lists = NumberLists(table, self._numbers_of)
        self._numbers = Identifiers()
        self._terms: list[str] = []
        self._hashes = np.zeros(0, dtype=np.int64)

    def _numbers_of(self, identifier: str) -> list[int]:
        """Return the numbers of an identifier's terms."""
        return [self._numbers[term] for term in words.terms_once(identifier)]

    def _add_terms(self) -> None:
        """Add the new terms, with their hashes."""
        new = list(islice(self._numbers, len(self._terms), None))
        hashes = np.fromiter(map(postings.hash_once, new), dtype=np.int64, count=len(new))
        self._terms += new
        self._hashes = np.concatenate((self._hashes, hashes))

    def _packed(self, entries: _Entries, sizes: Ints, lengths: Ints) -> Iterator[Packed]:
        """Yield the packed words of each blob."""
        terms = list(map(self._terms.__getitem__, entries.terms.tolist()))
        bodies, flags = _by_term(entries)
        ends = np.append(entries.begins, len(entries.values))
        firsts = np.searchsorted(entries.blobs, np.arange(len(sizes) + 1))
        places = np.concatenate(([0], np.cumsum(sizes)))
        for blob in range(len(sizes)):
            first, last = firsts[blob : blob + 2].tolist()
            mine = slice(first, last)
            columns = _columns(terms[mine], bodies[mine], flags[mine])
            chunks = lengths[places[blob] : places[blob + 1]]
            offsets = ends[first : last + 1]
            parts = (
                (last - first, len(chunks)),
                chunks,
                entries.hashes[mine],
                offsets - offsets[0],
                entries.values[offsets[0] : offsets[-1]],
            )
            packed = np.concatenate(parts).astype(np.uint32).tobytes()
            counts = tuple(chunks.tolist())
            yield Packed(columns, zlib.compress(packed, 1), sum(counts), counts)


def _counted(texts: Texts, lists: NumberLists) -> tuple[Ints, Ints, Ints]:
    """Return text, term and number of occurrences of each identifier's terms in each text."""
    bits = max(1, len(texts.table).bit_length())
    keys = texts.rows << bits | texts.numbers
    keys.sort()
    first = _changes(keys)
    times = np.diff(np.append(first, len(keys)))
    keys = keys[first]
    terms, lengths = lists.of(keys & ((1 << bits) - 1))
    return np.repeat(keys >> bits, lengths), terms, np.repeat(times, lengths)


def _entries(sizes: Ints, counted: Sequence[tuple[Ints, Ints, Ints]], hashes: Ints) -> _Entries:
    """Return the entries of all blobs, from the terms of chunks in the order of ChunkWords."""
    rows, terms = (np.concatenate([one[at] for one in counted]) for at in range(2))
    flags = np.repeat((0, SYMBOL, HEAD, HEAD), [len(one[0]) for one in counted])
    times = np.where(flags, 0, np.concatenate([one[2] for one in counted]))
    blobs = np.repeat(np.arange(len(sizes)), sizes)
    bits = len(blobs).bit_length()
    keys = (blobs[rows] << _HASH_BITS | hashes[terms]) << bits | rows
    order = np.argsort(keys)
    keys, terms = keys[order], terms[order]
    first = _changes(keys)
    counts = np.add.reduceat(times[order], first) if len(first) else times
    flags = np.bitwise_or.reduceat(flags[order], first) if len(first) else flags
    same = np.diff(keys >> bits) == 0
    doubtful = (keys[1:] >> (bits + _HASH_BITS))[same & (np.diff(terms) != 0)]
    keys, terms = keys[first], terms[first]
    chunks = keys & ((1 << bits) - 1)
    ordinals = chunks - (np.cumsum(sizes) - sizes)[blobs[chunks]]
    keys >>= bits
    begins = _changes(keys)
    return _Entries(
        ordinals << 8 | flags | np.minimum(counts, COUNT),
        begins,
        terms[begins],
        keys[begins] & ((1 << _HASH_BITS) - 1),
        keys[begins] >> _HASH_BITS,
        np.unique(doubtful),
    )


def _by_term(entries: _Entries) -> tuple[Ints, Ints]:
    """Return the number of the body column of each term of a blob, -1 for none, and its flags."""
    values, begins = entries.values, entries.begins
    if not len(begins):
        return begins, begins
    times = np.add.reduceat(values & COUNT, begins)
    flags = np.bitwise_or.reduceat(values & (SYMBOL | HEAD), begins)
    return np.searchsorted(_LEAST, times, side="right") - 1, flags


def _columns(terms: Sequence[str], bodies: Ints, flags: Ints) -> tuple[str, ...]:
    """Return the columns of a blob from its terms."""
    marked = (np.flatnonzero(flags & flag).tolist() for flag in (SYMBOL, HEAD))
    body = (np.flatnonzero(bodies == number).tolist() for number in range(len(_LEAST)))
    return (
        *(" ".join(sorted(map(terms.__getitem__, places))) for places in marked),
        *(" ".join(map(terms.__getitem__, places)) for places in body),
    )


def _changes(keys: Ints) -> Ints:
    """Return the index of the first of each run of equal numbers."""
    return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))[: len(keys)])
