"""Read presentations of PowerPoint since 2007 (.pptx, .pptm, .ppsx, .potx) from their XML.

python-pptx needs an image library and a writer of workbooks. ECMA-376 part 1: 19.3 slides, 19.3.1
shapes, 21.1.2 text, 21.1.3 tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.markup import attribute, events, local, outermost
from ragit.chunk.documents.opc import Package, relation_id
from ragit.records import NamedTuple

_KIND = "pptx"
_TITLES = ("title", "ctrTitle")
_NO_CONTENT = ("dt", "ftr", "sldNum", "hdr", "sldImg")
"""Placeholders for the date, footer and number, the same on each slide."""
_BODIES = ("body", "obj", "subTitle")
_FILE = re.compile(r"\S+\.\w{3,4}")
"""Name of a file, the default description of a picture."""
_BESIDE = ("diagramData", "chart", "comments")
"""Parts besides a slide that contain text."""


class _Slide(NamedTuple):
    place: Place
    path: tuple[str, ...]


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read slides in the order of the show: title, shapes, notes and comments of each."""
    package = Package(data, bounds, _KIND)
    read_beside: set[str] = set()
    for number, part in enumerate(_order(package), 1):
        if number > bounds.units:
            yield Block("[The slides go on: the rest is left out.]", kind="note")
            return
        yield from _slide(package, part, number, read_beside)


def _order(package: Package) -> list[str]:
    """Return the slides' parts in the order of the show, each once."""
    parts = package.relations(package.main)
    listed = (
        element for event, element in events(package.read(package.main), _KIND) if event == "start"
    )
    numbers = (relation_id(element) for element in listed if local(element) == "sldId")
    return list(dict.fromkeys(parts[number].part for number in numbers if number in parts))


def _tree(package: Package, part: str) -> Element:
    root: Element | None = None
    for _, element in events(package.read(part), _KIND):
        root = element if root is None else root
    if root is None:
        raise Unreadable(f"damaged {_KIND}")
    return root


def _slide(package: Package, part: str, number: int, read_beside: set[str]) -> Iterator[Block]:
    """Yield a slide's blocks; `read_beside` are parts besides slides that were read already."""
    root = _tree(package, part)
    shapes = [(_role(shape), shape) for shape in _shapes(root)]
    title = _title(shape for role, shape in shapes if role in _TITLES)
    hidden = "hidden" if attribute(root, "show") in ("0", "false") else ""
    slide = _Slide(Place(hidden, "slide", number, number), (title,) if title else ())
    if title:
        yield Block(title, slide.place, slide.path, "heading")
    for role, shape in shapes:
        if role not in _TITLES:
            yield from _shape(role, shape, slide)
    yield from _all_beside(package, part, slide, read_beside)


def _all_beside(
    package: Package, part: str, slide: _Slide, read_beside: set[str]
) -> Iterator[Block]:
    beside = {each for each in package.relations(part).values() if each.part not in read_beside}
    read_beside.update(each.part for each in beside)
    for kind in (*_BESIDE, "notesSlide"):
        for each in sorted(beside):
            if each.kind == kind:
                yield from _beside(_tree(package, each.part), kind, slide)


def _title(shapes: Iterable[Element]) -> str:
    """Return the text of the title's shapes on one line."""
    return " ".join(" ".join(text for shape in shapes for _, text in _paragraphs(shape)).split())


def _shapes(element: Element) -> Iterator[Element]:
    """Yield shapes with text, pictures and frames, also within groups, in drawing order."""
    for each in element:
        name = local(each)
        if name in ("sp", "pic", "graphicFrame", "cxnSp"):
            yield each
        elif name == "AlternateContent":
            yield from (
                _shapes(each[0]) if len(each) else ()
            )  # the others repeat it for older programs
        else:
            yield from _shapes(each)


def _role(shape: Element) -> str:
    """Return the placeholder that a shape fills: title, body, ...; empty for a free shape."""
    for each in shape[0].iter() if len(shape) else ():
        if local(each) == "ph":
            return attribute(each, "type") or "obj"
    return ""


def _shape(role: str, shape: Element, slide: _Slide) -> Iterator[Block]:
    if role in _NO_CONTENT:
        return
    tables = list(outermost(shape, ("tbl",)))
    for table in tables:
        yield from _table(table, slide)
    if tables:
        return
    lines = list(_paragraphs(shape))
    if role in _BODIES and len(lines) > 1:
        text = "\n".join(f"{'  ' * level}- {line}" for level, line in lines)
        yield Block(text, slide.place, slide.path, "list")
    elif lines:
        yield Block("\n".join(line for _, line in lines), slide.place, slide.path)
    elif described := _description(shape):
        yield Block(described, slide.place, slide.path, "note")


def _description(shape: Element) -> str:
    """Return the alternative text of a picture; empty if it is the name of a file."""
    properties = (each for each in shape.iter() if local(each) == "cNvPr")
    described = next((attribute(each, "descr") for each in properties), "").strip()
    return "" if _FILE.fullmatch(described) else described


def _paragraphs(shape: Element) -> Iterator[tuple[int, str]]:
    """Yield level and text of each paragraph."""
    for paragraph in outermost(shape, ("p",)):
        text = " ".join("".join(_runs(paragraph)).split())
        level = next((attribute(each, "lvl") for each in paragraph if local(each) == "pPr"), "")
        if text:
            yield int(level) if level.isdecimal() and len(level) == 1 else 0, text


def _runs(paragraph: Element) -> Iterator[str]:
    for each in paragraph.iter():
        name = local(each)
        if name == "t":
            yield each.text or ""
        elif name in ("br", "tab"):
            yield " "


def _table(table: Element, slide: _Slide) -> Iterator[Block]:
    lines = []
    for row in table:
        if local(row) == "tr":
            cells = [
                " ".join(text for _, text in _paragraphs(cell))
                for cell in row
                if local(cell) == "tc"
            ]
            line = " ".join(" | ".join(cells).split())
            if line.strip("| "):
                lines.append(line)
    header = lines[0] if len(lines) > 1 else ""
    for line in lines[1:] or lines:
        yield Block(line, slide.place, slide.path, "table", header)


def _beside(root: Element, kind: str, slide: _Slide) -> Iterator[Block]:
    """Yield the speaker's notes, comments, and the text of diagrams."""
    if kind == "notesSlide":
        for shape in _shapes(root):
            lines = [] if _role(shape) in _NO_CONTENT else [text for _, text in _paragraphs(shape)]
            if lines:
                yield Block("\n".join(lines), slide.place, slide.path, "note")
        return
    texts = [" ".join("".join(_statements(each, kind)).split()) for each in _units(root, kind)]
    texts = list(dict.fromkeys(filter(None, texts)))
    if texts and kind == "comments":
        yield from (Block(text, slide.place, slide.path, "note") for text in texts)
    elif texts:
        yield Block("\n".join(texts), slide.place, slide.path)


def _units(root: Element, kind: str) -> Iterator[Element]:
    """Yield the elements of a part that each contain one statement."""
    if kind == "comments":
        yield from (each for each in root if local(each) == "cm")
        return
    for each in outermost(root, ("p", "strCache")):
        if local(each) == "p":
            yield each
        else:
            yield from (point for point in each if local(point) == "pt")


def _statements(element: Element, kind: str) -> Iterator[str]:
    for each in element.iter():
        if local(each) in ("t", "text", "v"):
            yield each.text or ""
        elif local(each) == "p" and kind == "comments":
            yield " "
