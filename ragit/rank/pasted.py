"""Analyse a pasted text or a query with paths: its title, code, messages and named files. Pure.

Imported only for queries of more than a few words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TITLE_CHARACTERS = 400

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_ESCAPED_LINE = re.compile(r"\\n(?:\\t|\s*(?:at |File |from |#\d|Caused by))")
"""A line break of a stack trace that a log in JSON escapes."""

_IN_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|^(?: {4}|\t|>>> |\.\.\. ).*$", re.DOTALL | re.MULTILINE
)
_PATH = re.compile(
    r"(?<![\w/.:-])(?:[\w.@+-]+/)+[\w.@+-]*[\w@+-]|(?<![\w/.:-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}(?![\w(])"
)
_MODULE = re.compile(r"(?<![\w/.])[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+")
_NOISE = re.compile(
    r"^\s*(?:Traceback \(most|During handling of|The above exception|stack backtrace|Stack trace:"
    r"|\[stacktrace\]|goroutine \d|\.\.\. \d+ more|--- End of|_ _ _|note: run with|exit status"
    r"|In file included|Unhandled exception:$|CallStack|at \S+[( ]|at [\w.]+ in |from \S+:\d"
    r"|File \"|(?:\* )?(?:frame )?#\d+ |\d+: +(?:\w+::)*\w+$|(?:at|by) 0x)"
)
"""Lines of a stack trace that are no message."""
_PLACE = re.compile(
    r"(?:\b(?:in|at) )?[\w@.~+/\\:-]*\w\.[A-Za-z]\w*\"?"
    r"(?::|\(| on line | line |, line )\d+[\d:,)]*:?"
    r"(?: ?in [`'][^`'\n]*['`]:?)?(?: \+0x[0-9a-f]+)?"
)
"""A place in a line of a stack trace or of a compiler."""
_TIME = r"^(?:[\w.-]+ +\| *)?\s*(?:[\[(<]?[\d:.,/TZ+\-]*\d[\d:.,/TZ+\-]*[\])>]?\s+)+"
_TIMES = re.compile(rf"{_TIME}(?:[VDIWEF] \w+ *: )?")
"""The service and the time before a log line."""
_PREFIX = re.compile(rf"{_TIMES.pattern}|^[\w.-]+ +\| +|^\s*Caused by:\s*(?:[\w.$]+:\s)?")
"""The same, and the type of a cause."""
_FATAL = re.compile(
    r"\s*(?:Unhandled exception|Uncaught |Fatal error|PHP |Exception in thread|thread '|panic:"
    r"|\*\* \(|==\d+==|Program received signal|\* thread #|#\d+ +(?:0x|\w+ \()"
    r"|\[?\d{4}-\d\d-\d\d|[\w.-]+ +\| |\S+\.[A-Za-z]\w*:\d+(?::|$))"
)
"""What runtimes, debuggers and compilers print first."""
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


def unescaped(text: str) -> str:
    """Return a text without colours, and the stack trace in a JSON string with lines of its own."""
    text = _COLOURS.sub("", text)
    if _ESCAPED_LINE.search(text):
        text = text.replace("\\r\\n", "\n").replace("\\n", "\n")
        text = text.replace("\\t", "\t").replace('\\"', '"')
    return text


def title_of(text: str) -> str:
    """Return the first line with a letter or digit; of a stack trace, the message of the root
    error.
    """
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    first = lines[0] if lines else ""
    if begins_with_trace(text):
        text = "\n".join(_TIMES.sub("", line) for line in lines)
        first = text.partition("\n")[0]
    is_trace = _NOISE.search(first) or _RAISED.match(first) or _PLACE.fullmatch(first.strip())
    raised = _RAISED.findall(text) if is_trace else []
    if not raised and "Traceback (most" in first:
        raised = re.findall(r"^\w.*", text, re.MULTILINE)[-1:]
    elif not raised and _NOISE.search(first):
        raised = [line for line in lines if not _NOISE.search(line)]
    if raised:
        causes = [line for line in raised if "Caused by" in line]
        python = _NOISE.search(first)
        first = causes[-1] if causes else raised[-1] if python else raised[0]
    return first.strip().lstrip("# ")[:TITLE_CHARACTERS]


def begins_with_trace(text: str) -> bool:
    """Return whether the first line is of a stack trace, a raised error or a log."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    looks = (_NOISE.search, _RAISED.match, _LOGGED.match, _FATAL.match)
    return any(found(first) for found in looks)


def code_of(text: str) -> str:
    """Return the text in code blocks, in backticks, or indented like code."""
    return " ".join(match[0] for match in _IN_CODE.finditer(text))


def message_lines(text: str, *, all_lines: bool) -> list[str]:
    """Return the lines that may be messages, without leading times; or all lines that are no
    frames. The places in them are left out.
    """
    found: list[str] = []
    for written in text.splitlines():
        line = _PREFIX.sub("", written)
        if _NOISE.search(line) or not line.strip():
            continue
        if all_lines or not found or _MESSAGE.search(line):
            found.append(_PLACE.sub(" ", line))
    return found


def paths_of(text: str) -> Iterator[str]:
    """Yield the files and modules that a text names, each as a path with slashes."""
    listed = [match[0] for match in _PATH.finditer(text)]
    for package, names in _IMPORTED.findall(text):
        listed += [f"{package}.{name.strip()}" for name in names.split(",")]
    listed += _MODULE.findall(text)
    yield from dict.fromkeys(listed)
