"""Read the texts of chunked files from git, or for documents from the store, each once per
search.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from ragit import chunk
from ragit.git import Objects
from ragit.remembered import Remembered
from ragit.store import Store
from ragit.types import Oid


class Texts:
    """The texts of the files that one search reads, by chunking."""

    def __init__(self, objects: Objects, store: Store, remembered: Remembered[Oid, bytes]) -> None:
        self._objects = objects
        self._store = store
        self._remembered = remembered
        self._texts: dict[int, bytes] = {}
        self.numbers: dict[int, bytes] = {}
        """Rows, pages and so on of the lines of documents, packed."""
        self.blobs: dict[int, tuple[Oid, str]] = {}
        """Blob and language of each chunking read."""
        self.lost: set[int] = set()
        """Chunkings whose blob git can no longer read; their texts are empty."""

    def load(self, chunkings: Iterable[int]) -> None:
        """Read the texts of chunkings in one go, except those already read."""
        new = sorted(set(chunkings) - self.blobs.keys())
        if not new:
            return
        blobs = self._store.blobs(new)
        self.blobs.update(blobs)
        for chunking, data in self._store.derived(blobs).items():
            self._texts[chunking], self.numbers[chunking] = chunk.parted(data)
        others = {c: oid for c, (oid, _) in blobs.items() if c not in self._texts}
        found = self._read(set(others.values()))
        self.lost.update(c for c, oid in others.items() if oid not in found)
        self._texts.update((c, found.get(oid, b"")) for c, oid in others.items())

    def _read(self, oids: Set[Oid]) -> dict[Oid, bytes]:
        """Return the texts of blobs, without those that git has lost."""
        known = ((oid, self._remembered.get(oid)) for oid in oids)
        found = {oid: text for oid, text in known if text is not None}
        for oid, data in self._objects.read_many(sorted(oids - found.keys())):
            if data is not None:
                found[oid] = chunk.text_of(data) or b""
                self._remembered.add(oid, found[oid], len(found[oid]))
        return found

    def __getitem__(self, chunking: int) -> bytes:
        """Return the text of a loaded chunking, in UTF-8."""
        return self._texts[chunking]

    def part(self, chunking: int, start: int, end: int) -> str:
        """Return a range of bytes of a text."""
        return self._texts[chunking][start:end].decode("utf-8", "replace")
