"""Decide which files of a run are slow to read, and how long the run may spend on them together.

Each file has a time limit by its size, but a clone with a thousand small files crafted to be slow
would still keep a machine busy for hours. So a run first tries every file briefly, which is enough
for files written by people. The others come last with their full time, within an allowance for all
of them. What is left is deferred: it is stored as such, shown with the reason, and tried by the
next `ragit index`. Each run finishes some of them for good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragit.chunk import BRIEF, FULL, NONE, is_document
from ragit.index.run.result import BlobResult, Key, without_chunks
from ragit.records import NamedTuple, replaced
from ragit.types import SPENT

Cut = Callable[[Sequence[Key]], Iterable[list[Key]]]


class Batch(NamedTuple):
    """Blobs to process together, and the kind of try (`chunk.time_budget`)."""

    keys: Sequence[Key]
    kind: str
    isolated: bool = False
    """True if grammars run in a child of the worker."""


class DeferredFiles:
    """The two rounds of one run. `before` are the slow blobs that an earlier run deferred."""

    def __init__(self, lacking: Sequence[Key], before: frozenset[Key], allowance: float) -> None:
        self._first = [key for key in lacking if key not in before]
        self._before = [key for key in lacking if key in before]
        self._timed_out: set[Key] = set()
        self._left = allowance
        """Seconds of processor time left for slow files. The time of all other files is added."""

    @property
    def count(self) -> int:
        """Number of files that wait for the second round."""
        return len(self._timed_out) + len(self._before)

    def first(self, cut: Cut) -> Iterator[Batch]:
        """Return the batches of the first round."""
        return (Batch(keys, BRIEF) for keys in cut(self._first))

    def read(self, batches: Iterable[Sequence[BlobResult]]) -> Iterator[list[BlobResult]]:
        """Yield the final results of the first round.

        They include slow documents as deferred, so that an interrupted run leaves them marked.
        """
        for batch in batches:
            yield [one for one in map(self._read, batch) if one is not None]

    def _read(self, one: BlobResult) -> BlobResult | None:
        if not one.timed_out:
            if one.new is not None and one.new.chunks:
                self._left += one.seconds
            return one
        self._timed_out.add(one.key)
        if not is_document(one.key[1]):
            return None
        return replaced(one, new=without_chunks(one.key, SPENT))

    def second(self, cut: Cut) -> Iterator[Batch]:
        """Yield the batches of the second round one by one, and the rest when the time is spent.

        Take each only after `spend` has seen the results of those before.
        """
        slow = (key for key in self._first if key in self._timed_out)
        waiting = deque([*slow, *self._before])
        while waiting and self._left > 0:
            yield Batch([waiting.popleft()], FULL)
        stored = {key for key in waiting if is_document(key[1])}.union(self._before)
        self._before = [key for key in waiting if key in stored]
        rest = [key for key in waiting if key not in stored]
        yield from (Batch(keys, NONE) for keys in cut(rest))

    def spend(self, batches: Iterable[Sequence[BlobResult]]) -> Iterator[list[BlobResult]]:
        """Yield the results of the second round, and at the end those that stay deferred."""
        for batch in batches:
            self._left -= sum(one.seconds for one in batch)
            yield list(batch)
        yield [BlobResult(key, None, timed_out=True) for key in self._before]
