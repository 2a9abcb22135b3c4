"""Read Jupyter notebooks (.ipynb), versions 3 and 4 of nbformat: cells in their order.

Outputs are left out: they result from the cells, and are mostly pictures and numbers.
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
    """Read the cells, numbered from 1; headings apply to the cells that follow."""
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
    """Parse a number; long ones, which take time to parse and do not matter, are 0."""
    return int(digits) if len(digits) < 9 else 0


def _cells(notebook: Any) -> list[tuple[str, int, str]]:
    """Return kind, heading level (of version 3) and source of each cell."""
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
        # Lines with their ends, except in the oldest notebooks.
        source = ("" if any(line.endswith("\n") for line in lines[:-1]) else "\n").join(lines)
    level = cell.get("level")
    level = min(max(level, 1), 6) if isinstance(level, int) else 1
    return str(cell.get("cell_type", "")), level, source if isinstance(source, str) else ""


def _path(above: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in above)


def _markdown(source: str, place: Place, above: list[tuple[int, str]]) -> Iterator[Block]:
    """Yield paragraphs and headings of Markdown; update the titles `above` the following text."""
    for level, lines in _parts(_PICTURE.sub("", source).splitlines()):
        if level:
            title = " ".join(" ".join(lines).split())
            above[:] = [(other, name) for other, name in above if other < level] + [(level, title)]
            yield Block(title, place, _path(above), "heading")
        elif any(map(str.strip, lines)):
            # Only running text may be wrapped, not a table, an item or a fence.
            kind = "code" if _is_mark(lines[0]) else "text"
            yield Block("\n".join(lines), place, _path(above), kind)


def _parts(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield paragraphs, with level 0, and headings, with their level."""
    part: list[str] = []
    fence = ""
    for line in lines:
        if fence:
            part.append(line)
            fence = "" if _ends(line, fence) else fence
            continue
        level, title = _heading(line)
        mark = _FENCE.match(line)
        underlined = _underlined(part, line)
        if underlined:
            yield underlined, part
            part = []
        elif level or mark or not line.strip():
            yield 0, part
            part = [line] if mark else []
            fence = mark[1] if mark else ""
            if title:
                yield level, [title]
        else:
            part.append(line)
    yield 0, part


def _heading(line: str) -> tuple[int, str]:
    """Return level and title of a line that is a heading; 0 for other lines."""
    found = _HEADING.fullmatch(line.rstrip(" \t"))
    return (len(found[1]), _closed(found[2] or "")) if found else (0, "")


def _ends(line: str, fence: str) -> bool:
    """Return whether a line ends the code that a fence began."""
    mark = _FENCE.match(line)
    return bool(mark and mark[1].startswith(fence) and not line[mark.end() :].strip())


def _underlined(part: list[str], line: str) -> int:
    """Return the level of the heading that a line makes of the lines before it; 0 for none."""
    if not part or _is_mark(part[-1]):
        return 0
    mark = _UNDERLINE.match(line)
    if not mark:
        return 0
    return 1 if mark[1][0] == "=" else 2


def _closed(title: str) -> str:
    """Return a title without closing marks: `## Title ##`."""
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _is_mark(line: str) -> bool:
    """Return whether dashes below a line make no heading of it: a row, item or quotation."""
    return line.lstrip().startswith(("- ", "* ", "+ ", ">", "```", "~~~")) or "|" in line
