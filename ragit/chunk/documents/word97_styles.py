"""Heading levels and lists of Word 97-2003 paragraphs, after [MS-DOC]."""

from __future__ import annotations

from collections.abc import Iterator

from ragit.chunk.documents.numbering import Level, Lists, Numbered
from ragit.chunk.documents.word97 import (
    LIST_OVERRIDES,
    LISTS,
    STYLES,
    Properties,
    Word,
    long,
    modified,
    short,
)
from ragit.records import NamedTuple

_BODY = 9
"""Level of a paragraph that is no heading."""
_TITLE = 62
"""2.9.260, sti: the built-in style of a document's title."""
_DEEPEST = 10

_SHAPES = {
    0: "decimal",
    1: "upperRoman",
    2: "lowerRoman",
    3: "upperLetter",
    4: "lowerLetter",
    23: "bullet",
    255: "none",
}
"""[MS-OSHARED] 2.2.1.3, MSONFC."""


class _Style(NamedTuple):
    kind: int
    based_on: int
    properties: Properties


class Styles:
    """The meaning of paragraph styles, through the styles that they are based on."""

    def __init__(self, word: Word) -> None:
        self._styles = {} if word.old else dict(_styles(word.entry(STYLES)))

    def level(self, properties: Properties) -> int:
        """Return 0-8 for a heading, -1 for the document's title, 9 for other paragraphs."""
        if properties.level < _BODY:
            return properties.level
        if 1 <= properties.style <= 9:  # 2.9.271: these are the built-in headings in every file
            return properties.style - 1
        for number, style in self._above(properties.style):
            if 1 <= number <= 9:
                return number - 1
            if style.kind == _TITLE:
                return -1
            if style.properties.level < _BODY:
                return style.properties.level
        return _BODY

    def numbered(self, properties: Properties) -> Numbered | None:
        """Return a paragraph's list, if it is an item of one."""
        number, depth = properties.list, properties.depth
        for _, style in self._above(properties.style):
            number = style.properties.list if number < 0 else number
            depth = style.properties.depth if depth < 0 else depth
        return Numbered(str(number), min(max(depth, 0), 8)) if 0 < number < 0xF801 else None

    def _above(self, number: int) -> Iterator[tuple[int, _Style]]:
        for _ in range(_DEEPEST):
            style = self._styles.get(number)
            if style is None:
                return
            yield number, style
            number = style.based_on


def _styles(data: bytes) -> Iterator[tuple[int, _Style]]:
    """Yield the styles by number (2.9.271 STSH, 2.9.258 STD)."""
    base = short(data, 4) or 10  # 2.9.273 Stshif: size of the fixed part of each
    at = 2 + short(data, 0)
    for number in range(4096):
        if at + 2 > len(data):
            return
        size = short(data, at)
        style = data[at + 2 : at + 2 + size]
        if len(style) >= 4:
            yield (
                number,
                _Style(short(style, 0) & 0xFFF, short(style, 2) >> 4, _of_style(style, base)),
            )
        at += 2 + size + size % 2


def _of_style(style: bytes, base: int) -> Properties:
    """Return the paragraph properties of a style (2.9.256 StkParaGRLPUPX)."""
    at = base + 2 + 2 * short(style, base) + 2
    at += at % 2
    if short(style, 2) & 0xF != 1 or at + 4 > len(style):
        return Properties()
    return modified(Properties(), style[at + 4 : at + 2 + short(style, at)])


def lists_of(word: Word) -> Lists:
    """Return the lists of a document (2.9.185 PlfLfo, 2.9.186 PlfLst)."""
    if word.old:
        return Lists({}, {})
    overrides = word.entry(LIST_OVERRIDES)
    many = min(max(long(overrides, 0), 0), len(overrides) // 16)
    shape_of = {str(number + 1): str(long(overrides, 4 + 16 * number)) for number in range(many)}
    shapes: dict[str, dict[int, Level]] = {}
    data, rest = word.entry(LISTS), word.behind(LISTS)
    at = 0
    for number in range(min(short(data, 0), (len(data) - 2) // 28) if len(data) > 2 else 0):
        shape = data[2 + 28 * number : 30 + 28 * number]
        levels = shapes.setdefault(str(long(shape, 0)), {})
        for depth in range(1 if shape[26] & 1 else 9):
            if at + 30 > len(rest):
                break
            levels[depth], at = _level(rest, at)
    return Lists(shape_of, shapes)


def _level(data: bytes, at: int) -> tuple[Level, int]:
    """Return one level of a list (2.9.150 LVL), and the offset of the next."""
    start, shape = long(data, at), data[at + 4]
    text = at + 28 + data[at + 24] + data[at + 25]
    size = short(data, text)
    letters = data[text + 2 : text + 2 + 2 * size].decode("utf-16-le", "replace")
    marks = "".join(f"%{ord(letter) + 1}" if letter < "\x09" else letter for letter in letters)
    return Level(_SHAPES.get(shape, "decimal"), marks, start), text + 2 + 2 * size
