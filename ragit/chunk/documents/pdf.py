"""Read PDF: text by pdfium; outline, comments, forms and files that pdfium cannot open by pypdf.

pdfium reads a page's text about fifteen times as fast. On platforms without a wheel of pypdfium2,
pypdf reads everything.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.pdf_layout import (
    LACKS,
    Line,
    Page,
    blocks,
    page_of,
    plain,
    why_nothing,
)
from ragit.chunk.documents.pdf_pypdf import PypdfDocument, lack_of

try:
    import pypdfium2
    from pypdfium2 import PdfiumError, raw
except ImportError:  # no wheel for this platform
    pypdfium2, PdfiumError = None, OSError

_MOST_NOTES = 5000
"""Limit of the annotations examined on a page."""
_MOST_OBJECTS = 500
"""Limit of the pictures and other objects examined on a page."""
_DEPTH = 3
"""Depth of nested forms searched for a picture."""
_TORN = 0.25
"""Share of single letters among words; in English prose it is 0.05."""
_LINE_END = re.compile("(\ufffe)|\r\n|[\r\n]")
"""The end of a line in pdfium's text; U+FFFE is one at a hyphen."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read the paragraphs of a PDF, in the order of its pages."""
    slow = PypdfDocument(data)
    document = _opened(data)
    try:
        count = len(document) if document else slow.count
        if not count:
            document, count = None, slow.count
    except (Unreadable, MemoryError, RecursionError):
        raise
    except Exception as error:  # broken bytes make pypdf raise anything
        raise Unreadable(LACKS[lack_of(error)].whole) from error
    pages = _pages(document, slow, min(count, bounds.units), bounds.text)
    if not any(page.lines or page.notes for page in pages):
        raise Unreadable(why_nothing(pages))
    yield from blocks(pages, slow.outline() if _has_outline(document) else [])
    if len(pages) < count:
        rest = Place("", "page", len(pages) + 1, count)
        yield Block(f"[Pages {rest.first}-{rest.last} are left out.]", rest, kind="note")


def _opened(data: bytes) -> Any:
    """Return pdfium's document; None if pdfium cannot open it."""
    if pypdfium2 is None:
        return None
    try:
        return pypdfium2.PdfDocument(data)
    except PdfiumError:
        return None


def _has_outline(document: Any) -> bool:
    """Return whether there is an outline, or may be one in a file that pdfium cannot open."""
    return document is None or bool(raw.FPDFBookmark_GetFirstChild(document, None))


def _pages(document: Any, slow: PypdfDocument, count: int, most: int) -> list[Page]:
    pages: list[Page] = []
    used = 0
    for number in range(count):
        page = _page(document, slow, number, most - used)
        used += sum(len(line.text) for line in page.lines) + sum(map(len, page.notes))
        pages.append(page)
        if used > most:
            break
    return pages


def _page(document: Any, slow: PypdfDocument, number: int, most: int) -> Page:
    """Read a page, numbered from 0, with at most `most` characters of notes."""
    try:
        return _fast_page(document, slow, number, most) or _slow_page(slow, number, most)
    except MemoryError:
        raise
    except Exception as error:  # broken bytes make pypdf raise anything
        return Page(number + 1, [], [], lack_of(error))


def _fast_page(document: Any, slow: PypdfDocument, number: int, most: int) -> Page | None:
    """Read a page by pdfium; return None if it cannot."""
    if not document:
        return None
    try:
        page = document[number]
        lines = _lines(page)
        has_notes = _has_notes(page)
        has_image = not lines and _has_image(page)
        page.close()
    except PdfiumError:
        return None
    if _is_torn(lines):
        lines = min(lines, slow.lines(number), key=_torn)
    notes = slow.notes(number, most) if has_notes else []
    return page_of(number + 1, lines, notes, "image" if has_image and not notes else "")


def _slow_page(slow: PypdfDocument, number: int, most: int) -> Page:
    """Read a page by pypdf."""
    lines, notes = slow.lines(number), slow.notes(number, most)
    has_image = not lines and not notes and slow.has_image(number)
    return page_of(number + 1, lines, notes, "image" if has_image else "")


def _lines(page: Any) -> list[Line]:
    text_page = page.get_textpage()
    text = text_page.get_text_range() if text_page.count_chars() else ""
    lines = []
    at = 0
    for end in (*_LINE_END.finditer(text), None):
        stop = end.start() if end else len(text)
        # A hyphen that ends a line belongs to it; whether it stays is decided once all words are
        # known.
        line = plain(text[at:stop] + ("-" if end and end[1] else ""))
        if line:
            lines.append(Line(line, *_position(text_page, at + _blank(text, at))))
        at = end.end() if end else stop
    text_page.close()
    return lines


def _torn(lines: list[Line]) -> float:
    """Return the share of single letters among the words of lines."""
    words = [word for line in lines for word in line.text.split() if word.isalpha()]
    return sum(len(word) == 1 for word in words) / len(words) if words else 1.0


def _is_torn(lines: list[Line]) -> bool:
    """Return whether pdfium took the gaps between letters for spaces: `Th e Metropoli s`."""
    return bool(lines) and _TORN < _torn(lines) < 1.0


def _blank(text: str, at: int) -> int:
    """Return the number of spaces from an offset on."""
    start = at
    while text[at : at + 1] == " ":
        at += 1
    return at - start


def _position(text_page: Any, at: int) -> tuple[float, float, float]:
    """Return the position of the letter at an offset of the text, and its size."""
    index = max(raw.FPDFText_GetCharIndexFromTextIndex(text_page, at), 0)
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(text_page, index, x, y)
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(text_page, index, matrix)
    size = raw.FPDFText_GetFontSize(text_page, index) * (matrix.d or matrix.b or 1)
    return x.value, y.value, abs(size)


def _has_notes(page: Any) -> bool:
    """Return whether a page has other annotations than links."""
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_NOTES)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation) if annotation else raw.FPDF_ANNOT_LINK
        raw.FPDFPage_CloseAnnot(annotation)
        if kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
            return True
    return False


def _has_image(page: Any) -> bool:
    found = page.get_objects(max_depth=_DEPTH)
    objects = (each for _, each in zip(range(_MOST_OBJECTS), found, strict=False))
    return any(each.type == raw.FPDF_PAGEOBJ_IMAGE for each in objects)
