"""Finds unquoted passwords in settings files, told from code by the surrounding lines. Pure.

`password: sunshine` is a setting or the type of a field, `password = sunshine` a setting or an
assignment of a variable. The text has no file name, and is often a part of the file. So the rule
checks three lines above and below; if they are code, nothing is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragit.remote.secrets.password import is_unquoted_password
from ragit.remote.secrets.rule import WORDS, Rule, ends_in_password_name, not_a_compiler_pass
from ragit.remote.secrets.strength import has_random_case, looks_random

_NEAR = 3
"""Lines checked above and below."""
_WIDE = 300
"""Characters checked of a line."""

_CODE = re.compile(
    r"[,;{(\[]\s*$|^\s*[})\]]|\w\([^()]*\)\s*[:;]?\s*$|\b(?:self|this)\.\w|^\s*@\w|=>|->|&&|\|\|"
    r"|=\s*(?:None|True|False|nil|NULL|nullptr|undefined)\b"
    r"|^\s*(?:else|try|finally|except)\s*:\s*$"
    r"|^\s*(?:def|class|if|elif|for|while|return|import|from|public|private|protected|static|final"
    r"|var|let|const|val"
    r"|func|fun|fn|function|interface|struct|type|enum|package|use|using|end|do|try|catch|except"
    r"|raise|throw|new|local"
    r"|module|not|in|with|assert|begin|unless|require|include|print)\b(?!\s*[:=.-])"
)
_SHELL = re.compile(
    r"\$[\w{(]|^\s*(?:fi|done|esac|then|echo|export|unset|set -\w+)\b|;\s*(?:then|do)\s*$|^#!.*sh\b"
)
_SECTION = re.compile(r"^\s*\[[\w .:/\"-]{1,80}\]\s*$")
_NO_EXPRESSION = re.compile(
    r"^\s*[\w.-]+[ \t]*[:=][ \t]*(?:~?/\S*|\S+@\S+|[\w.-]+:\d+|\w[\w+:.-]{0,40}://\S+|yes|no|on|off"
    r"|localhost"
    r"|\d+(?:\.\d+){3}|[a-z]+(?:[.-][a-z0-9]+){2,})\s*$"
)
"""A setting with a path, an address or a dashed name as its value, which is no expression."""


def _is_unquoted_password(value: str, before: str) -> bool:
    """Return whether a value looks like a password, after a password's name."""
    if re.match(
        r"[ \t-]*(?:self|this|cls|args|kwargs|params|opts|options|req|request|obj|data)\.", before
    ):
        return False
    name = re.search(r"(?i)pass\W*$", before)
    return (
        ends_in_password_name(before)
        and (
            looks_random(value)
            or has_random_case(value)
            or (len(value) <= 64 and is_unquoted_password(value))
        )
        and (name is None or not_a_compiler_pass(before, name.start(), name.end()))
    )


def _among_settings(text: str, start: int, end: int) -> bool:
    """Return whether the line at these offsets is among settings, not code."""
    line = text[start:end]
    near = [*_above(text, start), *_below(text, end)]
    if re.search(r"[\w\]]=\S", line):
        if any(map(_SHELL.search, near)):
            return True
    elif not re.search(r":\s", line):
        return not any(map(_CODE.search, near)) and any(
            _SECTION.match(one) or _NO_EXPRESSION.match(one) for one in near
        )
    return not any(map(_CODE.search, near))


def _above(text: str, start: int) -> Iterator[str]:
    return _meaningful_lines(reversed(text[max(start - _NEAR * _WIDE, 0) : start].split("\n")))


def _below(text: str, end: int) -> Iterator[str]:
    return _meaningful_lines(iter(text[end : end + _NEAR * _WIDE].split("\n")))


def _meaningful_lines(lines: Iterator[str]) -> Iterator[str]:
    """Yield the nearest lines that are neither blank nor a comment."""
    given = 0
    for line in lines:
        if line.strip() and not re.match(r"\s*(?:#(?!!)|//|;|\*|<!--|--\s)", line):
            yield line[:_WIDE]
            given += 1
            if given == _NEAR:
                return


RULE = Rule(
    "setting",
    ("ass", "ASS", "pw", "PW", "Pw"),
    rf"(?m)^[ \t]*(?:- +|export[ \t]+)?(?:[\w.-]{{0,80}}(?:{WORDS})|\"[\w.-]{{0,80}}(?:{WORDS})\")"
    r"[ \t]*[:=][ \t]*(?P<secret>(?![\"'])\S{5,512})(?:[ \t]+#[^\n]{0,200})?[ \t\r]*$",
    _is_unquoted_password,
    _among_settings,
)
