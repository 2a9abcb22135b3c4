"""Choose the branches of preprocessor conditionals for the grammar (C, C++, C#).

A grammar reads `#if` as a statement and fails if a conditional is within one, or if its branches
open different braces. Here the directives become spaces, and so do all branches but the first
unless they are whole statements. The text keeps its length and line ends; only the grammar reads
it.
"""

from __future__ import annotations

import re

_UNREAD = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n]){1,8}'", re.DOTALL
)
"""Comments and literals, which contain no code."""
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w+)(?:[^\n]*\\\r?\n)*[^\n]*", re.MULTILINE)
_NEVER = re.compile(rb"[ \t]*#[ \t]*if[ \t]+(?:0|false)\b")
_TO_SPACES = bytes(10 if byte == 10 else 32 for byte in range(256))
"""For bytes.translate: all but line ends become spaces."""

_PAIRS = ((b"{", b"}"), (b"(", b")"), (b"[", b"]"))

_Span = tuple[int, int]


class _Conditional:
    """One `#if` with its branches so far, each with whether its condition is never met."""

    __slots__ = ("start", "branches", "never", "begin")

    def __init__(self, start: int, begin: int, never: bool) -> None:
        self.start = start
        self.begin = begin
        self.never = never
        self.branches: list[tuple[int, int, bool]] = []

    def close_branch(self, end: int, begin: int) -> None:
        self.branches.append((self.begin, end, self.never))
        self.begin, self.never = begin, False


def resolved(text: bytes) -> bytes:
    """Return a text of equal length without conditionals."""
    if b"#" not in text:
        return text
    code = bytearray(_UNREAD.sub(_spaces, text))
    directives = list(_DIRECTIVE.finditer(bytes(code)))
    if not any(found.group(1).startswith(b"if") for found in directives):
        return text
    for found in directives:
        _blank(code, found.span())
    hidden: list[_Span] = []
    open_: list[_Conditional] = []
    for found in directives:
        word = found.group(1)
        if word in (b"if", b"ifdef", b"ifndef"):
            never = _NEVER.match(found.group()) is not None
            open_.append(_Conditional(found.start(), found.end(), never))
        elif word in (b"elif", b"elifdef", b"elifndef", b"else") and open_:
            open_[-1].close_branch(found.start(), found.end())
        elif word == b"endif" and open_:
            conditional = open_.pop()
            conditional.close_branch(found.start(), found.end())
            for span in _unchosen(code, conditional):
                _blank(code, span)
                hidden.append(span)
        else:
            continue
        hidden.append(found.span())
    return _without(text, hidden)


def _without(text: bytes, spans: list[_Span]) -> bytes:
    shown = bytearray(text)
    for span in spans:
        _blank(shown, span)
    return bytes(shown)


def _unchosen(code: bytearray, conditional: _Conditional) -> list[_Span]:
    """Return the branches to hide."""
    spans = [(start, end) for start, end, never in conditional.branches if not never]
    never = [(start, end) for start, end, never in conditional.branches if never]
    if len(spans) < 2:
        return never
    before = bytes(code[max(0, conditional.start - 2000) : conditional.start].rstrip()[-1:])
    whole = all(_is_whole(bytes(code[start:end]), before) for start, end in spans)
    return never if whole else [*never, *spans[1:]]


def _is_whole(branch: bytes, before: bytes) -> bool:
    """Return whether a branch contains whole statements, or whole items of a list."""
    branch = branch.strip()
    if not branch:
        return True
    if any(branch.count(one) != branch.count(other) for one, other in _PAIRS):
        return False
    if before == b",":
        return branch.endswith(b",")
    return before in (b"", b";", b"}", b"{", b":", b",") and branch[-1:] in (b";", b"}", b",")


def _spaces(found: re.Match[bytes]) -> bytes:
    return found.group().translate(_TO_SPACES)


def _blank(text: bytearray, span: _Span) -> None:
    start, end = span
    text[start:end] = bytes(text[start:end]).translate(_TO_SPACES)
