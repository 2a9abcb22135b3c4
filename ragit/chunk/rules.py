"""Read LaTeX, Visual Studio solutions and plain lines without a grammar.

The readers of reStructuredText and AsciiDoc are in titles.py, of Razor in razor.py, and of CSV in
delimited.py.
"""

from __future__ import annotations

import re

from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import Piece


def by_lines(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return blocks of at most `max_lines` lines, ended at an empty line in the last quarter, if
    any.
    """
    pieces = []
    row = 0
    while row < lines.count:
        pieces.append(Piece(row, row, "text"))
        stop = min(lines.count, row + options.max_lines)
        if stop < lines.count:
            quarter = range(stop - 1, stop - 1 - options.max_lines // 4, -1)
            stop = next((blank for blank in quarter if lines.blank(blank)), stop - 1) + 1
        row = stop
    return pieces


_SECTION = re.compile(
    rb"[ \t]*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?[ \t]*"
    rb"(?:\[[^\]\n]*\])?[ \t]*\{"
)
_RANKS = {
    name: rank
    for rank, name in enumerate(
        (b"part", b"chapter", b"section", b"subsection", b"subsubsection", b"paragraph")
    )
}
_HIDDEN = re.compile(rb"[ \t]*\\(begin|end)\{(comment|verbatim\*?|lstlisting|minted)\}")


def latex(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return the preamble and the sections, each with the path of titles above it."""
    pieces = [Piece(0, 0, "preamble")]
    above: list[tuple[int, str]] = []
    hidden = b""
    for row in range(lines.count):
        line = lines.text[lines.starts[row] : lines.starts[row + 1]]
        mark = _HIDDEN.match(line)
        if hidden:
            hidden = b"" if mark and mark.group(1) == b"end" and mark.group(2) == hidden else hidden
            continue
        if mark and mark.group(1) == b"begin":
            hidden = mark.group(2)
            continue
        found = _SECTION.match(line)
        if found:
            rank = _RANKS[found.group(1)]
            title = _title(lines.text, lines.starts[row] + found.end())
            above = [(other, name) for other, name in above if other < rank]
            pieces.append(_section(row, title, [name for _, name in above]))
            above.append((rank, title))
    return pieces


def _section(row: int, title: str, titles_above: list[str]) -> Piece:
    parent = " > ".join(titles_above)
    path = f"{parent} > {title}" if parent else title
    return Piece(row, row, "section", title, parent, path=path)


def _title(text: bytes, start: int) -> str:
    """Return a title on one line, up to its closing brace and at most 200 bytes.

    `start` is the offset after its opening brace.
    """
    depth, end = 1, start
    while end < min(len(text), start + 200):
        depth += {0x7B: 1, 0x7D: -1}.get(text[end], 0)
        if depth == 0:
            break
        end += 1
    return " ".join(text[start:end].decode("utf-8", "ignore").split())


_PROJECT = re.compile(rb'\s*Project\("[^"]*"\)\s*=\s*"([^"]*)"')


def sln(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return the header, each project, and the global part."""
    pieces = [Piece(0, 0, "header")]
    for row in range(lines.count):
        line = lines.text[lines.starts[row] : lines.starts[row + 1]]
        project = _PROJECT.match(line)
        if project:
            pieces.append(Piece(row, row, "project", project.group(1).decode("utf-8", "replace")))
        elif line.strip() == b"Global":
            pieces.append(Piece(row, row, "global"))
    return pieces
