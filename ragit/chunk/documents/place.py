"""Write places of a document in words: `page 12`, `sheet Budget rows 40-80`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragit.chunk.documents.block import Place

_PAGES = ("page", "slide", "chapter")
"""Units that each contain many chunks, unlike rows and cells."""
MAX_PLACE = 200
"""Limit of a place in characters; a sheet may have any name."""

_RANGE = re.compile(r"(?:(.*) )?([^\W\d]+) (\d+)(?:-(\d+))?")


def worded(places: Iterable[Place]) -> str:
    """Return several places in reading order in words, neighbours as one range."""
    runs: list[Place] = []
    for place in places:
        last = runs[-1] if runs else Place()
        if (
            place.within != last.within
            or (place.unit and last.unit and place.unit != last.unit)
            or not runs
        ):
            runs.append(place)
        elif place.unit == last.unit:
            runs[-1] = last._replace(
                first=min(last.first, place.first), last=max(last.last, place.last)
            )
        elif place.unit:
            runs[-1] = place  # a sheet, and rows of it: the rows name the sheet, too
    return ", ".join(dict.fromkeys(filter(None, map(_words, runs))))[:MAX_PLACE]


def _words(place: Place) -> str:
    if not place.unit:
        return place.within
    one = place.last <= place.first
    counted = f"{place.unit} {place.first}" if one else f"{place.unit}s {place.first}-{place.last}"
    return f"{place.within} {counted}" if place.within else counted


def share(start: int, end: int, size: int) -> str:
    """Return in words how far into a text a range is, for documents without pages."""
    if start == 0 and end + 1 >= size:
        return "whole document"
    return f"{round(100 * start / size)} % in" if 200 * start >= size else "beginning"


def joined(words: Iterable[str]) -> str:
    """Join places in words: `page 3` and `pages 4-5` become `pages 3-5`."""
    return worded(_parsed(each) for words_of_one in words for each in words_of_one.split(", "))


def part(words: str) -> str:
    """Return the named parts of a place, without page or row numbers."""
    return ", ".join(dict.fromkeys(_parsed(each).within for each in words.split(", ")))


def pages(words: str) -> tuple[int, int]:
    """Return the first and last page, slide or chapter of a place; zeros if it has none."""
    paged = [place for place in map(_parsed, words.split(", ")) if place.unit in _PAGES]
    return min((place.first for place in paged), default=0), max(
        (place.last for place in paged), default=0
    )


def first(words: str) -> int:
    """Return the first row, page or other unit of a place; 0 if it has none."""
    return min((place.first for place in map(_parsed, words.split(", ")) if place.unit), default=0)


def _parsed(words: str) -> Place:
    found = _RANGE.fullmatch(words)
    if not found:
        return Place(words)
    within, unit, first, last = found.groups()
    unit = unit.removesuffix("s") if last else unit
    return Place(within or "", unit, int(first), int(last or first))
