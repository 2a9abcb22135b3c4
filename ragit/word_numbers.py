"""Numbers the identifiers of many texts, so that numpy can count words. No IO.

Postings and the static model both need the words of a text. Splitting an identifier is the slow
part, and a batch of files repeats few of them, so each is numbered and split once, and what belongs
to it is looked up for whole batches.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ragit import words
from ragit.records import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MOST = 1 << 16
"""Limit of numbered identifiers; beyond it a new table is begun."""


class Identifiers(dict[str, int]):
    """Numbers of identifiers, from 0 in the order in which they are looked up first."""

    def __missing__(self, identifier: str) -> int:
        number = self[identifier] = len(self)
        return number


class Texts(NamedTuple):
    """The identifiers of texts, by number, one text after the other."""

    table: Identifiers
    numbers: Ints
    lengths: Ints
    """Number of identifiers of each text."""

    @property
    def rows(self) -> Ints:
        """Return the index of the text of each identifier."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def chosen(self, texts: Sequence[int]) -> Texts:
        """Return some of the texts, given by their indexes in ascending order."""
        if len(texts) == len(self.lengths):
            return self
        wanted = np.zeros(len(self.lengths), dtype=bool)
        wanted[texts] = True
        kept = self.numbers[np.repeat(wanted, self.lengths)]
        return Texts(self.table, kept, self.lengths[wanted])


class NumberedTexts:
    """Numbers texts by one table until that is full."""

    def __init__(self) -> None:
        self._table = Identifiers()

    def of(self, *columns: Iterable[str]) -> list[Texts]:
        """Return the identifiers of columns of texts, all by the same table."""
        if len(self._table) > MOST:
            self._table = Identifiers()
        return [self._numbered(map(words.identifiers, column)) for column in columns]

    def _numbered(self, texts: Iterable[Sequence[str]]) -> Texts:
        number_of = self._table.__getitem__
        numbers, lengths = array("q"), array("q")
        for text in texts:
            numbers.extend(map(number_of, text))
            lengths.append(len(text))
        return Texts(self._table, *(np.frombuffer(each, np.int64) for each in (numbers, lengths)))


def joined(columns: Sequence[Texts]) -> Texts:
    """Return texts that have, each, the identifiers of one text of every column."""
    rows = np.concatenate([one.rows for one in columns])
    numbers = np.concatenate([one.numbers for one in columns])
    order = np.argsort(rows, kind="stable")
    lengths: Ints = sum((one.lengths for one in columns), np.zeros_like(columns[0].lengths))
    return Texts(columns[0].table, numbers[order], lengths)


class NumberLists:
    """A list of numbers for each identifier of a table, made once: such as those of its words."""

    def __init__(self, table: Identifiers, make: Callable[[str], Sequence[int]]) -> None:
        self.table = table
        self._make = make
        self._lengths, self._flat = array("q"), array("q")

    def of(self, identifiers: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of identifiers, one list after the other, and the lists' lengths."""
        for identifier in islice(self.table, len(self._lengths), None):
            numbers = self._make(identifier)
            self._lengths.append(len(numbers))
            self._flat.extend(numbers)
        every = np.frombuffer(self._lengths, dtype=np.int64)
        lengths = every[identifiers]
        before = (np.cumsum(every) - every)[identifiers] - (np.cumsum(lengths) - lengths)
        places = np.arange(lengths.sum()) + np.repeat(before, lengths)
        return np.frombuffer(self._flat, dtype=np.int64)[places], lengths
