"""Read tables as text: values separated by commas, tabs, semicolons or bars.

A chunk's text is the file's own lines, so the header cannot be repeated in it, as for sheets of a
workbook. It is the chunk's `parent` instead: the names around the values, by which it is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import MAX_PARENT, ROOMY, Piece

_DELIMITERS = (b",", b"\t", b";", b"|")
_SAMPLE = 30
"""Records that decide the delimiter and the header."""
_COLUMNS = 200
_RECORD = 8000
"""Limit of the cells, and bytes, examined of a record."""
_APART = 1600
"""Bytes of records in a chunk, if nothing else is grouped."""

_VALUE = re.compile(
    r"[-+.,:/ %$€£()]*\d[-+\d.,:/ %$€£()TZ]*$|[^@\s]+@[^@\s]+$|.*://|(?i:true|false|null|nan|n/?a)$"
)
"""A number, a date, an amount, an address: no name of a column."""


def delimited(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return runs of records under their header, with whole records, even if a quoted field has
    line ends.
    """
    delimiter = _sniffed(lines)
    header = _header(lines, delimiter)
    most = min(options.max_bytes, max(options.item_bytes or _APART, ROOMY * options.min_bytes))
    pieces: list[Piece] = []
    used = most
    for row, stop in _records(lines, delimiter):
        size = sum(
            len(lines.text[lines.starts[at] : lines.starts[at + 1]].rstrip()) + 1
            for at in range(row, stop)
        )
        if used + size > most or stop - pieces[-1].row > options.max_lines:
            pieces.append(Piece(row, row, "table", parent=header))
            used = 0
        used += size
    return pieces


def _records(lines: Lines, delimiter: bytes, row: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the first row of each record and the row after it, from a row on."""
    while row < lines.count:
        stop = _stop(lines, row, delimiter)
        yield row, stop
        row = stop


def _stop(lines: Lines, row: int, delimiter: bytes) -> int:
    """Return the row after the record that begins in a row. An unclosed quote is an ordinary
    character.
    """
    text, at, stop = lines.text, lines.starts[row], lines.starts[row + 1]
    if not text.startswith(b'"', at):
        at = _opening(text, delimiter, at, stop)
    while at >= 0:
        closed = _closed(text, at)
        if closed > stop:
            row = lines.row(closed - 1)
            stop = lines.starts[row + 1]
        at = _opening(text, delimiter, max(closed, at), stop)
    return row + 1


def _opening(text: bytes, delimiter: bytes, start: int, stop: int) -> int:
    """Return the offset of the quote that begins the next quoted field; -1 if not before `stop`."""
    found = text.find(delimiter + b'"', start, stop)
    return found + 1 if found >= 0 else -1


def _closed(text: bytes, at: int) -> int:
    """Return the end of the quoted field that begins at an offset; -1 if unclosed."""
    at += 1
    while (at := text.find(b'"', at)) >= 0:
        if not text.startswith(b'"', at + 1):
            return at + 1
        at += 2
    return -1


def _sampled(lines: Lines, delimiter: bytes) -> list[list[str]]:
    """Return the cells of the first records that are not blank, without comments before."""
    found = []
    for row, stop in islice(_records(lines, delimiter, _beginning(lines)), 2 * _SAMPLE):
        record = lines.text[
            lines.starts[row] : min(lines.end_of(stop), lines.starts[row] + _RECORD)
        ].strip(b"\r\n")
        if record and not record.isspace():
            found.append(_cells(record, delimiter))
    return found[:_SAMPLE]


def _beginning(lines: Lines) -> int:
    """Return the row where a table may start: the last row of a comment, which may name columns."""
    text, starts = lines.text, lines.starts
    row = 0
    while row + 1 < lines.count and (lines.blank(row) or text.startswith(b"#", starts[row])):
        if not lines.blank(row) and not text.startswith(b"#", starts[row + 1]):
            break
        row += 1
    return row


def _cells(record: bytes, delimiter: bytes) -> list[str]:
    cells: list[str] = []
    at = 0
    while at <= len(record) and len(cells) < _COLUMNS:
        closed = _closed(record, at) if record.startswith(b'"', at) else at
        stop = record.find(delimiter, max(closed, at))
        stop = len(record) if stop < 0 else stop
        cell = record[at:stop]
        if closed > at:
            cell = cell[1:].removesuffix(b'"').replace(b'""', b'"')
        cells.append(cell.decode("utf-8", "ignore").strip())
        at = stop + 1
    return cells


def _usual(records: Sequence[Sequence[str]]) -> tuple[float, int]:
    """Return the share of records with the most common number of cells, and that number."""
    widths = Counter(map(len, records))
    return max(
        ((times / len(records), width) for width, times in widths.items() if width > 1),
        default=(0.0, 0),
    )


def _sniffed(lines: Lines) -> bytes:
    """Return the delimiter that gives most of the first records the same number of cells, above
    one.
    """
    return max(_DELIMITERS, key=lambda delimiter: _usual(_sampled(lines, delimiter)))


def _header(lines: Lines, delimiter: bytes) -> str:
    """Return the names of the columns on one line; empty if no record looks like them."""
    records = _sampled(lines, delimiter)
    width = _usual(records)[1]
    # A title or a comment may stand above the table.
    first = next(
        (
            at
            for at, cells in enumerate(records)
            if len(cells) >= width and not _is_comment(cells[0])
        ),
        0,
    )
    if not _is_header(records[first] if records else (), records[first + 1 :]):
        return ""
    names = ""
    for cell in filter(None, records[first]):
        longer = f"{names} | {' '.join(cell.split())}" if names else " ".join(cell.split())
        if len(longer) > MAX_PARENT:
            break
        names = longer
    return names


def _is_comment(cell: str) -> bool:
    return cell.startswith(("# ", "##", "//", "sep="))


def _is_header(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells are names of columns.

    They are several, short and different, none is a value of its column, and the record below is as
    wide.
    """
    filled = [cell for cell in cells if cell]
    if len(filled) < 2 or len(filled) < len(cells) - 1 or len(set(filled)) < len(filled):
        return False
    if not all(map(_may_be_name, filled)):
        return False
    if not below or abs(len(below[0]) - len(cells)) > 1:
        return False
    return not any(_repeats_cell(cells, record) for record in below)


def _may_be_name(cell: str) -> bool:
    return len(cell) <= 100 and "\n" not in cell and not _VALUE.match(cell)


def _repeats_cell(cells: Sequence[str], record: Sequence[str]) -> bool:
    """Return whether a record has one of the cells as the value of the same column."""
    return any(cell and cell == value for cell, value in zip(cells, record, strict=False))
