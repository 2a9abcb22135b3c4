"""Descriptions for one run of indexing: from the store and, if the run may ask, from a model.

An answer is stored at once and then read back: if another process stored one first, both use that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ragit.config import Description, ImageDescription, LanguageModel
from ragit.describe import Describer, DescriptionRequest, DescriptionResult, DescriptionTask, code
from ragit.index.descriptions.settings import chunk_task, image_task
from ragit.index.model_costs import Spent
from ragit.remote import Chat, Client
from ragit.services import server_of
from ragit.store import OF_CHUNK, OF_IMAGE, Store
from ragit.types import Chunk

Keep = Callable[[str, str, Mapping[bytes, str]], None]
"""Function that stores descriptions: kind, describer, and text by subject."""


class Asker:
    """Source of descriptions in one run. Without `keep` no model is asked."""

    def __init__(
        self,
        chunks: Description,
        images: ImageDescription,
        store: Store | None,
        keep: Keep | None = None,
    ) -> None:
        self._settings: dict[str, LanguageModel] = {OF_CHUNK: chunks, OF_IMAGE: images}
        self._tasks: dict[str, DescriptionTask | None] = {
            OF_CHUNK: chunk_task(chunks),
            OF_IMAGE: image_task(images),
        }
        self._describers: dict[str, Describer] = {}
        self._store = store
        self._keep = keep
        self._private_keys = 0
        """Number of parts of private keys already removed from the texts."""
        self.spent: dict[str, Spent] = {}
        """Requests, tokens and failures by kind."""

    @property
    def asks(self) -> bool:
        """Return whether models may be asked."""
        return self._keep is not None

    def task(self, kind: str) -> DescriptionTask | None:
        """Return the request for subjects of a kind; None if no descriptions are configured."""
        return self._tasks[kind]

    def chunks(
        self, wanted: Mapping[bytes, Chunk], private_keys: Mapping[bytes, int]
    ) -> dict[bytes, str]:
        """Return descriptions by the hash of the embedded text, without those that failed.

        `private_keys` is the number of removed parts, by hash; it is counted if a model is asked.
        """
        task = self._tasks[OF_CHUNK]
        if task is None:
            return {}
        known = self.stored(OF_CHUNK, wanted)
        if self._keep is None or len(known) == len(wanted):
            return known
        fresh = wanted.keys() - known.keys()
        self._private_keys += sum(count for key, count in private_keys.items() if key in fresh)
        clean = self._describer(OF_CHUNK, task).clean
        subjects = (
            code.description_request(
                key,
                piece.parent,
                piece.symbol,
                clean(piece.text),
                prompt=task.prompt,
                most=task.bound,
            )
            for key, piece in wanted.items()
            if key not in known
        )
        for _ in self.ask(OF_CHUNK, subjects):
            pass
        return self.stored(OF_CHUNK, wanted)

    def stored(self, kind: str, subjects: Iterable[bytes]) -> dict[bytes, str]:
        """Return stored descriptions by subject."""
        task = self._tasks[kind]
        if task is None or self._store is None:
            return {}
        return self._store.descriptions.of(kind, task.fingerprint, subjects)

    def ask(self, kind: str, subjects: Iterable[DescriptionRequest]) -> Iterator[DescriptionResult]:
        """Ask a model about each subject, store its answers, and yield the outcomes."""
        task, keep = self._tasks[kind], self._keep
        assert task is not None and keep is not None
        for one in self._describer(kind, task).describe_all(subjects):
            if one.text:
                keep(kind, task.fingerprint, {one.key: one.text})
            self._count(kind, one)
            yield one
        private_keys = self._private_keys if kind == OF_CHUNK else 0
        self.spent.setdefault(kind, Spent()).secrets = (
            self._describer(kind, task).secrets + private_keys
        )

    def left_out(self, kind: str, why: str) -> None:
        """Count a subject that got no description."""
        one = self.spent.setdefault(kind, Spent())
        one.failed += 1
        one.why = why

    def _describer(self, kind: str, task: DescriptionTask) -> Describer:
        if kind not in self._describers:
            self._describers[kind] = Describer(chat_of(self._settings[kind], kind), task.max_tokens)
        return self._describers[kind]

    def _count(self, kind: str, one: DescriptionResult) -> None:
        if one.failure:
            self.left_out(kind, one.failure)
            return
        spent = self.spent.setdefault(kind, Spent())
        spent.subjects += 1
        spent.tokens_in += one.tokens_in
        spent.tokens_out += one.tokens_out


def chat_of(settings: LanguageModel, kind: str) -> Chat:
    """Return a chat with the configured model."""
    section = "description" if kind == OF_CHUNK else "imageDescription"
    server = server_of(
        settings, section, timeout_ms=settings.timeout_ms, concurrency=settings.concurrency
    )
    return Chat(Client(server), settings.model, f"{section}.maxTokens")
