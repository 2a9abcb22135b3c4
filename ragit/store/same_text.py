"""Find chunks with the same text and the same names around it, in any file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragit.store.connect import translated
from ragit.store.schema import ORDINAL_BITS
from ragit.store.store import Store


def same_text(store: Store, chunks: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield (chunk, chunking) for each chunking of any tree that has the text of a chunk.

    The chunk's own chunking is included.
    """
    sql = f"""
        SELECT other.id >> {ORDINAL_BITS} FROM chunk AS one
        CROSS JOIN chunk AS other ON other.hash = one.hash WHERE one.id = ?
    """
    with translated(store.path):
        for chunk in chunks:
            for (chunking,) in store._db.execute(sql, (chunk,)):
                yield chunk, chunking
