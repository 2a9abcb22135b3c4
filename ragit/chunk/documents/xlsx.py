"""Read workbooks of Excel since 2007 (.xlsx, .xlsm and templates), by openpyxl's parser of cells.

openpyxl as a whole refuses a workbook for one unknown style, and pads rows to the size that a sheet
claims, so only its parser of cells and its number formats are used. ECMA-376 part 1: 18.2
workbooks, 18.3 sheets, 18.4 shared strings, 18.7 comments, 20.5 drawings. A formula is read only if
its computed value was not saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from openpyxl.utils.escape import unescape
from openpyxl.worksheet._reader import FORMULA_TAG, INLINE_STRING, VALUE_TAG, WorkSheetParser

from ragit.chunk.documents import excel, sheets, values
from ragit.chunk.documents.block import Block, Bounds
from ragit.chunk.documents.markup import attribute, events, local, outermost
from ragit.chunk.documents.opc import Package, Relation, relation_id
from ragit.chunk.documents.sheets import MAX_CELL, MAX_ROW, Row, column_of
from ragit.records import NamedTuple

_KIND = "xlsx"
_SHEETS = ("worksheet", "xlMacrosheet", "dialogsheet")

_MERGE = re.compile(
    rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=[\"']([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})[\"']"
)
_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class _Book(NamedTuple):
    """The data to which the cells of all sheets refer."""

    strings: list[str]
    formats: Mapping[int, str]
    """Number formats by style."""
    since_1904: bool
    bounds: Bounds
    parts: set[str]
    """Parts read already; sheets may share them."""

    def fresh(self, relations: Iterable[Relation], kind: str) -> list[str]:
        """Return the parts of one kind that were not read yet, and mark them as read."""
        found = sorted({each.part for each in relations if each.kind == kind} - self.parts)
        self.parts.update(found)
        return found


class _Cell(NamedTuple):
    column: int
    text: str
    data: bool
    """True unless it is text or a number that may be a year."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read the sheets in order, row by row."""
    package = Package(data, bounds, _KIND)
    parts = package.relations(package.main)
    named = {relation.kind: relation.part for relation in parts.values()}
    strings = list(_strings(package, named.get("sharedStrings", "")))
    shown = excel.formats(package.read(named["styles"])) if "styles" in named else []
    shown_as = dict(enumerate(shown))
    listed, since_1904 = _listed(package.read(package.main))
    book = _Book(strings, shown_as, since_1904, bounds, set())
    count = 0
    for name, state, number in listed:
        if (
            number not in parts
            or parts[number].kind not in _SHEETS
            or parts[number].part in book.parts
        ):
            continue
        book.parts.add(parts[number].part)
        count += 1
        if count > bounds.units:
            yield sheets.REST
            return
        yield from _sheet(
            package, parts[number].part, name, state in ("hidden", "veryHidden"), book
        )


def _listed(workbook: bytes) -> tuple[list[tuple[str, str, str]], bool]:
    """Return name, state and relation of each sheet, and whether its calendar starts in 1904."""
    found = []
    since_1904 = False
    for event, element in events(workbook, _KIND):
        if event == "end" and local(element) == "sheet":
            found.append(
                (attribute(element, "name"), attribute(element, "state"), relation_id(element))
            )
        elif event == "end" and local(element) == "workbookPr":
            since_1904 = attribute(element, "date1904") in ("1", "true", "on")
    return found, since_1904


def _strings(package: Package, part: str) -> Iterator[str]:
    """Yield the shared strings, to which cells refer by number."""
    root: Element | None = None
    for event, element in events(package.read(part), _KIND) if part else ():
        root = element if root is None else root
        if event == "end" and local(element) == "si":
            yield _text(element)
            root.clear()


def _text(element: Element) -> str:
    """Return the text of a cell on one line, without phonetic hints."""
    pieces: list[str] = []
    for each in element:
        if local(each) == "t":
            pieces.append(each.text or "")
        elif local(each) == "r":
            pieces += (run.text or "" for run in each if local(run) == "t")
    return _plain("".join(pieces))


def _plain(text: str) -> str:
    return " ".join(unescape(text[:MAX_CELL]).split())


def _sheet(package: Package, part: str, name: str, hidden: bool, book: _Book) -> Iterator[Block]:
    data = package.read(part)
    merges: dict[int, dict[int, int]] = {}
    for letters, first, last in _MERGE.findall(data, max(0, data.rfind(b"sheetData>"))):
        if int(last) > int(first):
            merges.setdefault(int(first), {})[column_of(letters.decode("ascii"))] = int(last)
    beside = package.relations(part).values()
    notes = _comments(package, book.fresh(beside, "comments"))
    boxes = [
        text for drawing in book.fresh(beside, "drawing") for text in _boxes(package.read(drawing))
    ]
    yield from sheets.sheet(name, hidden, _rows(data, merges, book), notes, boxes)


def _rows(data: bytes, merges: Mapping[int, dict[int, int]], book: _Book) -> Iterator[Row]:
    parser = WorkSheetParser(None, book.strings, data_only=True)
    open_elements: list[Element] = []
    cells: list[_Cell] = []
    for event, element in events(data, _KIND):
        name = local(element)
        if event == "start":
            open_elements.append(element)
            if name == "row":
                parser.row_counter = _number(element.get("r"), parser.row_counter + 1)
                parser.col_counter, cells = 0, []
            continue
        open_elements.pop()
        if name == "c":
            cell = _cell(element, parser, book)
            if cell.text:
                cells.append(cell)
        if name in ("c", "row") and open_elements:
            open_elements[-1].clear()
        number = parser.row_counter
        if name == "row" and cells and number <= MAX_ROW:
            yield _row(number, cells, merges.get(number, {}), book.bounds.columns)
        elif name == "sheetData":
            return


def _row(number: int, cells: list[_Cell], merged: Mapping[int, int], most: int) -> Row:
    last = max(cell.column for cell in cells)
    texts = [""] * min(last, most)
    for cell in cells:
        if cell.column <= most:
            texts[cell.column - 1] = cell.text
    texts += [sheets.MORE] if last > most else []
    return Row(number, texts, any(cell.data for cell in cells), merged)


def _cell(element: Element, parser: Any, book: _Book) -> _Cell:
    column = parser.col_counter + 1
    try:
        parsed = parser.parse_cell(element)
        value, column = parsed["value"], parsed["column"]
    except (ValueError, TypeError, IndexError, OverflowError):
        place = _PLACE.fullmatch(element.get("r", ""))
        column = column_of(place[1]) if place else column
        value = _as_written(element)
    parser.col_counter = column
    if value is None or element.get("t") == "inlineStr":
        return _Cell(column, _without_value(element), False)
    return _valued(element, column, value, book)


def _valued(element: Element, column: int, value: Any, book: _Book) -> _Cell:
    """Return a cell for the value parsed by openpyxl."""
    if isinstance(value, bool):
        return _Cell(column, values.boolean(value), True)
    if isinstance(value, (int, float)):
        shown_as = book.formats.get(_number(element.get("s"), 0), "")
        text, is_moment = excel.number(value, shown_as, book.since_1904)
        return _Cell(column, text, is_moment or not 1900 <= value <= 2100)  # a year may be a title
    if isinstance(value, str):
        return _Cell(column, _plain(value) or _without_value(element), False)
    return _Cell(column, values.moment(value), True)


def _number(text: str | None, default: int) -> int:
    """Return a number from an attribute; the default if it is missing or invalid."""
    return int(text) if text and text.isdecimal() and len(text) < 9 else default


def _as_written(element: Element) -> str | None:
    """Return the text of a value that openpyxl cannot read; None for a missing string."""
    value = element.findtext(VALUE_TAG)
    if element.get("t") == "s":
        return None
    return values.written_moment(value) if value and element.get("t") == "d" else value


def _without_value(element: Element) -> str:
    """Return the inline text of a cell, or its formula; empty if it has neither."""
    inline = element.find(INLINE_STRING)
    if inline is not None:
        return _text(inline)
    value = _plain(element.findtext(VALUE_TAG) or "") if element.get("t") == "inlineStr" else ""
    formula = _plain(element.findtext(FORMULA_TAG) or "")
    return value or (f"={formula}" if formula else "")


def _comments(package: Package, parts: Iterable[str]) -> sheets.Notes:
    found = sheets.Notes()
    for part in parts:
        for event, element in events(package.read(part), _KIND):
            if event == "end" and local(element) == "comment":
                place = _PLACE.fullmatch(attribute(element, "ref"))
                text = " ".join(_text(each) for each in element if local(each) == "text")
                if place:
                    found.add(text, place[1].upper(), int(place[2]))
                element.clear()
    return found


def _boxes(drawing: bytes) -> Iterator[str]:
    """Yield the text of each shape on a sheet, a line for a paragraph."""
    for event, element in events(drawing, _KIND):
        if event == "end" and local(element) == "txBody":
            paragraphs = outermost(element, ("p",))
            lines = (
                _plain("".join(each.text or "" for each in outermost(one, ("t",))))
                for one in paragraphs
            )
            text = "\n".join(filter(None, lines))
            element.clear()
            if text:
                yield text[:MAX_CELL]
