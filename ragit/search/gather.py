"""Reads from the store what a query needs to be ranked: both arms, the files they point at, and every chunk of
those.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ragit import words
from ragit.embed.quantize import Quantized
from ragit.postings import Forward
from ragit.rank import ChunkFacts, FileFacts, FileScores, QueryTerms, best_first, score_chunks, score_files
from ragit.rank.keyword import FIELD_WEIGHTS, PATH_WEIGHT
from ragit.store import ORDINAL_BITS, Snapshot, Store, chunk_id

FILES = 100
"""Files taken from the keyword arm. What answers a question and stands below that in both arms is not found by more."""

NEAREST = 400
"""Chunks taken by sign bits before they are compared by bytes (see docs and training for the recall)."""

NEAR_FILES = 100
"""Files taken from the vector arm, by their nearest chunk."""

NEAREST_OF_FILE = 3
"""Chunks whose mean nearness speaks for a file: one may be near by chance, and all would drown the right ones."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The query's vector, and whose it is."""

    query: Quantized
    embedder: int


class View:
    """A snapshot with the filters of a query applied: what may be found. Statistics are always of the whole tree."""

    def __init__(self, snapshot: Snapshot, allowed: Callable[[int, bytes], bool] | None) -> None:
        self.snapshot = snapshot
        rows = enumerate(zip(snapshot.chunkings, snapshot.paths, strict=True))
        self.places: Sequence[int] = (
            range(len(snapshot.paths)) if allowed is None else [i for i, (c, path) in rows if allowed(c, path)]
        )

    @cached_property
    def place_of(self) -> dict[int, list[int]]:
        """Places of each chunking in the whole tree: the same blob may lie at several paths."""
        found: dict[int, list[int]] = {}
        for place, chunking in enumerate(self.snapshot.chunkings):
            found.setdefault(chunking, []).append(place)
        return found

    @cached_property
    def allowed(self) -> frozenset[int] | range:
        """The places that may be found, for look-ups."""
        return self.places if isinstance(self.places, range) else frozenset(self.places)

    def paths_with(self, term: str) -> Iterable[int]:
        """Places of the whole tree whose path holds a term."""
        joined, starts = self._joined
        wanted = term.encode()
        at = joined.find(wanted)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            if term in self._path_terms(place):
                yield place
            next_start = starts[place + 1] if place + 1 < len(starts) else len(joined)
            at = joined.find(wanted, next_start)

    def _path_terms(self, place: int) -> frozenset[str]:
        return frozenset(words.terms(self.snapshot.paths[place].decode("utf-8", "replace")))

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        starts, at = [], 0
        for path in self.snapshot.paths:
            starts.append(at)
            at += len(path) + 1
        return b"\0".join(self.snapshot.paths).lower(), starts


def keyword_arm(store: Store, view: View, query: QueryTerms) -> tuple[FileScores, dict[str, frozenset[int]]]:
    """Scores of all files that hold a term, and for each term the files whose path holds it."""
    weights = {**query.weights, **query.compounds}
    found: dict[str, dict[int, float]] = {}
    by_path: dict[str, frozenset[int]] = {}
    for term in weights:
        times = _times(store.occurrences(term), view.place_of)
        by_path[term] = frozenset(view.paths_with(term))
        for place in by_path[term]:
            times[place] = times.get(place, 0.0) + PATH_WEIGHT
        found[term] = times
    return score_files(weights, found, view.snapshot.lengths), by_path


def _times(rows: Iterable[tuple[int, str]], place_of: Mapping[int, list[int]]) -> dict[int, float]:
    times: dict[int, float] = {}
    for chunking, column in rows:
        places = place_of.get(chunking)
        if places is not None:
            weight = FIELD_WEIGHTS[column]
            for place in places:
                times[place] = times.get(place, 0.0) + weight
    return times


def vector_arm(store: Store, view: View, vectors: Vectors) -> dict[int, float]:
    """Cosine of the nearest chunks of the files that may be found."""
    members = sorted({view.snapshot.chunkings[place] for place in view.places})
    near = store.nearest(vectors.query.bits, members, vectors.embedder, NEAREST)
    return store.similarities(vectors.query.bytes, (chunk for chunk, _ in near), vectors.embedder)


class Gathered(NamedTuple):
    """Every chunk of every file that either arm points at."""

    files: dict[int, FileFacts]
    """By place in the snapshot."""
    chunks: list[ChunkFacts]
    keyword_hits: int
    """Files that hold a word of the query."""


def gather(store: Store, view: View, query: QueryTerms, vectors: Vectors | None, scoring: str) -> Gathered:
    """The candidates for a query."""
    scores, by_path = keyword_arm(store, view, query)
    near = vector_arm(store, view, vectors) if vectors else {}
    places = _files(view, scores, near)
    chunkings = sorted({view.snapshot.chunkings[place] for place in places})
    keywords = {
        chunking: score_chunks(Forward(packed), scores.rarity, scoring)
        for chunking, packed in store.forward(chunkings).items()
    }
    cosines = _cosines(store, vectors, chunkings) if vectors else {}
    top = max((score.score for held in keywords.values() for score in held), default=0.0) or 1.0
    files: dict[int, FileFacts] = {}
    chunks: list[ChunkFacts] = []
    facts = _file_facts(view, scores, by_path)
    for place in places:
        chunking = view.snapshot.chunkings[place]
        held = keywords[chunking]
        near_ones = cosines.get(chunking) or [0.0] * len(held)
        files[place] = facts(place, near_ones)
        first = chunk_id(chunking, 0)
        for at, (keyword, cosine) in enumerate(zip(held, near_ones, strict=True)):
            chunks.append(ChunkFacts(place, first + at, cosine, keyword, keyword.score / top))
    return Gathered(files, chunks, len(scores.scores))


def _file_facts(
    view: View, scores: FileScores, by_path: Mapping[str, frozenset[int]]
) -> Callable[[int, Sequence[float]], FileFacts]:
    best = max((scores.scores.get(place, 0.0) for place in view.places), default=0.0) or 1.0
    total = sum(scores.rarity.values()) or 1.0

    def facts(place: int, cosines: Sequence[float]) -> FileFacts:
        nearest = sorted(cosines, reverse=True)[:NEAREST_OF_FILE]
        return FileFacts(
            path=view.snapshot.paths[place].decode("utf-8", "surrogateescape"),
            keyword=scores.scores.get(place, 0.0) / best,
            coverage=scores.coverage.get(place, 0.0),
            path_share=sum(value for term, value in scores.rarity.items() if place in by_path[term]) / total,
            nearness=sum(nearest) / len(nearest) if nearest else 0.0,
        )

    return facts


def _files(view: View, scores: FileScores, near: Mapping[int, float]) -> list[int]:
    best = best_first(scores.scores, FILES, None if isinstance(view.allowed, range) else view.places)
    nearest: dict[int, float] = {}
    for chunk, cosine in near.items():
        for place in view.place_of[chunk >> ORDINAL_BITS]:
            if place in view.allowed and cosine > nearest.get(place, -1.0):
                nearest[place] = cosine
    return sorted({*best, *best_first(nearest, NEAR_FILES)})


def _cosines(store: Store, vectors: Vectors, chunkings: Iterable[int]) -> dict[int, list[float]]:
    """Cosine of every chunk of some chunkings, from 0 to 1, in the order of the chunks."""
    found = store.similarities_within(vectors.query.bytes, chunkings, vectors.embedder)
    return {chunking: [max(0.0, cosine) for cosine in cosines] for chunking, cosines in found.items()}
