"""Tests that sign bits in memory give the same nearest chunks as the store."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragit.errors import StoreUnreadable
from ragit.search import sign_bits
from ragit.search.sign_bits import SignBits
from ragit.store import Store, chunk_id

CHUNKINGS = range(1, 41)
DIMENSIONS = 128
SIZE = DIMENSIONS // 8


def vector(chance: random.Random) -> bytes:
    """Return few different bits, so that many chunks are equally near."""
    return bytes(chance.choice((0, 255, 15)) for _ in range(SIZE))


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[tuple[Store, int]]:
    """Return a store with the vectors of an embedder; every third chunking has none."""
    chance = random.Random(1)
    rows = [
        (chunk_id(chunking, at), vector(chance))
        for chunking in CHUNKINGS
        for at in range(chance.randint(0, 20) if chunking % 3 else 0)
    ]
    with Store(tmp_path / "index.db", writable=True) as store:
        with store.writing():
            number = store.add_embedder("one", DIMENSIONS)
            store._db.executemany(f"INSERT INTO vec_bit_{number} VALUES(?,?)", rows)
        assert store.has_vectors
        yield store, number


@pytest.mark.parametrize("max_bytes", [1 << 20, 100 * SIZE])
def test_nearest_chunks_equal_those_of_the_store(
    stored: tuple[Store, int], monkeypatch: pytest.MonkeyPatch, max_bytes: int
) -> None:
    monkeypatch.setattr(sign_bits, "MOST_BYTES", max_bytes)
    store, number = stored
    chance, memory, in_memory = random.Random(2), SignBits(), 0
    members: list[int] = []
    for turn in range(60):
        if turn % 3 == 0:  # several queries about one tree
            members = sorted(chance.sample(CHUNKINGS, chance.randint(0, len(CHUNKINGS))))
        bits, limit = vector(chance), chance.choice((1, 5, 50, 1000))
        wanted = [chunk for chunk, _ in store.nearest(bits, members, number, limit)]
        found = memory.nearest(store, bits, members, (number, f"embedder {turn // 20}"), limit)
        if found is not None:
            assert sorted(found) == sorted(wanted)
            in_memory += 1
        assert memory._words.nbytes <= max_bytes
    assert in_memory == 60 if max_bytes > 1000 * SIZE else 0 < in_memory < 60


def test_vectors_of_another_length_are_left_to_the_store(stored: tuple[Store, int]) -> None:
    store, number = stored
    assert SignBits().nearest(store, bytes(SIZE - 1), [1], (number, "one"), 5) is None


def test_damaged_vector_is_an_error(stored: tuple[Store, int]) -> None:
    store, number = stored
    with store.writing():
        store._db.execute(f"INSERT INTO vec_bit_{number} VALUES(?, x'00')", (chunk_id(50, 0),))
    with pytest.raises(StoreUnreadable):
        SignBits().nearest(store, bytes(SIZE), [50], (number, "one"), 5)
