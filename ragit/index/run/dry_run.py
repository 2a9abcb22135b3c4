"""Run indexing dry: follow the plan of a real run and estimate its cost.

Nothing is embedded, sent or written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ragit.config import Description, ImageDescription
from ragit.describe import estimate
from ragit.index.descriptions.images import Outcome, Waiting, chunking_of
from ragit.index.descriptions.requests import Asker
from ragit.index.model_costs import Spent
from ragit.index.run.result import BlobResult, Cost, DryRunCosts, Key
from ragit.index.run.stats import RunStats, Seen, seen
from ragit.index.run.worker import IndexingWorker
from ragit.index.tree import IndexedTree
from ragit.index.vectors.reuse import Planned
from ragit.records import replaced
from ragit.remote import redact
from ragit.reports import Sent
from ragit.store import OF_CHUNK, OF_IMAGE, Store
from ragit.types import BY_LINES, Chunk, Oid

_PLACEHOLDER = "it " * int(estimate.ANSWER_TOKENS * estimate.BYTES_PER_TOKEN / 3)
"""Placeholder for a description of average length."""

_UNSEEN = "it " * (estimate.IMAGE_ANSWER_TOKENS - 1)
"""Placeholder for the description of an image, a chunk of that many words."""


class DryRunAsker(Asker):
    """Records the requests that it would make. Stored descriptions are read as usual."""

    def __init__(
        self, chunks: Description, images: ImageDescription, store: Store | None, *, describes: bool
    ) -> None:
        super().__init__(chunks, images, store)
        self._describes = describes
        self.to_ask: dict[str, dict[bytes, Cost]] = {OF_CHUNK: {}, OF_IMAGE: {}}

    def chunks(
        self, wanted: Mapping[bytes, Chunk], private_keys: Mapping[bytes, int]
    ) -> dict[bytes, str]:
        """Return a description of each chunk; a placeholder if none is stored."""
        descriptions = self.stored(OF_CHUNK, wanted)
        task = self.task(OF_CHUNK)
        if task is None or not self._describes:
            return descriptions
        for key, piece in wanted.items():
            if key not in descriptions:
                size = min(len(piece.text), task.bound) + len(task.prompt)
                secrets = _secrets(piece.text) + private_keys.get(key, 0)
                self.to_ask[OF_CHUNK][key] = Cost(
                    estimate.text_tokens(size) + estimate.FRAME_TOKENS, secrets
                )
                descriptions[key] = _PLACEHOLDER
        return descriptions

    def images(self, outcome: Mapping[Oid, Outcome]) -> dict[Oid, Outcome]:
        """Return placeholders for images that wait for a model, though some may be damaged."""
        described = dict(outcome)
        for oid, one in outcome.items():
            if self._describes and isinstance(one, Waiting):
                self.to_ask[OF_IMAGE][bytes.fromhex(oid)] = Cost(one.tokens)
                described[oid] = chunking_of(f"{oid} {_UNSEEN}")
        return described

    def costs(
        self, plan: Planned | None, private_keys: Mapping[bytes, int], *, remote: bool
    ) -> DryRunCosts:
        """Return the cost of the last planned batch; vectors cost only if a server makes them."""
        to_ask, self.to_ask = self.to_ask, {OF_CHUNK: {}, OF_IMAGE: {}}
        texts = plan.texts if plan and remote else {}
        made = {
            key: Cost(_tokens(text), _secrets(text) + private_keys.get(key, 0))
            for key, text in texts.items()
        }
        return DryRunCosts(made, to_ask[OF_CHUNK], to_ask[OF_IMAGE])


class DryRunWorker(IndexingWorker):
    """Does the work of a dry run: it has no embedder, and asks no model."""

    @cached_property
    def asker(self) -> DryRunAsker:
        """The source of descriptions and placeholders."""
        config = self._config
        settings = (config.description, config.image_description, self._store)
        return DryRunAsker(*settings, describes=config.mode.describes)

    def _load_embedder(self) -> None:
        return None

    def _chunked_images(self, images: Sequence[Oid]) -> Mapping[Oid, Outcome]:
        return self.asker.images(super()._chunked_images(images))

    def _costs(self, plan: Planned | None, private_keys: Mapping[bytes, int]) -> DryRunCosts:
        return self.asker.costs(plan, private_keys, remote=self._config.remote)


class DryRunStats(RunStats):
    """Counts what a dry run would do."""

    def __init__(self, spent: dict[str, Spent] | None = None) -> None:
        super().__init__(spent)
        self.tokens = 0
        self.secrets = 0
        self.chunks = 0
        """Number of chunks of blobs that are not stored yet."""
        self.skipped: dict[Key, str] = {}
        """Reason why a blob would have no chunks; empty if it would have some."""
        self._asked: set[bytes] = set()

    def count(self, done: BlobResult) -> Sequence[bytes]:
        """Count one blob, with its cost."""
        first = super().count(done)
        if done.new is None:
            return first
        self.skipped[done.key] = done.new.skipped
        self.chunks += 0 if done.key in self.again else len(done.new.chunks)
        if done.costs:
            made = [done.costs.embedded[key] for key in first if key in done.costs.embedded]
            self.tokens += sum(cost.tokens for cost in made)
            self.secrets += sum(cost.secrets for cost in made)
            self._ask(
                OF_CHUNK,
                done.costs.chunks,
                [row.hash for row in done.new.chunks],
                estimate.ANSWER_TOKENS,
            )
            self._ask(
                OF_IMAGE,
                done.costs.images,
                [bytes.fromhex(done.key[0])],
                estimate.IMAGE_ANSWER_TOKENS,
            )
        return first

    def sent_by(self, sent: Sent | None) -> Sent | None:
        """Return what would be sent to a server; None if none makes vectors.

        `sent` is what was sent so far.
        """
        return (
            replaced(sent, tokens=self.tokens, secrets=self.secrets)
            if sent and self.embedded
            else None
        )

    def seen_after(self, resolved: Sequence[IndexedTree]) -> Seen:
        """Return the files of trees, as `seen`, after the run."""
        found = seen(resolved)
        for part in resolved:
            for file in (*part.missing, *part.undescribed_images, *part.deferred):
                why = self.skipped.get(file.key)
                if why is None:
                    continue
                found.skipped.pop(file.path, None)
                found.by_lines.pop(file.path, None)
                if why:
                    (found.by_lines if why.startswith(BY_LINES) else found.skipped)[file.path] = why
                if not why or why.startswith(BY_LINES):
                    found.paths.add(file.path)
        return found

    def stays(self, resolved: Sequence[IndexedTree]) -> set[int]:
        """Return the chunkings of trees that would stay: not of deferred files read now."""
        kept: set[int] = set()
        for part in resolved:
            read = {file.path for file in part.deferred if file.key in self.skipped}
            rows = zip(part.snapshot.paths, part.snapshot.chunkings, strict=True)
            kept.update(chunking for path, chunking in rows if path not in read)
        return kept

    def _ask(
        self, kind: str, costs: Mapping[bytes, Cost], subjects: Iterable[bytes], answer: int
    ) -> None:
        if self.spent is None:
            return
        for subject in subjects:
            if subject in costs and subject not in self._asked:
                self._asked.add(subject)
                one = self.spent.setdefault(kind, Spent())
                one.subjects += 1
                one.tokens_in += costs[subject].tokens
                one.tokens_out += answer
                one.secrets += costs[subject].secrets


def _tokens(text: str) -> int:
    return estimate.text_tokens(len(text.encode("utf-8", "surrogatepass")))


def _secrets(text: str) -> int:
    found: Counter[str] = Counter()
    redact(text, found)
    return sum(found.values())
