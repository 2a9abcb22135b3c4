"""Find the comment or docstring of a definition in the lines of a file, and its first sentence.
Pure.

The store has no documentation. The chunk of a definition begins with its comment, so the comment is
read from the lines above the name; for languages with docstrings, from those below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragit.chunk import plain_comment

LONGEST = 100
"""Limit of a first sentence's characters."""

_HEADER = 12
"""Limit of a declaration's lines, between its name and its docstring."""

_READ = 40
"""Limit of a comment's lines that are read for its first sentence."""

DOCSTRINGS = frozenset(("python", "clojure", "starlark"))
"""Languages that document a definition inside it."""

_LINE_COMMENT = re.compile(
    r"\s*(?://|#(?!\[|!\[|\s*(?:define|if|ifdef|ifndef|endif|else|elif|include"
    r"|pragma|undef|region|endregion|error|warning|line)\b)|--|;|%)"
)
_BLOCKS = (
    ("/*", "*/"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("<!--", "-->"),
    ("=begin", "=end"),
    ("<#", "#>"),
)
_DOC_ATTRIBUTE = re.compile(r'\s*@(?:module|type)?doc\s+(?:~[sS])?("""|")')
_STRING = re.compile(r"""\s*[rRbBuU]{0,2}(\"\"\"|'''|"|')""")

_LICENSE = re.compile(
    r"\b(?:copyright|licensed (?:under|to)|spdx-license|all rights reserved)\b", re.I
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,60}>")
_INLINE = re.compile(r"\{@\w+\s+([^{}]*)\}")
_SECTION = re.compile(
    r"\s(?:@(?:param|return|throws|see|since|author|deprecated)|:param|:return|\\param|Args:|Parameters\b)"
)
_SENTENCE = re.compile(r"(.+?[.!?])(?=[\"')\]]?(?:\s|$))")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|approx)|\b[A-Z])\.$")
_PRAGMA = re.compile(r"\{-#.*?#-\}|^#!.*", re.DOTALL)
_LABEL = re.compile(r"[@\\](?:doc|brief|title|notice|summary)\b\s*|\.SYNOPSIS\b\s*", re.IGNORECASE)
_SPHINX = re.compile(r"^([ \t]*#):", re.MULTILINE)
"""The marks of a comment that Sphinx reads as documentation."""

_RULES = re.compile(r"[-=*#~_]{4,}")
_LINTER = re.compile(
    r"(?:syntax=|eslint|tslint|pylint|noqa|type: ignore|clang-format|prettier|go:|nolint|mypy|@ts-)"
)


def comment_before(lines: Sequence[str], first: int, name: int) -> int:
    """Return the line at which the comment of the definition named in line `name` begins.

    `first` is the earliest line that may belong to it; lines count from 1. The comment is directly
    above the definition, or above its decorators. Without one, `name` is returned, or the line of
    the first decorator.
    """
    start = name
    for begin, end in _comments(lines, first, name):
        between = lines[end : name - 1]
        if all(line.strip() for line in between):
            return begin
    while start > first and _decorates(lines[start - 2]):
        start -= 1
    return start


def first_sentence(lines: Sequence[str], first: int, name: int, language: str) -> str:
    """Return the first sentence of a definition's documentation; empty if it has none.

    The arguments are those of `comment_before`, and the file's language.
    """
    for begin, end in reversed(list(_comments(lines, first, name))):
        if all(line.strip() for line in lines[end : name - 1]):
            found = sentence("\n".join(lines[begin - 1 : min(end, begin + _READ)]))
            if found:
                return found
    return _docstring(lines, name) if language in DOCSTRINGS else ""


def _comments(lines: Sequence[str], first: int, name: int) -> list[tuple[int, int]]:
    """Return the first and last line of each comment between two lines, from 1."""
    found: list[tuple[int, int]] = []
    at = first
    while at < name:
        end = _comment_end(lines, at, name)
        if end:
            if found and found[-1][1] == at - 1 and not _is_block(lines[at - 1]):
                found[-1] = (found[-1][0], end)
            else:
                found.append((at, end))
            at = end
        at += 1
    return found


def _comment_end(lines: Sequence[str], at: int, name: int) -> int:
    """Return the last line of a comment that begins in line `at`; 0 if none does."""
    line = lines[at - 1]
    text = line.strip()
    if attribute := _DOC_ATTRIBUTE.match(line):
        return _closed(lines, at, name, attribute[1], line[attribute.end() :])
    for opening, closing in _BLOCKS:
        if text.startswith(opening):
            return _closed(lines, at, name, closing, text[len(opening) :])
    if text.startswith('"""') and not text.startswith('""""'):
        return _closed(lines, at, name, '"""', text[3:])
    return at if _LINE_COMMENT.match(line) else 0


def _closed(lines: Sequence[str], at: int, name: int, closing: str, rest: str) -> int:
    """Return the line in which a comment ends that is open after `rest` of line `at`; 0 if it is
    still open at the name.
    """
    if closing in rest:
        return at
    for line in range(at + 1, name):
        if closing in lines[line - 1]:
            return line
    return 0


def _is_block(line: str) -> bool:
    return line.lstrip().startswith(tuple(opening for opening, _ in _BLOCKS))


def _decorates(line: str) -> bool:
    return line.lstrip().startswith(("@", "#[", "["))


def _docstring(lines: Sequence[str], name: int) -> str:
    """Return the first sentence of the string below a declaration that begins in line `name`."""
    depth = 0
    for at in range(name, min(len(lines), name + _HEADER)):
        line = lines[at - 1]
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth <= 0 and line.rstrip().endswith(":"):
            break
    else:
        return ""
    opening = _STRING.match(lines[at]) if at < len(lines) else None
    if not opening:
        return ""
    text = "\n".join([lines[at][opening.end() :], *lines[at + 1 : at + _READ]])
    return sentence(text.partition(opening[1])[0])


def sentence(comment: str) -> str:
    """Return the first sentence of a comment, without its marks, at most LONGEST characters."""
    text = _RULES.sub(" ", _SPHINX.sub(r"\1", comment))
    text = _LABEL.sub("", plain_comment(_PRAGMA.sub("", text), 1000))
    text = _SECTION.split(f" {text}", maxsplit=1)[0]
    text = " ".join(_TAG.sub("", _INLINE.sub(r"\1", text)).split())
    if not text or _LICENSE.search(text[:300]) or _LINTER.match(text):
        return ""
    return shortened(_to_full_stop(text), LONGEST)


def _to_full_stop(text: str) -> str:
    end = 0
    while found := _SENTENCE.match(text, end):
        end = found.end()
        if not _ABBREVIATED.search(text[:end]):
            return text[:end]
    return text


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters: a longer one is cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 3].rsplit(" ", 1)[0].rstrip(" ,;:-") + "..."
