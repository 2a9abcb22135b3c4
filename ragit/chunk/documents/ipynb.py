"""Jupyter notebooks (.ipynb): JSON, read as the format of version 4 and of version 3 is described by nbformat.

Cells in their order. Outputs are left out: they are made from the cells, and are mostly pictures and numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.encoding import text_of

REST = Block("[The cells go on: the rest is left out.]", kind="note")

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_PICTURE = re.compile(r"\(?data:[\w/+.-]{1,80};base64,[A-Za-z0-9+/=\s]*\)?")


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """The cells, numbered from 1 as they stand; headings of Markdown cells hold for the cells that follow."""
    text = text_of(data)
    if text is None:
        raise Unreadable("damaged ipynb")
    try:
        cells = _cells(json.loads(text, parse_int=_number))
    except ValueError as error:
        raise Unreadable("damaged ipynb") from error
    above: list[tuple[int, str]] = []
    for number, (kind, level, source) in enumerate(cells, 1):
        place = Place("", "cell", number, number)
        if number > bounds.units:
            yield REST._replace(place=place)
            return
        if kind == "code":
            if source.strip():
                yield Block(source.strip("\n"), place, _path(above), "code")
        elif kind == "markdown":
            yield from _markdown(source, place, above)
        elif kind == "heading":
            yield from _markdown(f"{'#' * level} {' '.join(source.split())}", place, above)
        elif source.strip():
            yield Block(source.strip("\n"), place, _path(above))


def _number(digits: str) -> int:
    """No number of thousands of digits matters here, nor the time that it takes to compute with it."""
    return int(digits) if len(digits) < 9 else 0


def _cells(notebook: Any) -> list[tuple[str, int, str]]:
    """Kind, level (of a heading of version 3) and source of each cell."""
    if not isinstance(notebook, dict):
        raise ValueError
    if "cells" in notebook:
        return [_cell(cell) for cell in _objects(notebook["cells"])]
    sheets = _objects(notebook.get("worksheets"))
    return [_cell(cell) for sheet in sheets for cell in _objects(sheet.get("cells", []))]


def _objects(values: Any) -> list[dict[str, Any]]:
    if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
        raise ValueError
    return values


def _cell(cell: dict[str, Any]) -> tuple[str, int, str]:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        lines = [each for each in source if isinstance(each, str)]
        # Lines with their ends, but for the oldest notebooks.
        source = ("" if any(line.endswith("\n") for line in lines[:-1]) else "\n").join(lines)
    level = cell.get("level")
    level = min(max(level, 1), 6) if isinstance(level, int) else 1
    return str(cell.get("cell_type", "")), level, source if isinstance(source, str) else ""


def _path(above: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in above)


def _markdown(source: str, place: Place, above: list[tuple[int, str]]) -> Iterator[Block]:
    """Paragraphs and headings of Markdown; brings the titles `above` what follows up to date."""
    for level, lines in _parts(_PICTURE.sub("", source).splitlines()):
        if level:
            title = " ".join(" ".join(lines).split())
            above[:] = [(other, name) for other, name in above if other < level] + [(level, title)]
            yield Block(title, place, _path(above), "heading")
        elif any(map(str.strip, lines)):
            # A table, an item or a fence is as its author set it; only running text may be wrapped.
            kind = "code" if _is_mark(lines[0]) else "text"
            yield Block("\n".join(lines), place, _path(above), kind)


def _parts(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The paragraphs, each with 0, and the headings, each with its level."""
    part: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        underline = (
            _UNDERLINE.match(line) if part and not fence and not _is_mark(part[-1]) else None
        )
        heading = None if fence else _HEADING.fullmatch(line.rstrip(" \t"))
        if fence:
            part.append(line)
            fence = (
                ""
                if mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
                else fence
            )
        elif underline:
            yield (1 if underline[1][0] == "=" else 2), part
            part = []
        elif heading or mark or not line.strip():
            yield 0, part
            part = [line] if mark else []
            fence = mark[1] if mark else ""
            title = _closed(heading[2] or "") if heading else ""
            if heading and title:
                yield len(heading[1]), [title]
        else:
            part.append(line)
    yield 0, part


def _closed(title: str) -> str:
    """A title without the marks that may close it: `## Title ##`."""
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _is_mark(line: str) -> bool:
    """True for what a line of dashes does not make a heading: a table's row, an item, a quotation, a fence."""
    return line.lstrip().startswith(("- ", "* ", "+ ", ">", "```", "~~~")) or "|" in line
