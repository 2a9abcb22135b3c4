"""Find which trees contain pieces of code, by the text of their files. Nothing has to be indexed.

A tree contains a piece if one of these files of it has the piece as whole lines:

* files with the name of the piece's own file, in any folder, and those with the name of a file
  known to contain it under another name;
* if a tree contains the piece and a neighbour, in the given order, seems not to: files that the
  neighbour has and the tree has not; if these are more than MOST_ELSEWHERE, those in the
  piece's own folder. So code is found that moved to a file of another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from itertools import pairwise

from ragit import chunk
from ragit.git import Objects
from ragit.records import NamedTuple
from ragit.refs.file_map import FileMap
from ragit.refs.lines import line_of
from ragit.types import Oid

MOST_ELSEWHERE = 500
"""Limit of files of other names that are searched between two neighbours: reading them
takes 50 ms.
"""


class Piece(NamedTuple):
    """A piece of code, its paths, and the blob in which it was found."""

    code: bytes
    """Text in UTF-8."""
    paths: tuple[bytes, ...]
    blob: Oid


class Held(NamedTuple):
    """The trees that contain each piece, and the amount read."""

    bits: list[int]
    """For each piece a bit mask of the map's trees."""
    files: int
    """Number of different blobs searched."""
    unread: int
    """Number of them that git could not read."""
    bounded: int = 0
    """Number of pieces that were not searched for in all files of a tree that seems to lack them
    although its neighbour has them: more than MOST_ELSEWHERE differ.
    """


def trees_with(
    pieces: Iterable[Piece],
    files: FileMap,
    trees: Sequence[int],
    objects: Objects,
    searched: Callable[[], Set[bytes]],
) -> Held:
    """Return the trees that contain the pieces of code.

    `trees` are numbers of the map, in an order in which neighbours differ little. `searched`
    returns the raw ids of the blobs of the tree that the pieces are from. For a piece that no tree
    is known to contain, the tree nearest to that one counts as its neighbour.
    """
    mask = sum(1 << tree for tree in set(trees))
    searches = [_Search(piece, files, mask) for piece in pieces]
    reader = _Reader(objects, searches)
    reader.look()
    if trees and not all(search.bits for search in searches):
        blobs = searched()
        rows = files.without(files.nearest(blobs, trees), blobs)
        for search in searches:
            if not search.bits:
                search.look_beyond(rows, None)
        reader.look()
    edges: dict[_Edge, list[int]] = {}
    while any([search.look_at_edges(trees, edges) for search in searches]):
        reader.look()
    bits = [search.bits for search in searches]
    bounded = sum(search.is_bounded for search in searches)
    return Held(bits, len(reader.seen), len(reader.unread), bounded)


class _Edge(NamedTuple):
    """Neighbouring trees of which one is known to contain a piece."""

    holding: int
    lacking: int


class _Reader:
    """Reads the blobs that searches request, each once for all of them."""

    def __init__(self, objects: Objects, searches: Sequence[_Search]) -> None:
        self._objects = objects
        self._searches = searches
        self.seen = {search.piece.blob for search in searches}
        self.unread: set[Oid] = set()

    def look(self) -> None:
        """Read until no search requests more."""
        while wanted := self._wanted():
            self.seen |= wanted.keys()
            for blob, data in self._objects.read_many(wanted):
                if data is None:
                    self.unread.add(blob)
                text = (chunk.text_of(data) if data else None) or b""
                for search in wanted[blob]:
                    if line_of(search.piece.code, text):
                        search.holds(blob)

    def _wanted(self) -> dict[Oid, list[_Search]]:
        found: dict[Oid, list[_Search]] = {}
        for search in self._searches:
            for blob in search.next_blobs():
                found.setdefault(blob, []).append(search)
        return found


class _Search:
    """The search for one piece of code in the files of many refs."""

    def __init__(self, piece: Piece, files: FileMap, mask: int) -> None:
        self.piece = piece
        self.bits = 0
        self._files = files
        self._mask = mask
        self._seen: set[Oid] = {piece.blob}
        self._rows: set[int] = set()
        self._edges: set[_Edge] = set()
        self._bounded: set[_Edge | None] = set()
        """Edges at which not all files were searched; None for the tree of the search."""
        for path in piece.paths:
            self._rows.update(files.like_path(path, mask))
        self.holds(piece.blob)

    @property
    def is_bounded(self) -> bool:
        """Return whether a tree may contain the piece in a file that was not searched."""
        return any(
            not (self.bits >> edge.lacking & 1 if edge else self.bits) for edge in self._bounded
        )

    def next_blobs(self) -> list[Oid]:
        """Return the blobs to search next, each once."""
        rows, self._rows = self._rows, set()
        new = {self._files.blob(row) for row in rows} - self._seen
        self._seen |= new
        return sorted(new)

    def look_at_edges(self, trees: Sequence[int], known: dict[_Edge, list[int]]) -> bool:
        """Schedule the files that differ where the piece appears or disappears, unless searched
        already; return whether there are any. `known` are the rows of edges that any search used.
        """
        found = False
        for before, after in pairwise(trees):
            had, has = self.bits >> before & 1, self.bits >> after & 1
            edge = _Edge(before, after) if had else _Edge(after, before)
            if had == has or edge in self._edges:
                continue
            found = True
            self._edges.add(edge)
            if edge not in known:
                known[edge] = self._files.only_in(edge.lacking, edge.holding)
            self.look_beyond(known[edge], edge)
        return found

    def look_beyond(self, rows: Sequence[int], edge: _Edge | None) -> None:
        """Schedule the files of any name, if they are few; else those in the folders of the
        piece.
        """
        if len(rows) > MOST_ELSEWHERE:
            self._bounded.add(edge)
            folders = (path.rpartition(b"/")[0] for path in self.piece.paths)
            rows = self._files.in_folders(rows, folders)
        self._rows.update(rows[:MOST_ELSEWHERE])

    def holds(self, blob: Oid) -> None:
        """Record that a blob contains the piece, and schedule files with its names."""
        for row in self._files.of_blob(blob, self._mask):
            self.bits |= self._files.bits(row) & self._mask
            self._rows.update(self._files.like_row(row, self._mask))
