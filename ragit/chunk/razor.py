"""Read Razor pages: markup, blocks of code, and the members of `@code` blocks."""

from __future__ import annotations

import re

from ragit.chunk import nesting
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import Piece
from ragit.chunk.time_budget import NONE, TimeBudget

_BLOCK = re.compile(rb"[ \t]*@(code|functions|section[ \t]+\w+|\{)[ \t]*\{?")
_SKIP = re.compile(
    rb"//[^\n]*|/\*.*?\*/|@\*.*?\*@|@\"(?:[^\"]|\"\")*\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[{}]",
    re.DOTALL,
)


def razor(lines: Lines, options: ChunkOptions) -> list[Piece]:
    """Return regions of markup and blocks of code in turn, ignoring braces in strings and
    comments.
    """
    lines = lines.for_grammar()
    pieces = [Piece(0, 0, "markup")]
    row = 0
    while row < lines.count:
        found = _BLOCK.match(lines.text, lines.starts[row], lines.starts[row + 1])
        if not found:
            row += 1
            continue
        name = found.group(1).decode("ascii", "ignore").strip("{ ")
        end = lines.row(min(_closing(lines.text, lines.starts[row]), len(lines.text) - 1))
        pieces.append(Piece(row, end, name.split(" ")[0] or "code", " ".join(name.split()[1:])))
        row = end + 1
        if row < lines.count:
            pieces.append(Piece(row, row, "markup"))
    return pieces


def _closing(text: bytes, start: int) -> int:
    """Return the offset of the brace that closes the first one after `start`, or the end of the
    text.
    """
    depth = 0
    for found in _SKIP.finditer(text, start):
        if found.group() == b"{":
            depth += 1
        elif found.group() == b"}":
            depth -= 1
            if depth <= 0:
                return found.start()
    return len(text)


def with_members(
    lines: Lines, pieces: list[Piece], options: ChunkOptions, budget: TimeBudget
) -> list[Piece]:
    """Return the pieces with the methods and properties of their blocks of code, read as C#."""
    if budget.kind == NONE:
        return pieces
    made = []
    for piece in pieces:
        made.append(piece)
        if piece.kind in ("code", "functions"):
            made += _members(lines, piece, options, budget)
    return made


_CLASS = b"class Page"


def _members(lines: Lines, block: Piece, options: ChunkOptions, budget: TimeBudget) -> list[Piece]:
    """Return the declarations of a block, read as the body of a class on its own rows."""
    from ragit.chunk import code

    start, end = lines.starts[block.row], lines.starts[block.last + 1]
    brace = lines.text.find(b"{", start, end)
    if brace < 0:
        return []
    rows_before = lines.text.count(b"\n", start, brace)
    shown = b"\n" * (block.row + rows_before) + _CLASS + lines.text[brace:end]
    if nesting.too_deep("csharp", shown):
        return []
    found = code.parsed(Lines(shown), LANGUAGES["csharp"], options, budget)
    members = []
    for piece in found.pieces if found else ():
        piece.definitions = [each for each in piece.definitions if each.name != "Page"]
        piece.parent = piece.parent.removeprefix("Page").removeprefix(".")
        if piece.row <= block.row + rows_before:
            block.definitions += piece.definitions
        else:
            members.append(piece)
    return members
