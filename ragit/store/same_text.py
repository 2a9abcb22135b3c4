"""Find chunks by what they say: the text with the names around it, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragit.store.connect import translated
from ragit.store.schema import ORDINAL_BITS
from ragit.store.store import Store


def same_text(store: Store, chunks: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield (chunk, chunking) for each chunking of any tree that has the text of a given chunk.

    Its own chunking is among them.
    """
    sql = f"""
        SELECT other.id >> {ORDINAL_BITS} FROM chunk AS one
        CROSS JOIN chunk AS other ON other.hash = one.hash WHERE one.id = ?
    """
    with translated(store.path):
        for chunk in chunks:
            for (chunking,) in store._db.execute(sql, (chunk,)):
                yield chunk, chunking
