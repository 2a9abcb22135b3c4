"""What the styles and lists of a .docx file say of a paragraph: how high a heading it is, and its number in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ragit.chunk.documents.markup import attribute, events, local
from ragit.chunk.documents.numbering import Level, Lists, Numbered

TITLE = 0
"""Level of a document's title, above all headings (1-9)."""

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_DEEPEST = 9


class _Style(NamedTuple):
    based_on: str
    level: int | None
    """Of a heading; None if it says nothing of it."""
    numbered: Numbered | None


class Styles:
    """Looks up what a paragraph's style means, through the styles that it is based on."""

    def __init__(self, data: bytes, kind: str) -> None:
        self._styles: dict[str, _Style] = {}
        for event, element in events(data, kind) if data else ():
            if event == "end" and local(element) == "style":
                self._styles[attribute(element, "styleId")] = _style(element)
                element.clear()

    def level(self, properties: Element | None) -> int | None:
        """The level of a heading; None for what is none. `properties` is the paragraph's `pPr`."""
        own = _outline_level(properties)
        if own is not None:
            return own if own <= _DEEPEST else None
        found = next(
            (style.level for style in self._above(properties) if style.level is not None), None
        )
        return found if found is not None and found <= _DEEPEST else None

    def numbered(self, properties: Element | None) -> Numbered | None:
        """The list that a paragraph is an item of, if any."""
        own = _numbered(properties)
        if own is None:
            own = next(
                (style.numbered for style in self._above(properties) if style.numbered), None
            )
        return own if own and own.list != "0" else None  # list 0 takes away what the style gives

    def _above(self, properties: Element | None) -> Iterator[_Style]:
        name = _value(properties, "pStyle")
        for _ in range(20):  # styles may be based on each other in a circle
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            name = style.based_on


def _style(element: Element) -> _Style:
    named = _value(element, "name")
    heading = _HEADING.fullmatch(named)
    properties = child(element, "pPr")
    level = (
        int(heading[1])
        if heading
        else TITLE
        if named.lower() == "title"
        else _outline_level(properties)
    )
    return _Style(_value(element, "basedOn"), level, _numbered(properties))


def child(element: Element | None, name: str) -> Element | None:
    """The first child of this name in whatever namespace."""
    return (
        next((each for each in element if local(each) == name), None)
        if element is not None
        else None
    )


def _value(element: Element | None, name: str) -> str:
    found = child(element, name)
    return attribute(found, "val") if found is not None else ""


def _outline_level(properties: Element | None) -> int | None:
    said = _value(properties, "outlineLvl")
    return int(said) + 1 if said.isdecimal() and len(said) < 3 else None


def _numbered(properties: Element | None) -> Numbered | None:
    found = child(properties, "numPr")
    if found is None:
        return None
    depth = _value(found, "ilvl")
    number = _value(found, "numId")
    return Numbered(number, min(int(depth), 8) if depth.isdecimal() else 0) if number else None


def lists_of(data: bytes, kind: str) -> Lists:
    """The lists of a document, by its part `numbering`."""
    shapes: dict[str, dict[int, Level]] = {}
    shape_of: dict[str, str] = {}
    for event, element in events(data, kind) if data else ():
        if event != "end":
            continue
        if local(element) == "abstractNum":
            shapes[attribute(element, "abstractNumId")] = dict(_levels(element))
            element.clear()
        elif local(element) == "num":
            shape_of[attribute(element, "numId")] = _value(element, "abstractNumId")
    return Lists(shape_of, shapes)


def _levels(element: Element) -> Iterator[tuple[int, Level]]:
    for each in element:
        depth = attribute(each, "ilvl")
        if local(each) == "lvl" and depth.isdecimal() and len(depth) == 1:
            start = _value(each, "start")
            first = int(start) if start.isdecimal() and len(start) < 7 else 1
            yield int(depth), Level(_value(each, "numFmt"), _value(each, "lvlText"), first)
