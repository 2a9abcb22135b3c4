"""Verify a whole store: pages, trees of pages, the full-text index, and rows against each other."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from ragit.store.rows import (
    CHUNK_COLUMNS,
    DamagedRow,
    checked,
    chunk_row,
    unpacked_oid,
    unpacking,
)
from ragit.store.schema import ORDINAL_BITS
from ragit.store.snapshots import Snapshots

_COUNTS = {
    "files whose chunks are not all there": f"""
        SELECT count(*) FROM chunking WHERE chunks !=
        (SELECT count(*) FROM chunk WHERE id >= chunking.id << {ORDINAL_BITS}
         AND id < (chunking.id + 1) << {ORDINAL_BITS})
    """,
    "files whose words are not there": """
        SELECT count(*) FROM chunking
        WHERE chunks > 0 AND id NOT IN (SELECT chunking FROM forward)
    """,
    "chunks of no file": f"""
        SELECT count(*) FROM chunk WHERE id >> {ORDINAL_BITS} NOT IN (SELECT id FROM chunking)
    """,
    "texts of no file": """
        SELECT count(*) FROM derived WHERE chunking NOT IN (SELECT id FROM chunking)
    """,
    "references of no file": """
        SELECT count(*) FROM reference WHERE chunking NOT IN (SELECT id FROM chunking)
    """,
    "word lists of no file": """
        SELECT count(*) FROM forward WHERE chunking NOT IN (SELECT id FROM chunking)
    """,
    "descriptions by no one": """
        SELECT count(*) FROM description WHERE describer NOT IN (SELECT id FROM describer)
    """,
}
"""Each kind of defect, with the query that counts it."""

_VECTORS = """
    SELECT count(*) FROM chunk CROSS JOIN embedded
    ON embedder = {number} AND chunking = chunk.id >> {bits}
    WHERE NOT EXISTS(
        SELECT 1 FROM vec_bit_{number} AS bit CROSS JOIN vec_i8_{number} AS byte
        ON byte.chunk = bit.chunk
        WHERE bit.chunk = chunk.id AND length(bit.v) = {bytes} AND length(byte.v) = {dimensions}
    )
"""


def problems(db: apsw.Connection, *, writable: bool) -> Iterator[str]:
    """Yield the defects of a store; the full-text index is checked only if it is `writable`."""
    yield from (line for (line,) in db.execute("PRAGMA integrity_check(20)") if line != "ok")
    if writable:
        try:
            db.execute("INSERT INTO term(term, rank) VALUES('integrity-check', 0)")
        except apsw.CorruptError as error:
            yield f"full-text table: {error}"
    for what, sql in _COUNTS.items():
        if count := db.execute(sql).get:
            yield f"{count} {what}"
    embedders = db.execute("SELECT id, dimensions FROM embedder").fetchall()
    for number, dimensions in (checked(row, (int, int)) for row in embedders):
        sizes = {"bytes": (dimensions + 7) // 8, "dimensions": dimensions}
        sql = _VECTORS.format(number=number, bits=ORDINAL_BITS, **sizes)
        if count := db.execute(sql).get:
            yield f"{count} chunks without a vector of the right length"
    yield from _unreadable(db)


def _unreadable(db: apsw.Connection) -> Iterator[str]:
    """Read every row as a search would."""
    from ragit.references import checked as checked_references

    try:
        known = set()
        for number, oid, *names in db.execute(
            "SELECT id, oid, language, fingerprint FROM chunking"
        ):
            known.add(number)
            unpacked_oid(oid)
            checked(tuple(names), (str, str))
        for row in db.execute(f"SELECT {CHUNK_COLUMNS} FROM chunk"):
            chunk_row(row)
        with unpacking():
            for table, column in (("forward", "terms"), ("derived", "text")):
                for row in db.execute(f"SELECT {column} FROM {table}"):
                    zlib.decompress(*checked(row, (bytes,)))
            for row in db.execute("SELECT packed FROM reference"):
                checked_references(*checked(row, (bytes,)))
        for tree in Snapshots(db, Path(db.filename)).all():
            if not known.issuperset(tree.chunkings):
                yield "a cached tree names a file that is not there"
                break
    except DamagedRow as error:
        yield str(error)
