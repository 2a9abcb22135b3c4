"""Look up the query's words in the packed words of files, and measure how much of its word
sequences each chunk contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ragit import postings, rank, words
from ragit.postings import Forward
from ragit.rank import ASKING, COMMON_WORD_WEIGHT, RUN, HasEntries, QueryTerms, WordWeights
from ragit.store import Store
from ragit.words import STOP_WORDS

if TYPE_CHECKING:
    from array import array


LEAST_SHARE = 0.3
"""Share of a sequence's weight from which a chunk may contain a part of it word for word."""

IN_A_ROW = 0.1
"""Share added for each word of a run."""


MOST_ABOVE_MEDIAN = 1.5
"""Weight of the rarest word of a message, as a multiple of the median."""


class HasFiles(Protocol):
    """The files that contain a term."""

    @property
    def files(self) -> Mapping[int, float]:
        """Weighted occurrences by the file's index."""


def word_weights(query: QueryTerms, holders: Mapping[str, HasFiles], files: int) -> WordWeights:
    """Return the rarity of a query's words in a tree of `files` files."""
    of: dict[str, float] = {}
    for word in {word for sequence in query.sequences for word in sequence}:
        held = holders.get(query.word_terms.get(word, ""))
        if word in STOP_WORDS or word.isdigit():
            of[word] = COMMON_WORD_WEIGHT
        elif held is None:
            of[word] = 1.0  # too many words for all to be looked up
        else:
            of[word] = rank.rarity(len(held.files), files) if held.files else 0.0
    counts = {name: len(held.files) for name in query.names if (held := holders.get(term_of(name)))}
    return WordWeights(of, rank.rarity(1, files), counts)


def capped(weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights of words, none far above the middle one: a rare word may be a value that a
    message inserts.
    """
    telling = sorted(weight for weight in weights.values() if weight > COMMON_WORD_WEIGHT)
    if not telling:
        return dict(weights)
    most = MOST_ABOVE_MEDIAN * telling[len(telling) // 2]
    return {word: min(weight, most) for word, weight in weights.items()}


class Lookups:
    """The looked-up words of one file, kept because several steps look up the same ones."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._known: dict[int, Sequence[int]] = {}
        self.lengths: Sequence[int] = forward.lengths
        """Number of words of each chunk."""
        self.numbers: array[int] = forward.numbers
        """The packed list."""

    def entries(self, hashed: int) -> Sequence[int]:
        """Return the entries of a word, as `Forward.entries`."""
        known = self._known.get(hashed)
        if known is None:
            known = self._known[hashed] = self._forward.entries(hashed)
        return known


class FileWords:
    """The words of the files that one query examines."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, Lookups] = {}

    def of(self, chunkings: Iterable[int]) -> dict[int, Lookups]:
        """Return the words of chunkings, reading those not known yet."""
        wanted = sorted(set(chunkings))
        new = [one for one in wanted if one not in self._known]
        for chunking, forward in self._store.forward(new).items():
            self._known[chunking] = Lookups(forward)
        return {one: self._known[one] for one in wanted}


def is_message(query: QueryTerms) -> bool:
    """Return whether a query may be a message printed by code: several words that do not begin a
    question.
    """
    return any(len(one) >= RUN and one[0] not in ASKING for one in query.sequences)


def term_of(word: str) -> str:
    """Return the index term for a whole word."""
    terms = words.terms_of(word)
    return terms[-1] if terms else ""


def ordinals(words: HasEntries, term: str) -> frozenset[int]:
    """Return the ordinals of the chunks that contain a term."""
    return frozenset(entry >> 8 for entry in words.entries(postings.term_hash(term)))


class Sequenced(Protocol):
    """A sequence of adjacent words of a query."""

    @property
    def hashes(self) -> Sequence[int]:
        """The hash of each different word's term."""

    @property
    def parts(self) -> Sequence[float]:
        """The share of each different word in the weight of the sequence."""

    @property
    def order(self) -> Sequence[int]:
        """Indices of the words, in the order of the sequence."""


class MeasuresFiles(Protocol):
    """The packed words of many files, looked up at once."""

    def shares(self, sequences: Sequence[Sequenced], /) -> Mapping[int, Mapping[int, float]]:
        """Return what `SequenceShares.of` does, for each file."""


class SequenceShares:
    """Measures how much of a query's word sequences the chunks of files contain."""

    def __init__(self, query: QueryTerms, weights: WordWeights) -> None:
        sequences = [*query.sequences, *query.phrases]
        self._sequences = [_Sequence(one, query.word_terms, weights) for one in sequences]
        self._known: dict[int, Mapping[int, float]] = {}

    def load(self, arrays: MeasuresFiles) -> None:
        """Measure the chunks of many files at once."""
        self._known.update(arrays.shares(self._sequences))

    def of(self, chunking: int, words: HasEntries) -> Mapping[int, float]:
        """Return for each chunk of a file the greatest share of a sequence's weight that it
        contains, plus a bonus for words in a row. Computed once per file.

        That a chunk contains words that are adjacent in the query does not mean they are adjacent
        in the chunk; for a message they usually are.
        """
        known = self._known.get(chunking)
        if known is None:
            best: dict[int, float] = {}
            for sequence in self._sequences:
                sequence.raise_shares(words, best)
            known = self._known[chunking] = best
        return known


class _Sequence:
    """A sequence of adjacent words of a query."""

    def __init__(
        self, words: Sequence[str], terms: Mapping[str, str], weights: WordWeights
    ) -> None:
        places: dict[str, int] = {}
        for at, word in enumerate(words):
            places[word] = places.get(word, 0) | 1 << at
        self.hashes = [postings.term_hash(terms.get(word, "")) for word in places]
        """The hash of each different word's term."""
        self._words = list(zip(self.hashes, places.values(), strict=True))
        """These, with a bit for each of the word's positions."""
        of = capped({word: weights.of.get(word, 1.0) for word in words})
        total = sum(of.values()) or 1.0
        self.parts = [weight / total for weight in of.values()]
        """The share of each different word in the weight of the sequence."""
        self._parts = list(zip(places.values(), self.parts, strict=True))
        listed = list(places)
        self.order = [listed.index(word) for word in words]
        """Indices of the words, in the order of the sequence."""
        self._known: dict[int, float] = {}

    def raise_shares(self, words: HasEntries, best: dict[int, float]) -> None:
        """Raise the shares of chunks that contain more of this sequence than `best` says."""
        held: dict[int, int] = {}
        for hashed, bits in self._words:
            for entry in words.entries(hashed):
                ordinal = entry >> 8
                held[ordinal] = held.get(ordinal, 0) | bits
        known = self._known
        for ordinal, bits in held.items():
            share = known.get(bits)
            if share is None:
                share = known[bits] = self._share(bits)
            if share > best.get(ordinal, 0.0):
                best[ordinal] = share

    def _share(self, held: int) -> float:
        """Return the weight share of the words at the given positions. Cached: chunks have few
        different sets.
        """
        share = 0.0
        for bits, part in self._parts:
            if held & bits:
                share += part
        if share > LEAST_SHARE:
            share += IN_A_ROW * min(_longest(held), 2 * RUN)
        return share


def _longest(bits: int) -> int:
    """Return the length of the longest run of set bits."""
    length = 0
    while bits:
        bits &= bits << 1
        length += 1
    return length
