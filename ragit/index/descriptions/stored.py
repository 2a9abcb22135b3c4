"""Read stored descriptions, and find what lacks one. Asks no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.errors import StoreTooOld, StoreUnreadable
from ragit.index.descriptions.settings import NOT_DESCRIBED, chunk_task, image_task, wanted
from ragit.store import OF_CHUNK, OF_IMAGE, Store, is_store

if TYPE_CHECKING:
    from ragit.config import Config
    from ragit.git import Repo
    from ragit.index.descriptions.requests import Keep
    from ragit.index.run.result import Key
    from ragit.index.tree import IndexedTree
    from ragit.types import Embedder, Oid


class Descriptions:
    """The descriptions that one configuration asks for, in any store."""

    def __init__(self, repo: Repo, config: Config, embedder: Embedder | None) -> None:
        self._repo = repo
        self.wanted = wanted(config, embedder)
        """False if no descriptions are configured."""
        self._embedder = embedder
        self._images = image_task(config.image_description)
        self._tasks = {OF_CHUNK: chunk_task(config.description), OF_IMAGE: self._images}

    def stored(self, store: Store) -> int:
        """Return the number of stored descriptions that the settings ask for."""
        return sum(
            store.descriptions.count(kind, one.fingerprint)
            for kind, one in self._tasks.items()
            if one
        )

    def of_images(self, store: Store) -> int:
        """Return the number of them for images."""
        return store.descriptions.count(OF_IMAGE, self._images.fingerprint) if self._images else 0

    def of_image(self, store: Store | None, blob: Oid) -> str:
        """Return the stored description of an image; empty if there is none."""
        if store is None or self._images is None:
            return ""
        key = bytes.fromhex(blob)
        return store.descriptions.of(OF_IMAGE, self._images.fingerprint, [key]).get(key, "")

    @staticmethod
    def never(resolved: IndexedTree, path: bytes) -> str:
        """Return why a file is never described as an image; empty if it is to be described."""
        if path in resolved.snapshot.paths:
            return "it is indexed as text"
        reason = resolved.snapshot.skipped.get(path, "")
        return "" if reason == NOT_DESCRIBED else reason

    def lacking(self, store: Store, resolved: Iterable[IndexedTree]) -> list[Key]:
        """Return the keys of the trees' chunkings with vectors that lack descriptions."""
        number = self._table(store)
        lacking = set() if number is None else store.descriptions.lacking(number)
        return store.keys_of(
            sorted(lacking & {one for part in resolved for one in part.snapshot.chunkings})
        )

    def waiting(self, store: Store | None, resolved: IndexedTree) -> int:
        """Return the number of chunks and images of a stored tree that lack a description."""
        if not self.wanted:
            return 0
        return self._chunks_waiting(store, resolved) + self._images_waiting(resolved)

    def _chunks_waiting(self, store: Store | None, resolved: IndexedTree) -> int:
        task = self._tasks[OF_CHUNK]
        if task is None or store is None or self._embedder is None:
            return 0
        chunkings = set(resolved.snapshot.chunkings)
        return store.descriptions.to_ask(
            self._table(store), task.fingerprint, chunkings, resolved.without_vectors
        )

    def _images_waiting(self, resolved: IndexedTree) -> int:
        waiting = {
            path for path, reason in resolved.snapshot.skipped.items() if reason == NOT_DESCRIBED
        }
        return len(
            {entry.oid for entry in self._repo.entries(resolved.tree) if entry.path in waiting}
            if waiting
            else ()
        )

    def carry_over(self, old: Path, new: Path, *, required: bool) -> None:
        """Copy all descriptions to another store: they were paid for and cannot be computed again.

        Raises StoreUnreadable if `new` cannot be written, or if `old` cannot be read, descriptions
        are configured and `required` is true; otherwise those of a damaged store are lost.
        """
        if not is_store(old):
            return
        try:
            with _brought_up(old) as source:
                rows = list(source.descriptions.all())
        except StoreUnreadable as error:
            if required and self.wanted:
                hint = f"To pay for all of them again, move {old} away, and type: ragit index"
                raise StoreUnreadable(
                    f"the descriptions cannot be carried over: {error.message}", hint
                ) from error
            return
        if rows:
            with Store(new, writable=True) as target, target.writing():
                for row in rows:
                    target.descriptions.keep(row.kind, row.describer, {row.subject: row.text})

    def _table(self, store: Store) -> int | None:
        """Return the number of the embedder; None if it has no vectors."""
        return store.embedder(self._embedder.fingerprint) if self._embedder else None


def _brought_up(path: Path) -> Store:
    """Open a store for reading, after migrating one by an older ragit."""
    try:
        return Store(path, writable=False)
    except StoreTooOld:
        return Store(path, writable=True)


def keeping(store: Store) -> Keep:
    """Return a function that stores descriptions at once."""

    def keep(kind: str, describer: str, descriptions: Mapping[bytes, str]) -> None:
        with store.writing():
            store.descriptions.keep(kind, describer, descriptions)
            if kind == OF_IMAGE:
                store.snapshots.forget({NOT_DESCRIBED})

    return keep
