"""Find which trees hold pieces of code, by the text of their files. Nothing has to be indexed.

A tree holds a piece if one of these files of it has the piece as whole lines:

* files that are called like the piece's own, in any folder, and those that are called like a file
  known to hold it under another name;
* where a tree holds the piece and a neighbour, in the order that is given, seems not to: files that
  the neighbour has and the tree has not; where these are more than MOST_ELSEWHERE, those in the
  piece's own folder. So code is followed that moved to a file of another name.
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
"""Files of other names that are looked at between two neighbours: reading them takes 50 ms."""


class Piece(NamedTuple):
    """A piece of code, where it stands, and the blob in which it was found."""

    code: bytes
    """In UTF-8."""
    paths: tuple[bytes, ...]
    blob: Oid


class Held(NamedTuple):
    """The trees that hold each piece, and what was read to know it."""

    bits: list[int]
    """For each piece a number whose bits are trees of the map."""
    files: int
    """Different blobs that were looked at."""
    unread: int
    """Blobs among them that git could not read."""
    bounded: int = 0
    """Pieces that were not looked for in all files of some tree that seems to lack them, although
    its neighbour has them: more than MOST_ELSEWHERE differ.
    """


def trees_with(
    pieces: Iterable[Piece],
    files: FileMap,
    trees: Sequence[int],
    objects: Objects,
    searched: Callable[[], Set[bytes]],
) -> Held:
    """Return which trees hold some pieces of code.

    `trees` are numbers of the map, in an order in which neighbours differ little. `searched`
    returns the raw ids of the blobs of the tree that the pieces are from. The nearest tree counts
    as its neighbour for a piece that no tree is known to hold.
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
    """Neighbouring trees of which one is known to hold a piece."""

    holding: int
    lacking: int


class _Reader:
    """Reads the blobs that searches ask for, each once, for all that do."""

    def __init__(self, objects: Objects, searches: Sequence[_Search]) -> None:
        self._objects = objects
        self._searches = searches
        self.seen = {search.piece.blob for search in searches}
        self.unread: set[Oid] = set()

    def look(self) -> None:
        """Read until no search asks for more."""
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
        """Edges at which not all files were looked at; None for the tree of the search."""
        for path in piece.paths:
            self._rows.update(files.like_path(path, mask))
        self.holds(piece.blob)

    @property
    def is_bounded(self) -> bool:
        """Return whether a tree may hold the piece in a file that was not looked at."""
        return any(
            not (self.bits >> edge.lacking & 1 if edge else self.bits) for edge in self._bounded
        )

    def next_blobs(self) -> list[Oid]:
        """Return the blobs to look at next, each of them once."""
        rows, self._rows = self._rows, set()
        new = {self._files.blob(row) for row in rows} - self._seen
        self._seen |= new
        return sorted(new)

    def look_at_edges(self, trees: Sequence[int], known: dict[_Edge, list[int]]) -> bool:
        """Look next at files where the piece comes or goes, as far as it was not looked for there;
        return whether there are any. `known` are the rows of edges that any search looked at.
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
        """Look next at files whatever they are called, if they are few; else at those in the
        folders of the piece.
        """
        if len(rows) > MOST_ELSEWHERE:
            self._bounded.add(edge)
            folders = (path.rpartition(b"/")[0] for path in self.piece.paths)
            rows = self._files.in_folders(rows, folders)
        self._rows.update(rows[:MOST_ELSEWHERE])

    def holds(self, blob: Oid) -> None:
        """Note that a blob has the piece; files that are called like one of its are next."""
        for row in self._files.of_blob(blob, self._mask):
            self.bits |= self._files.bits(row) & self._mask
            self._rows.update(self._files.like_row(row, self._mask))
