"""Read books (.epub, versions 2 and 3): the pages of the spine in reading order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ragit.chunk.documents import html_text
from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.html_tokens import Token, tokens
from ragit.chunk.documents.markup import attribute, events, local
from ragit.chunk.encoding import text_of
from ragit.records import NamedTuple

_KIND = "epub"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "image/svg+xml")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_DEFINITION = re.compile(rb"<!DOCTYPE\s[^<>\[]*>")


_MOST_TOKENS = 1_000_000
"""Limit of a book's tags and texts; a long novel has 100,000."""
_MARKUP = 2
"""Bytes of a page read for each character of text that a document may give."""


class _Item(NamedTuple):
    part: str
    kind: str
    properties: str


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read the chapters, numbered from 1 in the order of the spine, also files without text."""
    archive = Archive(data, bounds, _KIND)
    if "META-INF/encryption.xml" in archive and b"EncryptedData" in archive.read(
        "META-INF/encryption.xml"
    ):
        _refuse_protected(archive)
    left = [_MOST_TOKENS]
    for number, part in enumerate(_spine(archive), 1):
        place = Place("", "chapter", number, number)
        if number > bounds.units or not left[0]:
            yield Block("[The chapters go on: the rest is left out.]", place, kind="note")
            return
        text = text_of(archive.read(part))
        if text is not None:
            page = text[: _MARKUP * bounds.text].decode("utf-8", "replace")
            yield from html_text.blocks(_some(page, left), place)
    if not left[0]:
        yield Block("[The chapter goes on: the rest is left out.]", place, kind="note")


def _some(page: str, left: list[int]) -> Iterator[Token]:
    """Yield the tags and texts of a page within the book's limit, and count them."""
    for token in tokens(page):
        if not left[0]:
            return
        left[0] -= 1
        yield token


def _refuse_protected(archive: Archive) -> None:
    """Raise Unreadable if pages are encrypted; fonts often are."""
    for event, element in events(archive.read("META-INF/encryption.xml"), _KIND):
        target = attribute(element, "URI").lower()
        if (
            event == "end"
            and local(element) == "CipherReference"
            and target.endswith((".xhtml", ".html", ".htm"))
        ):
            raise Unreadable("password-protected")


def _spine(archive: Archive) -> list[str]:
    """Return the parts of the book's pages in reading order, without the table of contents."""
    package = _package(archive)
    folder = posixpath.dirname(package)
    items: dict[str, _Item] = {}
    order: list[str] = []
    for event, element in events(_DEFINITION.sub(b"", archive.read(package), count=1), _KIND):
        if event == "end" and local(element) == "item":
            part = posixpath.normpath(
                posixpath.join("/", folder, _unquoted(attribute(element, "href")))
            ).lstrip("/")
            attributes = (attribute(element, "media-type"), attribute(element, "properties"))
            items[attribute(element, "id")] = _Item(part, *attributes)
        elif event == "end" and local(element) == "itemref":
            order.append(attribute(element, "idref"))
    pages = [items[name] for name in dict.fromkeys(order) if name in items]
    named = (
        page.part
        for page in pages
        if page.part in archive and page.kind in _PAGES and "nav" not in page.properties.split()
    )
    return list(dict.fromkeys(named))


def _unquoted(link: str) -> str:
    """Return a link with its escapes decoded (`a%20b` becomes `a b`)."""
    plain = _ESCAPE.sub(
        lambda found: bytes.fromhex(found[1].decode("ascii")), link.encode("utf-8", "replace")
    )
    return plain.decode("utf-8", "replace")


def _package(archive: Archive) -> str:
    name = "META-INF/container.xml"
    if name not in archive:
        raise Unreadable(f"damaged {_KIND}")
    for event, element in events(archive.read(name), _KIND):
        if (
            event == "end"
            and local(element) == "rootfile"
            and attribute(element, "full-path") in archive
        ):
            return attribute(element, "full-path")
    raise Unreadable(f"damaged {_KIND}")
