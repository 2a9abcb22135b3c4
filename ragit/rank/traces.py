"""Parse stack traces in a query: the frames of many languages, innermost first, and other places in
files. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragit.records import NamedTuple

MOST_FRAMES = 64
"""Limit of frames read of one query: a recursion repeats a few."""


class Frame(NamedTuple):
    """One line of a stack trace."""

    path: str
    """The file as printed, with forward slashes; it may begin with folders of another machine."""
    line: int
    """From 1; 0 if none is printed."""
    function: str
    """Name without its owner; empty if none is printed."""


_PYTHON = re.compile(
    r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?'
)
_JVM = re.compile(
    r"\bat (?:[\w.@-]*/)*(?P<owner>[\w$.]+)\.(?P<function>[\w$<>]+)"
    r"\((?P<path>[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj))(?::(?P<line>\d+))?\)"
)
_DOTNET = re.compile(
    r"\bat (?P<function>[\w.<>`+|\[\]]+)\([^)\n]*\)(?:\[[^\]\n]*\])? in (?P<path>[^\n]+?):line (?P<line>\d+)"  # noqa: E501
)
_NODE = re.compile(
    r"\bat (?:async )?(?:(?P<function>[\w$.<>\[\] ]+?) )?\(?"
    r"(?P<path>(?:file://)?[^\s()]+?\.(?:[cm]?[jt]sx?|vue|svelte))(?:\?[\w=&.-]*)?"
    r":(?P<line>\d+)(?::\d+)?\)?"
)
_BROWSER = re.compile(
    r"(?P<function>[\w$.<>/]*)@(?P<path>\S+?\.(?:[cm]?[jt]sx?|vue|svelte))(?:\?[\w=&.-]*)?"
    r":(?P<line>\d+):\d+"
)
_RUBY = re.compile(
    r"(?P<path>[^\s:\"'`]+\.(?:rb|rake|erb|ru)):(?P<line>\d+):in [`'](?:(?:block|rescue|ensure)[^\n]*? in )?"  # noqa: E501
    r"(?P<function>[^'\n]+)'"
)
_GO = re.compile(r"(?P<path>[^\s:]+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")
_GO_FUNCTION = re.compile(r"^(?P<function>[\w./\-*()\[\]{}]+)\([^\n]*\)\s*$")
_RUST = re.compile(
    r"(?:\bat |panicked at |-->\s*)(?:'[^'\n]*', )?(?P<path>[^\s:']+\.rs):(?P<line>\d+)(?::\d+)?"
)
_RUST_FUNCTION = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<function>[\w:<>{}$ ]+?)\s*$")

_PLACE = re.compile(
    r"(?:\bpackage:\w+/)?(?P<path>[\w@.~+/\\-]*\w\.[a-zA-Z]\w*)(?::|\(| line )(?P<line>\d+)(?!\w)"
)
"""A place as printed by compilers and most languages: `src/m.c:4`, `A.php(7)`, `A.pm line 3`."""

_INNERMOST_FIRST = (_JVM, _DOTNET, _NODE, _BROWSER, _RUBY)
_NEW_PYTHON = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)
_CAUSED_BY = re.compile(r"^\s*Caused by: ", re.MULTILINE)


def frames_of(text: str) -> tuple[Frame, ...]:
    """Return the frames of the stack traces in a text, innermost first, each place once.

    Python prints the innermost frame last, and the last error at the end; the JVM prints the root
    cause at the end, with its innermost frame first. Go and Rust print a frame's function on the
    line before its file.
    """
    found = [*_python(text), *_others(text), *_by_pairs(text, _GO, _GO_FUNCTION)]
    found += _by_pairs(text, _RUST, _RUST_FUNCTION)
    distinct = dict.fromkeys(found)
    return tuple(distinct)[:MOST_FRAMES]


def places_of(text: str) -> tuple[Frame, ...]:
    """Return the places in files that a text names, in order, such as `src/m.c:4:2`."""
    found = (
        Frame(_clean(match["path"]), int(match["line"]), "") for match in _PLACE.finditer(text)
    )
    return tuple(dict.fromkeys(found))[:MOST_FRAMES]


def _python(text: str) -> list[Frame]:
    parts = _NEW_PYTHON.split(text)
    found: list[Frame] = []
    for part in reversed(parts):
        found += reversed([_frame(match) for match in _PYTHON.finditer(part)])
    return found


def _others(text: str) -> list[Frame]:
    found: list[Frame] = []
    for part in reversed(_CAUSED_BY.split(text)):
        for line in part.splitlines():
            for pattern in _INNERMOST_FIRST:
                match = pattern.search(line)
                if match:
                    found.append(_frame(match))
                    break
    return found


def _by_pairs(text: str, place: re.Pattern[str], name: re.Pattern[str]) -> Iterator[Frame]:
    """Yield frames whose file is on its own line, below the line of the function."""
    function = ""
    for line in text.splitlines():
        match = place.search(line)
        if match:
            yield Frame(_clean(match["path"]), int(match["line"]), _last_name(function))
            function = ""
        else:
            named = name.match(line)
            function = named["function"] if named else ""


def _frame(match: re.Match[str]) -> Frame:
    known = match.groupdict()
    path = _clean(known["path"])
    if known.get("owner"):
        package = known["owner"].rpartition(".")[0].replace(".", "/")
        path = f"{package}/{path}" if package else path
    return Frame(path, int(known["line"] or 0), _last_name(known["function"] or ""))


def _clean(path: str) -> str:
    return path.replace("\\", "/").removeprefix("file://")


_MADE_BY_COMPILER = re.compile(
    r"lambda\$(?P<java>\w+)\$\d+|<(?P<async>\w+)>d__\d+(?:\.MoveNext)?|<\w+>g__(?P<local>\w+)\|[\d_]+"
    r"|<(?P<lambda>\w+)>b__[\d_]+"
)
"""Names of lambdas, async methods and local functions of Java and C#, which contain the name in the
source.
"""
_NOT_NAME = re.compile(r"<[^>]*>|\{\{[^}]*\}\}|\([^)]*\)|\$\w+\$?\d*|`\d+|\[.*?\]")


def _last_name(written: str) -> str:
    """Return the function's own name: `render` of `app.View.render`; empty for a lambda or a
    module's body.
    """
    made = _MADE_BY_COMPILER.search(written)
    if made:
        return made[made.lastgroup or 0]
    plain = _NOT_NAME.sub("", written).strip()
    names = re.findall(r"[^\W\d]\w*[!?]?", plain)
    return names[-1] if names else ""
