"""Find which trees hold pieces of code, by the text of their files. Nothing has to be indexed.

A tree holds a piece if one of these files of it has the piece as whole lines: files that are called
like the piece's own, in any folder, and those that are called like a file known to hold it under
another name. Code that moved to a file of another name is followed only as far as the file moved
as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ragit import chunk
from ragit.git import Objects
from ragit.refs.file_map import FileMap
from ragit.refs.lines import line_of
from ragit.types import Oid


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
    """Those of them that git could not read."""


def trees_with(pieces: Iterable[Piece], files: FileMap, mask: int, objects: Objects) -> Held:
    """Return which trees of a map, of those in `mask`, hold some pieces of code."""
    searches = [_Search(piece, files, mask) for piece in pieces]
    seen = {search.piece.blob for search in searches}
    unread: set[Oid] = set()
    while wanted := _next_blobs(searches):
        seen |= wanted.keys()
        for blob, data in objects.read_many(wanted):
            if data is None:
                unread.add(blob)
            text = (chunk.text_of(data) if data else None) or b""
            for search in wanted[blob]:
                if line_of(search.piece.code, text):
                    search.holds(blob)
    return Held([search.bits for search in searches], len(seen), len(unread))


def _next_blobs(searches: Iterable[_Search]) -> dict[Oid, list[_Search]]:
    """Return the blobs to look at next, with the searches that need them."""
    wanted: dict[Oid, list[_Search]] = {}
    for search in searches:
        for blob in search.next_blobs():
            wanted.setdefault(blob, []).append(search)
    return wanted


class _Search:
    """The search for one piece of code in the files of many refs."""

    def __init__(self, piece: Piece, files: FileMap, mask: int) -> None:
        self.piece = piece
        self.bits = 0
        self._files = files
        self._mask = mask
        self._seen: set[Oid] = {piece.blob}
        self._rows: set[int] = set()
        for path in piece.paths:
            self._rows.update(files.like_path(path, mask))
        self.holds(piece.blob)

    def next_blobs(self) -> list[Oid]:
        """Return the blobs to look at next, each of them once."""
        rows, self._rows = self._rows, set()
        new = {self._files.blob(row) for row in rows} - self._seen
        self._seen |= new
        return sorted(new)

    def holds(self, blob: Oid) -> None:
        """Note that a blob has the piece; files that are called like one of its are next."""
        for row in self._files.of_blob(blob, self._mask):
            self.bits |= self._files.bits(row) & self._mask
            self._rows.update(self._files.like_row(row, self._mask))
