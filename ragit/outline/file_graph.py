"""Build the graph of a tree's files: a file refers to others by the names that they define."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ragit import rank, words
from ragit.records import NamedTuple
from ragit.search import OpenTree
from ragit.types import Definition, path_text

MOST_DEFINING = 5
"""Limit of files that define a name: if more do, it says little about any of them."""

SHORTEST = 4
"""Least letters of a name for an edge."""

MOST_EDGES = 60
"""Limit of a file's edges, the heaviest."""

_CODE = frozenset(
    "class struct interface enum trait function method constructor object record type macro"
    " protocol module namespace union contract mixin actor".split()
)
"""Kinds of definitions shown in a map."""


class FileGraph(NamedTuple):
    """Files, their definitions, and how strongly each refers to others."""

    paths: Sequence[str]
    edges: list[dict[int, float]]
    """For each file, weights by the file referred to."""
    uses: dict[tuple[int, str], list[tuple[int, float]]]
    """For each name of each file: the files that refer to it, with weights."""
    named: dict[tuple[int, str], Definition]
    """The first definition of each name in each file."""


def file_graph(opened: OpenTree) -> FileGraph:
    """Return the graph of the files of a tree."""
    snapshot = opened.tree.snapshot
    paths = [path_text(path) for path in snapshot.paths]
    place_of: dict[int, int] = {}
    for place, chunking in enumerate(snapshot.chunkings):
        place_of.setdefault(chunking, place)
    named = _first_definitions(opened, place_of)
    graph = FileGraph(paths, [{} for _ in paths], {}, named)
    holders: dict[str, list[int]] = {}
    for place, name in named:
        holders.setdefault(name, []).append(place)
    wanted = {name for name, held in holders.items() if len(held) <= MOST_DEFINING}
    references = opened.store.names.references(sorted(place_of))
    users: dict[str, list[int]] = {}
    for chunking, found in references.items():
        for name in found.names & wanted:
            users.setdefault(name, []).append(place_of[chunking])
    _join(graph, named, holders, users)
    return graph


def _first_definitions(
    opened: OpenTree, place_of: Mapping[int, int]
) -> dict[tuple[int, str], Definition]:
    """Return the definitions of all files, the first of each name in a file."""
    found: dict[tuple[int, str], Definition] = {}
    for chunking, definitions in opened.store.names.definitions(place_of.keys()):
        place = place_of[chunking]
        for each in definitions:
            if each.kind in _CODE and _is_telling(each.name):
                found.setdefault((place, each.name), each)
    return found


def _is_telling(name: str) -> bool:
    return len(name) >= SHORTEST and not name.startswith("__")


def _join(
    graph: FileGraph,
    named: Mapping[tuple[int, str], Definition],
    holders: Mapping[str, Sequence[int]],
    users: Mapping[str, Sequence[int]],
) -> None:
    """Add the edges from files that use a name to those that define it."""
    count = len(graph.paths)
    for name in sorted(users):
        rarity = math.log(1 + count / len(users[name])) / len(holders[name])
        for place in sorted(holders[name]):
            weight = rarity * _certainty(named[place, name])
            others = sorted(user for user in users[name] if user != place)
            if others:
                graph.uses[place, name] = [(user, weight) for user in others]
            for user in others:
                edges = graph.edges[user]
                edges[place] = edges.get(place, 0.0) + weight
    for user, edges in enumerate(graph.edges):
        graph.edges[user] = _heaviest(edges)


def _certainty(found: Definition) -> float:
    """Return how certainly a word means a definition of that name: a name of several words or a
    type does, `items` and `copy` may be anything.
    """
    if len(words.parts(found.name)) > 1 or found.name[:1].isupper():
        return 1.0
    return 0.1 if found.kind in ("method", "constructor") else 0.3


def _heaviest(edges: Mapping[int, float]) -> dict[int, float]:
    chosen = sorted(edges.items(), key=lambda edge: (-edge[1], edge[0]))[:MOST_EDGES]
    return dict(chosen)


def start_of(graph: FileGraph, best: Mapping[str, float]) -> dict[int, float]:
    """Return the files where walks begin: those of the best hits, by score, or else all except
    tests and files beside the code.
    """
    if best:
        return {at: best[path] for at, path in enumerate(graph.paths) if path in best}
    aside = (rank.paths.is_test, rank.paths.is_aside, rank.paths.is_vendored)
    return {at: 1.0 for at, path in enumerate(graph.paths) if not any(kind(path) for kind in aside)}


def ranked_names(graph: FileGraph, ranks: Sequence[float]) -> list[tuple[float, int, str]]:
    """Return (rank, file, name), highest first: each file distributes its rank to the names that it
    refers to, by weight. Those that no other file refers to follow, by file and line. Definitions
    in tests are left out.
    """
    totals = [sum(edges.values()) for edges in graph.edges]
    found: list[tuple[float, int, str]] = []
    alone: list[tuple[float, int, str]] = []
    for place, name in graph.named:
        if rank.paths.is_test(graph.paths[place]):
            continue
        users = graph.uses.get((place, name))
        if users is None:
            alone.append((0.0, place, name))
            continue
        score = sum(ranks[user] * weight / totals[user] for user, weight in users if totals[user])
        found.append((score, place, name))
    found.sort(key=lambda one: (-one[0], graph.paths[one[1]], one[2]))
    lines = {key: each.line for key, each in graph.named.items()}
    alone.sort(key=lambda one: (-ranks[one[1]], graph.paths[one[1]], lines[one[1], one[2]]))
    return found + alone
