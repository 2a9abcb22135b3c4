"""A PDF's outline: its titles with the path above each, and where on its page a title stands. Nothing is certain of an
outline, so whatever is wrong with it costs only the headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

_MOST = 20_000
_DEEPEST = 12
_LINES = 3
"""Lines over which a title may run."""
_NOT_A_LETTER = re.compile(r"[\W_]+")


class Positioned(Protocol):
    """What of a line is looked at."""

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
    """With its own title last."""
    top: float | None
    """Height on the page to which it leads; None if it does not say."""


def entries(reader: Any) -> list[Entry]:
    """The outline in reading order; empty if there is none that can be used."""
    try:
        found = list(_walked(reader, reader.outline, ()))
    except MemoryError:
        raise
    except Exception:  # as with pages: broken outlines raise whatever they please
        return []
    found.sort(key=lambda entry: entry.page)
    return found


def _walked(reader: Any, items: Any, above: tuple[str, ...]) -> Iterator[Entry]:
    """Siblings, each followed by the list of what is under it."""
    path = above
    for item in items[:_MOST]:
        if isinstance(item, list):
            if len(path) < _DEEPEST:
                yield from _walked(reader, item, path)
            continue
        title = " ".join(str(item.title or "").split())
        path = (*above, title) if title else above
        number = reader.get_destination_page_number(item)
        if title and number is not None and number >= 0:
            top = item.top
            yield Entry(number + 1, path, float(top) if isinstance(top, (int, float)) and top else None)


def located(lines: Sequence[Positioned], outline: Sequence[Entry]) -> Iterator[tuple[Entry, int, int]]:
    """Each title of a page with the lines that are it, as first and stop; both are equal where it only begins there."""
    keys = [_key(line.text) for line in lines]
    start = 0
    for entry in outline:
        first, stop = _written(keys, _key(entry.path[-1]), start) or _at_height(lines, entry.top, start)
        yield entry, first, stop
        start = stop


def _key(text: str) -> str:
    return _NOT_A_LETTER.sub("", text).casefold()


def _written(keys: Sequence[str], title: str, start: int) -> tuple[int, int] | None:
    """The first run of lines that says the title; a number or a word of its own (`3.1`, `Chapter 2`) may precede it."""
    for first in range(start, len(keys)):
        joined = ""
        for stop in range(first, min(first + _LINES, len(keys))):
            joined += keys[stop]
            if title and joined.endswith(title) and len(joined) - len(title) <= 12:
                return first, stop + 1
            if len(joined) > len(title) + 12:
                break
    return None


def _at_height(lines: Sequence[Positioned], top: float | None, start: int) -> tuple[int, int]:
    if top is None:
        return start, start
    at = next((at for at in range(start, len(lines)) if lines[at].y <= top), len(lines))
    return at, at
