"""Read OpenDocument texts, spreadsheets and presentations (.odt, .ods, .odp and templates).

odfpy has had no release since 2020 and builds objects for the whole document, of which a sheet may
have millions. OpenDocument 1.3 part 3: text (4, 5), tables (9), drawing pages (10), notes and
comments (6.3, 14.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from ragit.chunk.documents import odf_sheets
from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.markup import attribute, events, local
from ragit.chunk.documents.odf_text import Reading, is_encrypted

KIND = "odf"
_MOST_EVENTS = 2_000_000
"""Limit of starts and ends of elements of a text; a page of a report has some hundred."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read a text, spreadsheet or presentation, headers first and footers last."""
    archive = Archive(data, bounds, KIND)
    if is_encrypted(archive):
        raise Unreadable("password-protected")
    content = archive.read("content.xml")
    stream = events(content, KIND)
    hidden, body = _body(stream)
    if body == "spreadsheet":
        yield from odf_sheets.blocks(stream, hidden, bounds)
    elif body == "presentation":
        yield from _slides(stream, bounds)
    else:
        edges = list(_edges(archive))
        yield from (block for block in edges if block.kind == "header")
        yield from _text(stream, bounds, b"soft-page-break" in content)
        yield from (block for block in edges if block.kind == "footer")


def _body(stream: Iterator[tuple[str, Element]]) -> tuple[frozenset[str], str]:
    """Read up to the body; return the styles that hide sheets, and the kind of the body."""
    hidden: set[str] = set()
    within = False
    for event, element in stream:
        name = local(element)
        if event == "start" and within:
            return frozenset(hidden), name
        within = within or (event == "start" and name == "body")
        if event == "end" and name == "style":
            if any(
                attribute(each, "display") == "false"
                for each in element
                if local(each) == "table-properties"
            ):
                hidden.add(attribute(element, "name"))
            element.clear()
    raise Unreadable(f"damaged {KIND}")


def _text(stream: Iterable[tuple[str, Element]], bounds: Bounds, paged: bool) -> Iterator[Block]:
    """Yield a text's paragraphs, with page numbers if the file marks page starts."""
    reading = Reading()
    page = 1
    for number, (event, element) in enumerate(stream):
        if event == "start" and local(element) == "soft-page-break":
            page += 1
        place = Place("", "page", page, page) if paged else Place()
        if page > bounds.units or number > _MOST_EVENTS:
            yield Block("[The document goes on: the rest is left out.]", place, kind="note")
            return
        for block in reading.feed(event, element):
            yield block._replace(place=place)


def _edges(archive: Archive) -> Iterator[Block]:
    """Yield headers and footers, each text once."""
    if "styles.xml" not in archive:
        return
    seen: set[str] = set()
    reading, kind = Reading(), ""
    for event, element in events(archive.read("styles.xml"), KIND):
        name = local(element)
        if name in (
            "header",
            "footer",
            "header-left",
            "footer-left",
            "header-first",
            "footer-first",
        ):
            kind = name.partition("-")[0] if event == "start" else ""
        elif kind:
            for block in reading.feed(event, element):
                if block.text not in seen:
                    seen.add(block.text)
                    yield block._replace(place=Place(kind), kind=kind, headings=())


def _slides(stream: Iterable[tuple[str, Element]], bounds: Bounds) -> Iterator[Block]:
    number = 0
    for event, element in stream:
        if event == "end" and local(element) == "page":
            number += 1
            if number > bounds.units:
                yield Block("[The slides go on: the rest is left out.]", kind="note")
                return
            yield from _slide(element, Place("", "slide", number, number))
            element.clear()


def _slide(page: Element, place: Place) -> Iterator[Block]:
    """Yield a slide's blocks: the title first, the notes last."""
    shapes = [(attribute(each, "class") == "title", each) for each in page]
    title = " ".join(block.text for is_title, each in shapes if is_title for block in _walked(each))
    title = " ".join(title.split())
    path = (title,) if title else ()
    if title:
        yield Block(title, place, path, "heading")
    for is_title, each in shapes:
        if is_title:
            continue
        kind = "note" if local(each) in ("notes", "annotation") else ""
        for block in _walked(each):
            yield block._replace(place=place, headings=path, kind=kind or block.kind)


def _walked(element: Element) -> Iterator[Block]:
    """Yield the blocks of a complete tree."""
    reading = Reading()
    waiting = [("end", element), ("start", element)]
    while waiting:
        event, each = waiting.pop()
        yield from reading.feed(event, each, keep=True)
        if event == "start":
            for child in reversed(each):
                waiting += [("end", child), ("start", child)]
