"""Workbooks of Excel since 2007 (.xlsx, .xlsm and their templates), read row by row from their XML.

openpyxl refuses a workbook whole for a style or a name that it does not know, finds nothing in the strict form that
Excel can save, needs a second pass for formulas without values, and asks for memory as a file claims. What is read here
is written down in ECMA-376 part 1: 18.2 workbooks, 18.3 sheets, 18.4 shared strings, 18.7 comments, 20.5 drawings.

A formula's value is the one that was computed when the file was saved. A program that wrote the file without computing
leaves none; then the formula itself is read, since it says more than nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ragit.chunk.documents import sheets, values
from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Bounds
from ragit.chunk.documents.markup import attribute, events, local, outermost
from ragit.chunk.documents.relations import Relation, reference, related, related_of
from ragit.chunk.documents.sheets import MAX_CELL, MAX_ROW, Row, column_of
from ragit.chunk.documents.xlsx_formats import formats

_KIND = "xlsx"
_SHEETS = ("worksheet", "xlMacrosheet", "dialogsheet")

_MERGE = re.compile(
    rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=[\"']([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})[\"']"
)
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class _Book(NamedTuple):
    """What the cells of all sheets refer to."""

    strings: list[str]
    formats: list[str]
    """How a cell is shown, by the number of its style."""
    since_1904: bool
    bounds: Bounds
    parts: set[str]
    """Those of sheets, and beside them, that were read: what several refer to is said once."""

    def fresh(self, relations: Iterable[Relation], kind: str) -> list[str]:
        """The parts of one kind that were not read yet."""
        found = sorted({each.part for each in relations if each.kind == kind} - self.parts)
        self.parts.update(found)
        return found


class _Cell(NamedTuple):
    column: int
    text: str
    data: bool
    """No text, and no number that may be a year."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """The sheets in order, row by row."""
    archive = Archive(data, bounds, _KIND)
    main = next(
        iter(related_of(archive, "", _KIND, "officeDocument")), archive.called("xl/workbook.xml")
    )
    parts = related(archive, main, _KIND)
    named = {relation.kind: relation.part for relation in parts.values()}
    strings = list(_strings(archive, named.get("sharedStrings", "")))
    shown = formats(archive.read(named["styles"])) if "styles" in named else []
    listed, since_1904 = _listed(archive.read(main))
    book = _Book(strings, shown, since_1904, bounds, set())
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
            archive, parts[number].part, name, state in ("hidden", "veryHidden"), book
        )


def _listed(workbook: bytes) -> tuple[list[tuple[str, str, str]], bool]:
    """Name, state and relation of each sheet, and whether days are counted from 1904."""
    found = []
    since_1904 = False
    for event, element in events(workbook, _KIND):
        if event == "end" and local(element) == "sheet":
            found.append(
                (attribute(element, "name"), attribute(element, "state"), reference(element))
            )
        elif event == "end" and local(element) == "workbookPr":
            since_1904 = attribute(element, "date1904") in ("1", "true", "on")
    return found, since_1904


def _strings(archive: Archive, part: str) -> Iterator[str]:
    """The texts that cells refer to by their number."""
    root: Element | None = None
    for event, element in events(archive.read(part), _KIND) if part else ():
        root = element if root is None else root
        if event == "end" and local(element) == "si":
            yield _text(element)
            root.clear()


def _text(element: Element) -> str:
    """The text of a cell without how it is pronounced, in one line."""
    pieces: list[str] = []
    for each in element:
        if local(each) == "t":
            pieces.append(each.text or "")
        elif local(each) == "r":
            pieces += (run.text or "" for run in each if local(run) == "t")
    return _plain("".join(pieces))


def _plain(text: str) -> str:
    text = text[:MAX_CELL]
    if "_x" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return " ".join(text.split())


def _sheet(archive: Archive, part: str, name: str, hidden: bool, book: _Book) -> Iterator[Block]:
    data = archive.read(part)
    merges: dict[int, dict[int, int]] = {}
    for letters, first, last in _MERGE.findall(data, max(0, data.rfind(b"sheetData>"))):
        if int(last) > int(first):
            merges.setdefault(int(first), {})[column_of(letters.decode("ascii"))] = int(last)
    beside = related(archive, part, _KIND).values()
    notes = _comments(archive, book.fresh(beside, "comments"))
    boxes = [
        text for drawing in book.fresh(beside, "drawing") for text in _boxes(archive.read(drawing))
    ]
    yield from sheets.sheet(name, hidden, _rows(data, merges, book), notes, boxes)


def _rows(data: bytes, merges: Mapping[int, dict[int, int]], book: _Book) -> Iterator[Row]:
    number, column = 0, 0
    open_elements: list[Element] = []
    cells: list[_Cell] = []
    for event, element in events(data, _KIND):
        name = local(element)
        if event == "start":
            open_elements.append(element)
            if name == "row":
                said = element.get("r", "")
                number = int(said) if said.isdecimal() and len(said) < 9 else number + 1
                column, cells = 0, []
            continue
        open_elements.pop()
        if name == "c":
            cell = _cell(element, column + 1, book)
            column = cell.column
            if cell.text:
                cells.append(cell)
        if name in ("c", "row") and open_elements:
            open_elements[-1].clear()
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


def _cell(element: Element, column: int, book: _Book) -> _Cell:
    place = _PLACE.fullmatch(element.get("r", ""))
    if place:
        column = column_of(place[1])
    value, formula, inline = "", "", ""
    for each in element:
        name = local(each)
        if name == "v":
            value = (each.text or "").strip() or value
        elif name == "f":
            formula = (each.text or "").strip()
        elif name == "is":
            inline = _text(each)
    if value:
        return _valued(column, value, element.get("t", "n"), element.get("s", ""), book)
    return _Cell(column, inline or (f"={_plain(formula)}" if formula else ""), False)


def _valued(column: int, value: str, kind: str, style: str, book: _Book) -> _Cell:
    if kind == "s":
        number = int(value) if value.isdecimal() and len(value) < 9 else -1
        return _Cell(column, book.strings[number] if 0 <= number < len(book.strings) else "", False)
    if kind == "b":
        return _Cell(column, values.truth(value in ("1", "true")), True)
    if kind == "d":
        return _Cell(column, values.written_moment(value), True)
    shown_as = (
        book.formats[int(style)]
        if style.isdecimal() and len(style) < 6 and int(style) < len(book.formats)
        else ""
    )
    if kind == "n":
        try:
            number_of = float(value)
        except ValueError:
            return _Cell(column, _plain(value), False)
        if values.is_moment(shown_as):
            return _Cell(column, values.serial(number_of, book.since_1904, shown_as), True)
        return _Cell(
            column, values.number(number_of, shown_as), not 1900 <= number_of <= 2100
        )  # a year may be a title
    return _Cell(column, _plain(value), False)


def _comments(archive: Archive, parts: Iterable[str]) -> sheets.Notes:
    """What was remarked on cells."""
    found = sheets.Notes()
    for part in parts:
        for event, element in events(archive.read(part), _KIND):
            if event == "end" and local(element) == "comment":
                place = _PLACE.fullmatch(attribute(element, "ref"))
                text = " ".join(_text(each) for each in element if local(each) == "text")
                if place:
                    found.add(text, place[1].upper(), int(place[2]))
                element.clear()
    return found


def _boxes(drawing: bytes) -> Iterator[str]:
    """The text of each shape that lies on a sheet, a line for a paragraph."""
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
