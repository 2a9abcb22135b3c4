"""The store's queries for vectors, and for the names of ranked chunks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from pathlib import Path

import apsw

from ragit.store.connect import translated
from ragit.store.nearest import SPAN, closest, runs
from ragit.store.rows import DamagedRow, checked_rows, number_list
from ragit.store.schema import chunk_id

LISTED = "(SELECT value AS number FROM json_each(?))"
"""A table of the numbers from `number_list`."""

_NAMED = (int, str, str, str, str, int)
"""Types of the columns read by `named`."""


class VectorQueries:
    """The part of an open store that reads vectors, and the names of ranked chunks."""

    path: Path
    _db: apsw.Connection

    def nearest(
        self, bits: bytes, members: Iterable[int], embedder: int, limit: int
    ) -> list[tuple[int, int]]:
        """Return (chunk, differing sign bits) of the `limit` chunks nearest to a query.

        `members` are the chunkings to scan, in ascending order. All ties with the last chunk are
        returned too: a cut among equals would depend on the order of insertion.
        """
        sql = f"""
            SELECT chunk, vec_distance_hamming(vec_bit(v), vec_bit(?1)) AS distance
            FROM vec_bit_{embedder} WHERE chunk BETWEEN ?2 AND ?3
        """
        near: list[tuple[int, int]] = []
        bound = 1 << 30
        with translated(self.path):
            for first, last in runs(members, SPAN):
                span = (bits, chunk_id(first, 0), chunk_id(last + 1, 0) - 1)
                near.extend(
                    self._db.execute(f"SELECT * FROM ({sql}) WHERE distance <= ?4", (*span, bound))
                )
                if len(near) > 2 * limit:
                    near, bound = closest(near, limit)
        return closest(near, limit)[0]

    def sign_bits(
        self, members: Iterable[int], embedder: int, size: int
    ) -> tuple[list[int], bytes]:
        """Return the numbers of the chunks of some chunkings, in ascending order as these, and the
        sign bits of all, `size` bytes of each.
        """
        sql = f"SELECT chunk, v FROM vec_bit_{embedder} WHERE chunk BETWEEN ? AND ? ORDER BY chunk"
        numbers: list[int] = []
        bits: list[bytes] = []
        with translated(self.path):
            for first, last in runs(members, SPAN):
                span = (chunk_id(first, 0), chunk_id(last + 1, 0) - 1)
                for number, of in self._db.execute(sql, span):
                    numbers.append(number)
                    bits.append(of)
            if set(map(type, bits)) - {bytes} or set(map(len, bits)) - {size}:
                raise DamagedRow("a vector has the wrong type or length")
        return numbers, b"".join(bits)

    def similarities(self, vector: bytes, chunks: Iterable[int], embedder: int) -> dict[int, float]:
        """Return the cosine of chunks with a query's byte vector, from -1 to 1."""
        sql = f"""
            SELECT chunk, 1 - vec_distance_cosine(vec_int8(v), vec_int8(?))
            FROM json_each(?) CROSS JOIN vec_i8_{embedder} ON chunk = value
        """
        with translated(self.path):
            found = self._db.execute(sql, (vector, number_list(chunks)))
            return {chunk: cosine for chunk, cosine in found if cosine is not None}

    def similarities_within(
        self, vector: bytes, chunkings: Iterable[int], embedder: int
    ) -> dict[int, list[float]]:
        """Return the cosines of all chunks of the chunkings, in the order of the chunks."""
        sql = f"""
            SELECT 1 - vec_distance_cosine(vec_int8(v), vec_int8(?)) FROM vec_i8_{embedder}
            WHERE chunk BETWEEN ? AND ? ORDER BY chunk
        """
        with translated(self.path):
            return {
                chunking: [
                    cosine or 0.0  # NULL for a vector without direction
                    for (cosine,) in self._db.execute(
                        sql, (vector, chunk_id(chunking, 0), chunk_id(chunking + 1, 0) - 1)
                    )
                ]
                for chunking in chunkings
            }

    def vectors_of(
        self, hashes: Iterable[bytes], embedder: int | None, described: Set[bytes] | None = None
    ) -> dict[bytes, tuple[bytes, bytes]]:
        """Return stored vectors (bits, bytes) by the hash of the embedded text.

        If an embedder's vectors include descriptions, `described` are the hashes that have one. For
        these, only vectors with the description are returned; for others, only those without.
        """
        if embedder is None:
            return {}
        sql = f"""
            SELECT b.v, i.v FROM chunk
            CROSS JOIN vec_bit_{embedder} b ON b.chunk = chunk.id
            CROSS JOIN vec_i8_{embedder} i ON i.chunk = chunk.id
            WHERE chunk.hash = ?
        """
        if described is not None:
            sql += (
                " AND EXISTS(SELECT 1 FROM undescribed WHERE embedder = ? AND chunk = chunk.id) = ?"
            )
        found = {}
        with translated(self.path):
            for digest in hashes:
                kind = () if described is None else (embedder, digest not in described)
                row = self._db.execute(sql + " LIMIT 1", (digest, *kind)).fetchone()
                if row:
                    found[digest] = row
        return found

    def named(self, numbers: Collection[int]) -> dict[int, tuple[str, str, str, str, int]]:
        """Return (kind, symbol, parent, signature, lines) of chunks, by number.

        Names are read of many more chunks than are shown: whole rows would take twice as long.
        """
        sql = f"""
            SELECT id, kind, symbol, parent, signature, end_line - start_line + 1
            FROM {LISTED} CROSS JOIN chunk ON id = number
        """
        with translated(self.path):
            rows = self._db.execute(sql, (number_list(numbers),)).fetchall() if numbers else []
            return {row[0]: row[1:] for row in checked_rows(rows, _NAMED, len(numbers))}
