"""The queries of the store, each in a method of its own."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import cast

from ragit.errors import EmbedderUnavailable, StoreFull
from ragit.postings import COLUMN_BITS, COLUMNS, Forward
from ragit.remembered import Remembered
from ragit.store import checksums, schema
from ragit.store.connect import (
    BUSY_MS,
    connect,
    connect_in_place,
    load_vector_functions,
    one_state,
    transaction,
    translated,
)
from ragit.store.descriptions import Descriptions
from ragit.store.names import StoredNames
from ragit.store.rows import (
    CHUNK_COLUMNS,
    ChunkRow,
    DamagedRow,
    NewChunking,
    StoredChunking,
    StoreInfo,
    checked,
    chunk_row,
    chunk_row_table,
    number_list,
    unpacked_oid,
    unpacking,
)
from ragit.store.schema import chunk_id
from ragit.store.snapshots import Snapshots
from ragit.store.states import States
from ragit.store.vector_queries import LISTED, VectorQueries
from ragit.types import DEFERRED, Oid

_COLUMN = " ".join(f"WHEN '{name}' THEN {number}" for number, name in enumerate(COLUMNS))
_OCCURRENCE = f"doc << {COLUMN_BITS} | CASE col {_COLUMN} END"

MOST_CHUNKS = 1 << schema.ORDINAL_BITS
"""Limit of chunks in a chunking, by the bits of their numbers."""

_FOUND = (int, int, str, int, int)
"""Types of the columns read by `find`."""

FORWARD_BYTES = 64 << 20
"""Limit of unpacked words that an open store remembers, in bytes."""

REMEMBERED_ROWS = 16_384
"""Limit of chunk rows that an open store remembers, of some 500 bytes each."""


class Store(VectorQueries):
    """An open store. Close it, or use it in a `with`."""

    def __init__(self, path: Path, *, writable: bool, wait_ms: int = BUSY_MS) -> None:
        self.path = path
        self.writable = writable
        self._db = connect(path, writable=writable, wait_ms=wait_ms)

    @classmethod
    @contextmanager
    def in_place(cls, path: Path) -> Iterator[Store]:
        """Open a store on a full disk, to delete from it. Raises StoreFull if that is unsafe.

        Descriptions cost money, so a store with descriptions is not changed without a journal.
        """
        store = cls.__new__(cls)
        store.path, store.writable = path, True
        store._db = connect_in_place(path)
        try:
            if next(store.descriptions.all(), None) is not None:
                raise StoreFull(f"the disk of {path} is full", "Free some space, and try again")
            yield store
            with translated(path):
                store._db.pragma("journal_mode", "wal")
        finally:
            store.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._db.close()

    def data_version(self) -> int:
        """Return a number that changes when another connection writes to the store."""
        with translated(self.path):
            return int(self._db.pragma("data_version"))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the store inside, whatever others write."""
        with translated(self.path), one_state(self._db):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write in one transaction: all or nothing is kept."""
        with translated(self.path), transaction(self._db):
            yield

    @cached_property
    def has_vectors(self) -> bool:
        """Return whether this platform has sqlite-vec."""
        return load_vector_functions(self._db)

    # -- chunkings

    def embedder(self, fingerprint: str) -> int | None:
        """Return the number of an embedder; None if no vector of it is stored."""
        with translated(self.path):
            number: int | None = self._db.execute(
                "SELECT id FROM embedder WHERE fingerprint = ?", (fingerprint,)
            ).get
            return number

    def embedders(self) -> dict[str, int]:
        """Return the numbers of all embedders with stored vectors, by fingerprint."""
        with translated(self.path):
            return dict(self._db.execute("SELECT fingerprint, id FROM embedder ORDER BY id"))

    def add_embedder(self, fingerprint: str, dimensions: int, mark: bytes = b"") -> int:
        """Add an embedder unless it exists, and its mark if it has none; return its number.

        Call it inside `writing`. Raises EmbedderUnavailable like `check_dimensions`.
        """
        number = schema.add_embedder(self._db, fingerprint, dimensions)
        self.check_dimensions(number, dimensions)
        if mark:
            self._db.execute(
                "UPDATE embedder SET mark = ? WHERE id = ? AND mark = x''", (mark, number)
            )
        return number

    def mark(self, embedder: int) -> bytes:
        """Return an embedder's vector of the probe text (float32); empty if unknown."""
        with translated(self.path):
            sql = "SELECT mark FROM embedder WHERE id = ?"
            mark: bytes = checked(self._db.execute(sql, (embedder,)).fetchone() or (), (bytes,))[0]
            return mark

    def check_dimensions(self, embedder: int, dimensions: int) -> None:
        """Raise EmbedderUnavailable if the stored vectors of an embedder have another length."""
        with translated(self.path):
            stored: int = self._db.execute(
                "SELECT dimensions FROM embedder WHERE id = ?", (embedder,)
            ).get
            if type(stored) is not int:
                raise DamagedRow("an embedder has no length of vectors")
        if stored != dimensions:
            raise EmbedderUnavailable(
                f"the embedder gives {dimensions} dimensions now, "
                f"and the stored vectors have {stored}",
                "Name the model that it is now (embedding.model), or type: ragit index --rebuild",
            )

    def find(
        self, keys: Iterable[tuple[Oid, str, str]], embedder: int | None
    ) -> Iterator[StoredChunking | None]:
        """Return the stored chunking of each (oid, language, fingerprint); None if there is
        none.
        """
        sql = """
            SELECT id, length, skipped, chunks,
                   chunks = 0 OR EXISTS(
                       SELECT 1 FROM embedded WHERE embedder = ? AND chunking = chunking.id
                   )
            FROM chunking WHERE oid = ? AND language = ? AND fingerprint = ?
        """
        with translated(self.path):
            for oid, language, fingerprint in keys:
                row = self._db.execute(
                    sql, (embedder, bytes.fromhex(oid), language, fingerprint)
                ).fetchone()
                if row is None:
                    yield None
                else:
                    number, length, skipped, chunks, embedded = checked(row, _FOUND)
                    if length < 0 or chunks not in range(MOST_CHUNKS + 1):
                        raise DamagedRow("a file has a number of words or chunks that none has")
                    yield StoredChunking(number, length, skipped, chunks, bool(embedded))

    def add(self, new: NewChunking, embedder: int | None) -> bool:
        """Store a chunking, or only its vectors if the rest exists.

        Return True if it replaces a deferred one: the caller then has to forget cached trees with
        such a reason. Call it inside `writing`.
        """
        key = (bytes.fromhex(new.oid), new.language, new.fingerprint)
        found = self._db.execute(
            "SELECT id, skipped FROM chunking WHERE oid = ? AND language = ? AND fingerprint = ?",
            key,
        ).fetchone()
        replaces = found is not None and found[1] in DEFERRED
        if found is not None and replaces:
            schema.drop_chunkings(self._db, [found[0]])
        chunking = found[0] if found is not None and not replaces else self._add_chunking(key, new)
        if embedder is not None and new.vectors is not None:
            self._add_vectors(chunking, new, new.vectors, embedder)
        return replaces

    def _add_chunking(self, key: tuple[bytes, str, str], new: NewChunking) -> int:
        db = self._db
        db.execute(
            "INSERT INTO chunking(oid, language, fingerprint, resolved, skipped, chunks, length) "
            "VALUES(?,?,?,?,?,?,?)",
            (*key, new.resolved, new.skipped, len(new.chunks), new.length),
        )
        chunking = db.last_insert_rowid()
        if new.chunks:
            first = chunk_id(chunking, 0)
            db.executemany(
                "INSERT INTO chunk VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                ((first + i, *row) for i, row in enumerate(new.chunks)),
            )
            db.execute("INSERT INTO forward VALUES(?,?)", (chunking, new.forward))
            db.execute(
                "INSERT INTO term(rowid, symbol, head, body1, body2, body4, body10) "
                "VALUES(?,?,?,?,?,?,?)",
                (chunking, *new.columns),
            )
            if new.references:
                db.execute("INSERT INTO reference VALUES(?,?)", (chunking, new.references))
            if new.derived:
                db.execute("INSERT INTO derived VALUES(?,?)", (chunking, new.derived))
        return chunking

    def _add_vectors(
        self, chunking: int, new: NewChunking, vectors: Sequence[tuple[bytes, bytes]], embedder: int
    ) -> None:
        first = chunk_id(chunking, 0)
        self._db.execute("INSERT OR IGNORE INTO embedded VALUES(?,?)", (embedder, chunking))
        if self._db.changes():
            for kind, column in (("bit", 0), ("i8", 1)):
                self._db.executemany(
                    f"INSERT OR IGNORE INTO vec_{kind}_{embedder} VALUES(?,?)",
                    ((first + i, vector[column]) for i, vector in enumerate(vectors)),
                )
            self.descriptions.lack(embedder, [first + i for i in new.undescribed])
        lacking = frozenset(new.undescribed)
        rows = enumerate(zip(new.chunks, vectors, strict=True))
        self.descriptions.replace_undescribed(
            embedder, {row.hash: vector for i, (row, vector) in rows if i not in lacking}
        )

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of chunks and images."""
        return Descriptions(self._db, self.path)

    @property
    def names(self) -> StoredNames:
        """The definitions and references of the chunkings."""
        return StoredNames(self._db, self.path)

    @cached_property
    def snapshots(self) -> Snapshots:
        """The cached trees."""
        return Snapshots(self._db, self.path)

    @property
    def states(self) -> States:
        """The uncommitted states of working trees."""
        return States(self._db, self.path)

    def keys_of(self, chunkings: Iterable[int]) -> list[tuple[Oid, str, str]]:
        """Return (oid, language, fingerprint) of chunkings."""
        sql = "SELECT oid, language, fingerprint FROM chunking WHERE id = ?"
        with translated(self.path):
            rows = (row for c in chunkings for row in self._db.execute(sql, (c,)))
            return [
                (unpacked_oid(oid), *checked((language, fingerprint), (str, str)))
                for oid, language, fingerprint in rows
            ]

    def last_chunking(self) -> int:
        """Return the number of the newest chunking, even if deleted since."""
        with translated(self.path):
            return (
                self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunking'").get or 0
            )

    def has_chunks(self) -> bool:
        """Return whether any chunk is stored."""
        with translated(self.path):
            return bool(self._db.execute("SELECT EXISTS(SELECT 1 FROM chunk)").get)

    def chunk_count(self, chunkings: Iterable[int]) -> int:
        """Return the number of chunks in these chunkings; deleted ones do not count."""
        with translated(self.path):
            counts = dict(self._db.execute("SELECT id, chunks FROM chunking"))
            with unpacking():
                return sum(counts.get(chunking, 0) for chunking in chunkings)

    # -- search

    def occurrences(self, term: str) -> list[int]:
        """Return the occurrences of a term in any tree: `chunking << COLUMN_BITS | index in
        postings.COLUMNS` for each chunking and column, which is read faster than two columns.
        """
        return self._numbers(f"SELECT {_OCCURRENCE} FROM term_instance WHERE term = ?", term)

    def holding(self, term: str, column: str = "") -> set[int]:
        """Return the chunkings, of any tree, that contain a term: in a column or in any."""
        sql = "SELECT doc FROM term_instance WHERE term = ?1 AND (?2 = '' OR col = ?2)"
        return set(self._numbers(sql, term, column))

    def _numbers(self, sql: str, *values: str) -> list[int]:
        """Return the only column of a query's rows."""
        with translated(self.path):
            found = self._db.execute(sql, values).get
        if found is None:
            return []
        return cast("list[int]", found if isinstance(found, list) else [found])

    def terms_from(self, prefix: str) -> Iterator[str]:
        """Yield the terms of any tree that begin with `prefix`, in order."""
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary "
            "USING fts5vocab('main', 'term', 'row')"
        )
        last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        with translated(self.path):
            sql = "SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ?"
            yield from (term for (term,) in self._db.execute(sql, (prefix, last)))

    def forward(self, chunkings: Iterable[int]) -> dict[int, Forward]:
        """Return the packed words of chunkings. Raises StoreUnreadable if one is missing.

        An open store remembers the last ones unpacked: a chunking never changes.
        """
        with translated(self.path):
            return {c: self._forwards.get(c) or self._unpack_forward(c) for c in chunkings}

    def _unpack_forward(self, chunking: int) -> Forward:
        row = self._db.execute("SELECT terms FROM forward WHERE chunking = ?", (chunking,))
        forward = Forward(checked(row.fetchone() or (), (bytes,))[0])
        self._forwards.add(chunking, forward, forward.size)
        return forward

    @cached_property
    def _forwards(self) -> Remembered[int, Forward]:
        return Remembered(FORWARD_BYTES)

    def chunks(self, ids: Iterable[int]) -> dict[int, ChunkRow]:
        """Return chunk rows by number. Raises StoreUnreadable if one is missing.

        An open store remembers the last ones: a chunk never changes.
        """
        wanted = list(ids)
        known = {number: self._rows.get(number) for number in wanted}
        new = [number for number, row in known.items() if row is None]
        found = self._read_chunks(new)
        for number, row in found.items():
            self._rows.add(number, row)
        return {number: known[number] or found[number] for number in wanted}

    def _read_chunks(self, numbers: Sequence[int]) -> dict[int, ChunkRow]:
        sql = f"SELECT id, {CHUNK_COLUMNS} FROM {LISTED} CROSS JOIN chunk ON id = number"
        with translated(self.path):
            rows = self._db.execute(sql, (number_list(numbers),)).fetchall() if numbers else []
            found = chunk_row_table(rows)
            if len(found) < len(numbers):
                raise DamagedRow("a chunk is not there")
            return found

    @cached_property
    def _rows(self) -> Remembered[int, ChunkRow]:
        return Remembered(REMEMBERED_ROWS)

    def chunks_of(self, chunking: int) -> dict[int, ChunkRow]:
        """Return all chunk rows of a chunking by number, in order."""
        sql = f"SELECT id, {CHUNK_COLUMNS} FROM chunk WHERE id >= ? AND id < ? ORDER BY id"
        first, after = chunk_id(chunking, 0), chunk_id(chunking + 1, 0)
        with translated(self.path):
            rows = self._db.execute(sql, (first, after))
            return {number: chunk_row(tuple(row)) for number, *row in rows}

    def derived(self, chunkings: Iterable[int]) -> dict[int, bytes]:
        """Return the texts extracted from documents; chunkings of plain text are left out."""
        sql = "SELECT text FROM derived WHERE chunking = ?"
        with translated(self.path):
            rows = ((c, row) for c in chunkings for row in self._db.execute(sql, (c,)))
            with unpacking():
                return {c: zlib.decompress(*row) for c, row in rows}

    def blobs(self, chunkings: Iterable[int]) -> dict[int, tuple[Oid, str]]:
        """Return the blob and the language (as resolved from its content) of chunkings."""
        sql = "SELECT oid, resolved FROM chunking WHERE id = ?"
        with translated(self.path):
            rows = ((c, self._db.execute(sql, (c,)).fetchone() or ()) for c in chunkings)
            return {c: (unpacked_oid(*row[:1]), *checked(row[1:], (str,))) for c, row in rows}

    def languages(self) -> dict[int, str]:
        """Return the language of every chunking."""
        with translated(self.path):
            rows = self._db.execute("SELECT id, resolved FROM chunking")
            return dict(checked(row, (int, str)) for row in rows)

    # -- upkeep

    def all_keys(self) -> Iterator[tuple[int, Oid, str, str]]:
        """Yield every chunking as (number, blob, language, fingerprint)."""
        with translated(self.path):
            for chunking, oid, language, fingerprint in self._db.execute(
                "SELECT id, oid, language, fingerprint FROM chunking"
            ):
                yield chunking, unpacked_oid(oid), *checked((language, fingerprint), (str, str))

    def info(self) -> StoreInfo:
        """Return sizes and counts."""
        with translated(self.path):
            return StoreInfo(
                bytes=sum(f.stat().st_size for f in _files(self.path)),
                chunkings=self._db.execute("SELECT count(*) FROM chunking").get,
                chunks=self._db.execute("SELECT coalesce(sum(chunks), 0) FROM chunking").get,
                embedders=tuple(
                    f for (f,) in self._db.execute("SELECT fingerprint FROM embedder ORDER BY id")
                ),
            )

    def drop_except(self, keep: set[int], embedders: set[int]) -> int:
        """Delete chunkings not in `keep`, embedders not in `embedders`, and cached trees of them.

        Return the number of deleted chunkings. To be called inside `writing`; `compact` frees the
        space.
        """
        for fingerprint, number in self.embedders().items():
            if number not in embedders:
                self.snapshots.drop_of(fingerprint)
                schema.drop_embedder(self._db, number)
        known = [chunking for (chunking,) in self._db.execute("SELECT id FROM chunking")]
        dropped = [chunking for chunking in known if chunking not in keep]
        schema.drop_chunkings(self._db, dropped)
        if dropped:
            self.snapshots.drop(set(dropped))
        return len(dropped)

    def compact(self) -> None:
        """Return freed pages to the file system."""
        with translated(self.path):
            self._db.execute("INSERT INTO term(term) VALUES('optimize')")
            checksums.ask_for(self._db)  # of a store that was made without
            self._db.execute("VACUUM")
            self.checkpoint()

    def checkpoint(self, *, wait_ms: int = BUSY_MS) -> None:
        """Move the log into the file and empty it, as far as readers allow within `wait_ms`."""
        with translated(self.path):
            self._db.set_busy_timeout(wait_ms)
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._db.set_busy_timeout(BUSY_MS)

    def problems(self) -> list[str]:
        """Return the store's defects; empty for a sound one."""
        from ragit.store import verify  # no search needs it

        with translated(self.path):
            return list(verify.problems(self._db, writable=self.writable))


def _files(path: Path) -> list[Path]:
    return [f for f in (path, Path(f"{path}-wal")) if f.exists()]
