"""Read a PDF's outline: titles with the path above each, and their lines on the page.

Outlines are often broken, which costs only the headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ragit.records import NamedTuple

_MOST = 20_000
_DEEPEST = 12
_LONGEST = 1000
"""Limit of a title in characters."""
_LINES = 3
"""Limit of a title's lines."""
_BEFORE = 12
"""Letters allowed before a title on its line: a number or a word (`3.1`, `Chapter 2`)."""
_NOT_A_LETTER = re.compile(r"[\W_]+")


class Positioned(Protocol):
    """The fields used of a line."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def y(self) -> float:
        """Height above the lower edge of the page."""


class Entry(NamedTuple):
    """One title of the outline."""

    page: int
    path: tuple[str, ...]
    """Titles above it, its own last."""
    top: float | None
    """Height on its page; None if the outline does not tell."""


def entries(reader: Any) -> list[Entry]:
    """Return the outline in reading order; empty if it cannot be used."""
    try:
        found = list(_walked(reader, reader.outline, ()))
    except MemoryError:
        raise
    except Exception:  # as with pages: broken outlines raise any exception
        return []
    found.sort(key=lambda entry: entry.page)
    return found


def _walked(reader: Any, items: Any, above: tuple[str, ...]) -> Iterator[Entry]:
    """Yield siblings, each followed by what is under it."""
    path = above
    for item in items[:_MOST]:
        if isinstance(item, list):
            if len(path) < _DEEPEST:
                yield from _walked(reader, item, path)
            continue
        title = " ".join(item.title[:_LONGEST].split()) if isinstance(item.title, str) else ""
        path = (*above, title) if title else above
        number = reader.get_destination_page_number(item)
        if title and number is not None and number >= 0:
            top = item.top
            yield Entry(
                number + 1, path, float(top) if isinstance(top, (int, float)) and top else None
            )


def located(
    lines: Sequence[Positioned], outline: Sequence[Entry]
) -> Iterator[tuple[Entry, int, int]]:
    """Yield each title of a page with its lines, as first and stop.

    Both are equal if the title is not on the page, and only begins there.
    """
    titles = [_key(entry.path[-1]) for entry in outline]
    places = _places([_key(line.text) for line in lines], frozenset(titles)) if outline else {}
    start = 0
    for entry, title in zip(outline, titles, strict=True):
        written = places.get(title, [])
        at = bisect_left(written, (start, 0))
        first, stop = written[at] if at < len(written) else _at_height(lines, entry.top, start)
        yield entry, first, stop
        start = stop


def _key(text: str) -> str:
    return _NOT_A_LETTER.sub("", text).casefold()


def _places(keys: Sequence[str], titles: frozenset[str]) -> dict[str, list[tuple[int, int]]]:
    """Return for each title its runs of lines, as first and stop."""
    longest = max(map(len, titles)) + _BEFORE
    found: dict[str, list[tuple[int, int]]] = {}
    for first in range(len(keys)):
        joined = ""
        for stop in range(first, min(first + _LINES, len(keys))):
            joined += keys[stop]
            if len(joined) > longest:
                break
            for before in range(min(_BEFORE + 1, len(joined))):
                if joined[before:] in titles:
                    found.setdefault(joined[before:], []).append((first, stop + 1))
    return found


def _at_height(lines: Sequence[Positioned], top: float | None, start: int) -> tuple[int, int]:
    if top is None:
        return start, start
    at = next((at for at in range(start, len(lines)) if lines[at].y <= top), len(lines))
    return at, at
