"""XML of documents as a stream of events, without what can hurt: definitions, entities, depth, long names of spaces."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.encoding import text_of

MAX_DEPTH = 300
"""Elements within each other. Nested tables and lists of documents that people write stay below 50."""

_PIECE = 1 << 16
_LONG = 400
"""Bytes of a namespace's name. Those that office formats have stay below 100, and each element's name holds one."""
_LONG_SPACE = re.compile(
    rb"""xmlns(?::[^\s=<>"':]*)?\s*=\s*(?:"[^"<]{%d}|'[^'<]{%d})""" % (_LONG, _LONG)
)
_DECLARATION = re.compile(rb"\s*<\?xml\s[^<>]*\?>")


def sound(data: bytes, kind: str) -> bytes:
    """Return XML as UTF-8 without its declaration, safe to parse.

    Raises Unreadable (`damaged <kind>` and the like) for what is no text, for a document type, which
    could define entities, and for long names of namespaces, which each element's name would repeat.
    """
    text = text_of(data)
    if text is None:
        raise Unreadable(f"damaged {kind}")
    # It is UTF-8 now, whatever it declares; a declared encoding could hide a definition from the search below.
    declared = _DECLARATION.match(text)
    if b"<!DOCTYPE" in text:
        raise Unreadable("document type definition")
    if _LONG_SPACE.search(text):
        raise Unreadable("too long a namespace")
    return text[declared.end() :] if declared else text


def events(data: bytes, kind: str) -> Iterator[tuple[str, Element]]:
    """Yield `start` and `end` of each element, as ElementTree has them; clear what is behind you in a long part.

    Raises Unreadable as `sound` does, for XML that is not well-formed and for elements nested too deeply.
    """
    text = sound(data, kind)
    depth = 0
    try:
        for event, element in _parsed(text):
            depth += 1 if event == "start" else -1
            if depth > MAX_DEPTH:
                raise Unreadable("nested too deeply")
            yield event, element
    except ParseError as error:
        raise Unreadable(f"damaged {kind}") from error


def _parsed(text: bytes) -> Iterator[tuple[str, Element]]:
    """The events of the text from an offset on, a piece of it at a time: together they would be many times as large."""
    parser: Any = XMLPullParser(
        ("start", "end")
    )  # typed as if it might give anything that a target makes
    at, size = 0, _PIECE
    while at < len(text):
        parser.feed(text[at : at + size])
        at += size
        # A tag or a comment that has not ended is read again with the next piece: it must not have many.
        size *= 2
        for event in parser.read_events():
            size = _PIECE
            yield event
    parser.close()
    yield from parser.read_events()


def local(element: Any) -> str:
    """Return an element's name without its namespace; empty for a comment in a tree of lxml."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """The value of the attribute of this name, in whatever namespace; empty if there is none."""
    if name in element.attrib:
        return element.attrib[name]
    return next(
        (value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), ""
    )


def outermost(element: Element, names: Container[str]) -> Iterator[Element]:
    """The elements of these names below an element, in their order, without those within one of them: whoever reads all
    that is in each reads nothing twice."""
    waiting = list(reversed(element))
    while waiting:
        each = waiting.pop()
        if local(each) in names:
            yield each
        else:
            waiting += reversed(each)
