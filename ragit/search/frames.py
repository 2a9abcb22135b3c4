"""Find the files and chunks of a tree that the frames of a stack trace in a query are of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragit.records import NamedTuple
from ragit.search.filtered_tree import FilteredTree
from ragit.store import ChunkRow, Store

if TYPE_CHECKING:
    from ragit.rank import Frame

MOST_NAMESAKES = 12
"""Number of files of a frame's name up to which the one that defines its function is looked for."""

_LIBRARY = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|rustc|gems|vendor|mod)/"
    r"|/lib(?:64)?/(?:python|ruby|node)|/\.cargo/|/go/src/(?:[a-z]+/)*[a-z]+\.go$|^/usr/(?:include|src)/"
    r"|^(?:java|javax|jdk|sun|kotlin|kotlinx|scala|android|androidx|dalvik|libcore)/"
    r"|^(?:node:)?internal/|/csu/|/compiler-rt/|asan_",
    re.IGNORECASE,
)
"""A path in the library of a language or in an installed package."""

_ANY_PROJECT = frozenset("src lib libs app main test tests internal core pkg dist build".split())
"""Folders that tell no project from another."""


class FrameChunk(NamedTuple):
    """The chunk of a frame."""

    place: int
    """Index of its file in the snapshot."""
    chunk: int


def files_of(tree: FilteredTree, frame: Frame) -> list[int]:
    """Return the files that a frame may be of, by its path alone."""
    places = tree.distinct(tree.paths_ending(frame.path))
    return [place for place in places if _is_trusted(tree.path(place), frame.path)]


def chunk_of(store: Store, tree: FilteredTree, frame: Frame) -> FrameChunk | None:
    """Return the chunk of a frame: the one that defines its function, the nearest to the line if
    several do; else the one at the line. None if the tree has no such file, or several.

    A file of the same name as one of a library, and one of several files, must define the function.
    """
    places = tree.distinct(tree.paths_ending(frame.path))
    if len(places) > MOST_NAMESAKES:
        return None  # a name that tells nothing: index.js
    defining: list[FrameChunk] = []
    for place in places:
        rows = store.chunks_of(tree.snapshot.chunkings[place])
        named = [chunk for chunk, row in rows.items() if _defines(row, frame.function)]
        if named:
            defining.append(FrameChunk(place, _nearest(rows, named, frame.line)))
        elif len(places) == 1 and _is_trusted(tree.path(place), frame.path):
            at_line = [c for c, row in rows.items() if row.start_line <= frame.line <= row.end_line]
            return FrameChunk(place, _nearest(rows, at_line, frame.line)) if at_line else None
    return defining[0] if len(defining) == 1 else None


def _defines(row: ChunkRow, function: str) -> bool:
    return bool(function) and function in re.split(r"\s+|::|[.#]", row.symbol)


def _nearest(rows: Mapping[int, ChunkRow], chunks: list[int], line: int) -> int:
    def distance(chunk: int) -> int:
        return max(rows[chunk].start_line - line, line - rows[chunk].end_line, 0)

    return min(chunks, key=lambda chunk: (distance(chunk), chunk))


def _is_trusted(path: str, printed: str) -> bool:
    """Return whether a file may be the printed one: one of a library also shares a folder of its
    own.
    """
    if not _LIBRARY.search(printed):
        return True
    common = 0
    ours, theirs = path.lower().split("/"), printed.lower().split("/")
    for mine, other in zip(reversed(ours[:-1]), reversed(theirs[:-1]), strict=False):
        if mine != other:
            break
        common += mine not in _ANY_PROJECT
    return common > 0
