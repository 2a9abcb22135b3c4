"""Get the chunks of blobs that no indexed tree has: stored ones, or new ones that are not
stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ragit import chunk
from ragit.git import Objects
from ragit.index.descriptions.settings import IMAGE
from ragit.index.indexer import Indexer
from ragit.index.selection import Selected, chunk_options
from ragit.records import NamedTuple
from ragit.store import Store
from ragit.types import Definition, Entry, Oid

_FILE = 0o100644


class Piece(Protocol):
    """The fields that a stored chunk and one made on demand have in common."""

    @property
    def start_line(self) -> int:
        """First line, from 1."""

    @property
    def end_line(self) -> int:
        """Last line."""

    @property
    def start(self) -> int:
        """Offset of its first byte in the text."""

    @property
    def end(self) -> int:
        """Offset after its last byte."""

    @property
    def kind(self) -> str:
        """Kind in one word."""

    @property
    def parent(self) -> str:
        """Names around it."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """Names that it defines."""


class ReadFile(NamedTuple):
    """A blob's text in UTF-8, to which its chunks refer, and the chunks in order."""

    text: bytes
    pieces: Sequence[Piece]


class OnDemand:
    """Reads blobs of any commit, each under its path there."""

    def __init__(self, indexer: Indexer, store: Store | None, objects: Objects) -> None:
        self._indexer = indexer
        self._store = store
        self._objects = objects
        self._options = chunk_options(indexer.config)
        self.looked_at: set[Oid] = set()
        """The blobs that were read."""
        self.absent: set[Oid] = set()
        """Those of them that the repository lacks."""

    def prepare(self) -> None:
        """Start the chunking process, for a caller that soon needs it."""
        chunk.prepare()

    def text(self, path: bytes, blob: Oid) -> bytes | None:
        """Return the text of a blob, for a document the extracted one; None if the blob is missing,
        empty if it has no text.
        """
        selected = self._selected(path, blob)
        if selected and chunk.is_document(selected.language):
            found = self.file(path, blob)
            return found.text if found else None if blob in self.absent else b""
        data = self._read(blob)
        return None if data is None else chunk.text_of(data) or b""

    def texts(self, files: Iterable[tuple[bytes, Oid]]) -> Iterator[tuple[Oid, bytes | None]]:
        """Yield the blobs of files with their texts, as `text` returns them, in any order.

        Files other than documents are read from git together.
        """
        together: list[Oid] = []
        for path, blob in files:
            selected = self._selected(path, blob)
            if selected and chunk.is_document(selected.language):
                yield blob, self.text(path, blob)
            else:
                together.append(blob)
        self.looked_at.update(together)
        for blob, data in self._objects.read_many(together):
            if data is None:
                self.absent.add(blob)
            yield blob, None if data is None else chunk.text_of(data) or b""

    def file(self, path: bytes, blob: Oid) -> ReadFile | None:
        """Return a blob's text and chunks; None if it is missing or not indexed at that path.

        A blob that is not stored is read in a child process, as for indexing, and not stored.
        """
        selected = self._selected(path, blob)
        data = self._read(blob) if selected and selected.language != IMAGE else None
        if selected is None or data is None or len(data) > self._indexer.selector.most_bytes(path):
            return None
        stored = self._stored(selected, data) if self._store else None
        if stored:
            return stored
        custom = self._indexer.selector.chunkers.get(selected.fingerprint)
        made = chunk.chunk(data, selected.language, self._options, custom)
        return ReadFile(made.derived or chunk.text_of(data) or b"", made.chunks)

    def _stored(self, selected: Selected, data: bytes) -> ReadFile | None:
        """Return the stored text and chunks of a blob; None if not stored."""
        assert self._store
        row = next(self._store.find([selected.key], None), None)
        if row is None:
            return None
        derived = self._store.derived([row.number]).get(row.number)
        text = chunk.parted(derived)[0] if derived else chunk.text_of(data)
        return ReadFile(text or b"", list(self._store.chunks_of(row.number).values()))

    def _selected(self, path: bytes, blob: Oid) -> Selected | None:
        plan = self._indexer.selector.select([Entry(path, _FILE, blob)], {})
        return plan.files[0] if plan.files else None

    def _read(self, blob: Oid) -> bytes | None:
        self.looked_at.add(blob)
        data = self._objects.read(blob)
        if data is None:
            self.absent.add(blob)
        return data
