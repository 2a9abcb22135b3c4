"""Read from the store what ranking needs: the candidate files by words, meaning and paths, and
their chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from ragit import rank
from ragit.embed import Quantized
from ragit.errors import StoreUnreadable
from ragit.rank import ChunkColumns, ChunkScores, FileFacts, QueryTerms, Shares
from ragit.records import NamedTuple, Record
from ragit.search.choose import Hints, Matches, choose_files, find_matches
from ragit.search.coverage import Lookups
from ragit.search.file_facts import OfFile, file_facts
from ragit.search.filtered_tree import FilteredTree
from ragit.search.mentions import mentioned_files
from ragit.store import ORDINAL_BITS, Store, chunk_id

NEAREST = 400
"""Number of chunks taken by sign bits before their vectors are compared by bytes (docs and training
give the recall).
"""


class QueryVector(Record):
    """A query's vector, and the embedder that made it."""

    query: Quantized
    embedder: int
    path_nearness: Callable[[str], float]
    """Cosine of a path's words with the query, from 0 to 1."""
    name_nearness: Callable[[str], float]
    """How near the words of a name are to those of the query, from 0 to 1."""
    unchanging: str = ""
    """The embedder's fingerprint, if its vectors never change; else empty."""


class Candidates(NamedTuple):
    """Every chunk of every file that keywords, vectors or paths match."""

    files: dict[int, FileFacts]
    """Facts of each file by its index in the snapshot."""
    chunks: list[ChunkColumns]
    """Chunks of each file that pass the filters."""
    names: Shares
    """Shares of the words of the query in defined names."""
    keyword_hits: int
    """Number of files that pass the filters and contain a word of the query."""
    matches: Matches
    words: Mapping[int, Lookups]
    """Words of each candidate, by chunking."""
    among: Set[int] | None
    """Numbers of all chunks that pass the filters; None if all chunks of the files do."""


def find_candidates(
    store: Store,
    tree: FilteredTree,
    query: QueryTerms,
    vectors: QueryVector | None,
    scoring: str,
    wanted: int = 0,
) -> Candidates:
    """Return the candidates for a query: enough for `wanted` hits."""
    matches = find_matches(store, tree, query)
    near = _nearest_files(store, tree, vectors, wanted) if vectors else {}
    hints = Hints(near, mentioned_files(tree, query), wanted)
    places = choose_files(tree, query, matches, hints)
    words = matches.words.of(tree.snapshot.chunkings[place] for place in places)
    scores = _scores(tree, matches, words, scoring)
    cosines = _cosines(store, vectors, scores)
    chunks, among = _columns(store, tree, places, words, scores, cosines)
    kinds = _best_kinds(store, chunks)
    listed = [
        OfFile(
            one.place,
            cosines[tree.snapshot.chunkings[one.place]],
            one.shares,
            kinds.get(one.place, ""),
            hints.mentions.get(one.place, 0.0),
        )
        for one in chunks
    ]
    nearness = vectors.path_nearness if vectors else lambda _: 0.0
    files = file_facts(tree, query, matches, nearness, listed)
    defining = {term: len(held.defining) for term, held in matches.holders.items()}
    names = Shares(query, defining, len(tree.snapshot.paths))
    return Candidates(files, chunks, names, _hits(tree, matches), matches, words, among)


def _scores(
    tree: FilteredTree, matches: Matches, words: Mapping[int, Lookups], scoring: str
) -> dict[int, ChunkScores]:
    """Return the keyword scores of the chunks of files."""
    rarity = matches.scores.rarity
    if tree.whole.arrays:
        arrays = tree.whole.arrays.words(words)
        matches.sequences.load(arrays)  # evidence needs them soon
        return arrays.scores(rarity, scoring)
    return {one: rank.score_chunks(held, rarity, scoring) for one, held in words.items()}


def _hits(tree: FilteredTree, matches: Matches) -> int:
    """Return the number of files that pass the filters and contain a word of the query."""
    held = matches.scores.scores
    if isinstance(tree.allowed, range) and not tree.union:
        return len(held)
    return len(tree.distinct(place for place in held if place in tree.allowed))


def _columns(
    store: Store,
    tree: FilteredTree,
    places: Sequence[int],
    words: Mapping[int, Lookups],
    scores: Mapping[int, ChunkScores],
    cosines: Mapping[int, Sequence[float]],
) -> tuple[list[ChunkColumns], Set[int] | None]:
    """Return the chunks of files that pass the filters, and the numbers of all of them; None
    instead of the numbers if all chunks pass.
    """
    passing = tree.passing(_numbers(scores))
    top = _top(scores, passing)
    every = []
    for place in places:
        chunking = tree.snapshot.chunkings[place]
        held = scores[chunking]
        numbers = range(chunk_id(chunking, 0), chunk_id(chunking, len(held.scores)))
        shares = [score / top for score in held.scores]
        every.append(
            ChunkColumns(
                place,
                numbers,
                cosines[chunking],
                held.scores,
                shares,
                held.names,
                words[chunking].lengths,
            )
        )
    hashes = tree.hashes(store, _numbers(scores))
    if passing is None and hashes is None:
        return every, None
    filter_ = _Filter(tree, passing, hashes)
    chunks = [filter_.passing(one) for one in every]
    return chunks, {number for one in chunks for number in one.numbers}


class _Filter:
    """Leaves out chunks that fail the filters; in a union, also those whose text already occurs in
    a newer version of the same path.
    """

    def __init__(
        self, tree: FilteredTree, among: Set[int] | None, hashes: Mapping[int, bytes] | None
    ) -> None:
        self._tree = tree
        self._among = among
        self._hashes = hashes
        self._seen: set[tuple[int, bytes]] = set()

    def passing(self, chunks: ChunkColumns) -> ChunkColumns:
        """Return the chunks of a file that pass. Callers ask for files in order."""
        listed: Sequence[int] = range(len(chunks.numbers))
        if self._among is not None:
            listed = [at for at in listed if chunks.numbers[at] in self._among]
        return chunks.those([at for at in listed if self._is_new(chunks.place, chunks.numbers[at])])

    def _is_new(self, place: int, chunk: int) -> bool:
        if self._hashes is None:
            return True
        key = (self._tree.first_version(place), self._hashes[chunk])
        new = key not in self._seen
        self._seen.add(key)
        return new


def _numbers(scores: Mapping[int, ChunkScores]) -> Iterator[int]:
    """Yield the number of each chunk of the chunkings."""
    for chunking, held in scores.items():
        yield from range(chunk_id(chunking, 0), chunk_id(chunking, len(held.scores)))


def _top(scores: Mapping[int, ChunkScores], passing: Set[int] | None) -> float:
    """Return the greatest keyword score of the chunks that pass the filters; 1 if it would be 0."""
    if passing is None:
        return max((max(held.scores, default=0.0) for held in scores.values()), default=0.0) or 1.0
    every = (score for held in scores.values() for score in held.scores)
    rows = zip(_numbers(scores), every, strict=True)
    return max((score for number, score in rows if number in passing), default=0.0) or 1.0


def _best_kinds(store: Store, chunks: Iterable[ChunkColumns]) -> dict[int, str]:
    """Return the kind of each file's best chunk."""
    best: dict[int, int] = {}
    for one in chunks:
        if one.numbers:
            if not len(one.numbers) == len(one.cosines) == len(one.shares):
                raise StoreUnreadable(
                    "the index is damaged: a file has vectors of other chunks",
                    "Type: ragit index --rebuild (it makes a new one from the repository)",
                )
            rows = zip(one.cosines, one.shares, strict=True)
            sums = [cosine + share for cosine, share in rows]
            best[one.place] = one.numbers[sums.index(max(sums))]
    rows_of = store.chunks(set(best.values()))
    return {place: rows_of[chunk].kind for place, chunk in best.items()}


def _nearest_files(
    store: Store, tree: FilteredTree, vectors: QueryVector, wanted: int
) -> dict[int, float]:
    """Return the cosine of each passing file's nearest chunk."""
    members = tree.members
    limit = max(NEAREST, 4 * wanted) * tree.whole.versions
    bits, near = vectors.query.bits, None
    if tree.whole.sign_bits and vectors.unchanging:
        of = (vectors.embedder, vectors.unchanging)
        near = tree.whole.sign_bits.nearest(store, bits, members, of, limit)
    if near is None:
        near = [chunk for chunk, _ in store.nearest(bits, members, vectors.embedder, limit)]
    passing = tree.passing(near)
    cosines = store.similarities(
        vectors.query.bytes, near if passing is None else sorted(passing), vectors.embedder
    )
    nearest: dict[int, float] = {}
    for chunk, cosine in cosines.items():
        for place in tree.place_of[chunk >> ORDINAL_BITS]:
            if place in tree.allowed and cosine > nearest.get(place, -1.0):
                nearest[place] = cosine
    return nearest


def _cosines(
    store: Store, vectors: QueryVector | None, scores: Mapping[int, ChunkScores]
) -> dict[int, list[float]]:
    """Return the cosines of all chunks of the chunkings, from 0 to 1, in order; 0 where there are
    no vectors.
    """
    found: Mapping[int, list[float]] = {}
    if vectors:
        found = store.similarities_within(vectors.query.bytes, scores, vectors.embedder)
    return {
        chunking: [max(0.0, cosine) for cosine in found.get(chunking) or ()]
        or [0.0] * len(held.scores)
        for chunking, held in scores.items()
    }
