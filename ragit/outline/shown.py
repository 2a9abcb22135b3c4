"""Show a whole definition, by its name or by a line of a file."""

from __future__ import annotations

from collections.abc import Sequence

from ragit.errors import NoSuchPath
from ragit.outline.files import File, check_indexed, is_folder, no_such_path, read_file
from ragit.outline.named import (
    BODILESS,
    FoundDefinition,
    chosen,
    definitions,
    parted,
    spelt_alike,
)
from ragit.outline.outline import VALUES, flat
from ragit.outlines import Choice, Choices, Item, Shown
from ragit.records import replaced
from ragit.search import OpenTree
from ragit.types import CONTAINERS, path_text

ON_A_PAGE = 20
"""Number of definitions on a page of a list."""

HEAD_LINES = 40
"""Limit of a class's lines before its first member that are shown."""


def show(
    opened: OpenTree, symbol: str, *, body: bool = False, page: int = 1, page_size: int = ON_A_PAGE
) -> Shown | Choices:
    """Return the definition of a name, or the list of them if there are several.

    Of a class with members only the outline is returned, unless `body` is True. Raises NoSuchPath
    if the tree defines no such name.
    """
    found = definitions(opened, symbol)
    if not found:
        raise _no_such_name(opened, symbol)
    narrowed = chosen(found)
    if len(narrowed) > 1:
        return _choices(opened, symbol, narrowed, page, page_size)
    one = narrowed[0]
    file = read_file(opened, one.path, one.chunking)
    place = one.definition.line, one.definition.name
    item = next((each for each in flat(file.items) if (each.line, each.name) == place), None)
    others = [each for each in found if each is not one and each.definition.kind in BODILESS]
    also = tuple(f"{path_text(each.path)}:{each.definition.line}" for each in others)
    shown = _shown(opened, file, item or _of_chunk(one), body, also)
    return replaced(shown, missing=len(opened.tree.missing))


def show_line(opened: OpenTree, path: bytes, line: int, *, body: bool = False) -> Shown:
    """Return the innermost definition at a line of a file; outside of all, the chunk at the line.

    Raises NoSuchPath for a path that is no indexed file, and for a line beyond its end.
    """
    chunking = opened.chunking_at(path)
    if chunking is None:
        raise _not_readable(opened, path)
    file = read_file(opened, path, chunking)
    count = len(file.text.lines)
    if not 1 <= line <= count:
        has = f"{path_text(path)} has {count:,} line{'' if count == 1 else 's'}"
        raise NoSuchPath(f"{has}, so there is no line {line}", "Name a line that it has")
    return _shown(opened, file, _innermost_at(file, line), body, ())


def _innermost_at(file: File, line: int) -> Item:
    """Return the innermost definition at a line, or else the chunk or the line itself."""
    held = [each for each in flat(file.items) if each.start_line <= line <= each.end_line]
    if held:
        return min(held, key=lambda each: each.end_line - each.start_line)
    for row in file.rows:
        if row.start_line <= line <= row.end_line:
            kind = "code" if row.symbol else row.kind
            return Item("", kind, line, row.start_line, row.end_line, row.parent)
    return Item("", "text", line, line, line)


def _of_chunk(one: FoundDefinition) -> Item:
    name, kind, line = one.definition
    return Item(name, kind, line, one.row.start_line, one.row.end_line, one.owner)


def _shown(opened: OpenTree, file: File, item: Item, body: bool, also: tuple[str, ...]) -> Shown:
    outlined = not body and _is_outlined(item)
    last = _head_end(file.text.lines, item) if outlined else item.end_line
    return Shown(
        path_text(file.path),
        opened.target.name,
        opened.target.tree,
        file.text.language,
        item,
        item.start_line,
        tuple(file.text.lines[item.start_line - 1 : last]),
        outlined,
        also,
    )


def _is_outlined(item: Item) -> bool:
    """Return whether only the outline of a definition is shown: if it is long, or has methods."""
    if not item.children or item.kind not in CONTAINERS:
        return False
    long = item.end_line - item.line >= HEAD_LINES
    return long or any(child.kind not in VALUES for child in item.children)


def _head_end(lines: Sequence[str], item: Item) -> int:
    """Return the last line before the members of a class."""
    last = max(item.line, item.children[0].start_line - 1)
    last = min(last, item.start_line + HEAD_LINES - 1, item.end_line)
    last = max(last, item.line)
    while last > item.line and not lines[last - 1].strip():
        last -= 1
    return last


def _choices(
    opened: OpenTree, symbol: str, found: Sequence[FoundDefinition], page: int, page_size: int
) -> Choices:
    pages = -(-len(found) // page_size)
    if not 1 <= page <= pages:
        has = f"there are {len(found):,} definitions of {symbol} on {pages:,} pages"
        raise NoSuchPath(has, f"Name a page from 1 to {pages:,}")
    on_page = found[(page - 1) * page_size : page * page_size]
    return Choices(
        symbol,
        opened.target.name,
        opened.target.tree,
        len(found),
        page,
        pages,
        tuple(map(_choice, on_page)),
        len(opened.tree.missing),
    )


def _choice(one: FoundDefinition) -> Choice:
    name, kind, line = one.definition
    qualified = f"{one.owner}.{name}" if one.owner else name
    alone = len(one.row.symbol.split()) == 1
    return Choice(path_text(one.path), line, kind, qualified, one.row.signature if alone else "")


def _not_readable(opened: OpenTree, path: bytes) -> NoSuchPath:
    """Return the error for a path that is no indexed file."""
    name = path_text(path)
    why = opened.tree.snapshot.skipped.get(path)
    if why:
        return NoSuchPath(f"{name} is not indexed: {why}", "`ragit status --skipped` lists all")
    check_indexed(opened, path)
    if is_folder(opened, path):
        return NoSuchPath(f"{name} is a folder", f"To see its files: ragit skeleton {name}")
    return no_such_path(opened, path)


def _no_such_name(opened: OpenTree, symbol: str) -> NoSuchPath:
    ref = opened.target.name
    owners, name = parted(symbol)
    if owners and definitions(opened, name):
        owner = ".".join(owners)
        return NoSuchPath(
            f"{ref} defines {name}, but not in {owner}", f"To choose one: ragit show {name}"
        )
    near = spelt_alike(opened, name)
    hint = f"Did you mean {', '.join(near)}?" if near else f"To search for it: ragit search {name}"
    return NoSuchPath(f"no file of {ref} defines {symbol}", hint)
