"""Read the chunks of many files at once, to compare trees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, cast

from ragit.store.connect import translated
from ragit.store.nearest import runs
from ragit.store.rows import CHUNK_COLUMNS, ChunkRow, checked, chunk_row_table
from ragit.store.schema import ORDINAL_BITS, chunk_id
from ragit.store.snapshots import Snapshot
from ragit.store.store import Store

_LONGEST = 1 << 62
"""Limit of a run of numbers read at once: no limit."""


def chunk_hashes(store: Store, chunkings: Iterable[int]) -> dict[int, bytes]:
    """Return the hash of every chunk of the chunkings by its number, in order.

    Their type is not checked, since they are only compared: a damaged one equals none.
    """
    found: dict[int, bytes] = {}
    sql = "SELECT id, hash FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id"
    with translated(store.path):
        for first, last in runs(sorted(chunkings), _LONGEST):
            span = (chunk_id(first, 0), chunk_id(last + 1, 0) - 1)
            found.update(cast("Iterable[tuple[int, bytes]]", store._db.execute(sql, span)))
    return found


def chunk_rows(store: Store, chunks: Iterable[int]) -> dict[int, ChunkRow]:
    """Return chunk rows by number, in order; missing ones are left out.

    Neighbours are read together, which takes half the time of `Store.chunks`.
    """
    rows: list[tuple[Any, ...]] = []
    sql = f"SELECT id, {CHUNK_COLUMNS} FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id"
    with translated(store.path):
        for span in runs(sorted(chunks), _LONGEST):
            rows += store._db.execute(sql, span)
        return chunk_row_table(rows)


def holders(store: Store, hashes: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield (hash, chunking) for every chunk of any tree that has one of these hashes."""
    sql = f"SELECT id >> {ORDINAL_BITS} FROM chunk WHERE hash = ?"
    with translated(store.path):
        for digest in hashes:
            for (chunking,) in store._db.execute(sql, (digest,)):
                yield digest, chunking


def new_chunks(store: Store, old: Snapshot, new: Snapshot) -> dict[int, bytes]:
    """Return the chunks of `new` whose text, with the names around it, is nowhere in `old`, as
    hashes by number.

    Only files that the trees do not share are read. A chunk moved to another file is not new.
    """
    shared = set(old.chunkings) & set(new.chunkings)
    found = chunk_hashes(store, set(new.chunkings) - shared)
    gone = set(chunk_hashes(store, set(old.chunkings) - shared).values())
    fresh = set(found.values()) - gone
    kept = {digest for digest, chunking in holders(store, fresh) if chunking in shared}
    fresh -= kept
    return {chunk: digest for chunk, digest in found.items() if digest in fresh}


def cosines(
    store: Store, embedder: int, pairs: Iterable[tuple[int, int]], least: float
) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of chunks whose vectors have a cosine of at least `least`, with the cosine.

    Left out are pairs with a missing vector, and pairs whose sign bits show that the cosine is far
    below: they differ in a share of about acos(cosine) / pi.
    """
    sql = f"""
        SELECT 1 - vec_distance_cosine(vec_int8(one.v), vec_int8(other.v))
        FROM vec_i8_{embedder} AS one, vec_i8_{embedder} AS other
        WHERE one.chunk = ? AND other.chunk = ?
    """
    wanted = list(pairs)
    bits = _bits(store, {chunk for pair in wanted for chunk in pair}, embedder)
    size = max(map(len, bits.values()), default=0) * 8
    most = size * math.acos(least) / math.pi + _SPREAD * math.sqrt(size)
    signs = {chunk: int.from_bytes(raw, "big") for chunk, raw in bits.items()}
    with translated(store.path):
        for one, other in wanted:
            if one not in signs or other not in signs:
                continue
            if (signs[one] ^ signs[other]).bit_count() <= most:
                cosine = store._db.execute(sql, (one, other)).get
                if cosine is not None and cosine >= least:
                    yield one, other, float(cosine)


_SPREAD = 1.25
"""Number of standard deviations (of a fair coin) by which sign bits may differ from the expected
share; their own deviation is smaller. On two trees of Kafka, 0.8 would lose nothing.
"""


def _bits(store: Store, chunks: Iterable[int], embedder: int) -> dict[int, bytes]:
    """Return the sign bits of chunks' vectors, where there are any."""
    found: dict[int, bytes] = {}
    sql = f"SELECT chunk, v FROM vec_bit_{embedder} WHERE chunk BETWEEN ? AND ?"
    with translated(store.path):
        for span in runs(sorted(chunks), _LONGEST):
            found.update(checked(row, (int, bytes)) for row in store._db.execute(sql, span))
    return found
