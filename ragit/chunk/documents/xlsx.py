"""Workbooks of Excel since 2007 (.xlsx, .xlsm), read by openpyxl in its read-only way: row by row.

A formula's value is the one that was computed when the file was saved. A program that wrote the file without computing
leaves none; then the formula itself is read, since it says more than nothing. openpyxl gives either values or
formulas, so such a sheet is read twice.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from io import BytesIO
from itertools import chain, islice, repeat
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from ragit.chunk.documents import sheets, values
from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.markup import attribute, events, local
from ragit.chunk.documents.sheets import Row

_ROWS = 1 << 20
"""As many as a sheet may have. A row that claims a higher number would be reached through a gap of that length."""

_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})[\"']")
_NOT_COMPUTED = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f(?:\s[^>]*)?/>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)


class _Part(NamedTuple):
    """What of a sheet openpyxl does not give when it reads row by row."""

    merges: Mapping[int, dict[int, int]]
    """By their first row: columns, each with the last row of the cell."""
    computed: bool
    """Every formula has its value."""
    comments: dict[int, list[str]]
    """By row."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """The sheets in order, row by row."""
    archive = Archive(data, bounds, "xlsx")
    archive.check()
    with catch_warnings():
        simplefilter("ignore")  # about extensions that it does not know
        try:
            yield from _sheets(data, archive, bounds)
        except (Unreadable, MemoryError, RecursionError):
            raise
        except Exception as error:  # whatever its parsers meet in a damaged part
            raise Unreadable("damaged xlsx") from error


def _sheets(data: bytes, archive: Archive, bounds: Bounds) -> Iterator[Block]:
    book = _open(data, computed=True)
    formulas = None
    for number, each in enumerate(book.worksheets[: bounds.units]):
        part = _part(archive, each)
        other: Iterable[tuple[Any, ...]] | None = None
        if not part.computed:
            formulas = formulas or _open(data, computed=False)
            other = _ragged(formulas.worksheets[number], bounds)
        rows = _rows(_ragged(each, bounds), other, bounds.columns, part.merges)
        blocks = sheets.sheet(each.title, each.sheet_state != "visible", rows)
        yield from _commented(blocks, part.comments)
    if len(book.worksheets) > bounds.units:
        yield sheets.REST


def _open(data: bytes, computed: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=computed, keep_links=False)


def _ragged(sheet: Any, bounds: Bounds) -> Iterator[tuple[Any, ...]]:
    """Rows as long as what stands in them, whatever size the sheet claims to have; empty ones for gaps."""
    sheet.reset_dimensions()
    for row in islice(sheet.rows, _ROWS):
        yield tuple(row[: bounds.columns + 1])


def _rows(
    rows: Iterable[tuple[Any, ...]],
    formulas: Iterable[tuple[Any, ...]] | None,
    most: int,
    merges: Mapping[int, dict[int, int]],
) -> Iterator[Row]:
    for number, (row, other) in enumerate(zip(rows, formulas or repeat(()), strict=False), 1):
        cells = [_text(cell) for cell in row]
        for at, cell in enumerate(other[: len(cells)]):
            if not cells[at] and cell.value is not None:
                cells[at] = _formula(cell.value)
        if any(cells):
            yield Row(number, sheets.shortened(cells, most), any(map(_is_data, row)), merges.get(number, {}))


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value[: sheets.MAX_CELL].split())
    if isinstance(value, bool):
        return values.truth(value)
    if isinstance(value, (int, float)):
        return values.number(value, cell.number_format or "")
    return values.moment(value)


def _formula(value: object) -> str:
    """A formula, or an array formula's text."""
    return " ".join(str(getattr(value, "text", value) or "")[: sheets.MAX_CELL].split())


def _is_data(cell: Any) -> bool:
    value = cell.value
    if isinstance(value, (bool, date, time, timedelta)):
        return True
    if isinstance(value, (int, float)):
        return not 1900 <= value <= 2100  # a year may head a column
    return False


def _part(archive: Archive, sheet: Any) -> _Part:
    path = str(sheet._worksheet_path)
    text = archive.read(path)
    merges: dict[int, dict[int, int]] = {}
    for letters, first, last in _MERGE.findall(text, max(0, text.rfind(b"sheetData>"))):
        if int(last) > int(first):
            merges.setdefault(int(first), {})[_column(letters)] = int(last)
    return _Part(merges, not _NOT_COMPUTED.search(text), _comments(archive, path))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _comments(archive: Archive, path: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in _related(archive, path, "/comments"):
        for event, element in events(archive.read(name), "xlsx"):
            if event == "end" and local(element) == "comment":
                row = re.search(r"\d{1,7}$", attribute(element, "ref"))
                text = "".join(each.text or "" for each in element.iter() if local(each) == "t")
                if row and text.strip():
                    found.setdefault(int(row.group()), []).append(
                        f"comment on {attribute(element, 'ref')[:10]}: {' '.join(text[: sheets.MAX_CELL].split())}"
                    )
                element.clear()
    return found


def _related(archive: Archive, path: str, kind: str) -> list[str]:
    """The parts of this kind that a part refers to."""
    folder, name = posixpath.split(path)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in archive:
        return []
    targets = [
        posixpath.normpath(posixpath.join("/", folder, attribute(element, "Target"))).lstrip("/")
        for event, element in events(archive.read(relations), "xlsx")
        if event == "end" and attribute(element, "Type").endswith(kind)
    ]
    return [target for target in targets if target in archive]


def _commented(blocks: Iterable[Block], comments: dict[int, list[str]]) -> Iterator[Block]:
    """Comments stand behind their row, as if they were rows, since they must not tear the table apart."""
    last = Block("")
    for block in blocks:
        yield block
        last = block
        for text in comments.pop(block.place.first, ()) if comments and block.kind == "table" else ():
            yield block._replace(text=text)
    for text in chain.from_iterable(comments.values()) if last.text else ():
        yield Block(text, Place(last.place.within), last.headings, "note")
