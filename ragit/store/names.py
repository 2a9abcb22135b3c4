"""Read the names that files define and refer to."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from ragit.store.connect import translated
from ragit.store.rows import (
    CHUNK_COLUMNS,
    ChunkRow,
    checked,
    chunk_row,
    unpack_definitions,
    unpacking,
)
from ragit.store.schema import ORDINAL_BITS, chunk_id
from ragit.types import Definition

if TYPE_CHECKING:
    from ragit.references import References


class StoredNames:
    """The names in the chunkings of one open store."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def references(self, chunkings: Iterable[int]) -> dict[int, References]:
        """Return the references of chunkings; those whose language has no rules are left out.

        They depend on the file alone: `of(name)` gives the references to a name, `all()` every one,
        `imports` the imports. Raises StoreUnreadable for a damaged row.
        """
        from ragit.references import References  # a search needs none

        sql = "SELECT packed FROM reference WHERE chunking = ?"
        with translated(self._path):
            rows = ((c, self._db.execute(sql, (c,)).fetchone()) for c in chunkings)
            with unpacking():
                return {c: References(*checked(row, (bytes,))) for c, row in rows if row}

    def defined(self, chunkings: Iterable[int]) -> Iterator[tuple[int, str, str]]:
        """Yield the definitions of chunkings as (chunking, name, kind), in order."""
        sql = "SELECT definitions FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id"
        with translated(self._path):
            for chunking in chunkings:
                span = (chunk_id(chunking, 0), chunk_id(chunking + 1, 0) - 1)
                for row in self._db.execute(sql, span):
                    with unpacking():
                        for line in checked(row, (str,))[0].splitlines():
                            _, kind, name = line.split("\t")
                            yield chunking, name, kind

    def definitions(
        self, chunkings: Container[int]
    ) -> Iterator[tuple[int, tuple[Definition, ...]]]:
        """Yield the definitions of each chunk of the chunkings, with the chunking, in order."""
        sql = "SELECT id, start_line, definitions FROM chunk WHERE definitions != '' ORDER BY id"
        with translated(self._path):
            for row in self._db.execute(sql):
                number, start_line, packed = checked(row, (int, int, str))
                if number >> ORDINAL_BITS in chunkings:
                    with unpacking():
                        found = unpack_definitions(packed, start_line)
                    yield number >> ORDINAL_BITS, found

    def defining(self, chunkings: Iterable[int], name: str) -> dict[int, list[ChunkRow]]:
        """Return chunks by chunking that may define a name; chunkings without any are left out."""
        sql = f"""
            SELECT {CHUNK_COLUMNS} FROM chunk
            WHERE id BETWEEN ? AND ? AND instr(definitions, char(9) || ?) ORDER BY id
        """
        found = {}
        with translated(self._path):
            for chunking in chunkings:
                span = (chunk_id(chunking, 0), chunk_id(chunking + 1, 0) - 1)
                rows = self._db.execute(sql, (*span, name)).fetchall()
                if rows:
                    found[chunking] = [chunk_row(row) for row in rows]
        return found
