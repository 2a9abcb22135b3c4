"""Rows of cells to blocks: where a table's header is, and how a row reads. The same for every format of spreadsheets.

A row is its cells joined by ` | `, under a header row that the frame repeats above each chunk. The other way, `Header:
value` for every cell, would count each header's words once a row: they would drown the values in every ranking, and a
chunk would hold a third as many rows. Only where most cells of a row are empty does the row name its columns, as bars
alone tell nobody which column the one value stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragit.chunk.documents.block import Block, Place

MAX_CELL = 32_767
"""Characters of a cell that are read, as many as Excel allows."""
MAX_NAME = 100
"""Characters of a sheet's name, likewise (Excel allows 31)."""

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


def shortened(cells: list[str], most: int) -> list[str]:
    """At most so many cells, and a mark if there were more."""
    return [*cells[:most], "…"] if any(cells[most:]) else cells[:most]


def sheet(name: str, hidden: bool, rows: Iterable[Row]) -> Iterator[Block]:
    """The blocks of one sheet: its name, then its rows. None if it has no rows."""
    name = " ".join(name[:MAX_NAME].split())
    within = f"sheet {name} (hidden)" if hidden else f"sheet {name}"
    first = True
    for row, header in _headed(_filled(rows)):
        place = Place(within, "row", row.number, row.number)
        if first:
            yield Block(name or "sheet", place, (name,), "heading")
            first = False
        yield Block(_written(row, header), place, (name,), "table", _line(header))


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
        if fresh and following is not None and (first or following.data) and _is_header(row, following):
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
    return len(set(filled)) == len(filled) and 2 <= below <= 2 * len(filled) and max(map(len, filled)) < 100


def _written(row: Row, header: Sequence[str]) -> str:
    filled = sum(map(bool, row.cells))
    if header and len(row.cells) > 2 * filled + 2:
        named = ((header[at] if at < len(header) else "", cell) for at, cell in enumerate(row.cells) if cell)
        return " | ".join(f"{title}: {cell}" if title else cell for title, cell in named)
    return _line(row.cells, min(_indent(row.cells), _indent(header)) if header else _indent(row.cells))


def _line(cells: Sequence[str], start: int | None = None) -> str:
    """Cells joined, without the empty columns before them and after them."""
    shown = list(cells[_indent(cells) if start is None else start :])
    while shown and not shown[-1]:
        shown.pop()
    return " ".join(" | ".join(shown).split())


def _indent(cells: Sequence[str]) -> int:
    return next((at for at, cell in enumerate(cells) if cell), 0)
