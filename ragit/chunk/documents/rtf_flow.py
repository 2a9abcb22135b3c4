"""Build paragraphs, list items and table rows of Rich Text, with the titles above them."""

from __future__ import annotations

from collections.abc import Iterable

from ragit.chunk.documents.block import Block, Bounds, Place
from ragit.chunk.documents.sheets import MORE


class Flow:
    """A separate run of text: the body, a note, a header."""

    def __init__(self, kind: str, bounds: Bounds) -> None:
        """Begin a text; `kind` is that of all its blocks, empty for the body."""
        self.mark = ""
        """Number of the current item."""
        self.in_label = False
        """The next text is the number of an item."""
        self._kind = kind
        self._most = bounds.columns
        self._text: list[str] = []
        self._cells: list[str] = []
        self._above: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._beside: list[Block] = []
        self._edges: set[str] = set()
        """Texts of headers and footers so far; most sections repeat them."""
        self._header = ""
        """First row of the current table."""
        self._rows = 0

    def add(self, text: str) -> None:
        """Add text to the current paragraph or cell."""
        self._text.append(text)

    def beside(self, blocks: Iterable[Block]) -> None:
        """Keep blocks until the current paragraph or row is complete."""
        for block in blocks:
            if block.place.within:
                if block.text in self._edges:
                    continue
                self._edges.add(block.text)
            self._beside.append(block)

    def take(self) -> list[Block]:
        """Return the complete blocks and forget them."""
        if not self._blocks:
            return []
        blocks, self._blocks = self._blocks, []
        return blocks

    def end_paragraph(self, level: int = -1, depth: int = -1) -> None:
        """End a paragraph; `level` is that of a title, `depth` that of an item, from 0."""
        text, mark = self._take_text(), " ".join(self.mark.split())
        self.mark = ""
        if text and level >= 0:
            self._end_table()
            title = " ".join(f"{mark} {text}".split())
            self._above = [(other, name) for other, name in self._above if other < level] + [
                (level, title)
            ]
            self._put(title, "heading")
        elif text:
            self._end_table()
            if mark:
                mark = mark if any(map(str.isalnum, mark)) else "-"
                text = f"{'  ' * max(depth, 0)}{mark} {text}"
            self._put(text, "list" if mark else "text")
        self._put_beside()

    def end_cell(self) -> None:
        """End a cell."""
        mark = f"{' '.join(self.mark.split())} " if self.mark.strip() else ""
        self.mark = ""
        text = " ".join(f"{mark}{self._take_text()}".split())
        if len(self._cells) < self._most:
            self._cells.append(text)
        elif text:
            self._cells[self._most :] = [MORE]

    def end_row(self) -> None:
        """End a row of a table."""
        cells, self._cells = self._cells, []
        while cells and not cells[-1]:
            cells.pop()
        line = " ".join(" | ".join(cells).split())
        if line and not self._header:
            self._header = line
        elif line:
            self._rows += 1
            self._put(line, "table", self._header)
        if self._rows:
            self._put_beside()

    def end(self) -> None:
        """End the text, within a table or not."""
        if self._cells:
            self.end_row()
        self._end_table()
        self._put_beside()

    def _end_table(self) -> None:
        if self._header and not self._rows:  # a table of one row, which is no header
            self._put(self._header, "table")
        self._header, self._rows = "", 0

    def _take_text(self) -> str:
        text = "".join(self._text)
        self._text.clear()
        if not text.isascii():  # letters beyond the first 65,536 are written as two surrogates
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return "\n".join(" ".join(line.split(" ")).rstrip() for line in text.split("\n")).strip()

    def _put(self, text: str, kind: str, repeat: str = "") -> None:
        if self._kind in ("header", "footer"):
            if any(map(str.isalpha, text)):
                self._blocks.append(Block(text, Place(self._kind), (), self._kind, repeat))
            return
        path = tuple(title for _, title in self._above)
        self._blocks.append(Block(text, Place(), path, self._kind or kind, repeat))

    def _put_beside(self) -> None:
        path = tuple(title for _, title in self._above)
        self._blocks += (
            block if block.place.within else block._replace(headings=path) for block in self._beside
        )
        self._beside.clear()
