"""Rows of cells to blocks: where a table's header is, and how a row reads. The same for every format of spreadsheets.

A row is its cells joined by ` | `, under a header row that the frame repeats above each chunk. The other way, `Header:
value` for every cell, would count each header's words once a row: they would drown the values in every ranking, and a
chunk would hold a third as many rows. Only where most cells of a row are empty does the row name its columns, as bars
alone tell nobody which column the one value stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from string import ascii_uppercase
from typing import NamedTuple

from ragit.chunk.documents.block import Block, Place

MAX_CELL = 32_767
"""Characters of a cell that are read, as many as Excel allows."""
MAX_ROW = 1 << 20
"""As many rows as a sheet may have."""
MAX_NAME = 100
"""Characters of a sheet's name, likewise (Excel allows 31)."""

MORE = "…"
"""Stands for the cells of a row beyond those that are read."""
REST = Block("[The sheets go on: the rest is left out.]", kind="note")


class Row(NamedTuple):
    """A row that holds something."""

    number: int
    """1-based, as the program that shows the sheet counts."""
    cells: Sequence[str]
    """From the first column on; empty where there is nothing."""
    data: bool = False
    """Some cell is a number, a date or the like: no header."""
    merged: Mapping[int, int] = {}
    """Columns (from 1) whose cell goes on over rows below, each with the last of them."""


def column_of(letters: str) -> int:
    """The number from 1 of a column's letters."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ascii_uppercase.index(letter) + 1
    return number


def letters_of(column: int) -> str:
    """The letters of a column's number from 1."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = ascii_uppercase[rest] + letters
    return letters


class Notes:
    """Remarks on the cells of a sheet, given back row by row."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, str]] = []
        """By row and by when they came, the first one first."""
        self._count = 0

    def add(self, text: str, column: str, row: int) -> None:
        """A remark on a cell; a blank one says nothing."""
        said = " ".join(text[:MAX_CELL].split())
        if said:
            self._count += 1
            heappush(self._waiting, (row, self._count, f"comment on {column}{row}: {said}"))

    def taken(self, row: int | None = None) -> Iterator[str]:
        """Those that are on this row or above it, or all, which are then forgotten."""
        while self._waiting and (row is None or self._waiting[0][0] <= row):
            yield heappop(self._waiting)[2]


def sheet(
    name: str, hidden: bool, rows: Iterable[Row], notes: Notes, boxes: Sequence[str] = ()
) -> Iterator[Block]:
    """The blocks of one sheet: its name, its rows, what shapes on it say. None if there is nothing but the name.

    Reading the rows may bring further notes. They stand below their row as if they were rows: they must not tear the
    table apart.
    """
    name = " ".join(name[:MAX_NAME].split())
    within = f"sheet {name} (hidden)" if hidden else f"sheet {name}"
    heading = Block(name or "sheet", Place(within), (name,), "heading")
    last = heading
    for row, header in _headed(_filled(rows)):
        place = Place(within, "row", row.number, row.number)
        if last is heading:
            yield heading._replace(place=place)
        last = Block(_written(row, header), place, (name,), "table", _line(header))
        yield last
        yield from (last._replace(text=text) for text in notes.taken(row.number))
    beside = [*notes.taken(), *boxes]
    if beside and last is heading:
        yield heading
    yield from (Block(text, Place(within), (name,), "note") for text in beside)


def _filled(rows: Iterable[Row]) -> Iterator[Row]:
    """Repeats a value down the rows of the cells that it was merged over: each row then says what it belongs to.

    Across columns it stands once: it is the title of these columns, or long text.
    """
    active: dict[int, tuple[int, str]] = {}
    for row in rows:
        active = {column: fill for column, fill in active.items() if fill[0] >= row.number}
        cells = list(row.cells)
        while cells and not cells[-1]:
            cells.pop()
        for column, (_, text) in active.items():
            if column <= len(cells) and not cells[column - 1]:
                cells[column - 1] = text
        for column, last in row.merged.items():
            if column <= len(cells) and cells[column - 1]:
                active[column] = (last, cells[column - 1])
        if cells:
            yield row._replace(cells=cells)


def _headed(rows: Iterable[Row]) -> Iterator[tuple[Row, Sequence[str]]]:
    """Each row with the header that stands above it, if any. A header is no row by itself unless none follows it."""
    header: Sequence[str] = ()
    first, fresh = True, True
    last = 0
    for row, following in pairwise(_ended(rows)):
        assert row is not None
        apart = row.number > last + 1
        fresh = fresh or apart
        last = row.number
        # After a gap another table may begin; words over words are more likely to be rows of the same one.
        if (
            fresh
            and following is not None
            and (first or following.data)
            and _is_header(row, following)
        ):
            header, first, fresh = row.cells, False, False
            continue
        first, fresh = first and not row.data, fresh and not row.data
        yield row, () if apart and sum(map(bool, row.cells)) == 1 else header


def _ended(rows: Iterable[Row]) -> Iterator[Row | None]:
    yield from rows
    yield None


def _is_header(row: Row, following: Row) -> bool:
    """True for a row of several words, none of them twice, above a row that is not much wider."""
    filled = [cell for cell in row.cells if cell]
    if row.data or len(filled) < 2 or following.number != row.number + 1:
        return False
    below = sum(map(bool, following.cells))
    return (
        len(set(filled)) == len(filled)
        and 2 <= below <= 2 * len(filled)
        and max(map(len, filled)) < 100
    )


def _written(row: Row, header: Sequence[str]) -> str:
    filled = sum(map(bool, row.cells))
    if header and len(row.cells) > 2 * filled + 2:
        named = (
            (header[at] if at < len(header) else "", cell)
            for at, cell in enumerate(row.cells)
            if cell
        )
        return " | ".join(f"{title}: {cell}" if title else cell for title, cell in named)
    return _line(
        row.cells, min(_indent(row.cells), _indent(header)) if header else _indent(row.cells)
    )


def _line(cells: Sequence[str], start: int | None = None) -> str:
    """Cells joined, without the empty columns before them and after them."""
    shown = list(cells[_indent(cells) if start is None else start :])
    while shown and not shown[-1]:
        shown.pop()
    return " ".join(" | ".join(shown).split())


def _indent(cells: Sequence[str]) -> int:
    return next((at for at, cell in enumerate(cells) if cell), 0)
