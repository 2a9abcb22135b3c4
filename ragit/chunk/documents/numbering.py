"""Number Word's list items, which are counted since no file contains their numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragit.records import NamedTuple

_ROMAN = (
    *(
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
    ),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


class Numbered(NamedTuple):
    """A paragraph's list, and its depth in it from 0."""

    list: str
    depth: int


class Level(NamedTuple):
    """The mark of items of one depth."""

    shape: str
    """bullet, none, decimal, lowerLetter, upperLetter, lowerRoman or upperRoman; else decimal."""
    text: str
    """Text before an item; `%1` is the number of the outermost level."""
    start: int


class Lists:
    """The counts of all lists. Lists of one shape are one list, which goes on."""

    def __init__(
        self, shape_of: Mapping[str, str], shapes: Mapping[str, Mapping[int, Level]]
    ) -> None:
        self._of = shape_of
        self._shapes = shapes
        self._counts: dict[str, dict[int, int]] = {}

    def mark(self, item: Numbered) -> str:
        """Return the mark of the next item of a list: `3.`, `b)`, `-`."""
        shape = self._of.get(item.list, "")
        levels: Mapping[int, Level] = self._shapes.get(shape, {})
        level = levels.get(item.depth, Level("bullet", "", 1))
        if level.shape in ("bullet", "none"):
            return "-" if level.shape == "bullet" else ""
        counts = self._counts.setdefault(shape, {})
        counts[item.depth] = counts.get(item.depth, level.start - 1) + 1
        for deeper in [depth for depth in counts if depth > item.depth]:
            del counts[deeper]

        def count(found: re.Match[str]) -> str:
            depth = int(found[1]) - 1
            at = levels.get(depth, level)
            return _counted(counts.get(depth, at.start), at.shape)

        return re.sub(r"%([1-9])", count, level.text[:40])


def _counted(number: int, shape: str) -> str:
    if shape in ("lowerLetter", "upperLetter") and 0 < number <= 26 * 20:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if shape == "upperLetter" else letters
    if shape in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        return _roman(number).upper() if shape == "upperRoman" else _roman(number)
    return str(number)


def _roman(number: int) -> str:
    letters = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        letters += sign * times
    return letters
