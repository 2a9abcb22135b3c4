"""Find a name as a whole word in a text. Pure.

A word ends before anything but a letter, digit or underscore. Chinese, Japanese and Korean
characters end it too, since such text has no spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragit import words
from ragit.errors import ConfigError
from ragit.records import NamedTuple

_NAME = re.compile(r"\w(?:[\w$-]*\w)?[?!=']?")
_SIGILS = "$@%&#."
"""Characters before a name that are copied with it and are no part of the word."""


_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_FIRST, _SECOND = frozenset(range(0xC3, 0xE0)), frozenset(range(0x80, 0xC0))
"""Bytes of words in UTF-8: ASCII, and the first and second byte of two-byte letters (Latin, Greek,
Cyrillic, Hebrew, Arabic). Characters of three bytes mostly end a word.
"""


class Occurrence(NamedTuple):
    """A line with the word, its offsets in the text and the word's columns."""

    line: int
    start: int
    end: int
    """Offset of the line's end in the text, before its line end."""
    columns: tuple[int, ...]
    """First byte of each occurrence of the word in the line, from 0."""


def parted(name: str) -> tuple[str, str]:
    """Return the type of `Type.name` (or nothing) and the name, without sigils copied with it.

    Raises ConfigError if it is no name.
    """
    found = name.strip().lstrip(_SIGILS).removesuffix("()")
    before, _, found = re.sub(r"::|->|#", ".", found).rpartition(".")
    owner = before.rpartition(".")[2]
    if not found or not _NAME.fullmatch(found) or (before and not _NAME.fullmatch(owner)):
        last = words.identifiers(found)[-1:] or ["NAME"]
        raise ConfigError(
            f"{name!r} is not a name",
            f"Name one function, type or variable: ragit usages {last[0]}",
        )
    return owner, found


def terms_of(name: str) -> tuple[str, ...]:
    """Return the full-text terms that every file with this name contains; none if unknown."""
    found: list[str] = []
    for part in words.identifiers(name):
        found += words.terms_of(part)[-1:]
    return tuple(found)


def _is_word(text: bytes, start: int, end: int) -> bool:
    """Return whether a range of a text is not part of a longer word."""
    before = text[start - 1] if start else 0
    if before in _WORD or (before in _SECOND and start > 1 and text[start - 2] in _FIRST):
        return False
    after = text[end] if end < len(text) else 0
    return after not in _WORD and after not in _FIRST


def _starts(text: bytes, word: bytes) -> Iterator[int]:
    """Yield the offsets of a word in a text."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if _is_word(text, at, end):
            yield at
        at = text.find(word, end)


def occurrences(text: bytes, name: str) -> Iterator[Occurrence]:
    """Yield the lines of a text that contain a name as a whole word, in order."""
    end_of_line = b"\n" if b"\n" in text or b"\r" not in text else b"\r"
    line, counted, columns = 1, 0, []
    start = end = -1
    for at in _starts(text, name.encode()):
        if at < end:
            columns.append(at - start)
            continue
        if columns:
            yield Occurrence(line, start, end, tuple(columns))
        line += text.count(end_of_line, counted, at)
        counted = at
        start = text.rfind(end_of_line, 0, at) + 1
        end = text.find(end_of_line, at)
        end = len(text) if end < 0 else end
        columns = [at - start]
    if columns:
        yield Occurrence(line, start, end, tuple(columns))
