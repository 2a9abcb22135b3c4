"""Read sheets of an OpenDocument spreadsheet, row by row.

A repeated row or cell is written once with a count. Empty ones are counted, others repeated within
the bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from xml.etree.ElementTree import Element

from ragit.chunk.documents import sheets, values
from ragit.chunk.documents.block import Block, Bounds
from ragit.chunk.documents.markup import attribute, local
from ragit.chunk.documents.odf_text import inline
from ragit.chunk.documents.sheets import MAX_ROW, Row
from ragit.records import NamedTuple

_DURATION = re.compile(
    r"(-?)P(?:(\d{1,6})D)?T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})(?:[.,]\d+)?S)?"
)
_NUMBERS = ("float", "currency", "percentage")


class _Cell(NamedTuple):
    text: str
    data: bool
    times: int
    rows: int
    """Rows that the cell covers."""


def blocks(
    stream: Iterator[tuple[str, Element]], hidden: frozenset[str], bounds: Bounds
) -> Iterator[Block]:
    """Yield the rows of all sheets; `hidden` are the styles of hidden sheets."""
    count = 0
    for event, element in stream:
        if event != "start" or local(element) != "table":
            continue
        count += 1
        if count > bounds.units:
            yield sheets.REST
            return
        notes = sheets.Notes()
        is_hidden = attribute(element, "style-name") in hidden
        rows = _rows(stream, element, bounds.columns, notes)
        yield from sheets.sheet(attribute(element, "name"), is_hidden, rows, notes)


def _rows(
    stream: Iterable[tuple[str, Element]], table: Element, most: int, notes: sheets.Notes
) -> Iterator[Row]:
    number = 1
    parents = [table]
    within = 0
    """Open rows; a row of a table within a cell is none of the sheet."""
    for event, element in stream:
        is_row = local(element) == "table-row"
        if event == "start":
            parents.append(element)
            within += is_row
            continue
        if element is table:
            return
        parents.pop()
        within -= is_row
        if is_row and not within:
            times = _times(element, "number-rows-repeated")
            row = _row(element, number, most, notes)
            for again in range(min(times, MAX_ROW - number + 1) if row else 0):
                yield row._replace(number=number + again) if row else Row(0, ())
            number += times
            parents[-1].clear()
        if number > MAX_ROW:
            number = MAX_ROW + 1


def _times(element: Element, name: str) -> int:
    written = attribute(element, name)
    return max(1, min(int(written), MAX_ROW)) if written.isdecimal() and len(written) < 9 else 1


def _row(element: Element, number: int, most: int, notes: sheets.Notes) -> Row | None:
    cells: list[str] = []
    merged: dict[int, int] = {}
    data = beyond = False
    at = 0
    for each in element:
        if local(each) not in ("table-cell", "covered-table-cell"):
            continue
        asides: list[Element] = []
        cell = _cell(each, asides)
        if cell.rows > 1:
            merged[at + 1] = number + cell.rows - 1
        for aside in asides:
            notes.add("".join(inline(aside, [])), sheets.letters_of(at + 1), number)
        at += cell.times
        cells += [cell.text] * min(cell.times, most - len(cells))
        beyond = beyond or (bool(cell.text) and at > most)
        data = data or cell.data
    cells += [sheets.MORE] if beyond else []
    return Row(number, cells, data, merged) if any(cells) else None


def _cell(element: Element, asides: list[Element]) -> _Cell:
    kind = attribute(element, "value-type")
    shown = " ".join("".join(inline(element, asides))[: sheets.MAX_CELL].split())
    text, data = shown, False
    if kind in _NUMBERS and not shown.startswith(("#", "Err:")):
        text, data = _number(attribute(element, "value"), kind, shown)
    elif kind in ("date", "time"):
        text, data = _moment(attribute(element, f"{kind}-value"), shown), True
    elif kind == "boolean":
        text, data = values.boolean(attribute(element, "boolean-value") == "true"), True
    elif not shown:
        text = attribute(element, "formula").partition(":")[2][: sheets.MAX_CELL]
    return _Cell(
        text,
        data,
        _times(element, "number-columns-repeated"),
        _times(element, "number-rows-spanned"),
    )


def _number(written: str, kind: str, shown: str) -> tuple[str, bool]:
    """Return a number as text, and False if it may be a year."""
    try:
        value = float(written)
    except ValueError:
        return shown, True
    return values.number(value, "%" if kind == "percentage" else ""), not 1900 <= value <= 2100


def _moment(written: str, shown: str) -> str:
    found = _DURATION.fullmatch(written)
    if found:
        sign, *parts = found.groups()
        days, hours, minutes, seconds = (int(part or 0) for part in parts)
        lasts = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return values.moment(-lasts if sign else lasts)
    return values.written_moment(written) or shown
