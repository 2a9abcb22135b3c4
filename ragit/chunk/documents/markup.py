"""Parse XML of documents to a stream of events, without definitions, entities or deep nesting."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.encoding import text_of

MAX_DEPTH = 300
"""Limit of nested elements; those of ordinary documents stay below 50."""

_PIECE = 1 << 16
_LONG = 400
"""Limit of a namespace's name in bytes. Office formats stay below 100, and each element
repeats it.
"""
_LONG_SPACE = re.compile(
    rb"""xmlns(?::[^\s=<>"':]*)?\s*=\s*(?:"[^"<]{%d}|'[^'<]{%d})""" % (_LONG, _LONG)
)
_DECLARATION = re.compile(rb"\s*<\?xml\s[^<>]*\?>")


def sound(data: bytes, kind: str) -> bytes:
    """Return XML as UTF-8 without its declaration, safe to parse.

    Raise Unreadable (for example `damaged <kind>`) for bytes that are no text, for a document type,
    which could define entities, and for long namespaces, which each element would repeat.
    """
    text = text_of(data)
    if text is None:
        raise Unreadable(f"damaged {kind}")
    # It is UTF-8 now; a declared encoding could hide a definition from the search below.
    declared = _DECLARATION.match(text)
    if b"<!DOCTYPE" in text:
        raise Unreadable("document type definition")
    if _LONG_SPACE.search(text):
        raise Unreadable("too long a namespace")
    return text[declared.end() :] if declared else text


def events(data: bytes, kind: str) -> Iterator[tuple[str, Element]]:
    """Yield `start` and `end` of each element; the caller clears elements after use.

    Raise Unreadable like `sound`, for XML that is not well-formed and for deep nesting.
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
    """Yield events, parsing a piece of the text at a time to limit memory."""
    parser: Any = XMLPullParser(
        ("start", "end")
    )  # typed as if it might give anything that a target makes
    at, size = 0, _PIECE
    while at < len(text):
        parser.feed(text[at : at + size])
        at += size
        # An unfinished tag is read again with the next piece, so pieces must be few.
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
    """Return an attribute's value, in any namespace; empty if there is none."""
    if name in element.attrib:
        return element.attrib[name]
    return next(
        (value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), ""
    )


def outermost(element: Element, names: Container[str]) -> Iterator[Element]:
    """Yield the elements with these names below an element, but none within another of them."""
    waiting = list(reversed(element))
    while waiting:
        each = waiting.pop()
        if local(each) in names:
            yield each
        else:
            waiting += reversed(each)
