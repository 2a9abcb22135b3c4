"""Draw a map of a repository: the most important definitions, within a number of tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragit.outline.file_graph import FileGraph, file_graph, ranked_names, start_of
from ragit.outline.pagerank import pagerank
from ragit.outline.signatures import tidied
from ragit.outlines import MapFile, MapLine, RepositoryMap
from ragit.search import OpenTree
from ragit.store import ChunkRow

BYTES_PER_TOKEN = 3
"""Bytes of a token, as in `ragit.render.budget`."""

LONGEST = 120
"""Limit of a declaration's characters."""

CONSIDERED = 4_000
"""Limit of definitions considered, the highest ranked."""


def repository_map(
    opened: OpenTree, query: str, best: Mapping[str, float], max_tokens: int
) -> RepositoryMap:
    """Return the definitions of a tree with the highest rank, as many as fit, by file.

    `best` are the scores of the best files for a query, from which walks begin.
    """
    graph = file_graph(opened)
    ranks = pagerank(graph.edges, start_of(graph, best))
    room = max_tokens * BYTES_PER_TOKEN
    rows: dict[int, list[ChunkRow]] = {}
    files: dict[int, dict[int, str]] = {}
    ranked = ranked_names(graph, ranks)[:CONSIDERED]
    for _, place, name in ranked:
        line, text = _declaration(opened, graph, rows, place, name)
        size = len(text.encode("utf-8", "surrogatepass")) + len(str(line)) + 4
        if place not in files:
            size += len(graph.paths[place].encode("utf-8", "surrogatepass")) + 1
        if size > room:
            break
        if line not in files.setdefault(place, {}):
            files[place][line] = text
            room -= size
    listed = tuple(
        MapFile(
            graph.paths[place],
            ranks[place],
            tuple(MapLine(line, files[place][line]) for line in sorted(files[place])),
        )
        for place in sorted(files, key=lambda place: (-ranks[place], graph.paths[place]))
    )
    return RepositoryMap(
        query,
        opened.target.name,
        opened.target.tree,
        opened.completeness,
        max_tokens,
        math.ceil((max_tokens * BYTES_PER_TOKEN - room) / BYTES_PER_TOKEN),
        listed,
        len(graph.paths),
    )


def _declaration(
    opened: OpenTree, graph: FileGraph, rows: dict[int, list[ChunkRow]], place: int, name: str
) -> tuple[int, str]:
    """Return line and declaration of a name of a file."""
    if place not in rows:
        rows[place] = opened.chunks_of(opened.tree.snapshot.chunkings[place])
    definition = graph.named[place, name]
    for row in rows[place]:
        if definition in row.definitions:
            alone = len(row.symbol.split()) == 1
            text = row.signature if alone and name in row.signature else ""
            return definition.line, _short(text or f"{definition.kind} {name}")
    return definition.line, name


def _short(text: str) -> str:
    text = tidied(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 3].rstrip() + "..."
