"""Read what files define and refer to by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import apsw

from ragit.store.connect import translated
from ragit.store.rows import CHUNK_COLUMNS, ChunkRow, chunk_id, chunk_row


class Names:
    """The names in the chunkings of one open store."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def defining(self, chunkings: Iterable[int], name: str) -> dict[int, list[ChunkRow]]:
        """Return chunks by chunking that may define a name; those without any are left out."""
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
