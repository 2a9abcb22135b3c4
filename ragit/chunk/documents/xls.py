"""Read workbooks of Excel 97-2003 (.xls) and older ones, by xlrd.

python-calamine is ten times as fast, but stores a sheet as one rectangle: for three cells far apart
it allocates half a terabyte and aborts the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO, StringIO
from itertools import pairwise
from typing import Any

from ragit.chunk.documents import excel, sheets, values
from ragit.chunk.documents.block import Block, Bounds, Unreadable
from ragit.chunk.documents.sheets import Row
from ragit.chunk.documents.sniff import OLE

_BEGINS, _ENDS = (0x0009, 0x0209, 0x0409, 0x0809), 0x000A
"""Records that begin and end a sheet, or a chart in it (BOF, EOF)."""
_MOST_ROWS = 4 << 20
"""Limit of the rows of all sheets. xlrd makes all rows above the last, which 50 bytes can name."""
_BLANK = (0, 6)
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5
"""xlrd's types of cells."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read the sheets in order, row by row."""
    try:
        yield from _sheets(_opened(data), bounds)
    except (MemoryError, RecursionError, Unreadable):
        raise
    except (
        Exception
    ) as error:  # it trusts its input: offsets, lengths and references may lead anywhere
        raise Unreadable("damaged xls") from error


def _opened(data: bytes) -> Any:
    import xlrd

    try:
        # Formats tell dates, percentages and merged cells.
        return xlrd.open_workbook(
            file_contents=_stream(data),
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,
            logfile=StringIO(),
        )
    except xlrd.XLRDError as error:
        raise Unreadable(_reason(str(error), data)) from error


def _sheets(book: Any, bounds: Bounds) -> Iterator[Block]:
    apart = _apart(book)
    if book.nsheets and not apart:
        raise Unreadable("damaged xls")
    rows = 0
    for count, number in enumerate(apart):
        if count >= bounds.units or rows > _MOST_ROWS:
            yield sheets.REST
            return
        sheet = book.sheet_by_index(number)
        rows += sheet.nrows
        yield from _sheet(book, sheet, bounds)
        book.unload_sheet(number)


def _stream(data: bytes) -> bytes:
    """Return the workbook's stream, read by olefile.

    xlrd follows a cyclic chain of sectors until memory ends, and refuses shared sectors.
    """
    if not data.startswith(OLE):
        return data  # before 1993 there was no container
    import olefile

    with olefile.OleFileIO(BytesIO(data)) as ole:
        name = next((name for name in ("Workbook", "Book") if ole.exists(name)), "")
        if not name:
            raise Unreadable("no xls file")
        stream: bytes = ole.openstream(name).read()
        return stream


def _reason(message: str, data: bytes) -> str:
    if "encrypted" in message:
        return "password-protected"
    return "damaged xls" if data.startswith(OLE) else "no xls file"


def _apart(book: Any) -> list[int]:
    """Return the sheets that do not overlap in the stream, so that each byte is read once."""
    if book.biff_version < 50:  # before 1993, they were found by reading one after another
        return list(range(book.nsheets))
    starts: list[int] = book._sh_abs_posn
    following = dict(pairwise([*sorted(set(starts)), len(book.mem)]))
    found = {starts[number]: number for number in reversed(range(len(starts)))}
    return sorted(
        number for start, number in found.items() if _ends(book.mem, start, following[start])
    )


def _ends(stream: bytes, at: int, before: int) -> bool:
    """Return whether a sheet ends before another one begins ([MS-XLS] 2.1.4)."""
    depth = 0
    while 0 < at <= before - 4:
        code = stream[at] | stream[at + 1] << 8
        at += 4 + (stream[at + 2] | stream[at + 3] << 8)
        if code in _BEGINS:
            depth = min(depth + 1, 2)  # xlrd reads from a chart's first record to the first end
        elif code == _ENDS:
            depth -= 1
            if not depth:
                break
    return 0 < at <= before


def _sheet(book: Any, sheet: Any, bounds: Bounds) -> Iterator[Block]:
    merges: dict[int, dict[int, int]] = {}
    for top, bottom, left, _ in sheet.merged_cells:
        if bottom > top + 1:
            merges.setdefault(top + 1, {})[left + 1] = bottom
    notes = sheets.Notes()
    for row, column in sorted(sheet.cell_note_map):
        notes.add(
            str(sheet.cell_note_map[row, column].text), sheets.letters_of(column + 1), row + 1
        )
    yield from sheets.sheet(
        sheet.name, bool(sheet.visibility), _rows(book, sheet, bounds, merges), notes
    )


def _rows(
    book: Any, sheet: Any, bounds: Bounds, merges: Mapping[int, dict[int, int]]
) -> Iterator[Row]:
    for number in range(sheet.nrows):
        if not sheet.row_len(number):
            continue
        types = sheet.row_types(number, 0, bounds.columns)
        found = sheet.row_values(number, 0, bounds.columns)
        cells = [_text(book, sheet, number, at, kind, found[at]) for at, kind in enumerate(types)]
        if any(kind not in _BLANK for kind in sheet.row_types(number, bounds.columns)):
            cells.append(sheets.MORE)
        if any(cells):
            yield Row(
                number + 1, cells, any(map(_is_data, types, found)), merges.get(number + 1, {})
            )


def _text(book: Any, sheet: Any, row: int, column: int, kind: int, value: Any) -> str:
    if kind in _BLANK:
        return ""
    if kind == _TEXT:
        return " ".join(str(value)[: sheets.MAX_CELL].split())
    if kind in (_NUMBER, _DATE):
        shown_as = _format(book, sheet, row, column)
        return excel.number(float(value), shown_as, bool(book.datemode))[0]
    return values.boolean(bool(value)) if kind == _BOOLEAN else _error(int(value))


def _format(book: Any, sheet: Any, row: int, column: int) -> str:
    """Return the number format of a cell; empty if the file does not tell."""
    try:
        return str(
            book.format_map[book.xf_list[sheet.cell_xf_index(row, column)].format_key].format_str
        )
    except (IndexError, KeyError, AttributeError):
        return ""


def _error(code: int) -> str:
    from xlrd.biffh import error_text_from_code

    return str(error_text_from_code.get(code, "#ERROR"))


def _is_data(kind: int, value: Any) -> bool:
    return kind in (_DATE, _BOOLEAN) or (kind == _NUMBER and not 1900 <= value <= 2100)
