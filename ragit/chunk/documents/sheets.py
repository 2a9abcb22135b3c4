"""Turn rows of cells into blocks, with the header row of each table, for all spreadsheet formats.

A row is its cells joined by ` | `; the header row is repeated above each chunk. `Header: value` in
every cell would count the header's words once a row in the ranking. Only a row with mostly empty
cells names its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from string import ascii_uppercase

from ragit.chunk.documents.block import Block, Place
from ragit.records import NamedTuple

MAX_CELL = 32_767
"""Characters of a cell, Excel's limit."""
MAX_ROW = 1 << 20
"""Rows of a sheet, Excel's limit."""
MAX_NAME = 100
"""Characters of a sheet's name (Excel allows 31)."""

MORE = "…"
"""Placeholder for a row's cells beyond the limit."""
REST = Block("[The sheets go on: the rest is left out.]", kind="note")


class Row(NamedTuple):
    """A row that is not empty."""

    number: int
    """Row number from 1."""
    cells: Sequence[str]
    """Texts from the first column on, also empty ones."""
    data: bool = False
    """Some cell is a number or a date, so the row is no header."""
    merged: Mapping[int, int] = {}
    """Columns (from 1) whose cell covers rows below, each with the last of them."""


def column_of(letters: str) -> int:
    """Return the number of a column's letters, from 1."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ascii_uppercase.index(letter) + 1
    return number


def letters_of(column: int) -> str:
    """Return the letters of a column's number, from 1."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = ascii_uppercase[rest] + letters
    return letters


class Notes:
    """Comments on the cells of a sheet, given row by row."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, str]] = []
        """Row, order of arrival and text, as a heap."""
        self._count = 0

    def add(self, text: str, column: str, row: int) -> None:
        """Add a comment on a cell; ignore a blank one."""
        comment = " ".join(text[:MAX_CELL].split())
        if comment:
            self._count += 1
            heappush(self._waiting, (row, self._count, f"comment on {column}{row}: {comment}"))

    def take(self, row: int | None = None) -> Iterator[str]:
        """Yield and forget the comments on rows up to this one, or all of them."""
        while self._waiting and (row is None or self._waiting[0][0] <= row):
            yield heappop(self._waiting)[2]


def sheet(
    name: str, hidden: bool, rows: Iterable[Row], notes: Notes, boxes: Sequence[str] = ()
) -> Iterator[Block]:
    """Yield the name, rows, notes and boxes of a sheet; nothing if it has only a name.

    Reading the rows may add notes, which follow their row as rows of the same table.
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
        yield from (last._replace(text=text) for text in notes.take(row.number))
    beside = [*notes.take(), *boxes]
    if beside and last is heading:
        yield heading
    yield from (Block(text, Place(within), (name,), "note") for text in beside)


def _filled(rows: Iterable[Row]) -> Iterator[Row]:
    """Repeat the value of merged cells in each row that they cover.

    Across columns it stays single: it is the title of these columns, or long text.
    """
    active: dict[int, tuple[int, str]] = {}
    for row in rows:
        cells = list(row.cells)
        while cells and not cells[-1]:
            cells.pop()
        for column, (last, text) in list(active.items()):
            if last < row.number:
                del active[column]
            elif column <= len(cells):
                cells[column - 1] = cells[column - 1] or text
        for column, last in row.merged.items():
            if column <= len(cells) and cells[column - 1]:
                active[column] = (last, cells[column - 1])
        if cells:
            yield row._replace(cells=cells)


def _headed(rows: Iterable[Row]) -> Iterator[tuple[Row, Sequence[str]]]:
    """Yield each row with the header above it, if any. The last row is never a header."""
    header: Sequence[str] = ()
    first, fresh = True, True
    last = 0
    for row, following in pairwise(_ended(rows)):
        assert row is not None
        apart = row.number > last + 1
        fresh = fresh or apart
        last = row.number
        if fresh and _is_header(row, following, first):
            header, first, fresh = row.cells, False, False
            continue
        first, fresh = first and not row.data, fresh and not row.data
        alone = apart and sum(map(bool, row.cells)) == 1
        yield row, () if alone else header


def _ended(rows: Iterable[Row]) -> Iterator[Row | None]:
    yield from rows
    yield None


def _is_header(row: Row, following: Row | None, first: bool) -> bool:
    """Return whether a row has several different words above a row of similar width.

    Unless it is the first header, that row must contain data: otherwise both are rows of one table.
    """
    if following is None or not (first or following.data):
        return False
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
    """Join cells, without the empty columns at both ends."""
    shown = list(cells[_indent(cells) if start is None else start :])
    while shown and not shown[-1]:
        shown.pop()
    return " ".join(" | ".join(shown).split())


def _indent(cells: Sequence[str]) -> int:
    return next((at for at, cell in enumerate(cells) if cell), 0)
