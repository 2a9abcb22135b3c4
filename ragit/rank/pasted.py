"""Analyse a pasted text or a query with paths: its title, code, messages and named files. Pure.

Imported only for queries of more than a few words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TITLE_CHARACTERS = 400

_IN_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|^(?: {4}|\t|>>> |\.\.\. ).*$", re.DOTALL | re.MULTILINE
)
_PATH = re.compile(
    r"(?<![\w/.:-])(?:[\w.@+-]+/)+[\w.@+-]*[\w@+-]|(?<![\w/.:-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}(?![\w(])"
)
_MODULE = re.compile(r"(?<![\w/.])[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+")
_NOISE = re.compile(
    r"^\s*(?:Traceback \(most|During handling of|The above exception|stack backtrace|goroutine \d|\.\.\. \d+ more)"  # noqa: E501
    r"|\.\w+\"?[:,] ?(?:line )?\d+|^\s*at \S+\("
)
"""Lines of a stack trace that are no message."""
_PREFIX = re.compile(
    r"^\s*(?:[\[(<]?[\d:.,/TZ+\-]*\d[\d:.,/TZ+\-]*[\])>]?\s+)+|^\s*Caused by:\s*(?:[\w.$]+:\s)?"
)
"""The time before a log line, and the type of a cause."""
_LOGGED = re.compile(r"\s*[\[(<]?(?:\d[\d/.-]*(?:T|,?\s+))?\d?\d:\d\d")
_MESSAGE = re.compile(
    r"error|exception|warn|fail|panic|fatal|cannot|can't|could not|must|invalid|unexpected|expected|not |unable|missing|`"  # noqa: E501
    r"|\"",
    re.IGNORECASE,
)
"""A line of a pasted text that may be a message."""
_RAISED = re.compile(
    r"^\s*(?:Caused by: |panic: )?[\w.$:]*(?:Error|Exception|Warning|Fault|panic)\b[\w.$]*.*",
    re.MULTILINE,
)
_IMPORTED = re.compile(r"\bfrom ([\w.]+) import ([\w, ]+)")


def title_of(text: str) -> str:
    """Return the first line with a letter or digit; of a stack trace, the message of the root
    error.
    """
    first = next((line for line in text.splitlines() if any(map(str.isalnum, line))), "")
    raised = _RAISED.findall(text) if _NOISE.search(first) or _RAISED.match(first) else []
    if raised:
        causes = [line for line in raised if "Caused by" in line]
        python = _NOISE.search(first)
        first = causes[-1] if causes else raised[-1] if python else raised[0]
    return first.strip().lstrip("# ")[:TITLE_CHARACTERS]


def begins_with_trace(text: str) -> bool:
    """Return whether the first line is of a stack trace, a raised error or a log."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return any(found(first) for found in (_NOISE.search, _RAISED.match, _LOGGED.match))


def code_of(text: str) -> str:
    """Return the text in code blocks, in backticks, or indented like code."""
    return " ".join(match[0] for match in _IN_CODE.finditer(text))


def message_lines(text: str, *, all_lines: bool) -> list[str]:
    """Return the lines that may be messages, without leading times; or all lines that are no
    frames.
    """
    found: list[str] = []
    for line in text.splitlines():
        if _NOISE.search(line) or not line.strip():
            continue
        if all_lines or not found or _MESSAGE.search(line):
            found.append(_PREFIX.sub("", line))
    return found


def paths_of(text: str) -> Iterator[str]:
    """Yield the files and modules that a text names, each as a path with slashes."""
    listed = [match[0] for match in _PATH.finditer(text)]
    for package, names in _IMPORTED.findall(text):
        listed += [f"{package}.{name.strip()}" for name in names.split(",")]
    listed += _MODULE.findall(text)
    yield from dict.fromkeys(listed)
