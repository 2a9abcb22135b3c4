"""Read Word documents since 2007 (.docx, .docm and their templates), opened by python-docx.

The library gives the package, its styles and lists, and element classes. Its API has no text boxes,
footnotes or tracked changes, so its tree is walked here, after ECMA-376 part 1: 17.3 paragraphs,
17.4 tables, 17.10 headers, 17.11 footnotes, 17.13 comments and changes. The library's parser parses
the body in pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import docx
from docx.opc.constants import CONTENT_TYPE
from docx.oxml.parser import element_class_lookup, parse_xml
from lxml import etree

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.docx_styles import Styles, lists_of
from ragit.chunk.documents.markup import local
from ragit.chunk.documents.opc import Package, written

_KIND = "docx"
_MAIN = "officeDocument"
_TYPES = {
    _MAIN: CONTENT_TYPE.WML_DOCUMENT_MAIN,  # macros and templates as well
    "styles": CONTENT_TYPE.WML_STYLES,
    "numbering": CONTENT_TYPE.WML_NUMBERING,
    "header": CONTENT_TYPE.WML_HEADER,
    "footer": CONTENT_TYPE.WML_FOOTER,
    "comments": CONTENT_TYPE.WML_COMMENTS,
    "footnotes": CONTENT_TYPE.WML_FOOTNOTES,
    "endnotes": CONTENT_TYPE.WML_ENDNOTES,
}
_MOST_PARTS = 500
"""Limit of headers, footers and other parts; python-docx compares each name with all others."""
_PARAGRAPHS = 100
"""Paragraphs and tables per page: the limit on pages times this is read."""
_PIECE = 1 << 16
"""Bytes of the body parsed at a time."""

_MOST_TAGS = 2_000_000
"""Limit of the body's tags, which take some 300 MB; a page of a report has some hundred."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOTES = {
    "footnoteReference": "footnote",
    "endnoteReference": "endnote",
    "commentReference": "comment",
}
_SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")
_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HIDDEN = frozenset(
    "del moveFrom instrText delText delInstrText pPr rPr sdtPr tblPr trPr tcPr rt".split()
)
"""Elements whose text is not shown: deleted text, field codes, properties, phonetic hints
(`rt`).
"""
_REST = "[The document goes on: the rest is left out.]"


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read headers, the body with notes after the paragraph that refers to them, and footers."""
    package = Package(data, bounds, _KIND)
    try:
        document = _Document(package)
        yield from document.edges("header")
        yield from document.body(package.read(package.main), bounds)
        yield from document.edges("footer")
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise Unreadable(
            "nested too deeply" if "depth" in str(error) else "damaged docx"
        ) from error


def _opened(package: Package) -> Any:
    """Return python-docx's document, with an empty body."""
    parts: dict[str, tuple[str, bytes]] = {}
    for relation in package.relations(package.main).values():
        if relation.kind in _TYPES and relation.kind != _MAIN and len(parts) < _MOST_PARTS:
            parts[relation.part] = (relation.kind, package.read(relation.part))
    parts.pop(package.main, None)
    body = f'<w:document xmlns:w="{_W[1:-1]}"><w:body/></w:document>'.encode()
    return docx.Document(written((package.main, body), _TYPES, parts))


class _Document:
    """The state of reading one document: its styles, lists and notes, and the position."""

    def __init__(self, package: Package) -> None:
        self._parts: dict[str, list[Any]] = {}
        for relation in _opened(package).part.rels.values():
            kind = relation.reltype.rpartition("/")[2]
            self._parts.setdefault(kind, []).append(_root(relation.target_part))
        self._styles = Styles(self._first("styles"))
        self._lists = lists_of(self._first("numbering"))
        self._headings: list[tuple[int, str]] = []
        self._page = 1
        self._pages = False
        """The file marks ends of pages."""
        self._references: list[tuple[str, str]] = []
        """Notes (kind, id) of the current paragraph."""
        self._boxes: list[Any] = []
        """Text boxes in the current paragraph."""
        self._notes = {kind: self._read_notes(kind) for kind in _NOTES.values()}

    def _first(self, kind: str) -> Any:
        return next(iter(self._parts.get(kind, ())), None)

    def _read_notes(self, kind: str) -> dict[str, str]:
        root = self._first(f"{kind}s")
        notes = {}
        for note in root.findall(f"{_W}{kind}") if root is not None else ():
            if note.get(f"{_W}type") not in _SEPARATORS:
                notes[note.get(f"{_W}id") or ""] = self._line(note)
        self._references, self._boxes = [], []
        return notes

    def edges(self, kind: str) -> Iterator[Block]:
        """Read the headers or footers, each text once."""
        seen: set[str] = set()
        for root in self._parts.get(kind, ()):
            for block in self._blocks(root):
                # A text of digits alone is a page number.
                if block.text not in seen and not block.text.strip().isdecimal():
                    seen.add(block.text)
                    own = kind if block.kind == "text" else block.kind
                    yield block._replace(place=Place(kind), headings=(), kind=own)
        self._page = 1

    def body(self, data: bytes, bounds: Bounds) -> Iterator[Block]:
        """Read the body, paragraph by paragraph."""
        self._pages = b"lastRenderedPageBreak" in data
        for number, element in enumerate(_children(data)):
            if element is not None:
                yield from self._blocks((element,))
            many = self._page > bounds.units or number >= bounds.units * _PARAGRAPHS
            if many or element is None:
                yield Block(_REST, self._place(self._page), kind="note")
                return

    # -- blocks -----------------------------------------------------------------------------------

    def _blocks(self, elements: Iterable[Any]) -> Iterator[Block]:
        for element in elements:
            name = local(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name == "AlternateContent":
                yield from self._blocks(_chosen(element))
            elif name not in _HIDDEN:  # content controls, tracked changes, custom XML
                yield from self._blocks(element)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        first = self._page
        text = self._text(element)
        text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip("\n")
        references, self._references = self._references, []
        boxes, self._boxes = self._boxes, []
        if text.strip():
            yield self._block(text, element.find(f"{_W}pPr"), first)
        yield from self._beside(references, boxes, first)

    def _beside(
        self, references: list[tuple[str, str]], boxes: list[Any], first: int
    ) -> Iterator[Block]:
        """Yield the notes of a paragraph or row, and its text boxes."""
        for kind, number in references:
            note = self._notes[kind].get(number)
            if note:
                yield Block(f"{kind}: {note}", self._place(first), self._path(), "note")
        for box in boxes:
            yield from self._blocks(box)

    def _block(self, text: str, properties: Any, first: int) -> Block:
        level = self._styles.level(properties)
        item = self._styles.numbered(properties)
        mark = self._lists.mark(item) if item else ""
        if mark.strip():
            text = f"{mark} {text.lstrip()}"
        if level is not None:
            title = " ".join(text.split())
            above = [(other, name) for other, name in self._headings if other < level]
            self._headings = [*above, (level, title)]
            return Block(title, self._place(first), self._path(), "heading")
        if item:
            return Block("  " * item.depth + text, self._place(first), self._path(), "list")
        return Block(text, self._place(first), self._path())

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._headings)

    def _place(self, first: int) -> Place:
        return Place("", "page", first, max(first, self._page)) if self._pages else Place()

    def _table(self, element: Any) -> Iterator[Block]:
        first = self._page
        cells = [list(_inner(row, "tc")) for row in _inner(element, "tr")]
        if len(cells) == 1 and len(cells[0]) == 1:
            yield from self._blocks(cells[0][0])  # a frame around text
            return
        has_header = len(cells) > 1 and max(map(len, cells)) > 1
        header = ""
        for number, row in enumerate(cells):
            text = " | ".join(self._line(cell) for cell in row).rstrip("| ")
            if not text:
                continue
            if has_header and number == 0:
                header = text
            yield Block(text, self._place(first), self._path(), "table", header)
            first = self._page
            references, self._references = self._references, []
            boxes, self._boxes = self._boxes, []
            yield from self._beside(references, boxes, first)

    # -- text -------------------------------------------------------------------------------------

    def _line(self, element: Any) -> str:
        return " ".join(self._text(element).split())

    def _text(self, element: Any) -> str:
        pieces: list[str] = []
        self._collect(element, pieces)
        return "".join(pieces)

    def _collect(self, element: Iterable[Any], pieces: list[str]) -> None:
        """Append the text within an element; record text boxes, notes and page ends."""
        for each in element:
            name = local(each)
            if name == "t":
                pieces.append(each.text or "")
            elif name in _SPACES:
                pieces.append(_SPACES[name])
            elif name == "docPr":
                pieces.append(_description(each))
            elif name == "AlternateContent":
                self._collect(_chosen(each), pieces)
            elif name not in _HIDDEN and not self._remembered(name, each):
                self._collect(each, pieces)
                if name in ("p", "tc", "tr"):
                    pieces.append("\n")  # between the paragraphs of a cell or a note

    def _remembered(self, name: str, element: Any) -> bool:
        """Record a note, a text box or the end of a page; return False for other elements."""
        if name in _NOTES:
            self._references.append((_NOTES[name], element.get(f"{_W}id") or ""))
        elif name == "lastRenderedPageBreak":
            self._page += 1
        elif name in ("txbxContent", "textbox"):
            self._boxes.append(element)
        else:
            return False
        return True


def _root(part: Any) -> Any:
    """Return the tree of a part; python-docx parses the kinds that it has a class for."""
    element = getattr(part, "element", None)
    return parse_xml(part.blob) if element is None else element


def _children(data: bytes) -> Iterator[Any]:
    """Yield each child of the body once it is parsed, and None after too many tags."""
    parser = etree.XMLPullParser(
        ("start",),
        tag=f"{_W}body",
        remove_blank_text=True,
        remove_comments=True,
        remove_pis=True,
        resolve_entities=False,
    )
    parser.set_element_class_lookup(element_class_lookup)
    body = last = None
    tags = 0
    for at in range(0, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        tags += piece.count(b"<")
        parser.feed(piece)
        if body is None:
            body = next((element for _, element in parser.read_events()), None)
        # A child is complete once another one follows it. Freeing it here would take lxml longer
        # than all the rest: it looks up the namespace of every element within.
        following = _next(body, last)
        while following is not None and following.getnext() is not None:
            yield following
            last, following = following, following.getnext()
        if tags > _MOST_TAGS:
            break
    else:
        parser.close()
    while (last := _next(body, last)) is not None:
        yield last
    if tags > _MOST_TAGS:
        yield None


def _next(body: Any, last: Any) -> Any:
    """Return the child after the last one, or the first child; None if there is none."""
    if last is not None:
        return last.getnext()
    return next(iter(body), None) if body is not None else None


def _description(properties: Any) -> str:
    """Return the alternative text of a picture, by its `docPr`; empty if it has none."""
    described = " ".join((properties.get("descr") or "").split())
    return f" [image: {described}] " if described else ""


def _chosen(element: Any) -> Iterable[Any]:
    """Return the first choice of alternatives; the fallback repeats it for an older Word."""
    for name in ("Choice", "Fallback"):
        for each in element:
            if local(each) == name:
                return [each]
    return []


def _inner(element: Any, name: str) -> Iterator[Any]:
    """Yield rows of a table or cells of a row, but not those of nested tables."""
    for each in element:
        if local(each) == name:
            yield each
        elif local(each) not in ("tbl", "tr", "tc", *_HIDDEN):
            yield from _inner(each, name)
