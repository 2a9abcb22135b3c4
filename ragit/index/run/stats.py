"""Count and report the results of a run of indexing, or of a dry run, blob by blob."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragit.config import Config
from ragit.digests import DigestSet
from ragit.index import model_costs
from ragit.index.model_costs import Spent
from ragit.index.tree import IndexedTree
from ragit.records import NamedTuple
from ragit.reports import IndexReport, Sent

if TYPE_CHECKING:
    from ragit.index.run.result import BlobResult, Key


class RunStats:
    """The figures of a run so far."""

    def __init__(self, spent: dict[str, Spent] | None = None) -> None:
        self.again: frozenset[Key] = frozenset()
        """Stored chunkings that lack vectors or descriptions."""
        self.deferred: frozenset[Key] = frozenset()
        """Blobs that an earlier run deferred, and this one retries."""
        self.indexed = 0
        self.embedded = 0
        self.reused = 0
        self.words = 0
        self.spent = spent
        """Requests to models, by kind; None if models are not asked."""
        self.sent: Sent | None = None
        """Texts sent to a server that makes vectors."""
        self.started = time.perf_counter()
        self._texts = DigestSet()
        """Embedded texts. One that two workers embed at the same time counts once, as in a
        dry run.
        """

    def count(self, done: BlobResult) -> Sequence[bytes]:
        """Count one blob, and return the hashes of its texts that were not embedded before."""
        if done.new is None:
            return ()
        self.indexed += done.key not in self.again
        if done.fresh is None:
            return ()
        first = [key for key in done.fresh if self._texts.add(key)]
        self.embedded += len(first)
        self.reused += len(done.new.chunks) - len(first)
        self.words += sum(done.fresh[key] for key in first)
        return first

    def report(self, config: Config, seen: Seen, chunks: int) -> IndexReport:
        """Return the report of the run; `chunks` is the number of chunks of its trees."""
        return IndexReport(
            trees=seen.trees,
            files=len(seen.paths),
            chunks=chunks,
            indexed=self.indexed,
            embedded=self.embedded,
            reused=self.reused,
            words=self.words,
            skipped=dict(sorted(Counter(seen.skipped.values()).items())),
            by_lines=dict(sorted(Counter(seen.by_lines.values()).items())),
            seconds=time.perf_counter() - self.started,
            described=None
            if self.spent is None
            else model_costs.of_descriptions(config, self.spent),
            sent=None if self.sent is None else model_costs.of_vectors(config, self.sent),
        )


class Seen(NamedTuple):
    """The files of some trees."""

    trees: int
    paths: set[bytes]
    """Paths that are searched."""
    skipped: dict[bytes, str]
    """Paths that are not searched, with the reason."""
    by_lines: dict[bytes, str]
    """Paths that are chunked by lines instead of syntax, with the reason."""


def seen(resolved: Sequence[IndexedTree]) -> Seen:
    """Return the files of trees as stored."""
    found = Seen(len(resolved), set(), {}, {})
    for part in resolved:
        found.paths.update(part.snapshot.paths)
        found.skipped.update(part.skipped)
        found.by_lines.update(part.by_lines)
    return found
