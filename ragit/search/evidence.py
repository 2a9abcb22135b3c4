"""Find the chunks that hold a query word for word, and those that are frames of its stack traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ragit import postings, rank, words
from ragit.postings import SYMBOL, Forward
from ragit.rank import QueryTerms, WordWeights
from ragit.rank.exact import COMMON_WORD_WEIGHT
from ragit.search.candidates import Candidates
from ragit.search.filtered_tree import FilteredTree
from ragit.search.texts import Texts
from ragit.store import ORDINAL_BITS, ChunkRow, Store, chunk_id
from ragit.words import STOP_WORDS

MOST_CHUNKS = 60
"""Chunks whose text is compared with the query: those that hold most of its words."""

LEAST_SHARE = 0.3
"""Share of a sequence of words that a chunk has to hold to be compared."""

FRAME_STEP = 0.03
"""What each frame further out counts less than the innermost one."""

Key = tuple[int, int]
"""Index of a file and number of a chunk."""


class Evidence(NamedTuple):
    """What holds a query word for word, and how telling its words are."""

    of: Mapping[Key, float]
    weights: WordWeights


def find_evidence(
    store: Store, tree: FilteredTree, texts: Texts, query: QueryTerms, found: Candidates
) -> Evidence:
    """Return the evidence of the candidates' chunks."""
    weights = word_weights(query, found, len(tree.snapshot.paths))
    places: dict[int, list[int]] = {}
    for place in found.files:
        places.setdefault(tree.snapshot.chunkings[place], []).append(place)
    promising = _promising(query, weights, found.forwards)
    texts.load(chunk >> ORDINAL_BITS for chunk in promising)
    evidence: dict[Key, float] = {}
    for chunk, row in store.chunks(promising).items():
        text = texts.part(chunk >> ORDINAL_BITS, row.start, row.end)
        value = rank.evidence(query, weights, text)
        if value > 0:
            evidence.update(((place, chunk), value) for place in places[chunk >> ORDINAL_BITS])
    for key, value in _frames(store, tree, query).items():
        evidence[key] = max(evidence.get(key, 0.0), value)
    return Evidence(evidence, weights)


def word_weights(query: QueryTerms, found: Candidates, files: int) -> WordWeights:
    """Return how telling the words of a query are in the tree."""
    of: dict[str, float] = {}
    for word in {word for sequence in query.sequences for word in sequence}:
        held = found.holders.get(_term(word))
        if word in STOP_WORDS:
            of[word] = COMMON_WORD_WEIGHT
        elif held is None:
            of[word] = 1.0  # too many words for all to be looked up
        else:
            of[word] = rank.rarity(len(held.files), files) if held.files else 0.0
    holders = {
        name: len(held.files) for name in query.names if (held := found.holders.get(_term(name)))
    }
    return WordWeights(of, rank.rarity(1, files), holders)


def _term(word: str) -> str:
    """Return the index term that stands for a whole word."""
    terms = words.terms_of(word)
    return terms[-1] if terms else ""


def _promising(
    query: QueryTerms, weights: WordWeights, forwards: Mapping[int, Forward]
) -> list[int]:
    """Return the numbers of the chunks that hold most of a sequence's words, or the parts of a name."""
    scores: dict[int, float] = {}
    sequences = [(frozenset(one), sum(weights.of[word] for word in one)) for one in query.sequences]
    every = {word for one, _ in sequences for word in one}
    for phrase in query.phrases:
        sequences.append((frozenset(phrase), float(len(phrase))))
        every.update(phrase)
    for chunking, forward in forwards.items():
        found: dict[int, float] = {}
        where = {word: _ordinals(forward, _term(word)) for word in every}
        for one, total in sequences:
            for ordinal, share in _shares(one, total, where, weights).items():
                found[ordinal] = max(found.get(ordinal, 0.0), share)
        for name in query.names:
            for ordinal in _holding_name(forward, name):
                found[ordinal] = found.get(ordinal, 0.0) + 1.0
            for ordinal in _named(forward, _term(name)):
                found[ordinal] += 2.0  # its definition
        for ordinal, score in found.items():
            if score >= LEAST_SHARE:
                scores[chunk_id(chunking, ordinal)] = score
    return sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:MOST_CHUNKS]


def _shares(
    sequence: frozenset[str],
    total: float,
    where: Mapping[str, frozenset[int]],
    weights: WordWeights,
) -> dict[int, float]:
    """Return the share of a sequence's weight that each chunk of a file holds."""
    found: dict[int, float] = {}
    for word in sequence:
        share = (weights.of.get(word) or COMMON_WORD_WEIGHT) / (total or 1.0)
        for ordinal in where[word]:
            found[ordinal] = found.get(ordinal, 0.0) + share
    return found


def _ordinals(forward: Forward, term: str) -> frozenset[int]:
    return frozenset(entry >> 8 for entry in forward.entries(postings.term_hash(term)))


def _holding_name(forward: Forward, name: str) -> Iterable[int]:
    """Return the chunks that hold a name whole, or each of its parts; or that define both halves of a word."""
    whole = _ordinals(forward, _term(name))
    parts = [words.stem(part) for part in words.parts(name)]
    if len(parts) > 1:
        held = [_ordinals(forward, part) for part in parts]
        return whole | frozenset.intersection(*held)
    return whole | _halves(forward, name.lower()) if parts else whole


def _halves(forward: Forward, word: str) -> frozenset[int]:
    found: set[int] = set()
    for at in range(1, len(word) - 1):
        first = _named(forward, words.stem(word[:at]))
        if first:
            found |= first & _named(forward, words.stem(word[at:]))
    return frozenset(found)


def _named(forward: Forward, term: str) -> frozenset[int]:
    """Return the chunks that define a name which holds a term."""
    entries = forward.entries(postings.term_hash(term))
    return frozenset(entry >> 8 for entry in entries if entry & SYMBOL)


def _frames(store: Store, tree: FilteredTree, query: QueryTerms) -> dict[Key, float]:
    """Return the chunks of the frames of a stack trace, the innermost with 1."""
    found: dict[Key, float] = {}
    value = 1.0
    for frame in query.frames:
        places = tree.paths_ending(frame.path)
        if len(places) > 1:
            continue  # a name that says nothing: index.js
        for place in places:
            rows = store.chunks_of(tree.snapshot.chunkings[place])
            chunk = _frame_chunk(rows, frame.function, frame.line)
            if chunk is not None and (place, chunk) not in found:
                found[place, chunk] = max(value, 0.5)
                value -= FRAME_STEP
    return found


def _frame_chunk(rows: Mapping[int, ChunkRow], function: str, line: int) -> int | None:
    """Return the chunk that defines the function, of several the one nearest to the line; else the one at the line."""
    named = [chunk for chunk, row in rows.items() if function and function in row.symbol.split()]
    listed = named or [
        chunk for chunk, row in rows.items() if row.start_line <= line <= row.end_line
    ]
    return min(
        listed,
        key=lambda chunk: (
            max(rows[chunk].start_line - line, line - rows[chunk].end_line, 0),
            chunk,
        ),
        default=None,
    )
