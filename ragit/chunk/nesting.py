"""Detect texts nested too deeply for a grammar whose scanner writes past its buffer.

tree-sitter gives a scanner 1,024 bytes for its state. Those of Markdown and YAML
(tree-sitter-markdown issue 243, tree-sitter-yaml issue 48) and Perl keep a stack there without a
check of its size. The depths here are upper bounds or close to them, and below the buffer's limit;
no ordinary text comes near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_LONG_PREFIX = {
    "markdown": re.compile(rb"^[ >*+\-0-9.)]{200}", re.MULTILINE),
    "yaml": re.compile(rb"^[ \-?:]{120}", re.MULTILINE),
}
"""Only a text with such a line can be too deep: a level takes at least a column, except that in
YAML a sequence may be in the column of the mapping around it.
"""

_PREFIX = {
    "markdown": re.compile(rb"^(?:[ ]+|>|[*+-](?=\s|$)|[0-9]{1,9}[.)](?=\s|$))+", re.MULTILINE),
    "yaml": re.compile(rb"^(?:[ ]+|[-?:](?=\s|$))*(?=[^ \n#]?)", re.MULTILINE),
}
_MARKER = re.compile(rb"[>*+\-?:]|[0-9]+[.)]")
_DEEPEST = {"markdown": 200, "yaml": 120, "perl": 40}

_INTERPOLATION = re.compile(rb"[$@][{\[(]|[}\])]")


def too_deep(grammar: str, text: bytes) -> bool:
    """Return whether a grammar must not see a text."""
    measure = _MEASURES.get(grammar)
    return measure is not None and measure(grammar, text) > _DEEPEST[grammar]


def _blocks(grammar: str, text: bytes) -> int:
    """Return the largest possible number of open blocks, by markers and indentation."""
    if b"\t" in text:
        text = text.expandtabs(4)
    if not _LONG_PREFIX[grammar].search(text):
        return 0
    deepest = 0
    columns: list[int] = []
    for prefix in _PREFIX[grammar].finditer(text):
        starts = [found.start() for found in _MARKER.finditer(prefix.group())]
        if grammar == "yaml":
            starts.append(len(prefix.group()))  # a key, which opens a mapping
        for start in starts:
            while columns and columns[-1] >= start:
                columns.pop()
            columns.append(start)
        deepest = max(deepest, len(columns))
    return deepest


def _interpolations(_grammar: str, text: bytes) -> int:
    """Return the largest possible number of open interpolations: a quote within a quote is
    in one.
    """
    depth = deepest = 0
    for found in _INTERPOLATION.finditer(text):
        depth = max(depth - 1, 0) if len(found.group()) == 1 else depth + 1
        deepest = max(deepest, depth)
    return deepest


_MEASURES: Mapping[str, Callable[[str, bytes], int]] = {
    "markdown": _blocks,
    "yaml": _blocks,
    "perl": _interpolations,
}
