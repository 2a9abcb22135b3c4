"""Store descriptions by subject and describer, independent of chunkings and vectors.

They cost money, so they are kept when settings are turned off and on, when the chunker or embedder
changes, and when the store is rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import apsw

from ragit.records import NamedTuple
from ragit.store.connect import translated
from ragit.store.schema import ORDINAL_BITS

OF_CHUNK = "chunk"
"""Descriptions whose subject is the hash of a chunk's embedded text."""
OF_IMAGE = "image"
"""Descriptions whose subject is a blob."""


_NOT_SAID = "NOT EXISTS(SELECT 1 FROM description WHERE describer = ? AND subject = chunk.hash)"
"""Condition for a chunk without a description; its parameter is the describer's number."""


class DescriptionRow(NamedTuple):
    """A description as stored."""

    kind: str
    describer: str
    """Fingerprint of server, model and prompt."""
    subject: bytes
    text: str


class Descriptions:
    """The descriptions of one open store."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def of(self, kind: str, describer: str, subjects: Iterable[bytes]) -> dict[bytes, str]:
        """Return stored descriptions by subject; absent ones are left out."""
        with translated(self._path):
            number = self._number(kind, describer)
            if number is None:
                return {}
            sql = "SELECT text FROM description WHERE describer = ? AND subject = ?"
            found = (
                (subject, self._db.execute(sql, (number, subject)).get) for subject in subjects
            )
            return {subject: text for subject, text in found if text is not None}

    def keep(self, kind: str, describer: str, descriptions: Mapping[bytes, str]) -> None:
        """Store descriptions, unless they exist. Call it inside `writing`."""
        self._db.execute(
            "INSERT OR IGNORE INTO describer(kind, fingerprint) VALUES(?,?)", (kind, describer)
        )
        number = self._number(kind, describer)
        self._db.executemany(
            "INSERT OR IGNORE INTO description VALUES(?,?,?)",
            ((number, subject, text) for subject, text in descriptions.items()),
        )

    def count(self, kind: str, describer: str) -> int:
        """Return the number of stored descriptions."""
        with translated(self._path):
            number = self._number(kind, describer)
            found: int = self._db.execute(
                "SELECT count(*) FROM description WHERE describer = ?", (number,)
            ).get
            return found

    def all(self) -> Iterator[DescriptionRow]:
        """Yield every description, of all describers."""
        sql = """
            SELECT kind, fingerprint, subject, text FROM describer
            CROSS JOIN description ON description.describer = describer.id
        """
        with translated(self._path):
            for row in self._db.execute(sql):
                yield DescriptionRow(*row)

    def drop_unused(self, blobs: Set[bytes]) -> None:
        """Delete descriptions of chunks that are not stored, and of images not in `blobs`.

        Descriptions by models no longer configured stay. Call it inside `writing`.
        """
        images: list[tuple[Any, ...]] = []
        for number, kind in self._db.execute("SELECT id, kind FROM describer").fetchall():
            if kind == OF_CHUNK:
                sql = """
                    DELETE FROM description
                    WHERE describer = ? AND subject NOT IN (SELECT hash FROM chunk)
                """
                self._db.execute(sql, (number,))
            else:
                sql = "SELECT describer, subject FROM description WHERE describer = ?"
                images += [row for row in self._db.execute(sql, (number,)) if row[1] not in blobs]
        self._db.executemany("DELETE FROM description WHERE describer = ? AND subject = ?", images)
        self._db.execute(
            "DELETE FROM describer WHERE id NOT IN (SELECT describer FROM description)"
        )

    # -- vectors that lack theirs

    def lacking(self, embedder: int) -> set[int]:
        """Return chunkings with vectors that lack their descriptions."""
        sql = f"SELECT DISTINCT chunk >> {ORDINAL_BITS} FROM undescribed WHERE embedder = ?"
        with translated(self._path):
            return {chunking for (chunking,) in self._db.execute(sql, (embedder,))}

    def overdue(self, embedder: int, describer: str) -> dict[int, int]:
        """Return by chunking the number of vectors that lack a stored description."""
        sql = f"""
            SELECT undescribed.chunk >> {ORDINAL_BITS}, count(*) FROM undescribed
            CROSS JOIN chunk ON chunk.id = undescribed.chunk
            CROSS JOIN description ON description.describer = ? AND description.subject = chunk.hash
            WHERE undescribed.embedder = ? GROUP BY 1
        """
        with translated(self._path):
            number = self._number(OF_CHUNK, describer)
            return {} if number is None else dict(self._db.execute(sql, (number, embedder)))

    def to_ask(
        self, embedder: int | None, describer: str, chunkings: Set[int], bare: Iterable[int]
    ) -> int:
        """Return the number of distinct texts without a description.

        Counts chunks of `chunkings` whose vectors lack one, and all chunks of the `bare` chunkings,
        which have no vectors.
        """
        undescribed = f"""
            SELECT chunk.id >> {ORDINAL_BITS}, chunk.hash FROM undescribed
            CROSS JOIN chunk ON chunk.id = undescribed.chunk
            WHERE undescribed.embedder = ? AND {_NOT_SAID}
        """
        of_one = f"""
            SELECT hash FROM chunk
            WHERE id >= ? AND id < ? AND kind != '{OF_IMAGE}' AND {_NOT_SAID}
        """
        with translated(self._path):
            number = self._number(OF_CHUNK, describer)
            rows = self._db.execute(undescribed, (embedder, number))
            texts = {subject for chunking, subject in rows if chunking in chunkings}
            for chunking in bare:
                span = (chunking << ORDINAL_BITS, (chunking + 1) << ORDINAL_BITS)
                texts.update(subject for (subject,) in self._db.execute(of_one, (*span, number)))
            return len(texts)

    def lack(self, embedder: int, chunks: Iterable[int]) -> None:
        """Mark chunks whose vectors lack a description. Call it inside `writing`."""
        self._db.executemany(
            "INSERT INTO undescribed VALUES(?,?)", ((embedder, chunk) for chunk in chunks)
        )

    def replace_undescribed(
        self, embedder: int, described: Mapping[bytes, tuple[bytes, bytes]]
    ) -> None:
        """Give vectors with descriptions to all chunks of the same text that lack them.

        So the result does not depend on which branch was described first. Call it inside `writing`.
        """
        if not self._db.execute(
            "SELECT EXISTS(SELECT 1 FROM undescribed WHERE embedder = ?)", (embedder,)
        ).get:
            return
        sql = """
            SELECT undescribed.chunk FROM chunk
            CROSS JOIN undescribed ON undescribed.embedder = ? AND undescribed.chunk = chunk.id
            WHERE chunk.hash = ?
        """
        for digest, vector in described.items():
            for (chunk,) in self._db.execute(sql, (embedder, digest)).fetchall():
                for kind, column in (("bit", 0), ("i8", 1)):
                    self._db.execute(
                        f"UPDATE vec_{kind}_{embedder} SET v = ? WHERE chunk = ?",
                        (vector[column], chunk),
                    )
                self._db.execute(
                    "DELETE FROM undescribed WHERE embedder = ? AND chunk = ?", (embedder, chunk)
                )

    def _number(self, kind: str, describer: str) -> int | None:
        sql = "SELECT id FROM describer WHERE kind = ? AND fingerprint = ?"
        number: int | None = self._db.execute(sql, (kind, describer)).get
        return number
