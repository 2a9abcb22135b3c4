"""Build the outline of a file from its stored chunks: nested definitions with lines, declarations
and documentation. Pure.

The chunks have the names, lines and enclosing names of definitions. Nesting within a chunk is
decided by indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragit.outline.docs import comment_before, first_sentence
from ragit.outline.signatures import signature
from ragit.outlines import Item
from ragit.records import NamedTuple
from ragit.store import ChunkRow
from ragit.types import Definition

VALUES = frozenset("constant variable field property key declaration value element".split())
"""Kinds of definitions without a body of their own."""

_TAB = 8
_CLOSERS = ("}", ")", "]", "end", "{", "fi", "done", "esac")
"""Beginnings of an unindented line that still belongs to the definition above."""


class FileText(NamedTuple):
    """The text of an outline."""

    lines: Sequence[str]
    language: str


class _Node:
    """A definition while its file's outline is built."""

    def __init__(self, found: Definition, row: ChunkRow, shares: bool, first: int) -> None:
        self.found = found
        self.row = row
        self.shares = shares
        """True if its chunk has other definitions of the same level."""
        self.first = first
        """The earliest line that may belong to it."""
        self.owner = row.parent
        self.start = self.end = self.cover = found.line
        self.indent = 0
        self.level = 0
        """The level of a heading; 0 if unknown."""
        self.children: list[_Node] = []

    @property
    def path(self) -> str:
        """Its name with the names around it, joined by dots."""
        return _dotted(_within(self.owner, self.found))


def outline(rows: Sequence[ChunkRow], text: FileText) -> tuple[Item, ...]:
    """Return the definitions of a file from its chunks and text, in order."""
    nodes = [node for row in rows for node in _nodes_of(row)]
    for node in nodes:
        _place(node, text.lines)
    _end_sections(nodes, text.lines)
    top = _nested(nodes)
    _extend(nodes, rows, text.lines)
    return tuple(_item(node, text) for node in top)


def flat(items: Sequence[Item]) -> Iterator[Item]:
    """Yield items and all nested ones, in order."""
    for item in items:
        yield item
        yield from flat(item.children)


def _nodes_of(row: ChunkRow) -> Iterator[_Node]:
    found = row.definitions
    if not found and row.symbol:
        found = (Definition(row.symbol, row.kind, row.start_line),)
    names = {row.symbol, *row.symbol.split()}
    own = sum(each.name in names for each in found)
    first = row.start_line
    for each in found:
        yield _Node(each, row, own > 1 or each.name not in names, min(first, each.line))
        first = each.line + 1


def _place(node: _Node, lines: Sequence[str]) -> None:
    """Set the indentation, the first and the last line of a definition."""
    line = node.found.line
    text = lines[line - 1] if line <= len(lines) else ""
    node.indent = _indent(text)
    if all(lines[node.first - 1 : line - 1]) and node.first == node.row.start_line:
        node.start = node.first
    else:
        node.start = comment_before(lines, node.first, line)
    if node.found.kind == "section":
        node.level = _level(text, lines[line] if line < len(lines) else "")
    elif node.shares:
        node.end = _end_by_indentation(lines, line, node.row.end_line, node.indent)
        return
    node.end = max(line, node.row.end_line)


def _end_sections(nodes: Sequence[_Node], lines: Sequence[str]) -> None:
    """End headings that share a chunk before the next one."""
    for node, after in pairwise(nodes):
        if node.found.kind == "section" and node.row is after.row:
            node.end = after.start - 1
            while node.end > node.found.line and not lines[node.end - 1].strip():
                node.end -= 1


def _indent(text: str) -> int:
    text = text.expandtabs(_TAB)
    return len(text) - len(text.lstrip())


_HEADING = re.compile(r"(#+|=+)\s")
_RULE = re.compile(r"(=+|-+)\s*$")


def _level(heading: str, below: str) -> int:
    """Return the level of a heading with marks before it or a rule below it; 0 if it has
    neither.
    """
    if marks := _HEADING.match(heading):
        return len(marks[1])
    rule = _RULE.match(below)
    if rule is None:
        return 0
    return 1 if rule[1][0] == "=" else 2


def _end_by_indentation(lines: Sequence[str], first: int, last: int, indent: int) -> int:
    """Return the last line, at most `last`, of the indented block that begins in line `first`."""
    end = first
    for at in range(first + 1, min(last, len(lines)) + 1):
        text = lines[at - 1]
        if not text.strip():
            continue
        if _indent(text) <= indent:
            if not text.lstrip().startswith(_CLOSERS):
                break
            end = at
            if not text.lstrip().startswith(("{", ")")):
                break
        end = at
    return end


def _nested(nodes: Sequence[_Node]) -> list[_Node]:
    """Put each definition into the one around it; return the outermost ones."""
    top: list[_Node] = []
    stack: list[_Node] = []
    for node in nodes:
        same_chunk = any(one.row is node.row for one in stack)
        while stack and not _holds(stack[-1], node, same_chunk):
            stack.pop()
        around = stack[-1] if stack else None
        if node.level:
            node.owner = _within(around.owner, around.found) if around else ""
        elif around and around.row is node.row:
            node.owner = _within(around.owner, around.found)
        (around.children if around else top).append(node)
        stack.append(node)
    return top


def _holds(outer: _Node, node: _Node, same_chunk: bool) -> bool:
    """Return whether an earlier definition contains another: by the levels of headings, within a
    chunk by indentation, else by the names in the chunk.
    """
    if node.level:
        return outer.level < node.level
    if same_chunk:
        return outer.row is not node.row or outer.indent < node.indent
    return f"{_dotted(node.owner)}.".startswith(f"{outer.path}.")


def _within(owner: str, found: Definition) -> str:
    join = " > " if found.kind == "section" else "."
    return f"{owner}{join}{found.name}" if owner else found.name


def _dotted(path: str) -> str:
    return path.replace(" > ", ".").replace(" › ", ".")


def _extend(nodes: Sequence[_Node], rows: Sequence[ChunkRow], lines: Sequence[str]) -> None:
    """Extend definitions to the end of nameless chunks that continue them, and of nested
    definitions.
    """
    latest = {node.path: node for node in nodes}
    for row in rows:
        holder = latest.get(_dotted(row.parent)) if row.parent and not row.symbol else None
        if holder is not None and holder.start <= row.start_line:
            holder.end = max(holder.end, row.end_line)
    for node in reversed(nodes):
        node.cover = max([node.end, *(child.cover for child in node.children)])
        node.end = _without_closers(lines, node)


def _without_closers(lines: Sequence[str], node: _Node) -> int:
    """Return the last line of a definition without the closing lines of those around it: a chunk
    extends to the next one.
    """
    end = min(node.cover, len(lines))
    if node.found.kind == "section":
        return node.cover
    while end > node.found.line:
        text = lines[end - 1]
        closes = text.lstrip().startswith(_CLOSERS) and _indent(text) < node.indent
        if text.strip() and not closes:
            break
        end -= 1
    return max(end, node.found.line)


def _item(node: _Node, text: FileText) -> Item:
    name, kind, line = node.found
    kept = "" if node.shares else node.row.signature
    return Item(
        name=name,
        kind=kind,
        line=line,
        start_line=node.start,
        end_line=node.end,
        owner=node.owner,
        signature=name if kind == "section" else signature(kept, text.lines, line, name),
        doc=""
        if kind == "section"
        else first_sentence(text.lines, node.first, line, text.language),
        place=node.row.place,
        children=tuple(_item(child, text) for child in node.children),
    )
