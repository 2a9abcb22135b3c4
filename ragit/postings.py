"""Packs the words of a blob in two forms: columns for the full-text table, and a small inverted
list. No IO.

The full-text table answers "which files contain this word". It has one row per file, and each word
is written once per file, into a column for where it occurs and how often. That keeps the table
small. It also makes the term statistics of any tree exact, since the rows of all files with the
word are read before those of the tree are picked.

The packed list answers "in which chunk of this file, and how often" for the few candidate files. It
is a zlib-packed array of 32-bit numbers:

    n, m, length of each of m chunks, n sorted crc32 of the words, n + 1 offsets, entries

where an entry is `ordinal << 8 | symbol << 7 | head << 6 | occurrences (at most 63)`.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain

from ragit import words
from ragit.errors import StoreUnreadable
from ragit.records import NamedTuple
from ragit.types import Chunk

VERSION = 3
"""Part of the key of chunkings. Raise it when the packed data changes."""

COLUMNS = ("symbol", "head", "body1", "body2", "body4", "body10")
"""Columns, by where a word occurs: in a defined name; in a signature, doc comment or enclosing
name; in the text 1, 2-3, 4-9 or at least 10 times.
"""

COLUMN_BITS = 3
"""Bits of an occurrence for the column, below those for the file's chunking."""

BODY_COUNTS = (1.0, 2.4, 5.5, 14.0)
"""Occurrences assumed for each of the four body columns, about the mean in each."""

MAX_CHUNKS = 1 << 16
SYMBOL, HEAD, COUNT = 0x80, 0x40, 0x3F


def count_terms(identifiers: Iterable[str]) -> dict[str, int]:
    """Return the count of each index term among identifiers.

    Distinct identifiers are counted first and split once each, since splitting is the slow part.
    """
    counts: dict[str, int] = {}
    get = counts.get
    for identifier, times in Counter(identifiers).items():
        for term in words.terms_of(identifier):
            counts[term] = get(term, 0) + times
    return counts


class Packed(NamedTuple):
    """The stored words of a blob."""

    columns: tuple[str, ...]
    """One text per name in COLUMNS, words separated by spaces."""
    forward: bytes
    length: int
    """Number of words in the whole blob."""
    lengths: tuple[int, ...]
    """Number of words in each chunk."""


def pack(chunks: Sequence[Chunk]) -> Packed:
    """Return the words of a blob's chunks, ready to store."""
    entries: dict[str, list[int]] = {}
    lengths: list[int] = []
    symbols: set[str] = set()
    heads: set[str] = set()
    for ordinal, chunk in enumerate(chunks):
        counts = count_terms(words.identifiers(chunk.text))
        lengths.append(sum(counts.values()))
        symbol = set(words.terms(chunk.symbol))
        named = words.identifiers(f"{chunk.parent} {chunk.signature} {chunk.doc}")
        head = set(chain.from_iterable(map(words.terms_of, set(named))))
        symbols |= symbol
        heads |= head
        _enter(entries, ordinal << 8, counts, symbol, head)
    return Packed(
        _columns(entries, symbols, heads), _forward(entries, lengths), sum(lengths), tuple(lengths)
    )


def _enter(
    entries: dict[str, list[int]],
    base: int,
    counts: dict[str, int],
    symbol: set[str],
    head: set[str],
) -> None:
    """Add one chunk's entries. Few words occur in a name or head, so only those are looked up
    there.
    """
    for term in symbol | head:
        flags = (SYMBOL if term in symbol else 0) | (HEAD if term in head else 0)
        entries.setdefault(term, []).append(base | flags | min(counts.pop(term, 0), COUNT))
    for term, times in counts.items():
        entry = base | (times if times < COUNT else COUNT)
        if term in entries:
            entries[term].append(entry)
        else:
            entries[term] = [entry]


def _columns(
    entries: Mapping[str, Sequence[int]], symbols: Iterable[str], heads: Iterable[str]
) -> tuple[str, ...]:
    body: tuple[list[str], ...] = ([], [], [], [])
    for term, listed in entries.items():
        times = sum(entry & COUNT for entry in listed) if len(listed) > 1 else listed[0] & COUNT
        if times:
            body[0 if times == 1 else 1 if times < 4 else 2 if times < 10 else 3].append(term)
    return (
        " ".join(sorted(symbols)),
        " ".join(sorted(heads)),
        *(" ".join(terms) for terms in body),
    )


@lru_cache(maxsize=words.CACHED)
def term_hash(term: str) -> int:
    """Return the number of a term in a packed list, and remember it."""
    return hash_once(term)


def hash_once(term: str) -> int:
    """Return the number of a term in a packed list."""
    return zlib.crc32(term.encode())


def _forward(entries: Mapping[str, list[int]], lengths: Sequence[int]) -> bytes:
    by_hash = sorted((term_hash(term), listed) for term, listed in entries.items())
    packed = array("I", (len(by_hash), len(lengths), *lengths))
    packed.extend([hashed for hashed, _ in by_hash])
    packed.append(0)
    packed.extend(accumulate([len(listed) for _, listed in by_hash]))
    packed.extend(chain.from_iterable([listed for _, listed in by_hash]))
    return zlib.compress(packed.tobytes(), 1)


class Forward:
    """A packed list, unpacked for look-ups."""

    __slots__ = ("_entries", "_hashes", "_offsets", "lengths", "numbers")

    def __init__(self, forward: bytes) -> None:
        numbers = array("I")
        try:
            numbers.frombytes(zlib.decompress(forward))
            count, chunks = numbers[0], numbers[1]
            self._hashes = 2 + chunks
            self._offsets = self._hashes + count
            self._entries = self._offsets + count + 1
            whole = len(numbers) == self._entries + numbers[self._entries - 1]
        except (zlib.error, ValueError, IndexError):
            whole = False
        if not whole:
            raise StoreUnreadable(
                "the index is damaged: the words of a file cannot be read",
                "Type: ragit index --rebuild",
            )
        self.numbers = numbers
        self.lengths = numbers[2 : 2 + chunks]

    @property
    def size(self) -> int:
        """Number of bytes that it takes in memory."""
        return len(self.numbers) * self.numbers.itemsize

    def entries(self, hashed: int) -> array[int]:
        """Return the entries of the word with this crc32, one for each chunk that contains it."""
        numbers = self.numbers
        at = bisect_left(numbers, hashed, self._hashes, self._offsets)
        if at == self._offsets or numbers[at] != hashed:
            return array("I")
        slot = self._offsets + at - self._hashes
        return numbers[self._entries + numbers[slot] : self._entries + numbers[slot + 1]]
