"""Show the items inside of Rust macros to the grammar, which takes a macro's body for tokens.

`proptest! { fn parses(s in ".*") {...} }` contains a function, `cfg_if! { if #[cfg(unix)] {...} }`
any items in its branches. The macro's name and braces are replaced by spaces, as is anything that
an item may not contain: strategies among parameters, the fields of `bitflags!`. The text keeps its
length and line ends, so all offsets stay valid; only the grammar reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TO_SPACES = bytes(10 if byte == 10 else 32 for byte in range(256))
"""For bytes.translate: turns everything but a line end into a space."""

_WITH_ITEMS = re.compile(
    rb"^[ \t]*(?:\w+::)*(?!macro_rules\b|quote|parse_quote)\w+![ \t\r\n]*\{"
    rb"(?=(?:\s|//[^\n]*\n|#!?\[[^\]]*\])*"
    rb"(?:(?:(?:pub(?:\([^)]*\))?|unsafe|async|const|default|extern(?:\s+\"[^\"]*\")?)\s+)*"
    rb"(?:fn|struct|enum|union|trait|impl|mod|static|const|type)[\s<]|if\s+#\[))",
    re.MULTILINE,
)
_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\bb?r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*\"|'(?:\\[^'\n]+|[^'\\\n])'|[(){}]",
    re.DOTALL,
)
_FUNCTION = re.compile(rb"\bfn\s+\w+\s*(?:<[^<>(){}]*>)?\s*(?=\()")
_STRATEGY = re.compile(rb"\b\w+\s+in\s")
_MORE_PARAMETERS = re.compile(rb"\s*(?=\()")
_FLAGS = re.compile(rb"\bstruct\s+\w+\s*(:[\w:\s]+)(?=\{)")


def opened(text: bytes) -> bytes:
    """Return a text of equal length with the items of macros in place of the macros."""
    shown = bytearray(text)
    for found in _WITH_ITEMS.finditer(text):
        start = found.end() - 1
        end = _closing(text, start)
        if end:
            _blank(shown, found.start(), found.end())
            _blank(shown, end - 1, end)
            _hide_inner(shown, text, start + 1, end - 1)
    return bytes(shown)


def _blank(shown: bytearray, start: int, end: int) -> None:
    shown[start:end] = shown[start:end].translate(_TO_SPACES)


def _brackets(text: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the brackets from an offset on, except in strings and comments."""
    for token in _TOKEN.finditer(text, start):
        if len(token.group()) == 1:
            yield token.start(), token.group()


def _closing(text: bytes, start: int) -> int:
    """Return the offset after the bracket that closes the one at `start`; 0 if there is none."""
    depth = 0
    for at, bracket in _brackets(text, start):
        depth += 1 if bracket in b"({" else -1
        if depth == 0:
            return at + 1
    return 0


def _hide_inner(shown: bytearray, text: bytes, start: int, end: int) -> None:
    """Hide everything that is not Rust among the items between two offsets."""
    if text[start:end].lstrip().startswith(b"if"):
        _hide_branches(shown, text, start, end)
    for found in _FUNCTION.finditer(text, start, end):
        stop = _closing(text, found.end())
        if not stop:
            continue
        if _STRATEGY.search(text, found.end(), stop):
            _blank(shown, found.end() + 1, stop - 1)
        more = _MORE_PARAMETERS.match(text, stop)
        if more is not None:
            _blank(shown, stop, _closing(text, more.end()) or stop)
    for found in _FLAGS.finditer(text, start, end):
        _blank(shown, *found.span(1))
        _blank(shown, found.end() + 1, (_closing(text, found.end()) or found.end() + 2) - 1)


def _hide_branches(shown: bytearray, text: bytes, start: int, end: int) -> None:
    """Hide the conditions of a `cfg_if!` and the braces around its branches."""
    depth, at = 0, start
    for place, bracket in _brackets(text, start):
        if place >= end:
            break
        if bracket == b"{":
            depth += 1
            if depth == 1:
                _blank(shown, at, place + 1)
        elif bracket == b"}":
            depth -= 1
            if depth == 0:
                at = place
    _blank(shown, at, end)
