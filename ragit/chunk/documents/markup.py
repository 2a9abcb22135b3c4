"""XML of documents as a stream of events, without what can hurt: definitions, entities, depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.encoding import text_of

MAX_DEPTH = 300
"""Elements within each other. Nested tables and lists of documents that people write stay below 50."""

_PIECE = 1 << 16
_DECLARATION = re.compile(rb"\s*<\?xml\s[^<>]*\?>")


def events(data: bytes, kind: str) -> Iterator[tuple[str, Element]]:
    """`start` and `end` of each element, as ElementTree has them. Who reads a long part clears what is behind it.

    Raises Unreadable (`damaged <kind>` and the like).
    """
    text = text_of(data)
    if text is None:
        raise Unreadable(f"damaged {kind}")
    # It is UTF-8 now, whatever it declares; a declared encoding could hide a definition from the search below.
    declared = _DECLARATION.match(text)
    start = declared.end() if declared else 0
    if b"<!DOCTYPE" in text:
        raise Unreadable("document type definition")
    parser: Any = XMLPullParser(("start", "end"))  # typed as if it might give anything that a target makes
    depth = 0
    try:
        for at in range(start, len(text) + 1, _PIECE):
            parser.feed(text[at : at + _PIECE])
            for event, element in parser.read_events():
                depth += 1 if event == "start" else -1
                if depth > MAX_DEPTH:
                    raise Unreadable("nested too deeply")
                yield event, element
        parser.close()
        yield from parser.read_events()
    except ParseError as error:
        raise Unreadable(f"damaged {kind}") from error


def local(element: Element) -> str:
    """An element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """The value of the attribute of this name, in whatever namespace; empty if there is none."""
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
