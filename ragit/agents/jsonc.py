"""Parses JSON with comments and trailing commas, with the offset of each value.

The text is never written back from parsed values; edits insert into it and cut from it.
"""

from __future__ import annotations

import json
import re

from ragit.records import NamedTuple

DEEPEST = 200
"""Limit of nested values."""

TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
"""White space and comments."""

_BETWEEN = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/|,", re.DOTALL)
"""White space, a comment or a comma, as between two members."""

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(
    r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])"
)


class NotJson(Exception):
    """A text that is not JSON, with comments or without; names the line."""


class Member(NamedTuple):
    """A name of an object, and its value."""

    name: str
    start: int
    """Offset of the name."""
    value: Value


class Value(NamedTuple):
    """A value with its offsets."""

    start: int
    end: int
    data: object
    members: tuple[Member, ...] | None = None
    """Members of an object; None for other values."""


def parse(text: str) -> Value:
    """Return the value of a whole text, which may begin with a byte order mark. Raises NotJson."""
    reader = _Reader(text)
    reader.skip()
    value = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.refusal("text after the end")
    return value


def skipped(text: str, at: int) -> int:
    """Return the offset after white space and comments."""
    found = TRIVIA.match(text, at)
    return found.end() if found else at


def space_before(text: str, start: int, end: int) -> int:
    """Return the start of the white space before `end`; `start` is the end of the previous member,
    or of the bracket.

    White space at the end of a line comment belongs to the comment.
    """
    at, begin = start, end
    while at < end and (found := _BETWEEN.match(text, at)):
        begin = found.start() if found[0].isspace() else end
        at = found.end()
    return begin


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = len(text) - len(text.removeprefix("\ufeff"))

    def refusal(self, why: str) -> NotJson:
        return NotJson(f"line {self.text.count(chr(10), 0, self.at) + 1}: {why}")

    def skip(self) -> None:
        self.at = skipped(self.text, self.at)

    def value(self, depth: int) -> Value:
        if depth > DEEPEST:
            raise self.refusal("nested too deeply")
        mark = self.text[self.at : self.at + 1]
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._array(depth)
        return self._scalar(_STRING if mark == '"' else _SCALAR)

    def _scalar(self, kind: re.Pattern[str]) -> Value:
        found = kind.match(self.text, self.at)
        if not found:
            raise self.refusal("a value is missing")
        try:
            data = json.loads(found[0])
        except ValueError as error:
            raise self.refusal("a value cannot be read") from error
        self.at = found.end()
        return Value(found.start(), found.end(), data)

    def _object(self, depth: int) -> Value:
        start = self.at
        members: list[Member] = []
        while self._next("}", first=self.at == start):
            name = self._scalar(_STRING)
            self.skip()
            self._take(":")
            self.skip()
            members.append(Member(str(name.data), name.start, self.value(depth + 1)))
        data = {member.name: member.value.data for member in members}
        return Value(start, self.at, data, tuple(members))

    def _array(self, depth: int) -> Value:
        start = self.at
        items: list[object] = []
        while self._next("]", first=self.at == start):
            items.append(self.value(depth + 1).data)
        return Value(start, self.at, items)

    def _next(self, end: str, *, first: bool) -> bool:
        """Go to the next item. Return False, after the bracket, if there is none."""
        if first:
            self.at += 1
        self.skip()
        comma = not first and self.text[self.at : self.at + 1] == ","
        if comma:
            self.at += 1
            self.skip()
        if self.text[self.at : self.at + 1] == end:
            self.at += 1
            return False
        if not first and not comma:
            raise self.refusal(f"a comma or {end} is missing")
        return True

    def _take(self, mark: str) -> None:
        if self.text[self.at : self.at + 1] != mark:
            raise self.refusal(f"{mark} is missing")
        self.at += 1
