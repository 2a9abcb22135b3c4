"""Tell how much of a query's word sequences each chunk of a file holds, from its packed words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ragit import postings, rank, words
from ragit.postings import Forward
from ragit.rank import ASKING, COMMON_WORD_WEIGHT, RUN, QueryTerms, WordWeights
from ragit.words import STOP_WORDS

LEAST_SHARE = 0.3
"""Share of a sequence's weight from which a chunk may hold a part of it word for word."""

IN_A_ROW = 0.1
"""What each word of a run adds to the share."""


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


def is_message(query: QueryTerms) -> bool:
    """Return true if a query may be a message that code prints: several words that ask nothing."""
    return any(len(one) >= RUN and one[0] not in ASKING for one in query.sequences)


def term_of(word: str) -> str:
    """Return the index term that stands for a whole word."""
    terms = words.terms_of(word)
    return terms[-1] if terms else ""


def ordinals(forward: Forward, term: str) -> frozenset[int]:
    """Return the chunks that hold a term."""
    return frozenset(entry >> 8 for entry in forward.entries(postings.term_hash(term)))


def shares_of_chunks(query: QueryTerms, weights: WordWeights, forward: Forward) -> dict[int, float]:
    """Return for each chunk the greatest share of a sequence's weight that it holds, and some more
    for words in a row.

    That a chunk holds words which follow each other in the query does not mean that they do so in
    the chunk, but the words of a message do.
    """
    sequences = [*query.sequences, *query.phrases]
    where = {
        word: ordinals(forward, query.word_terms.get(word, "")) for one in sequences for word in one
    }
    best: dict[int, float] = {}
    for sequence in sequences:
        of = {word: weights.of.get(word, 1.0) for word in sequence}
        total = sum(of.values()) or 1.0
        found: dict[int, float] = {}
        for word, weight in of.items():
            for ordinal in where[word]:
                found[ordinal] = found.get(ordinal, 0.0) + weight / total
        for ordinal, share in found.items():
            if share > LEAST_SHARE:
                in_a_row = _longest([ordinal in where[word] for word in sequence])
                share += IN_A_ROW * min(in_a_row, 2 * RUN)
            best[ordinal] = max(best.get(ordinal, 0.0), share)
    return best


def _longest(held: Sequence[bool]) -> int:
    """Return the length of the longest run of true values."""
    best = run = 0
    for one in held:
        run = run + 1 if one else 0
        best = max(best, run)
    return best
