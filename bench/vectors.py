"""Measure the scan of sign bits that finds a query's nearest chunks.

    python bench/vectors.py [--chunks 1000000] [--repeat 9]

The vectors are made up, since their number matters, and their distances hardly. They are written to
a store in a temporary folder. Prints the processor time of `Store.nearest` for the 400 nearest of
all, as in a search, and its parts for reading rows and for comparing bits.

Needs the Python that ragit is installed in.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ragit.search.sign_bits import SignBits
from ragit.store import Store, chunk_id

BYTES = 32
"""Bytes of a vector's sign bits: the static model has 256 dimensions."""
CHUNKS_OF_A_FILE = 7
NEAREST = 400
"""Number of chunks that a search requests."""


def rows(chunks: int) -> Iterator[tuple[int, bytes]]:
    for number in range(chunks):
        file, ordinal = divmod(number, CHUNKS_OF_A_FILE)
        yield chunk_id(file + 1, ordinal), os.urandom(BYTES)


def median_of(repeat: int, act: Callable[[], object]) -> str:
    """Return the median of an action's processor time."""
    times = []
    for _ in range(repeat):
        started = time.process_time()
        act()
        times.append(time.process_time() - started)
    return f"{statistics.median(times) * 1000:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=9)
    args = parser.parse_args()
    query = random.Random(1).randbytes(BYTES)
    members = range(1, args.chunks // CHUNKS_OF_A_FILE + 2)
    with tempfile.TemporaryDirectory(prefix="ragit-vectors-") as folder:
        path = Path(folder) / "index.db"
        with Store(path, writable=True) as store, store.writing():
            number = store.add_embedder("made up", BYTES * 8)
            sql = f"INSERT INTO vec_bit_{number} VALUES(?,?)"
            store._db.executemany(sql, rows(args.chunks))
        size = path.stat().st_size / 1e6
        with Store(path, writable=False) as store:
            if not store.has_vectors:
                sys.exit("sqlite-vec cannot be loaded here")
            whole = median_of(args.repeat, lambda: store.nearest(query, members, number, NEAREST))
            read = median_of(
                args.repeat,
                lambda: store._db.execute(f"SELECT sum(length(v)) FROM vec_bit_{number}").get,
            )
            of, memory = (number, "made up"), SignBits()
            loaded = median_of(1, lambda: memory.nearest(store, query, members, of, NEAREST))
            kept = median_of(
                args.repeat, lambda: memory.nearest(store, query, members, of, NEAREST)
            )
    print(f"{args.chunks:,} chunks, {size:.0f} MB: nearest {whole}, of it reading rows {read}")
    print(f"in a process that stays {kept}, and {loaded} once")


if __name__ == "__main__":
    main()
