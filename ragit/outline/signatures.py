"""Extract the declaration of a definition, on one line. Pure.

A chunk stores the signature of its only definition. If several share a chunk, the declaration is
read from the file: from the line of the name until its brackets are closed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 200
"""Limit of a declaration's characters."""

_MOST_LINES = 8
"""Limit of a declaration's lines."""

_ANNOTATION = re.compile(r"(?:@[A-Za-z_][\w.]*(?:\((?:[^()]|\([^()]*\))*\))?\s+)+")
_COMMENT = re.compile(r"\s+(?://|/\*|#|--) .*$")
_TAIL = re.compile(r"\s*(?:\{|=>?|:=|:|;|,|\bdo|\bthen|\bis|\bwhere)\s*$")


def signature(kept: str, lines: Sequence[str], line: int, name: str) -> str:
    """Return the declaration of `name` in line `line` of a file; `kept` is the chunk's signature if
    it has only this definition.
    """
    found = kept
    if not (_holds(kept, name) and _is_closed(kept)):
        found = _declaration_from(lines, line)
        found = found if name in found else name
    return tidied(found) or name


def tidied(declaration: str) -> str:
    """Return a declaration without annotations, trailing comment and the sign that opens the body,
    at most LONGEST characters.
    """
    found = declaration
    found = _ANNOTATION.sub("", found, count=1) if found.startswith("@") else found
    found = _COMMENT.sub("", found)
    for _ in range(2):
        found = _TAIL.sub("", found)
    return shortened(found)


def _holds(text: str, name: str) -> bool:
    """Return whether a text contains a name as a whole word."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _in_word(text[at - 1 : at]) and not _in_word(text[end : end + 1]):
            return True
        at = text.find(name, at + 1)
    return False


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_closed(text: str) -> bool:
    """Return whether no round or square bracket is left open."""
    return text.count("(") <= text.count(")") and text.count("[") <= text.count("]")


def _declaration_from(lines: Sequence[str], line: int) -> str:
    """Return the text from a line on until no bracket is open."""
    parts: list[str] = []
    depth = 0
    for text in lines[line - 1 : line - 1 + _MOST_LINES]:
        head, brace = _before_body(text, depth)
        parts.append(head.strip())
        depth += sum(map(head.count, "([")) - sum(map(head.count, ")]"))
        if depth <= 0 or brace:
            break
    return " ".join(" ".join(parts).split())


def _before_body(text: str, depth: int) -> tuple[str, bool]:
    """Return a line up to the brace that opens a body, and whether there is one.

    `depth` is the number of open brackets before the line.
    """
    for at, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{" and depth <= 0 and at and text[at - 1] != "$" and text[:at].strip():
            return text[:at], True
    return text, False


def shortened(text: str) -> str:
    """Return a declaration of at most LONGEST characters."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3].rstrip(" ,(") + "..."
