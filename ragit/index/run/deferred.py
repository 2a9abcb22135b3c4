"""Which files of a run are slow to read, and how long it may be at them all together.

Each file has a bound of its own, by its size. A clone with a thousand small files made to hurt would still keep a
machine busy for hours, so a run tries every file briefly first, in which all that people write is read. The others wait
until nothing else does, and are read with the time of their own, as long as they take together no more than this
allowance. What is left then is deferred: it is stored as that, shown with the reason, and tried by the next
`ragit index`, since another file's slowness says nothing about it. Each run ends some of them for good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ragit.chunk import is_document
from ragit.chunk.patience import BRIEF, FULL, NONE
from ragit.index.run.workbench import Done, Key, without_chunks
from ragit.records import replaced
from ragit.types import SPENT

Cut = Callable[[Sequence[Key]], Iterable[list[Key]]]


class Batch(NamedTuple):
    """Blobs to work on together, and by which kind of try (`chunk.patience`)."""

    keys: Sequence[Key]
    kind: str
    isolated: bool = False
    """Grammars run in a child of the worker."""


class Slow:
    """The two rounds of one run. `before` are blobs that an earlier one deferred, known to be slow."""

    def __init__(self, lacking: Sequence[Key], before: frozenset[Key], allowance: float) -> None:
        self._first = [key for key in lacking if key not in before]
        self._before = [key for key in lacking if key in before]
        self._late: set[Key] = set()
        self._left = allowance
        """Seconds of processor time for the slow ones; as much again as reading all others took is added."""

    @property
    def count(self) -> int:
        """How many wait for the second round."""
        return len(self._late) + len(self._before)

    def first(self, cut: Cut) -> Iterator[Batch]:
        """The batches of the first round."""
        return (Batch(keys, BRIEF) for keys in cut(self._first))

    def read(self, batches: Iterable[Sequence[Done]]) -> Iterator[list[Done]]:
        """Of what the first round gave, all that is there to stay; and slow documents as deferred, so that a run that is
        interrupted leaves word of them."""
        for batch in batches:
            yield [one for one in map(self._read, batch) if one is not None]

    def _read(self, one: Done) -> Done | None:
        if not one.late:
            if one.new is not None and one.new.chunks:
                self._left += one.seconds
            return one
        self._late.add(one.key)
        return (
            replaced(one, new=without_chunks(one.key, SPENT)) if is_document(one.key[1]) else None
        )

    def second(self, cut: Cut) -> Iterator[Batch]:
        """The batches of the second round, each to be asked for when `spend` knows of those before: one by one, and
        when the allowance is spent, the rest."""
        waiting = deque([*(key for key in self._first if key in self._late), *self._before])
        while waiting and self._left > 0:
            yield Batch([waiting.popleft()], FULL)
        stored = {key for key in waiting if is_document(key[1])}.union(self._before)
        self._before = [key for key in waiting if key in stored]
        yield from (
            Batch(keys, NONE) for keys in cut([key for key in waiting if key not in stored])
        )

    def spend(self, batches: Iterable[Sequence[Done]]) -> Iterator[list[Done]]:
        """What the second round gave; at the end, those that are stored as deferred, and stay it."""
        for batch in batches:
            self._left -= sum(one.seconds for one in batch)
            yield list(batch)
        yield [Done(key, None, late=True) for key in self._before]
