"""The result of a tool as a list of blocks, and its pages. Pure.

A page has as many whole blocks as fit. Its last line names the tree, says whether all of it was
indexed, and has a cursor if more follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

from ragit.errors import ConfigError
from ragit.records import NamedTuple
from ragit.render import BYTES_PER_TOKEN, visible
from ragit.types import Oid

MOST_BYTES, MOST_LINES = 10_240, 256
"""Default size of a page: Codex cuts the result of a tool there."""

MOST_TOKENS = 20_000
"""Limit of a page's tokens: Claude Code moves a result of more than 25,000 into a file."""

_NOT_ASKED = {"cursor", "max_tokens", "repository"}
"""Arguments that decide where and how much is shown, not the list itself."""

_NOTES, _NOTE_CHARACTERS = 6, 400
_TREE_DIGITS = 16
"""Digits of a tree's id in a cursor: no two objects of a repository share as many."""

_CURSOR = re.compile(r"([0-9a-f]{16})-([0-9a-f]{8})-(\d{1,6})")


class Listing(NamedTuple):
    """The whole result of a tool for one tree, in an order that depends on nothing else."""

    tree: Oid
    ref: str
    length: int
    """Number of blocks."""
    block: Callable[[int, int], Sequence[str]]
    """Returns the lines of one block, escaped for a console. Its second argument is the first block
    of the page.
    """
    complete: bool
    notes: tuple[str, ...] = ()
    """Notes for the reader, a line each."""
    noun: str = "hit"
    of: str = "tree"
    """Kind of the object whose hash `tree` is."""
    reusable: bool = True
    """False if a later call for the same tree may give another list, after more was indexed."""


class Cursor(NamedTuple):
    """A position in a listing: everything that decides the next page."""

    tree: str
    """The first digits of the tree's id."""
    asked: str
    """Digest of the tool and its arguments."""
    offset: int

    def __str__(self) -> str:
        return f"{self.tree}-{self.asked}-{self.offset}"


def parsed(text: str) -> Cursor:
    """Return a cursor from its form in a result. Raises ConfigError."""
    found = _CURSOR.fullmatch(text.strip().removeprefix("cursor=").strip())
    if not found:
        raise ConfigError(
            f"{visible(text[:80])!r} is no cursor",
            "Copy it from the last line of a result, or leave it out for the first page",
        )
    return Cursor(found[1], found[2], int(found[3]))


def start(listing: Listing, tool: str, arguments: Mapping[str, str | int]) -> Cursor:
    """Return the cursor of the first page.

    For a list that cannot be computed again, its notes are part of the digest, so that a cursor
    never continues another list.
    """
    asked = digest(tool, arguments, () if listing.reusable else listing.notes)
    return Cursor(listing.tree[:_TREE_DIGITS], asked, 0)


def digest(tool: str, arguments: Mapping[str, str | int], lacks: Sequence[str] = ()) -> str:
    """Return a short digest of a call, and of what its answer lacked."""
    named = sorted((name, arguments[name]) for name in arguments.keys() - _NOT_ASKED)
    whole = repr((tool, named, tuple(lacks))).encode("utf-8", "surrogatepass")
    return blake2b(whole, digest_size=4).hexdigest()


class Size(NamedTuple):
    """The limits of a page."""

    bytes: int
    lines: int

    def holds(self, lines: Sequence[str]) -> bool:
        """Return whether these lines fit."""
        return len(lines) <= self.lines and _bytes(lines) <= self.bytes


def size_of(max_tokens: int | None, usual: int) -> Size:
    """Return the page size for a number of tokens; the usual one for None."""
    if max_tokens is None:
        return Size(min(usual * BYTES_PER_TOKEN, MOST_BYTES), MOST_LINES)
    return Size(min(max_tokens, MOST_TOKENS) * BYTES_PER_TOKEN, MOST_TOKENS)


def page(listing: Listing, cursor: Cursor, size: Size) -> str:
    """Return the text of the page that begins at a cursor. Raises ConfigError beyond the end."""
    offset = cursor.offset
    if offset and offset >= listing.length:
        raise ConfigError("this cursor is beyond the last page", "There is nothing more to read")
    notes = [_cut(note, _NOTE_CHARACTERS) for note in listing.notes[:_NOTES]] if not offset else []
    lines: list[str] = []
    end = offset
    while end < listing.length:
        longer = [*lines, *listing.block(end, offset)]
        if not size.holds([*longer, *notes, _last_line(listing, cursor, end + 1)]):
            break
        lines, end = longer, end + 1
    if end == offset and listing.length:
        end, notes = offset + 1, []
        lines = _shortened(listing, cursor, size)
    return "\n".join([*lines, *notes, _last_line(listing, cursor, end)])


def _shortened(listing: Listing, cursor: Cursor, size: Size) -> list[str]:
    """Return as much of the first block as fits, but at least its first line."""
    block = list(listing.block(cursor.offset, cursor.offset))
    last = _last_line(listing, cursor, cursor.offset + 1)
    while len(block) > 1 and not size.holds([*block, "  ...", last]):
        block.pop()
    return [*block, "  ..."]


def _last_line(listing: Listing, cursor: Cursor, end: int) -> str:
    """Return the line with the tree, its completeness, and what follows."""
    what = "complete" if listing.complete else "INCOMPLETE"
    shown = f"{listing.noun}s {cursor.offset + 1}-{end} of {listing.length}"
    if not listing.length:
        shown = f"no {listing.noun}s"
    elif not cursor.offset and end == listing.length:
        shown = f"{end} {listing.noun}{'' if end == 1 else 's'}"
    line = f"{visible(listing.ref)}, {listing.of} {listing.tree[:12]} ({what}): {shown}"
    if end < listing.length:
        line += f"; next page: cursor={cursor._replace(offset=end)}"
    return line


def _bytes(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
