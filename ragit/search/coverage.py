"""Look up the words of a query in the packed words of files, and tell how much of its word
sequences each chunk holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ragit import postings, rank, words
from ragit.postings import Forward
from ragit.rank import ASKING, COMMON_WORD_WEIGHT, RUN, HasEntries, QueryTerms, WordWeights
from ragit.store import Store
from ragit.words import STOP_WORDS

LEAST_SHARE = 0.3
"""Share of a sequence's weight from which a chunk may hold a part of it word for word."""

IN_A_ROW = 0.1
"""Share that each word of a run adds."""


class HasFiles(Protocol):
    """The files that hold a term."""

    @property
    def files(self) -> Mapping[int, float]:
        """Weighted occurrences by the index of the file."""


def word_weights(query: QueryTerms, holders: Mapping[str, HasFiles], files: int) -> WordWeights:
    """Return how telling the words of a query are in a tree of so many files."""
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


class Lookups:
    """The words of one file that a query asks for: several steps ask for the same ones."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._known: dict[int, Sequence[int]] = {}
        self.lengths: Sequence[int] = forward.lengths
        """Number of words of each chunk."""

    def entries(self, hashed: int) -> Sequence[int]:
        """Return the entries of a word, as `Forward`."""
        known = self._known.get(hashed)
        if known is None:
            known = self._known[hashed] = self._forward.entries(hashed)
        return known


class FileWords:
    """The words of the files that one query looks at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, Lookups] = {}

    def of(self, chunkings: Iterable[int]) -> dict[int, Lookups]:
        """Return the words of some chunkings, which are read if they are not known."""
        wanted = sorted(set(chunkings))
        new = [one for one in wanted if one not in self._known]
        for chunking, forward in self._store.forward(new).items():
            self._known[chunking] = Lookups(forward)
        return {one: self._known[one] for one in wanted}


def is_message(query: QueryTerms) -> bool:
    """Return true if a query may be a message that code prints: several words that ask nothing."""
    return any(len(one) >= RUN and one[0] not in ASKING for one in query.sequences)


def term_of(word: str) -> str:
    """Return the index term that stands for a whole word."""
    terms = words.terms_of(word)
    return terms[-1] if terms else ""


def ordinals(words: HasEntries, term: str) -> frozenset[int]:
    """Return the chunks that hold a term."""
    return frozenset(entry >> 8 for entry in words.entries(postings.term_hash(term)))


class SequenceShares:
    """Tells how much of a query's word sequences the chunks of files hold."""

    def __init__(self, query: QueryTerms, weights: WordWeights) -> None:
        sequences = [*query.sequences, *query.phrases]
        self._sequences = [_Sequence(one, query.word_terms, weights) for one in sequences]
        self._known: dict[int, Mapping[int, float]] = {}

    def of(self, chunking: int, words: HasEntries) -> Mapping[int, float]:
        """Return for each chunk of a file the greatest share of a sequence's weight that it holds,
        and some more for words in a row. It is found out once.

        That a chunk holds words which follow each other in the query does not mean that they do so
        in the chunk, but the words of a message do.
        """
        known = self._known.get(chunking)
        if known is None:
            best: dict[int, float] = {}
            for sequence in self._sequences:
                sequence.raise_shares(words, best)
            known = self._known[chunking] = best
        return known


class _Sequence:
    """Words that follow each other in a query."""

    def __init__(
        self, words: Sequence[str], terms: Mapping[str, str], weights: WordWeights
    ) -> None:
        places: dict[str, int] = {}
        for at, word in enumerate(words):
            places[word] = places.get(word, 0) | 1 << at
        self._words = [
            (postings.term_hash(terms.get(word, "")), bits) for word, bits in places.items()
        ]
        """The number of each word's term, and a bit for each place where it stands."""
        of = {word: weights.of.get(word, 1.0) for word in words}
        total = sum(of.values()) or 1.0
        self._parts = [(places[word], weight / total) for word, weight in of.items()]
        self._known: dict[int, float] = {}

    def raise_shares(self, words: HasEntries, best: dict[int, float]) -> None:
        """Raise the shares of the chunks that hold more of this sequence than they have so far."""
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
        """Return the share of the words at some places. Chunks hold few different choices."""
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
