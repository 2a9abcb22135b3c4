"""Word documents since 2007 (.docx, .docm, .dotx), in both dialects of the standard, read from their XML.

Not by python-docx: it refuses templates and files with macros, does not know the strict dialect, loads all pictures,
and shows neither text boxes nor footnotes. What is written here follows ECMA-376 part 1: 17.3 paragraphs, 17.4 tables,
17.9 lists, 17.10 headers and footers, 17.11 footnotes, 17.13 comments and changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable
from ragit.chunk.documents.markup import attribute, events, local
from ragit.chunk.documents.relations import related_of
from ragit.chunk.documents.styles import Styles, child, lists_of

_KIND = "docx"

_NOTES = {
    "footnoteReference": "footnote",
    "endnoteReference": "endnote",
    "commentReference": "comment",
}
_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOT_SHOWN = frozenset(
    (
        "del",
        "moveFrom",
        "instrText",
        "delText",
        "delInstrText",
        "pPr",
        "rPr",
        "sdtPr",
        "tblPr",
        "trPr",
        "tcPr",
        "rt",
    )
)
"""Text that was deleted, what fields are computed from, and properties. `rt` is how a word above is pronounced."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Headers, the body in its order with notes behind the paragraph that refers to them, footers."""
    archive = Archive(data, bounds, _KIND)
    main = next(
        iter(related_of(archive, "", _KIND, "officeDocument")), archive.called("word/document.xml")
    )
    if main not in archive:
        raise Unreadable("damaged docx")
    reading = _Reading(archive, main)
    yield from reading.edges("header")
    yield from reading.body(main, bounds)
    yield from reading.edges("footer")


class _Reading:
    """One document being read: its styles and notes, and where in it one is."""

    def __init__(self, archive: Archive, main: str) -> None:
        self._archive = archive
        self._main = main
        self._styles = Styles(self._one("styles"), _KIND)
        self._lists = lists_of(self._one("numbering"), _KIND)
        self._headings: list[tuple[int, str]] = []
        self._page = 1
        self._pages = False
        """The file says where its pages end."""
        self._waiting: list[tuple[str, str]] = []
        """Notes (kind, id) that the paragraph under way refers to."""
        self._boxes: list[Element] = []
        """Text boxes that it holds."""
        self._notes = {kind: self._read_notes(kind) for kind in _NOTES.values()}

    def _one(self, kind: str) -> bytes:
        parts = related_of(self._archive, self._main, _KIND, kind)
        return self._archive.read(parts[0]) if parts else b""

    def _read_notes(self, kind: str) -> dict[str, str]:
        data = self._one(f"{kind}s")
        notes = {}
        for event, element in events(data, _KIND) if data else ():
            if event == "end" and local(element) == kind:
                if attribute(element, "type") not in (
                    "separator",
                    "continuationSeparator",
                    "continuationNotice",
                ):
                    notes[attribute(element, "id")] = self._flat(element)
                element.clear()
        self._waiting.clear()
        self._boxes.clear()
        return notes

    def edges(self, kind: str) -> Iterator[Block]:
        """The headers or footers, each text once."""
        seen: set[str] = set()
        for part in related_of(self._archive, self._main, _KIND, kind):
            whole = [element for _, element in events(self._archive.read(part), _KIND)][:1]
            for block in self._blocks(whole[0] if whole else ()):
                if (
                    block.text not in seen and not block.text.strip().isdecimal()
                ):  # the number of a page
                    seen.add(block.text)
                    yield block._replace(
                        place=Place(kind),
                        headings=(),
                        kind=kind if block.kind == "text" else block.kind,
                    )
        self._page = 1

    def body(self, main: str, bounds: Bounds) -> Iterator[Block]:
        """The document itself. Each paragraph or table is dropped from memory once it is read."""
        data = self._archive.read(main)
        self._pages = b"lastRenderedPageBreak" in data
        depth = 0
        inside = False
        for event, element in events(data, _KIND):
            if event == "start":
                depth += 1
                inside = inside or (depth == 2 and local(element) == "body")
                continue
            depth -= 1
            if depth == 2 and inside:
                yield from self._blocks((element,))
                element.clear()
                if self._page > bounds.units:
                    yield Block(
                        "[The document goes on: the rest is left out.]",
                        self._place(self._page),
                        kind="note",
                    )
                    return

    # -- blocks ------------------------------------------------------------------------------------------------------

    def _blocks(self, elements: Iterable[Element]) -> Iterator[Block]:
        for element in elements:
            name = local(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name == "AlternateContent":
                yield from self._blocks(_chosen(element))
            elif name not in _NOT_SHOWN:
                yield from self._blocks(
                    element
                )  # content controls, marked changes, custom XML around paragraphs

    def _paragraph(self, element: Element) -> Iterator[Block]:
        first = self._page
        properties = child(element, "pPr")
        text = self._flat(element, keep_lines=True)
        boxes, self._boxes = self._boxes, []
        waiting, self._waiting = self._waiting, []
        if text.strip():
            yield self._block(text, properties, first)
        for kind, number in waiting:
            note = self._notes[kind].get(number, "")
            if note:
                yield Block(f"{kind}: {note}", self._place(first), self._path(), "note")
        for box in boxes:
            yield from self._blocks(box)

    def _block(self, text: str, properties: Element | None, first: int) -> Block:
        level = self._styles.level(properties)
        item = self._styles.numbered(properties)
        mark = self._lists.mark(item) if item else ""
        if mark and mark.strip():
            text = f"{mark} {text.lstrip()}"
        if level is not None:
            title = " ".join(text.split())
            self._headings = [
                (other, above) for other, above in self._headings if other < level
            ] + [(level, title)]
            return Block(title, self._place(first), self._path(), "heading")
        if item:
            return Block("  " * item.depth + text, self._place(first), self._path(), "list")
        return Block(text, self._place(first), self._path())

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._headings)

    def _place(self, first: int) -> Place:
        return Place("", "page", first, max(first, self._page)) if self._pages else Place()

    def _table(self, element: Element) -> Iterator[Block]:
        first = self._page
        rows = list(_inner(element, "tr"))
        cells = [list(_inner(row, "tc")) for row in rows]
        if len(rows) == 1 and len(cells[0]) == 1:
            yield from self._blocks(cells[0][0])  # a frame around text
            return
        header = ""
        wide = max(map(len, cells), default=0) > 1
        for number, row in enumerate(cells):
            text = " | ".join(self._flat(cell) for cell in row)
            text = text.rstrip("| ")
            if not text:
                continue
            if wide and len(rows) > 1 and number == 0:
                header = text
            yield Block(text, self._place(first), self._path(), "table", header)
            first = self._page
            yield from self._left_over(first)

    def _left_over(self, first: int) -> Iterator[Block]:
        """Notes and boxes of a table's row."""
        waiting, self._waiting = self._waiting, []
        boxes, self._boxes = self._boxes, []
        for kind, number in waiting:
            if self._notes[kind].get(number):
                yield Block(
                    f"{kind}: {self._notes[kind][number]}", self._place(first), self._path(), "note"
                )
        for box in boxes:
            yield from self._blocks(box)

    # -- text --------------------------------------------------------------------------------------------------------

    def _flat(self, element: Element, *, keep_lines: bool = False) -> str:
        """All text within an element; on one line unless its breaks are to be kept."""
        text = "".join(self._text(element))
        if keep_lines:
            return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip("\n")
        return " ".join(text.split())

    def _text(self, element: Element) -> Iterator[str]:
        for each in element:
            name = local(each)
            if name == "t":
                yield each.text or ""
            elif name in _SPACES:
                yield _SPACES[name]
            elif name == "docPr":
                yield _picture(each)
            elif name == "AlternateContent":
                for chosen in _chosen(each):
                    yield from self._text(chosen)
            elif name not in _NOT_SHOWN and not self._noticed(name, each):
                yield from self._text(each)
        if local(element) in ("p", "tc", "tr"):
            yield "\n"  # between the paragraphs of a cell or a note

    def _noticed(self, name: str, element: Element) -> bool:
        """True for what is no text itself, but a reference to a note, a text box or the end of a page."""
        if name in _NOTES:
            self._waiting.append((_NOTES[name], attribute(element, "id")))
        elif name == "lastRenderedPageBreak":
            self._page += 1
        elif name in ("txbxContent", "textbox"):
            self._boxes.append(element)
        else:
            return False
        return True


def _chosen(element: Element) -> Iterator[Element]:
    """What to read of alternatives: the first choice. The fallback says the same in the terms of an older Word."""
    choices = [each for each in element if local(each) == "Choice"]
    yield from choices[:1] or (each for each in element if local(each) == "Fallback")


def _picture(element: Element) -> str:
    described = " ".join(attribute(element, "descr").split())
    return f" [image: {described}] " if described else ""


def _inner(element: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, through content controls and the like, but not into tables within."""
    for each in element:
        if local(each) == name:
            yield each
        elif local(each) not in ("tbl", "tr", "tc", *_NOT_SHOWN):
            yield from _inner(each, name)
