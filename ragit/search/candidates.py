"""Read from the store what ranking a query needs: the files that words, meaning and paths point at,
and their chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from ragit import rank
from ragit.embed import Quantized
from ragit.postings import Forward
from ragit.rank import (
    ChunkFacts,
    ChunkScore,
    FileFacts,
    FileScores,
    QueryTerms,
    Shares,
    best_first,
    paths,
)
from ragit.records import NamedTuple, Record
from ragit.search.coverage import SequenceShares, is_message, term_of, word_weights
from ragit.search.filtered_tree import FilteredTree
from ragit.search.holders import find_holders
from ragit.search.mentions import mentioned_files
from ragit.search.whole_tree import Holders
from ragit.store import ORDINAL_BITS, Store, chunk_id

FILES = 50
"""Files taken by keywords. A file that answers a question and stands below that in both arms is not
found by more.
"""

COVERING_FILES = 25
"""Files taken since they hold the greatest share of the query's words, whatever their length."""

LOOKED_AT = 200
"""Files of which, for a message, each chunk is looked at for the words."""

DEFINING_FILES = 12
"""Files taken for each name of the query since they define it."""

HOLDING_FILES = 40
"""Files that may hold a name of the query for all of them to be taken."""

NEAREST = 400
"""Chunks taken by sign bits before they are compared by bytes (see docs and training for the
recall).
"""

NEAR_FILES = 60
"""Files taken by the nearness of their nearest chunk."""

BODIES = {".h": (".c", ".m"), ".pyi": (".py",), ".mli": (".ml",), ".d.ts": (".js", ".ts", ".mjs")}
"""Suffixes of files that only declare, and of the files that hold the bodies. C++ is not here: its
headers hold much of the code themselves, and are where its names are explained.
"""

NEAREST_OF_FILE = 3
"""Chunks whose mean nearness counts for a file: one may be near by chance, and all would drown the
right ones.
"""


class QueryVector(Record):
    """A query's vector, and the embedder that made it."""

    query: Quantized
    embedder: int
    path_nearness: Callable[[str], float]
    """Cosine of a path's words with the query, from 0 to 1."""


class Candidates(NamedTuple):
    """Every chunk of every file that keywords, vectors or paths point at."""

    files: dict[int, FileFacts]
    """By index in the snapshot."""
    chunks: list[ChunkFacts]
    names: Shares
    """Shares of the words of the query in defined names."""
    keyword_hits: int
    """Number of files, among those that may be found, that hold a word of the query."""
    holders: Mapping[str, Holders]
    forwards: Mapping[int, Forward]
    """Packed words of each candidate by chunking."""


def find_candidates(
    store: Store,
    tree: FilteredTree,
    query: QueryTerms,
    vectors: QueryVector | None,
    scoring: str,
    wanted: int = 0,
) -> Candidates:
    """Return the candidates for a query: enough for `wanted` hits."""
    holders = find_holders(store, tree, query)
    files_of = {term: held.files for term, held in holders.items()}
    scores = score_all(query, files_of, tree)
    covered = rank.coverage(query, files_of, scores.rarity)
    mentions = mentioned_files(tree, query)
    near = _nearest_files(store, tree, vectors, wanted) if vectors else {}
    covering = _covering(store, tree, query, holders, covered, scores)
    covering += _defining(tree, query, holders, scores)
    covering += _holding(tree, query, holders)
    places = _chosen(tree, scores, covering, near, mentions, wanted)
    chunkings = sorted({tree.snapshot.chunkings[place] for place in places})
    forwards = store.forward(chunkings)
    keywords = {c: rank.score_chunks(f, scores.rarity, scoring) for c, f in forwards.items()}
    cosines = _cosines(store, vectors, chunkings) if vectors else {}
    passing = tree.passing(chunk for chunk, _ in _numbered(keywords))
    top = _top(keywords, passing)
    texts = _NewTexts(tree, tree.hashes(store, (chunk for chunk, _ in _numbered(keywords))))
    facts = _FileFactsMaker(tree, query, holders, scores, vectors)
    files: dict[int, FileFacts] = {}
    chunks: list[ChunkFacts] = []
    for place in places:
        chunking = tree.snapshot.chunkings[place]
        held = keywords[chunking]
        near_of = cosines.get(chunking) or [0.0] * len(held)
        files[place] = facts.of_file(place, near_of)._replace(mentioned=mentions.get(place, 0.0))
        first = chunk_id(chunking, 0)
        for at, (keyword, cosine) in enumerate(zip(held, near_of, strict=True), first):
            if (passing is None or at in passing) and texts.is_new(place, at):
                chunks.append(ChunkFacts(place, at, cosine, keyword, keyword.score / top))
    kinds = _best_kinds(store, chunks)
    files = {place: file._replace(best_kind=kinds.get(place, "")) for place, file in files.items()}
    count = len(tree.snapshot.paths)
    names = Shares(query, {term: len(held.defining) for term, held in holders.items()}, count)
    hits = len(tree.distinct(place for place in scores.scores if place in tree.allowed))
    return Candidates(_compared(files, covered), chunks, names, hits, holders, forwards)


class _NewTexts:
    """Tells of a text that it stands in a newer version of the same path already, in a union."""

    def __init__(self, tree: FilteredTree, hashes: Mapping[int, bytes] | None) -> None:
        self._tree = tree
        self._hashes = hashes
        self._seen: set[tuple[int, bytes]] = set()

    def is_new(self, place: int, chunk: int) -> bool:
        """Return whether a chunk's text is new at its path. Places are asked for in order."""
        if self._hashes is None:
            return True
        key = (self._tree.first_version(place), self._hashes[chunk])
        new = key not in self._seen
        self._seen.add(key)
        return new


def _numbered(keywords: Mapping[int, Sequence[ChunkScore]]) -> Iterator[tuple[int, float]]:
    """Yield the number and the keyword score of each chunk of some chunkings."""
    for chunking, held in keywords.items():
        for number, one in enumerate(held, chunk_id(chunking, 0)):
            yield number, one.score


def _top(keywords: Mapping[int, Sequence[ChunkScore]], passing: Set[int] | None) -> float:
    """Return the greatest keyword score of the chunks that may be found; 1 if it would be 0."""
    if passing is None:
        scores = (one.score for held in keywords.values() for one in held)
    else:
        scores = (score for number, score in _numbered(keywords) if number in passing)
    return max(scores, default=0.0) or 1.0


def _best_kinds(store: Store, chunks: Iterable[ChunkFacts]) -> dict[int, str]:
    """Return for each file the kind of its best chunk."""
    best: dict[int, tuple[float, int]] = {}
    for one in chunks:
        score = one.cosine + one.share
        if one.place not in best or score > best[one.place][0]:
            best[one.place] = (score, one.chunk)
    rows = store.chunks({chunk for _, chunk in best.values()})
    return {place: rows[chunk].kind for place, (_, chunk) in best.items()}


def score_all(
    query: QueryTerms, files_of: Mapping[str, Mapping[int, float]], tree: FilteredTree
) -> FileScores:
    """Return the keyword scores of the files of a tree."""
    return rank.score_files(query, files_of, tree.snapshot.lengths)


def _nearest_files(
    store: Store, tree: FilteredTree, vectors: QueryVector, wanted: int
) -> dict[int, float]:
    """Return the cosine of the nearest chunk of the files that may be found."""
    members = tree.members
    limit = max(NEAREST, 4 * wanted) * tree.whole.versions
    near = [
        chunk for chunk, _ in store.nearest(vectors.query.bits, members, vectors.embedder, limit)
    ]
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


def _defining(
    tree: FilteredTree, query: QueryTerms, holders: Mapping[str, Holders], scores: FileScores
) -> list[int]:
    """Return the files that define a name of the query, those first that are called like it.

    Others that only use it often have higher scores: a long file that defines a name may say it
    once.
    """
    found: list[int] = []
    for term in dict.fromkeys([*(symbol.key for symbol in query.symbols), *query.compounds]):
        held = holders.get(term)
        if held is None:
            continue
        listed = [place for place in held.defining if place in tree.allowed]
        listed.sort(
            key=lambda place: (
                paths.subject_of(tree.path(place)) != term,
                -scores.scores.get(place, 0.0),
                place,
            )
        )
        found += tree.distinct(listed)[:DEFINING_FILES]
    return found


def _holding(
    tree: FilteredTree, query: QueryTerms, holders: Mapping[str, Holders]
) -> Iterator[int]:
    """Yield the files that hold a rare name of the query, which its parts may be common beside."""
    for name in query.names:
        held = holders.get(term_of(name))
        if held and len(held.files) <= HOLDING_FILES:
            yield from (place for place in held.files if place in tree.allowed)


def _covering(
    store: Store,
    tree: FilteredTree,
    query: QueryTerms,
    holders: Mapping[str, Holders],
    covered: Mapping[int, float],
    scores: FileScores,
) -> list[int]:
    """Return the files that hold most of the query's words: all together, or for a message in one
    chunk.
    """
    message = is_message(query)
    listed = _best_covered(tree, covered, scores, LOOKED_AT if message else COVERING_FILES)
    if not message:
        return listed[:COVERING_FILES]
    weights = word_weights(query, holders, len(tree.snapshot.paths))
    looked_at = {place: tree.snapshot.chunkings[place] for place in listed[:LOOKED_AT]}
    forwards = store.forward(sorted(set(looked_at.values())))
    sequences = SequenceShares(query, weights)
    shares = {
        chunking: max(sequences.of(one).values(), default=0.0) for chunking, one in forwards.items()
    }
    by_chunk = sorted(looked_at, key=lambda place: (-shares[looked_at[place]], place))
    return [*listed[:COVERING_FILES], *by_chunk[:COVERING_FILES]]


def _best_covered(
    tree: FilteredTree, covered: Mapping[int, float], scores: FileScores, most: int
) -> list[int]:
    """Return at least the `most` files that hold most of the query's words, in order."""
    listed = [place for place in covered if place in tree.allowed]
    if len(listed) > most and not tree.union:
        # Thousands of files may hold a word: those that are too far behind need no order.
        least = sorted([covered[place] for place in listed], reverse=True)[most - 1]
        listed = [place for place in listed if covered[place] >= least]
    listed.sort(key=lambda place: (-covered[place], -scores.scores[place], place))
    return tree.distinct(listed)


def _chosen(
    tree: FilteredTree,
    scores: FileScores,
    covering: Sequence[int],
    near: Mapping[int, float],
    mentions: Mapping[int, float],
    wanted: int,
) -> list[int]:
    """Return the indices of the candidates' files, in order."""
    among = None if isinstance(tree.allowed, range) else tree.places
    best = _best(tree, scores.scores, max(FILES, wanted), among)
    named = (place for place in mentions if place in tree.allowed)
    return sorted({*best, *covering, *_best(tree, near, max(NEAR_FILES, wanted)), *named})


def _best(
    tree: FilteredTree,
    scores: Mapping[int, float],
    limit: int,
    among: Iterable[int] | None = None,
) -> list[int]:
    """Return the indices of the `limit` best files, of each path its best version."""
    if tree.union:
        return tree.distinct(best_first(scores, len(scores), among))[:limit]
    return best_first(scores, limit, among)


def _compared(files: Mapping[int, FileFacts], covered: Mapping[int, float]) -> dict[int, FileFacts]:
    """Return the facts with those that need the other candidates: what a test tests, what no usual
    file holds.
    """
    usual = [covered.get(place, 0.0) for place, file in files.items() if paths.is_usual(file.path)]
    most = max(usual, default=0.0)
    subjects = {
        paths.subject_of(file.path) for file in files.values() if not paths.is_test(file.path)
    }
    return {
        place: file._replace(
            lead=max(0.0, covered.get(place, 0.0) - most),
            tests_candidate=paths.is_test(file.path) and paths.subject_of(file.path) in subjects,
        )
        for place, file in files.items()
    }


class _FileFactsMaker:
    """Makes the facts of one candidate's file from what is known of all."""

    def __init__(
        self,
        tree: FilteredTree,
        query: QueryTerms,
        holders: Mapping[str, Holders],
        scores: FileScores,
        vectors: QueryVector | None,
    ) -> None:
        self._tree = tree
        self._holders = holders
        self._scores = scores.scores
        self._best = (
            max((self._scores.get(place, 0.0) for place in tree.places), default=0.0) or 1.0
        )
        counts = {term: len(held.paths) for term, held in holders.items()}
        self._paths = Shares(query, counts, len(tree.snapshot.paths))
        self._in_script = [held.files for term, held in holders.items() if not term.isascii()]
        self._path_nearness = vectors.path_nearness if vectors else lambda _: 0.0

    def of_file(self, place: int, cosines: Sequence[float]) -> FileFacts:
        """Return the facts of a file whose chunks have these cosines."""
        path = self._tree.path(place)
        held = (term for term, one in self._holders.items() if place in one.paths)
        return FileFacts(
            path=path,
            keyword=self._scores.get(place, 0.0) / self._best,
            path_share=self._paths.of(held),
            nearness=_mean(sorted(cosines, reverse=True)[:NEAREST_OF_FILE]),
            path_nearness=self._path_nearness(path),
            in_script=any(place in files for files in self._in_script),
            has_bodies_beside=self._tree.has_beside(path, BODIES),
            suffix_share=self._tree.suffix_share(path),
            is_outdated=self._tree.is_outdated(path),
        )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _cosines(
    store: Store, vectors: QueryVector, chunkings: Iterable[int]
) -> dict[int, list[float]]:
    """Return the cosine of every chunk of some chunkings, from 0 to 1, in their order."""
    found = store.similarities_within(vectors.query.bytes, chunkings, vectors.embedder)
    return {
        chunking: [max(0.0, cosine) for cosine in cosines] for chunking, cosines in found.items()
    }
