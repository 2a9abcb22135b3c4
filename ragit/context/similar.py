"""Find code that shares rare words with the lines around a cursor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from ragit import words
from ragit.contexts import Similar
from ragit.postings import COUNT, Forward, term_hash
from ragit.store import ChunkRow, Store, chunk_id
from ragit.tree_world import TreeWorld

WORDS = 8
"""Limit of names that are looked up, the longest: names of several words are the rare ones."""

FILES = 4
"""Limit of files whose chunks are compared."""

COMMON = 0.05
"""Share of files above which a word tells little."""

LINES = 12
"""Limit of a piece's lines."""


def similar_code(
    store: Store, world: TreeWorld, path: str, names: Iterable[str]
) -> Iterator[Similar]:
    """Yield pieces of other files that contain the rarest of the names, best first."""
    weights, files = _weighed(world, path, names)
    best = sorted(files, key=lambda one: (-files[one], world.paths[one][0]))[:FILES]
    found: list[tuple[float, int, int, tuple[str, ...]]] = []
    packed = store.forward(best)
    for chunking in best:
        score, ordinal, held = _best_chunk(packed[chunking], weights)
        if ordinal >= 0:
            found.append((score, chunking, ordinal, held))
    found.sort(key=lambda one: (-one[0], world.paths[one[1]][0]))
    for _, chunking, ordinal, held in found:
        number = chunk_id(chunking, ordinal)
        path_of = world.paths[chunking][0]
        yield _piece(path_of, store.chunks([number])[number], world.text(chunking), held)


def _weighed(
    world: TreeWorld, path: str, names: Iterable[str]
) -> tuple[dict[str, float], dict[int, float]]:
    """Return the weights of rare terms, and the summed weights of the files that contain them."""
    count = len(world.snapshot.paths)
    chosen = sorted(set(names), key=lambda name: (-len(words.parts(name)), -len(name), name))
    terms = [words.terms_of(name)[-1] for name in chosen[:WORDS] if words.terms_of(name)]
    weights: dict[str, float] = {}
    files: dict[int, float] = {}
    for term in dict.fromkeys(terms):
        holders = world.chunkings_with(term)
        if not 1 < len(holders) <= max(2, COMMON * count):
            continue
        weights[term] = math.log(count / len(holders))
        for chunking in holders:
            if world.paths[chunking][0] != path:
                files[chunking] = files.get(chunking, 0.0) + weights[term]
    return weights, files


def _best_chunk(forward: Forward, weights: dict[str, float]) -> tuple[float, int, tuple[str, ...]]:
    """Return score, ordinal and terms of the chunk with the most weight; -1 if there is none."""
    scores: dict[int, float] = {}
    held: dict[int, list[str]] = {}
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        for entry in forward.entries(term_hash(term)):
            if entry & COUNT:
                ordinal = entry >> 8
                scores[ordinal] = scores.get(ordinal, 0.0) + weights[term]
                held.setdefault(ordinal, []).append(term)
    if not scores:
        return 0.0, -1, ()
    best = min(scores, key=lambda ordinal: (-scores[ordinal], ordinal))
    return scores[best], best, tuple(held[best])


def _piece(path: str, row: ChunkRow, text: bytes, held: tuple[str, ...]) -> Similar:
    """Return the lines of a chunk around the first with a shared word."""
    lines = text[row.start : row.end].decode("utf-8", "replace").splitlines()
    first = _first_line(lines, held)
    start = max(0, min(first - 2, len(lines) - LINES))
    shown = lines[start : start + LINES]
    line = row.start_line + start
    name = f"{row.parent}.{row.symbol}" if row.parent else row.symbol
    return Similar(
        path, line, line + max(0, len(shown) - 1), name.split(" ")[0], "\n".join(shown), held
    )


def _first_line(lines: Sequence[str], held: Iterable[str]) -> int:
    wanted = set(held)
    for at, line in enumerate(lines):
        if wanted.intersection(words.terms(line)):
            return at
    return 0
