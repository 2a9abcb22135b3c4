"""Find the chunks that contain a query word for word, and the frames of its stack traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from ragit import postings, rank, words
from ragit.postings import SYMBOL
from ragit.rank import (
    NOT_CODE,
    TITLES,
    FileFacts,
    HasEntries,
    QueryTerms,
    WordWeights,
    is_type_of,
)
from ragit.records import NamedTuple
from ragit.search.candidates import Candidates
from ragit.search.choose import OF_WORD
from ragit.search.coverage import LEAST_SHARE, ordinals, term_of
from ragit.search.filtered_tree import FilteredTree
from ragit.search.mentions import files_at
from ragit.search.texts import Texts
from ragit.store import ORDINAL_BITS, ChunkRow, Store, chunk_id

MOST_CHUNKS = 80
"""Number of chunks whose text is compared with the query: those with most of its words."""

PROMISE_OF_TEST, PROMISE_OF_MESSAGE = 0.8, 0.97
"""Weights of a test when chunks are chosen, for a name and for other queries: dozens of tests may
contain a name that one line of code has.
"""

SHARE_OF_TEST = 0.85
"""Evidence of a test as a share of other code's: a test expects the message that the code prints,
with the placeholders filled in.
"""

OF_SUBJECT = 0.8
"""Share of a test's evidence from which other code is taken to be its subject."""

OF_TITLE, OF_ANSWER = 0.3, 0.4
"""Shares of the evidence of a test's title, and of prose that repeats a question about code."""

OF_HEADING, OF_ITS_WORDS = 0.4, 0.3
"""Evidence of a heading for what is to be done, and what all words of the query add to it."""

OF_OTHER_SPELLING = 0.5
"""Share of the evidence of another spelling of a name if other code has the query's own."""

FRAME_OF_TEXT = 0.5
"""Weight of the innermost frame of a trace in a text about something else."""

LEAST_FRAME, FRAME_DECAY = 0.5, 0.6
"""Weight of a frame far out as a share of the innermost one's, and what is left of the rest at each
step outwards: the innermost is first whatever else is said of the others.
"""

Key = tuple[int, int]
"""Index of a file and number of a chunk."""


class Evidence(NamedTuple):
    """The chunks that contain a query word for word, and the weights of its words."""

    of: Mapping[Key, float]
    weights: WordWeights
    headings: bool = False
    """True if prose has a heading for what the query asks to do."""


def find_evidence(
    store: Store, tree: FilteredTree, texts: Texts, query: QueryTerms, found: Candidates
) -> Evidence:
    """Return the evidence of the candidates' chunks."""
    weights = found.matches.weights
    places = _files_by_chunking(tree, query, found)
    tests = _tests(query, found, places)
    promising = _promising(query, found, places, tests)
    texts.load(chunk >> ORDINAL_BITS for chunk in promising)
    evidence: dict[Key, float] = {}
    rows = store.chunks(promising)
    for chunk, value in _exactness(texts, query, weights, rows, tests).items():
        for place in places[chunk >> ORDINAL_BITS]:
            file, row = found.files[place], rows[chunk]
            is_title = file.tests_candidate and _is_title(query, weights, row, value)
            share = OF_TITLE if is_title else _share_of_answer(query, file)
            evidence[place, chunk] = value * share
    asked = set(files_at(tree, query))
    if (query.shape == "symbol" and not query.frames) or asked:
        for place, file in found.files.items():
            if file.mentioned == 1.0 and (not asked or place in asked):  # the query is its path
                evidence[place, chunk_id(tree.snapshot.chunkings[place], 0)] = 1.0
    headings = _headings(store, tree, query, found) if query.intent.prose else {}
    for key, value in (*_frames(store, tree, query).items(), *headings.items()):
        evidence[key] = max(evidence.get(key, 0.0), value)
    return Evidence(evidence, weights, bool(headings))


def _headings(
    store: Store, tree: FilteredTree, query: QueryTerms, found: Candidates
) -> dict[Key, float]:
    """Return the evidence of prose below a heading that has a word of what is to be done."""
    tasks = rank.tasks_of(query.title)
    values: dict[Key, float] = {}
    for place, file in found.files.items():
        if not rank.paths.is_prose(file.path) or not file.keyword:
            continue
        for chunk, row in store.chunks_of(tree.snapshot.chunkings[place]).items():
            stems = {words.stem(word) for word in words.words(row.symbol)}
            if row.kind == "section" and tasks & stems:
                share = len(stems.intersection(query.weights)) / len(query.weights)
                values[place, chunk] = OF_HEADING + OF_ITS_WORDS * share
    return values


def _is_title(query: QueryTerms, weights: WordWeights, row: ChunkRow, value: float) -> bool:
    """Return whether it is the title of a test that contains the query, not its body. Names count
    in both.
    """
    if row.kind not in TITLES or query.shape == "symbol" or query.intent.tests:
        return False
    return rank.evidence(query, weights, row.symbol) >= OF_SUBJECT * value


def _share_of_answer(query: QueryTerms, file: FileFacts) -> float:
    """Return the share of evidence that remains of prose that repeats a question about code."""
    asks = query.sequences and query.sequences[0][0] in rank.ASKING
    if asks and not query.intent.prose and rank.paths.is_prose(file.path):
        return OF_ANSWER
    return 1.0


def _files_by_chunking(
    tree: FilteredTree, query: QueryTerms, found: Candidates
) -> dict[int, list[int]]:
    """Return the candidate files by chunking; for a pasted text without tests and changelogs, which
    repeat issues.
    """
    places: dict[int, list[int]] = {}
    for place, file in found.files.items():
        if query.shape != "text" or rank.paths.is_usual(file.path):
            places.setdefault(tree.snapshot.chunkings[place], []).append(place)
    return places


def _promising(
    query: QueryTerms,
    found: Candidates,
    places: Mapping[int, Sequence[int]],
    tests: Set[int],
) -> list[int]:
    """Return the chunks that contain most of the query's words, best first."""
    scores = _first_scores(query, found, places)
    if found.among is not None:
        scores = {chunk: score for chunk, score in scores.items() if chunk in found.among}
    promise = PROMISE_OF_TEST if query.names else PROMISE_OF_MESSAGE
    for chunk in scores if tests else ():
        if chunk >> ORDINAL_BITS in tests:
            scores[chunk] *= promise
    listed = [(-score, places[chunk >> ORDINAL_BITS][0], chunk) for chunk, score in scores.items()]
    return [chunk for *_, chunk in sorted(listed)[:MOST_CHUNKS]]


def _tests(
    query: QueryTerms, found: Candidates, places: Mapping[int, Sequence[int]]
) -> frozenset[int]:
    """Return the chunkings of tests, which repeat what other code says; none if the query asks for
    tests.
    """
    if query.intent.tests:
        return frozenset()
    return frozenset(
        chunking
        for chunking, listed in places.items()
        if all(rank.paths.is_test(found.files[place].path) for place in listed)
    )


def _exactness(
    texts: Texts,
    query: QueryTerms,
    weights: WordWeights,
    rows: Mapping[int, ChunkRow],
    tests: Set[int],
) -> dict[int, float]:
    """Return how far chunks contain the query word for word. A test gets less if other code
    contains it too.
    """
    values: dict[int, float] = {}
    defining: set[int] = set()
    spelled: set[int] = set()
    has_spelling = query.shape == "symbol" and any(len(words.parts(n)) > 1 for n in query.names)
    for chunk, row in rows.items():
        if query.shape == "symbol" and _defines(row, query.names):
            values[chunk] = 1.0
            defining.add(chunk)
        else:
            text = texts.part(chunk >> ORDINAL_BITS, row.start, row.end)
            values[chunk] = rank.evidence(query, weights, text)
            if has_spelling and any(rank.match_of_name(n, text) == rank.SAME for n in query.names):
                spelled.add(chunk)
    for chunk in values.keys() - spelled - defining if spelled else ():
        values[chunk] *= OF_OTHER_SPELLING
    of_tests = {chunk for chunk in values if chunk >> ORDINAL_BITS in tests}
    of_code = max((value for c, value in values.items() if c not in of_tests), default=0.0)
    for chunk in of_tests - defining:
        if of_code >= OF_SUBJECT * values[chunk]:
            values[chunk] = min(values[chunk], SHARE_OF_TEST * of_code)
    return {chunk: value for chunk, value in values.items() if value > 0}


def _defines(row: ChunkRow, names: Sequence[str]) -> bool:
    """Return whether a chunk defines a name as written, or a type that a lower-case word spells.
    The title of a test defines nothing.
    """
    if row.kind in NOT_CODE or row.kind in TITLES or not row.symbol:
        return False
    defined = row.symbol.split()
    return any(name in defined or is_type_of(name, defined[0], row.kind) for name in names)


def _first_scores(
    query: QueryTerms, found: Candidates, chunkings: Iterable[int]
) -> dict[int, float]:
    """Return a first score of the chunks that contain most of a sequence's words, or the parts of a
    name.
    """
    scores: dict[int, float] = {}
    names = rank.telling_names(query, found.matches.weights)
    for chunking in chunkings:
        words = found.words[chunking]
        shares = dict(found.matches.sequences.of(chunking, words))
        for name in names:
            for ordinal in _holding_name(words, name):
                shares[ordinal] = shares.get(ordinal, 0.0) + 1.0
            for ordinal in ordinals(words, term_of(name)):
                shares[ordinal] += 0.5  # the name itself, not only its parts
            for ordinal in _chunks_defining(words, term_of(name)):
                shares[ordinal] += 2.0  # its definition
        for ordinal, score in shares.items():
            if score >= LEAST_SHARE:
                scores[chunk_id(chunking, ordinal)] = score - OF_WORD * words.lengths[ordinal]
    return scores


def _holding_name(held: HasEntries, name: str) -> Iterable[int]:
    """Return the chunks that contain a whole name or each of its parts, or that define both halves
    of a word.
    """
    whole = ordinals(held, term_of(name))
    parts = [words.stem(part) for part in words.parts(name)]
    if len(parts) > 1:
        return whole | frozenset.intersection(*(ordinals(held, part) for part in parts))
    return whole | _halves(held, name.lower()) if parts else whole


def _halves(held: HasEntries, word: str) -> frozenset[int]:
    found: set[int] = set()
    for at in range(1, len(word) - 1):
        first = _chunks_defining(held, words.stem(word[:at]))
        if first:
            found |= first & _chunks_defining(held, words.stem(word[at:]))
    return frozenset(found)


def _chunks_defining(held: HasEntries, term: str) -> frozenset[int]:
    """Return the chunks that define a name with this term."""
    entries = held.entries(postings.term_hash(term))
    return frozenset(entry >> 8 for entry in entries if entry & SYMBOL)


def _frames(store: Store, tree: FilteredTree, query: QueryTerms) -> dict[Key, float]:
    """Return the weights of the chunks of a stack trace's frames: the innermost has the
    greatest.
    """
    if not query.frames:
        return {}
    from ragit.search.frames import chunk_of  # few queries have frames

    found: dict[Key, float] = {}
    most = FRAME_OF_TEXT if query.shape == "text" else 1.0
    rest = 1 - LEAST_FRAME
    for frame in query.frames:
        key = chunk_of(store, tree, frame)
        if key is not None and key not in found:
            found[key] = most * (LEAST_FRAME + rest)
            rest *= FRAME_DECAY
    return found
