"""What the store holds of the descriptions that the settings want, and what waits for one. Asks no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.config import Config
from ragit.errors import StoreTooOld, StoreUnreadable
from ragit.index.compose import Composed
from ragit.index.wanted import NOT_DESCRIBED, chunk_task, image_task, wanted
from ragit.store import OF_CHUNK, OF_IMAGE, Store, is_store
from ragit.types import Embedder, Oid

if TYPE_CHECKING:
    from ragit.index.asker import Keep
    from ragit.index.work import Key


class Descriptions:
    """The descriptions of one configuration, in whichever store of it."""

    def __init__(self, config: Config, embedder: Embedder | None) -> None:
        self.wanted = wanted(config, embedder)
        """False if there are to be none at all."""
        self._embedder = embedder
        self._images = image_task(config.image_description)
        self._tasks = {OF_CHUNK: chunk_task(config.description), OF_IMAGE: self._images}

    def stored(self, store: Store) -> int:
        """How many there are of those that the settings want."""
        return sum(store.descriptions.count(kind, one.fingerprint) for kind, one in self._tasks.items() if one)

    def of_images(self, store: Store) -> int:
        """How many of them are of images."""
        return store.descriptions.count(OF_IMAGE, self._images.fingerprint) if self._images else 0

    def of_image(self, store: Store | None, blob: Oid) -> str:
        """What was said about an image; empty if nothing was."""
        if store is None or self._images is None:
            return ""
        key = bytes.fromhex(blob)
        return store.descriptions.of(OF_IMAGE, self._images.fingerprint, [key]).get(key, "")

    @staticmethod
    def never(composed: Composed, path: bytes) -> str:
        """Why a file of a tree gets no description as an image, if it had none so far; empty if it is to get one."""
        if path in composed.snapshot.paths:
            return "it is indexed as text"
        reason = composed.snapshot.skipped.get(path, "")
        return "" if reason == NOT_DESCRIBED else reason

    def lacking(self, store: Store, composed: Iterable[Composed]) -> list[Key]:
        """Keys of chunkings of these trees that have vectors without descriptions."""
        chunkings = {chunking for part in composed for chunking in part.snapshot.chunkings}
        return store.keys_of(sorted(self._lacking(store).keys() & chunkings))

    def waiting(self, store: Store | None, composed: Composed) -> int:
        """How many chunks and images of a tree lack a description that they are to have."""
        if not self.wanted:
            return 0
        lacking = self._lacking(store) if store else {}
        chunks = sum(lacking.get(chunking, 0) for chunking in set(composed.snapshot.chunkings)) if lacking else 0
        return chunks + sum(reason == NOT_DESCRIBED for reason in composed.snapshot.skipped.values())

    def carry_over(self, old: Path, new: Path) -> None:
        """Copy all descriptions to a new store: they were paid for, and cannot be made again as they were."""
        if not is_store(old):
            return
        try:
            with Store(old, writable=False) as source, Store(new, writable=True) as target, target.writing():
                for row in source.descriptions.all():
                    target.descriptions.keep(row.kind, row.describer, {row.subject: row.text})
        except StoreTooOld:
            return  # it has none
        except StoreUnreadable as error:
            if self.wanted:
                hint = f"To pay for all of them again, move {old} away, and type: ragit index"
                raise StoreUnreadable(f"the descriptions cannot be carried over: {error.message}", hint) from error

    def _lacking(self, store: Store) -> Mapping[int, int]:
        """By chunking, how many of its chunks' vectors lack their description."""
        number = store.embedder(self._embedder.fingerprint) if self._embedder else None
        return {} if number is None else store.descriptions.lacking(number)


def keeping(store: Store) -> Keep:
    """What stores descriptions as soon as they are there."""

    def keep(kind: str, describer: str, said: Mapping[bytes, str]) -> None:
        with store.writing():
            store.descriptions.keep(kind, describer, said)
            if kind == OF_IMAGE:
                store.snapshots.forget({NOT_DESCRIBED})

    return keep
