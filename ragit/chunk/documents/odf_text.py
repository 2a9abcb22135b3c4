"""Read paragraphs, lists and tables of an OpenDocument text, from the events of its XML."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Block, Place
from ragit.chunk.documents.markup import attribute, local

_SPACES = {"tab": "\t", "line-break": "\n", "soft-page-break": " "}
_ASIDE = {"note": "note", "annotation": "note", "text-box": "text"}
"""Elements within a paragraph that are not part of its sentence, and their kind of block."""
_SKIPPED = frozenset(
    (
        "tracked-changes",  # text that was deleted
        "table-of-content",
        "alphabetical-index",
        "illustration-index",
        "table-index",
        "user-index",
        "object-index",
        "forms",
        "event-listeners",
        "date-time-decl",
    )
)
MOST_SPACES = 100
_DEEPEST = 10
"""Deepest level of a title that programs offer."""


def is_encrypted(archive: Archive) -> bool:
    """Return whether the manifest tells how parts are encrypted."""
    name = "META-INF/manifest.xml"
    return name in archive and b"encryption-data" in archive.read(name)


class Reading:
    """The position in a document: lists, tables and titles around it."""

    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []
        self._skipped = 0
        self._within = 0
        """Open paragraphs and table rows; the outermost is yielded with its content."""
        self._lists = 0
        self._begun = False
        """The current item has yielded its first paragraph."""
        self._tables = 0
        self._header = ""
        """First row of the current table."""
        self._rows = 0
        """Rows after it."""

    def feed(self, event: str, element: Element, keep: bool = False) -> Iterator[Block]:
        """Yield the blocks that an event completes; clear finished elements unless `keep`."""
        name = local(element)
        if name in _SKIPPED:
            self._skipped += 1 if event == "start" else -1
            if not keep and event == "end":
                element.clear()
        elif self._skipped:
            return
        elif event == "start":
            self._open(name)
        else:
            yield from self._close(name, element)
            if (
                not keep
                and not self._within
                and name in ("p", "h", "table-row", "list", "table", "frame")
            ):
                element.clear()

    def _open(self, name: str) -> None:
        if name in ("p", "h", "table-row"):
            self._within += 1
        elif name == "list":
            self._lists += 1
        elif name in ("list-item", "list-header"):
            self._begun = name == "list-header"
        elif name == "table" and not self._within:
            self._header, self._rows = "", 0
            self._tables += 1

    def _close(self, name: str, element: Element) -> Iterator[Block]:
        if name in ("p", "h", "table-row"):
            self._within -= 1
            if not self._within:
                yield from (
                    self._row(element) if name == "table-row" else self._paragraph(name, element)
                )
        elif name == "list":
            self._lists -= 1
        elif name == "table" and not self._within:
            self._tables -= 1
            if self._header and not self._rows:  # a table of one row, which is no header
                yield Block(self._header, Place(), self._path(), "table")
            self._header = ""

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._above)

    def _paragraph(self, name: str, element: Element) -> Iterator[Block]:
        asides: list[Element] = []
        text = "".join(inline(element, asides)).strip()
        if text and name == "h":
            level = attribute(element, "outline-level")
            rank = min(int(level), _DEEPEST) if level.isdecimal() and len(level) < 3 else 1
            title = " ".join(text.split())
            self._above = [(other, above) for other, above in self._above if other < rank] + [
                (rank, title)
            ]
            yield Block(title, Place(), self._path(), "heading")
        elif text and self._lists:
            mark = "  " if self._begun else "- "
            self._begun = True
            yield Block(
                "  " * (min(self._lists, 20) - 1) + mark + text, Place(), self._path(), "list"
            )
        elif text:
            yield Block(text, Place(), self._path())
        yield from self._asides(asides)

    def _asides(self, asides: list[Element]) -> Iterator[Block]:
        for aside in asides:
            lines = (" ".join(line.split()) for line in "".join(inline(aside, [])).split("\n"))
            text = "\n".join(filter(None, lines))
            if text:
                yield Block(text, Place(), self._path(), _ASIDE[local(aside)])

    def _row(self, element: Element) -> Iterator[Block]:
        asides: list[Element] = []
        cells = []
        for cell in element:
            if local(cell) in ("table-cell", "covered-table-cell"):
                text = "".join(inline(cell, asides))
                cells.append(" ".join(text.split()))
        while cells and not cells[-1]:
            cells.pop()
        line = " ".join(" | ".join(cells).split())
        if line and self._tables and not self._header:
            self._header = line
        elif line:
            self._rows += 1
            yield Block(line, Place(), self._path(), "table", self._header)
        yield from self._asides(asides)


def inline(element: Element, asides: list[Element]) -> Iterator[str]:
    """Yield the text of a paragraph or cell; append notes and boxes within it to `asides`."""
    yield element.text or ""
    for each in element:
        name = local(each)
        if name in _ASIDE:
            asides.append(each)
        elif name == "s":
            count = attribute(each, "c")
            yield (
                " " * min(int(count), MOST_SPACES) if count.isdecimal() and len(count) < 9 else " "
            )
        elif name in _SPACES:
            yield _SPACES[name]
        elif name in (
            "note-citation",
            "creator",
            "date",
            "creator-initials",
            "binary-data",
            "ruby-text",
        ):
            pass
        else:
            yield from inline(each, asides)
        yield "\n" if name in ("p", "h") else ""
        yield each.tail or ""
