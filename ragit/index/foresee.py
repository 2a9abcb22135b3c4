"""What a run of indexing would do, counted without doing it: what would be embedded, what models would be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragit.config import Config
from ragit.index.costs import Spent
from ragit.index.embedder import sent_by
from ragit.index.wanted import IMAGE, chunk_task
from ragit.postings import Forward
from ragit.records import replaced
from ragit.reports import Sent
from ragit.store import OF_CHUNK, OF_IMAGE, NewChunking, Store
from ragit.types import Embedder

if TYPE_CHECKING:
    from ragit.index.work import Done


@dataclass(slots=True)
class Foresight:
    """Counts what comes of blobs that are chunked only to be counted: each text once, and none that is stored."""

    config: Config
    embedder: Embedder | None
    store: Store | None
    anew: bool = False
    """No vector is taken over, as in a rebuild; descriptions are."""
    embedded: int = 0
    reused: int = 0
    words: int = 0
    tokens: int = 0
    secrets: int = 0
    spent: dict[str, Spent] = field(default_factory=dict)
    _texts: set[bytes] = field(default_factory=set)

    def see(self, done: Done) -> None:
        """Count one blob."""
        if done.waiting:
            from ragit.describe import estimate

            self._ask(OF_IMAGE, done.waiting, estimate.IMAGE_ANSWER_TOKENS)
            # Its description is a chunk like any other, of about so many words.
            self.embedded += self.embedder is not None
            self.words += estimate.IMAGE_ANSWER_TOKENS if self.embedder else 0
        elif done.new is not None and self.embedder is not None and done.new.chunks:
            self._see(done.new, self.embedder, done.secrets)

    def _see(self, new: NewChunking, embedder: Embedder, secrets: Mapping[bytes, int] | None) -> None:
        from ragit.describe import estimate

        number = self.store.embedder(embedder.fingerprint) if self.store and not self.anew else None
        hashes = [row.hash for row in new.chunks]
        lacking = self._undescribed(new)
        whole = None if lacking is None else set(hashes) - lacking
        known = self.store.vectors_of(hashes, number, whole) if self.store else {}
        for row, words in zip(new.chunks, Forward(new.forward).lengths, strict=True):
            if row.hash in self._texts or (row.hash in known and row.hash not in (lacking or ())):
                self.reused += 1
                continue
            self._texts.add(row.hash)
            self.embedded += 1
            self.words += words
            self.tokens += estimate.text_tokens(row.end - row.start + len(row.parent) + 2 * len(row.symbol))
            self.secrets += secrets.get(row.hash, 0) if secrets else 0
            if lacking and row.hash in lacking:
                self._describe(row.end - row.start)

    @property
    def sent(self) -> Sent | None:
        """What a server would be sent; None where none makes vectors."""
        sent = sent_by(self.embedder)
        return replaced(sent, tokens=self.tokens, secrets=self.secrets) if sent and self.embedded else None

    def _undescribed(self, new: NewChunking) -> set[bytes] | None:
        """Of the chunks of a blob, those that nobody described; None where nobody is to."""
        task = chunk_task(self.config.description)
        if task is None:
            return None
        hashes = {row.hash for row in new.chunks if row.kind != IMAGE}
        return hashes - self.store.descriptions.of(OF_CHUNK, task.fingerprint, hashes).keys() if self.store else hashes

    def _describe(self, size: int) -> None:
        from ragit.describe import estimate

        task = chunk_task(self.config.description)
        sent = min(size, task.bound) + len(task.prompt) if task else 0
        self.tokens += estimate.ANSWER_TOKENS  # it is embedded with the code
        self._ask(OF_CHUNK, estimate.text_tokens(sent) + estimate.FRAME_TOKENS, estimate.ANSWER_TOKENS)

    def _ask(self, kind: str, tokens_in: int, tokens_out: int) -> None:
        one = self.spent.setdefault(kind, Spent())
        one.subjects += 1
        one.tokens_in += tokens_in
        one.tokens_out += tokens_out
