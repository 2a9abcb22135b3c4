"""Turn HTML or XHTML pages of books into blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragit.chunk.documents.block import Block, Place
from ragit.chunk.documents.html_tokens import Token

_SKIPPED = frozenset(
    ("script", "style", "head", "template", "rt", "rp", "noscript", "math", "iframe", "metadata")
)
_VOID = frozenset("br hr img input meta link col area wbr source track base param".split())
_BLOCKS = frozenset(
    "p div section article aside main header footer nav blockquote figure figcaption address "
    "dl dt dd ul ol li table thead tbody tfoot caption body html form fieldset hr details "
    "summary center title text desc".split()
)
"""Elements that end a paragraph; the last two are those of drawings."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def blocks(tokens: Iterable[Token], place: Place) -> Iterator[Block]:
    """Yield the headings, paragraphs, items, rows and preformatted text of a page."""
    reader = _Reader(place)
    for token in tokens:
        reader.feed(token)
        if reader.blocks:
            yield from reader.blocks
            reader.blocks.clear()
    reader.end()
    yield from reader.blocks


class _Reader:
    def __init__(self, place: Place) -> None:
        self.blocks: list[Block] = []
        """The complete blocks."""
        self._place = place
        self._above: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._skipped: list[str] = []
        self._kind = "text"
        self._level = 0
        self._lists = 0
        self._cells: list[str] | None = None
        """Cells of the current table row."""
        self._header = ""
        self._rows = 0

    def feed(self, token: Token) -> None:
        kind, name, alternative = token
        if kind == "text":
            if not self._skipped:
                self._text.append(name)
        elif kind == "end":
            self._end(name)
        elif kind == "start" or name in _VOID:
            self._start(name, alternative)
        elif name not in _SKIPPED:  # nothing to skip in an empty element
            self._start(name, alternative)
            self._end(name)

    def _start(self, tag: str, alternative: str) -> None:
        """Open a block, or begin to skip."""
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.append(tag)
            return
        if tag in _SKIPPED:
            self._skipped.append(tag)
        elif tag == "br":
            self._text.append("\n" if self._kind == "code" else " ")
        elif tag == "img":
            self._text.append(alternative)
        elif self._cells is not None and tag != "tr":
            self._text.append("" if tag not in _BLOCKS and tag not in ("td", "th") else " ")
            if tag in ("td", "th"):
                self._end_cell()
        else:
            self._open(tag)

    def _end(self, tag: str) -> None:
        """Close a block."""
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
        elif tag == "tr":
            self._end_row()
        elif self._cells is not None and tag != "table":
            return
        elif tag in _BLOCKS or tag in _HEADINGS or tag == "pre":
            self._close(tag)

    # -- blocks -----------------------------------------------------------------------------------

    def end(self) -> None:
        """Close everything open at the page's end."""
        self._end_row()
        self._end_block()
        self._end_table()

    def _open(self, tag: str) -> None:
        if tag == "tr":
            self._end_row()
            self._end_block()
            self._cells = []
        elif tag in _HEADINGS or tag in _BLOCKS or tag == "pre":
            self._end_block()
            self._level = _HEADINGS.get(tag, 0)
            if tag == "pre":
                self._kind = "code"
            elif tag in ("ul", "ol"):
                self._lists += 1
            elif tag == "li":
                self._kind = "list"
            elif tag == "table":
                self._end_table()

    def _close(self, tag: str) -> None:
        if tag == "table":
            self._end_row()
            self._end_table()
        self._end_block()
        if tag in ("ul", "ol"):
            self._lists = max(0, self._lists - 1)

    def _end_block(self) -> None:
        text = "".join(self._text)
        kind, level = self._kind, self._level
        self._text, self._kind, self._level = [], "text", 0
        text = text.strip("\n") if kind == "code" else " ".join(text.split())
        if not text.strip():
            # `<li><p>`: the text after the empty beginning of an item is the item.
            self._kind = "list" if kind == "list" else "text"
        elif level:
            self._above = [(other, name) for other, name in self._above if other < level] + [
                (level, text)
            ]
            self._add(text, "heading")
        elif kind == "list":
            self._add("  " * max(0, min(self._lists, 20) - 1) + "- " + text, "list")
        else:
            self._add(text, kind)

    def _end_cell(self) -> None:
        """Add the text so far to the row, as the cell before the current one."""
        if self._cells is not None:
            self._cells.append(" ".join("".join(self._text).split()))
            self._text = []

    def _end_row(self) -> None:
        if self._cells is None:
            return
        self._end_cell()
        cells, self._cells = self._cells[1:], None  # the first is the text before the first cell
        line = " ".join(" | ".join(cells).split())
        if not line.strip("| "):
            return
        if not self._header and not self._rows:
            self._header = line
        else:
            self._rows += 1
            self._add(line, "table", self._header)

    def _end_table(self) -> None:
        """End a table; its only row is no header."""
        if self._header and not self._rows:
            self._add(self._header, "table")
        self._header, self._rows = "", 0

    def _add(self, text: str, kind: str, repeat: str = "") -> None:
        self.blocks.append(
            Block(text, self._place, tuple(title for _, title in self._above), kind, repeat)
        )
