"""Find the chunk that a user names by a line of a file or by a symbol."""

from __future__ import annotations

from collections.abc import Callable

from ragit.errors import NoSuchPath, SeveralDefinitions
from ragit.outline import path_and_line
from ragit.records import NamedTuple
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import path_text


class NamedChunk(NamedTuple):
    """The chunk that a user named."""

    path: bytes
    row: ChunkRow
    code: bytes
    """Its text, in UTF-8."""


def find_named_chunk(opened: OpenTree, name: str, from_top: Callable[[str], bytes]) -> NamedChunk:
    """Return the chunk at PATH:LINE, or the one that defines a symbol.

    `from_top` converts a path as typed into one from the top. Raises NoSuchPath and
    SeveralDefinitions.
    """
    line = path_and_line(name)
    if line is None:
        return _of_symbol(opened, name)
    path = from_top(line[0])
    return NamedChunk(path, *opened.chunk_at(path, line[1]))


CHOICES = 10
"""Limit of a name's definitions that are listed if there are several."""


def _of_symbol(opened: OpenTree, symbol: str) -> NamedChunk:
    """Return the chunk that defines a name. Raises NoSuchPath if none or several do."""
    from ragit.outline import chosen, definitions  # loads ranking, which lines of files need not

    found = definitions(opened, symbol)
    if not found:
        raise NoSuchPath(
            f"{opened.target.name} defines no {symbol}",
            f"If it is gone, to see when: ragit since --gone {symbol}",
        )
    one, *others = chosen(found)
    if others:
        listed = [f"{path_text(each.path)}:{each.definition.line}" for each in (one, *others)]
        more = f" and {len(listed) - CHOICES:,} more" if len(listed) > CHOICES else ""
        raise SeveralDefinitions(
            f"{len(listed):,} definitions are called {symbol}: {', '.join(listed[:CHOICES])}{more}",
            f"Name one by its place, as `ragit since {listed[0]}`",
        )
    code = opened.text_of(one.chunking)[one.row.start : one.row.end]
    return NamedChunk(one.path, one.row, code)
