"""Choose the files whose chunks are ranked, by words, meaning and paths."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ragit import rank
from ragit.rank import FileScores, QueryTerms, WordWeights, best_first, paths
from ragit.records import NamedTuple
from ragit.search.coverage import (
    FileWords,
    SequenceShares,
    capped,
    is_message,
    term_of,
    word_weights,
)
from ragit.search.filtered_tree import FilteredTree
from ragit.search.holders import find_holders
from ragit.search.whole_tree import Holders
from ragit.store import Store

FILES = 50
"""Number of files taken by keywords. More do not help: an answer that ranks lower in both arms is
not found anyway.
"""

USUAL_FILES = 25
"""Number of these files that should be neither tests, examples, prose nor settings. If there are
fewer, more are taken, down to rank 3 * FILES.
"""

COVERING_FILES = 25
"""Number of files taken because they contain the greatest share of the query's words, whatever
their length.
"""

MESSAGE_FILES = 40
"""Number of files taken because one of their chunks contains most of a message's words."""

OF_WORD = 1e-5
"""Cost of each word of a chunk: among equals, a short chunk is likelier to contain a message."""

LOOKED_AT, CAPPED = 200, 80
"""Number of files of which each chunk is checked for the words of a message, and how many of them
are chosen although they may lack its rarest words.
"""

LEAST_COVER = 0.4
"""Share of a message's words that such a file contains."""

DEFINING_FILES = 12
"""Number of files taken for each name of the query because they define it."""

HOLDING_FILES = 40
"""Greatest number of files with a name of the query at which all of them are taken."""

NEAR_FILES = 60
"""Number of files taken by the cosine of their nearest chunk."""


class Matches(NamedTuple):
    """The files of the whole tree that contain words of a query, and how telling those
    words are.
    """

    holders: Mapping[str, Holders]
    """Files that contain each term."""
    scores: FileScores
    covered: Mapping[int, float]
    """The share of the query's weight that each file contains."""
    weights: WordWeights
    sequences: SequenceShares
    words: FileWords


class Hints(NamedTuple):
    """Signs of an answer besides words: nearness in meaning, and files that the query names."""

    near: Mapping[int, float]
    """Cosine of the nearest chunk, for files that have a near one."""
    mentions: Mapping[int, float]
    """How clearly the query names each file, from 0 to 1."""
    wanted: int
    """Number of hits requested."""


def find_matches(store: Store, tree: FilteredTree, query: QueryTerms) -> Matches:
    """Return the files that contain words of a query."""
    holders = find_holders(store, tree, query)
    covered: Mapping[int, float]
    if tree.whole.arrays:
        columns = tree.whole.arrays.columns(holders)
        scores = tree.whole.arrays.score_files(query, columns)
        covered = tree.whole.arrays.coverage(query, columns, scores.rarity)
    else:
        files_of = {term: held.files for term, held in holders.items()}
        scores = rank.score_files(query, files_of, tree.snapshot.lengths)
        covered = rank.coverage(query, files_of, scores.rarity)
    weights = word_weights(query, holders, len(tree.snapshot.paths))
    sequences = SequenceShares(query, weights)
    return Matches(holders, scores, covered, weights, sequences, FileWords(store))


def choose_files(tree: FilteredTree, query: QueryTerms, found: Matches, hints: Hints) -> list[int]:
    """Return the indices of the candidate files, in order."""
    among = None if isinstance(tree.allowed, range) else tree.places
    scores = found.scores.scores
    chosen = set(_best(tree, scores, max(FILES, hints.wanted), among))
    chosen.update(_usual(tree, scores, chosen, among))
    chosen.update(_covering(tree, query, found))
    chosen.update(_defining(tree, query, found))
    chosen.update(_holding(tree, query, found.holders))
    chosen.update(_best(tree, hints.near, max(NEAR_FILES, hints.wanted)))
    chosen.update(place for place in hints.mentions if place in tree.allowed)
    return sorted(chosen)


def _best(
    tree: FilteredTree,
    scores: Mapping[int, float],
    limit: int,
    among: Iterable[int] | None = None,
) -> list[int]:
    """Return the indices of the `limit` best files, and of each path its best version only."""
    if tree.union:
        return tree.distinct(best_first(scores, len(scores), among))[:limit]
    return best_first(scores, limit, among)


def _usual(
    tree: FilteredTree,
    scores: Mapping[int, float],
    best: Collection[int],
    among: Iterable[int] | None,
) -> list[int]:
    """Return usual files below the best ones, as many as the best ones lack to USUAL_FILES."""
    lacking = USUAL_FILES - sum(paths.is_usual(tree.path(place)) for place in best)
    if lacking <= 0:
        return []
    longer = _best(tree, scores, 3 * len(best), among)[len(best) :]
    return [place for place in longer if paths.is_usual(tree.path(place))][:lacking]


def _covering(tree: FilteredTree, query: QueryTerms, found: Matches) -> list[int]:
    """Return the files that contain most of the query's words: in the whole file, or for a message
    in one chunk.
    """
    message = is_message(query)
    listed = _best_covered(tree, found, LOOKED_AT if message else COVERING_FILES)
    if not message:
        return listed[:COVERING_FILES]
    others = _capped_cover(tree, query, found)
    places = dict.fromkeys([*listed[: LOOKED_AT - len(others)], *others])
    looked_at = {place: tree.snapshot.chunkings[place] for place in places}
    held = found.words.of(looked_at.values())
    if tree.whole.arrays:
        found.sequences.load(tree.whole.arrays.words(held))
    shares: dict[int, float] = {}
    for chunking, words in held.items():
        of_chunks, lengths = found.sequences.of(chunking, words).items(), words.lengths
        shares[chunking] = max((one - OF_WORD * lengths[at] for at, one in of_chunks), default=0.0)
    by_chunk = sorted(looked_at, key=lambda place: (-shares[looked_at[place]], place))
    return [*listed[:COVERING_FILES], *by_chunk[:MESSAGE_FILES]]


def _capped_cover(tree: FilteredTree, query: QueryTerms, found: Matches) -> list[int]:
    """Return the files that contain most of the query's words, the rarest of which count little
    more than the others: a message may insert them.
    """
    told = (term for term in query.weights if not term.isdigit())
    rarity = capped({term: found.scores.rarity.get(term, 0.0) for term in told})
    sums: dict[int, float] = {}
    for term, weight in rarity.items():
        for place in found.holders[term].files:
            sums[place] = sums.get(place, 0.0) + weight
    least = LEAST_COVER * sum(rarity.values())
    scores = found.scores.scores
    rows = [
        (-held, -scores.get(place, 0.0), place)
        for place, held in sums.items()
        if held > least and place in tree.allowed
    ]
    return tree.distinct(place for *_, place in sorted(rows)[:CAPPED])


def _best_covered(tree: FilteredTree, found: Matches, most: int) -> list[int]:
    """Return the `most` files that contain the greatest share of the query's words, in order; of a
    union all of them.
    """
    covered, scores = found.covered, found.scores.scores
    among = None if isinstance(tree.allowed, range) else tree.places
    limit = len(covered) if tree.union else most
    return tree.distinct(best_first(covered, limit, among, scores))


def _defining(tree: FilteredTree, query: QueryTerms, found: Matches) -> Iterator[int]:
    """Yield the files that define a name of the query, those named like it first.

    Files that only use the name often have higher scores: a long file may write the name it defines
    once.
    """
    scores = found.scores.scores
    for term in dict.fromkeys([*(symbol.key for symbol in query.symbols), *query.compounds]):
        held = found.holders.get(term)
        if held is None:
            continue
        rows = [
            (paths.subject_of(tree.path(place)) != term, -scores.get(place, 0.0), place)
            for place in held.defining
            if place in tree.allowed
        ]
        yield from tree.distinct(place for _, _, place in sorted(rows))[:DEFINING_FILES]


def _holding(
    tree: FilteredTree, query: QueryTerms, holders: Mapping[str, Holders]
) -> Iterator[int]:
    """Yield the files that contain a rare name of the query, even if the parts of the name are
    common.
    """
    for name in query.names:
        held = holders.get(term_of(name))
        if held and len(held.files) <= HOLDING_FILES:
            yield from (place for place in held.files if place in tree.allowed)
