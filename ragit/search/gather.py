"""Reads from the store what a query needs to be ranked: both arms, the files they point at, and every chunk of
those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ragit.embed.quantize import Quantized
from ragit.postings import Forward
from ragit.rank import (
    ChunkFacts,
    FileFacts,
    FileScores,
    QueryTerms,
    Shares,
    best_first,
    score_chunks,
    score_files,
)
from ragit.rank.keyword import FIELD_WEIGHTS, PATH_WEIGHT
from ragit.records import Record
from ragit.search.view import View
from ragit.store import ORDINAL_BITS, Store, chunk_id
from ragit.types import path_text

FILES = 50
"""Files taken from the keyword arm. What answers a question and stands below that in both arms is not found by more."""

NEAREST = 400
"""Chunks taken by sign bits before they are compared by bytes (see docs and training for the recall)."""

NEAR_FILES = 60
"""Files taken from the vector arm, by their nearest chunk."""

NAME_COLUMN = "symbol"
"""The column of the full-text table that holds defined names."""

BODIES = {".h": (".c", ".m"), ".pyi": (".py",), ".mli": (".ml",), ".d.ts": (".js", ".ts", ".mjs")}
"""Suffixes of files that only declare, and of the files that hold the bodies. C++ is not here: its headers hold much of
the code themselves, and are where its names are explained."""

NEAREST_OF_FILE = 3
"""Chunks whose mean nearness speaks for a file: one may be near by chance, and all would drown the right ones."""


class QueryVector(Record):
    """The query's vector, and whose it is."""

    query: Quantized
    embedder: int
    path_nearness: Callable[[str], float]
    """Cosine of a path's words with the query, from 0 to 1."""


class Holders(NamedTuple):
    """Where a term stands in the tree."""

    files: dict[int, float]
    """Places of the files that hold it, with its weighted occurrences."""
    paths: frozenset[int]
    """Places whose path holds it."""
    names: int
    """How many files define a name which holds it."""


def holders(store: Store, view: View, query: QueryTerms) -> dict[str, Holders]:
    """Where each term of the query stands."""
    return {term: _holders(store, view, term) for term in query.listed}


def _holders(store: Store, view: View, term: str) -> Holders:
    files: dict[int, float] = {}
    names = 0
    place_of = view.place_of
    for chunking, column in store.occurrences(term):
        places = place_of.get(chunking)
        if places is None:
            continue
        weight = FIELD_WEIGHTS[column]
        for place in places:
            files[place] = files.get(place, 0.0) + weight
        if column == NAME_COLUMN:
            names += len(places)
    paths = frozenset(view.paths_with(term))
    for place in paths:
        files[place] = files.get(place, 0.0) + PATH_WEIGHT
    return Holders(files, paths, names)


def vector_arm(store: Store, view: View, vectors: QueryVector) -> dict[int, float]:
    """Cosine of the nearest chunks of the files that may be found."""
    members = sorted({view.snapshot.chunkings[place] for place in view.places})
    near = store.nearest(vectors.query.bits, members, vectors.embedder, NEAREST)
    return store.similarities(vectors.query.bytes, (chunk for chunk, _ in near), vectors.embedder)


class Gathered(NamedTuple):
    """Every chunk of every file that either arm points at."""

    files: dict[int, FileFacts]
    """By place in the snapshot."""
    chunks: list[ChunkFacts]
    names: Shares
    """What each word of the query counts in a defined name."""
    keyword_hits: int
    """Files, among those that may be found, that hold a word of the query."""
    unmatched_names: tuple[str, ...]
    """Names of the query that no indexed file of the tree holds, whatever may be found of their parts."""


def gather(
    store: Store, view: View, query: QueryTerms, vectors: QueryVector | None, scoring: str
) -> Gathered:
    """The candidates for a query."""
    found = holders(store, view, query)
    scores = score_files(
        query, {term: held.files for term, held in found.items()}, view.snapshot.lengths
    )
    places = _files(view, scores, vector_arm(store, view, vectors) if vectors else {})
    chunkings = sorted({view.snapshot.chunkings[place] for place in places})
    keywords = {
        chunking: score_chunks(Forward(packed), scores.rarity, scoring)
        for chunking, packed in store.forward(chunkings).items()
    }
    cosines = _cosines(store, vectors, chunkings) if vectors else {}
    top = max((score.score for held in keywords.values() for score in held), default=0.0) or 1.0
    look = _Look(view, query, found, scores, vectors)
    files: dict[int, FileFacts] = {}
    chunks: list[ChunkFacts] = []
    for place in places:
        chunking = view.snapshot.chunkings[place]
        held = keywords[chunking]
        near = cosines.get(chunking) or [0.0] * len(held)
        files[place] = look.at_file(place, near)
        first = chunk_id(chunking, 0)
        for at, (keyword, cosine) in enumerate(zip(held, near, strict=True)):
            chunks.append(ChunkFacts(place, first + at, cosine, keyword, keyword.score / top))
    names = Shares(
        query, {term: held.names for term, held in found.items()}, len(view.snapshot.paths)
    )
    unmatched_names = tuple(
        name
        for term, name in query.made_of_several.items()
        if term in found and not found[term].files and not view.has_in_path(name)
    )
    return Gathered(
        files, chunks, names, sum(place in view.allowed for place in scores.scores), unmatched_names
    )


class _Look:
    """Tells the facts of one candidate's file from what is known of all."""

    def __init__(
        self,
        view: View,
        query: QueryTerms,
        found: Mapping[str, Holders],
        scores: FileScores,
        vectors: QueryVector | None,
    ) -> None:
        self._view = view
        self._found = found
        self._scores = scores.scores
        self._best = (
            max((self._scores.get(place, 0.0) for place in view.places), default=0.0) or 1.0
        )
        self._paths = Shares(
            query, {t: len(held.paths) for t, held in found.items()}, len(view.snapshot.paths)
        )
        self._in_script = [held.files for term, held in found.items() if not term.isascii()]
        self._path_nearness = vectors.path_nearness if vectors else lambda _: 0.0

    def at_file(self, place: int, cosines: Sequence[float]) -> FileFacts:
        """The facts of the file at a place, whose chunks have these cosines."""
        path = path_text(self._view.snapshot.paths[place])
        return FileFacts(
            path=path,
            keyword=self._scores.get(place, 0.0) / self._best,
            path_share=self._paths.of(
                term for term, held in self._found.items() if place in held.paths
            ),
            nearness=_mean(sorted(cosines, reverse=True)[:NEAREST_OF_FILE]),
            path_nearness=self._path_nearness(path),
            in_script=any(place in files for files in self._in_script),
            has_bodies_beside=self._view.has_beside(path, BODIES),
        )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _files(view: View, scores: FileScores, near: Mapping[int, float]) -> list[int]:
    best = best_first(
        scores.scores, FILES, None if isinstance(view.allowed, range) else view.places
    )
    nearest: dict[int, float] = {}
    for chunk, cosine in near.items():
        for place in view.place_of[chunk >> ORDINAL_BITS]:
            if place in view.allowed and cosine > nearest.get(place, -1.0):
                nearest[place] = cosine
    return sorted({*best, *best_first(nearest, NEAR_FILES)})


def _cosines(
    store: Store, vectors: QueryVector, chunkings: Iterable[int]
) -> dict[int, list[float]]:
    """Cosine of every chunk of some chunkings, from 0 to 1, in the order of the chunks."""
    found = store.similarities_within(vectors.query.bytes, chunkings, vectors.embedder)
    return {
        chunking: [max(0.0, cosine) for cosine in cosines] for chunking, cosines in found.items()
    }
