"""Heading levels and list numbers of Word paragraphs, from the parts that python-docx parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docx.oxml.exceptions import InvalidXmlError
from docx.oxml.ns import qn

from ragit.chunk.documents.numbering import Level, Lists, Numbered
from ragit.records import NamedTuple

TITLE = 0
"""Level of a document's title, above all headings (1-9)."""

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_DEEPEST = 9
_MOST_BASES = 20
"""Limit of the styles that a style is based on; they may form a cycle."""


class _Style(NamedTuple):
    based_on: str | None
    level: int | None
    """Level of a heading; None if the style does not tell."""
    numbered: Numbered | None


class Styles:
    """The meaning of paragraph styles, through the styles that they are based on."""

    def __init__(self, root: Any) -> None:
        """Read the styles below the root of their part; None if there is none."""
        found = root.findall(qn("w:style")) if root is not None else ()
        self._styles = {style.styleId: _style(style) for style in found}

    def level(self, properties: Any) -> int | None:
        """Return the level of a heading, None for other paragraphs. `properties` is a `pPr`."""
        level = _outline_level(properties)
        if level is None:
            levels = (style.level for style in self._above(properties))
            level = next((level for level in levels if level is not None), None)
        return level if level is not None and level <= _DEEPEST else None

    def numbered(self, properties: Any) -> Numbered | None:
        """Return a paragraph's list, if it is an item of one."""
        own = _numbered(properties)
        if own is None:
            above = (style.numbered for style in self._above(properties))
            own = next(filter(None, above), None)
        return own if own and own.list != "0" else None  # list 0 removes that of the style

    def _above(self, properties: Any) -> Iterator[_Style]:
        name = _value(properties, "w:pStyle")
        for _ in range(_MOST_BASES):
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            name = style.based_on


def _style(style: Any) -> _Style:
    named = _value(style, "w:name") or ""
    heading = _HEADING.fullmatch(named)
    if heading:
        level: int | None = int(heading[1])
    else:
        level = TITLE if named.lower() == "title" else _outline_level(style.pPr)
    return _Style(_value(style, "w:basedOn"), level, _numbered(style.pPr))


def _value(element: Any, name: str) -> Any:
    """Return the value of a child as python-docx parses it; None if there is none."""
    found = element.find(qn(name)) if element is not None else None
    try:
        return found.val if found is not None else None
    except (ValueError, InvalidXmlError):
        return None


def _outline_level(properties: Any) -> int | None:
    level = _value(properties, "w:outlineLvl")
    return level + 1 if level is not None and level >= 0 else None


def _numbered(properties: Any) -> Numbered | None:
    found = properties.numPr if properties is not None else None
    number = _value(found, "w:numId")
    if number is None:
        return None
    depth = _value(found, "w:ilvl") or 0
    return Numbered(str(number), min(max(depth, 0), 8))


def lists_of(root: Any) -> Lists:
    """Return the lists of a document, by the root of its part `numbering`; None if it has none."""
    shapes: dict[str, dict[int, Level]] = {}
    shape_of: dict[str, str] = {}
    for shape in root.findall(qn("w:abstractNum")) if root is not None else ():
        shapes[shape.get(qn("w:abstractNumId")) or ""] = dict(_levels(shape))
    for number in root.findall(qn("w:num")) if root is not None else ():
        shape_of[number.get(qn("w:numId")) or ""] = str(_value(number, "w:abstractNumId"))
    return Lists(shape_of, shapes)


def _levels(shape: Any) -> Iterator[tuple[int, Level]]:
    for level in shape.findall(qn("w:lvl")):
        depth = level.get(qn("w:ilvl")) or ""
        if depth.isdecimal() and len(depth) == 1:
            first, kind, text = (
                (each.get(qn("w:val")) or "") if each is not None else ""
                for each in (level.find(qn(f"w:{name}")) for name in ("start", "numFmt", "lvlText"))
            )
            start = int(first) if first.isdecimal() and len(first) < 7 else 1
            yield int(depth), Level(kind, text, start)
