"""Parse stack traces in a query: the frames of many languages, innermost first, and other places in
files. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragit.records import NamedTuple

MOST_FRAMES = 64
"""Limit of frames read of one query: a recursion repeats a few."""


class Frame(NamedTuple):
    """One line of a stack trace."""

    path: str
    """The file as printed, with forward slashes; it may begin with folders of another machine. Of a
    class without a file, the path that its package has, without a suffix.
    """
    line: int
    """From 1; 0 if none is printed."""
    function: str
    """Name without its owner; empty if none is printed."""


_PYTHON = re.compile(
    r'File\s+"(?P<path>[^"\n]+)",\s+line\s+(?P<line>\d+)(?:,\s+in\s+(?P<function>[\w<>.]+))?'
)
_PYTEST = re.compile(
    r"^(?:E\s+)?(?P<path>[^\s:]+\.py):(?P<line>\d+):"
    r"(?: in (?P<function>[\w<>]+)| [A-Z]\w*)?[ \t]*$",
    re.MULTILINE,
)
_SCRIPT = r"\.(?:[cm]?[jt]sx?|vue|svelte)"

_INNERMOST_FIRST = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # JVM: at app//com.acme.Basket$Inner.add(Basket.java:42)
        r"\bat (?:[\w.@-]*/)*(?P<owner>[\w$.]+)\.(?P<function>[\w$<>-]+)"
        r"\((?:(?P<path>[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj))(?::\s*(?P<line>\d+))?"
        r"|(?:SourceFile|Unknown Source)(?::\d+)?)\)",
        # .NET: at Acme.Basket.Add(Int32 n) in C:\src\Basket.cs:line 42
        r"\bat (?P<function>[\w.<>`+|\[\]]+)\([^)\n]*\)(?:\[[^\]\n]*\])? in (?P<path>[^\n]+?):line (?P<line>\d+)",  # noqa: E501
        # Node: at async Basket.add (file:///app/basket.mjs:42:11)
        r"\bat (?:async )?(?:(?P<function>[\w$.<>\[\] ]+?) )?\(?"
        rf"(?P<path>(?:file://)?[^\s()]+?{_SCRIPT})(?:\?[\w=&.-]*)?:(?P<line>\d+)(?::\d+)?\)?",
        # browsers: add@http://localhost/basket.js:42:11
        rf"(?P<function>[\w$.<>/]*)@(?P<path>\S+?{_SCRIPT})(?:\?[\w=&.-]*)?:(?P<line>\d+):\d+",
        # Ruby: lib/basket.rb:42:in 'block in Basket#add'
        r"(?P<path>(?:\b[A-Za-z]:)?[^\s:\"'`]+\.(?:rb|rake|erb|ru)):(?P<line>\d+):in [`'](?:(?:block|rescue|ensure)[^\n]*? in )?"  # noqa: E501
        r"(?P<function>[^'\n]+)'",
        # PHP: #0 /app/Basket.php(42): App\Basket->add(), and the place of the error
        r"^#\d+ (?P<path>[^\n(]+\.\w+)\((?P<line>\d+)\): ",
        r"\b(?:in|at) (?P<path>(?:[A-Za-z]:)?[^\s:()]+\.php)(?::| on line )(?P<line>\d+)",
        # gdb: #0  0x0000555 in basket_add (b=0x0) at src/basket.c:42
        r"^#\d+ +(?:0x[0-9a-f]+ in )?(?P<function>[^\n]+?) \([^\n]*\) at (?P<path>[^\s:]+):(?P<line>\d+)",  # noqa: E501
        # sanitizers: #0 0x55d0f2 in basket_add(basket*) /src/basket.c:42:13
        r"#\d+ 0x[0-9a-f]+ in (?P<function>[^\n]+?) (?P<path>[^\s()]+\.\w+):(?P<line>\d+)(?::\d+)?$",  # noqa: E501
        # Valgrind: at 0x401136: basket_add (basket.c:42)
        r"\b(?:at|by) 0x[0-9A-Fa-f]+: (?P<function>[^\n]+?) \((?P<path>[^()\s:]+):(?P<line>\d+)\)",
        # lldb: frame #0: 0x000100 shop`basket_add(b=0x0) at basket.c:42:8
        r"frame #\d+: 0x\w+ [^\n`]*`(?P<function>[^\n]+?) at (?P<path>[^\s:]+):(?P<line>\d+)",
        # Swift: 0x0000104 Basket.add(item:) + 120 (Basket.swift:42), or + 120 in shop at /src/Basket.swift:42:13  # noqa: E501
        r"\b0x[0-9a-f]+ (?P<function>[^\n]+?) \+ \d+ (?:in \S+ at |\()(?P<path>[^\s():]+):(?P<line>\d+)",  # noqa: E501
        # Elixir: (shop 0.1.0) lib/basket.ex:42: anonymous fn/3 in Shop.Basket.add/2
        r"(?P<path>[^\s:()]+\.(?:exs?|erl)):(?P<line>\d+): (?:anonymous fn/\d+ in )?(?P<function>[\w.:!?]+)/\d+",  # noqa: E501
        # Erlang: in function  basket:add/2 (src/basket.erl, line 42)
        r"(?P<function>[\w:]+)/\d+ \((?P<path>[^\s()]+\.erl), line (?P<line>\d+)\)",
        # Dart: #0      Basket.add (package:shop/basket.dart:42:7)
        r"^#\d+ +(?P<function>[\w.<> ]+?) \((?:package:\w+/|file://)?(?P<path>[^\s():]+\.dart):(?P<line>\d+)",  # noqa: E501
        # Zig: /src/basket.zig:42:13: 0x1036d7c in add (shop)
        r"(?P<path>[^\s:]+\.zig):(?P<line>\d+):\d+: 0x[0-9a-f]+ in (?P<function>\w+)",
        # Lua: shop/basket.lua:42: in method 'add'
        r"(?P<path>[^\s:]+\.lua):(?P<line>\d+): in (?:[a-z]+ )+['<](?P<function>[\w.:]+)'",
        # Haskell and Perl name the function that was called there
        r"\bcalled at (?P<path>[^\s:]+)(?::| line )(?P<line>\d+)",
        r"\bat (?P<path>[^\s:]+\.(?:p[lm]|cgi|t)) line (?P<line>\d+)",
        # OCaml: in file "src/basket.ml", line 42
        r'\bin file "(?P<path>[^"\n]+)", line (?P<line>\d+)',
    )
)
_GO = re.compile(r"(?P<path>(?:\b[A-Za-z]:)?[^\s:\"]+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")
_GO_FUNCTION = re.compile(r"^(?P<function>[\w./\-*()\[\]{}]+)\([^\n]*\)\s*$")
_RUST = re.compile(
    r"(?:\bat |panicked at |-->\s*)(?:'[^'\n]*', )?(?P<path>[^\s:']+\.rs):(?P<line>\d+)(?::\d+)?"
)
_RUST_FUNCTION = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<function>[\w:<>{}$ ]+?)\s*$")

_PLACE = re.compile(
    r"(?:\bpackage:\w+/)?(?P<path>(?:\b[A-Za-z]:)?[\w@.~+/\\-]*\w\.[a-zA-Z]\w*)\"?(?::|\(|:? line |, line |#)(?P<line>\d+)(?!\w)"  # noqa: E501
)
"""A place as printed by compilers and most languages: `src/m.c:4`, `A.php(7)`, `A.pm line 3`."""

_INCLUDED = re.compile(r"^(?:In file included|\s+) from .*$", re.MULTILINE)
"""Lines of a compiler that say how it came to a file."""

_NEW_PYTHON = re.compile(r"^[^\n]*Traceback \(most recent call last\)", re.MULTILINE)
_CAUSED_BY = re.compile(r"^[^\n]*\bCaused by: ", re.MULTILINE)


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
    text = _INCLUDED.sub("", text)
    found = (
        Frame(_clean(match["path"]), int(match["line"]), "") for match in _PLACE.finditer(text)
    )
    return tuple(dict.fromkeys(found))[:MOST_FRAMES]


def _python(text: str) -> list[Frame]:
    found: list[Frame] = []
    for part in reversed(_NEW_PYTHON.split(text)):
        for pattern in (_PYTHON, _PYTEST):
            found += reversed([_frame(match) for match in pattern.finditer(part)])
    return found


def _others(text: str) -> list[Frame]:
    found: list[Frame] = []
    for part in reversed(_CAUSED_BY.split(text)):
        matches = (match for pattern in _INNERMOST_FIRST for match in pattern.finditer(part))
        found += [_frame(match) for match in _apart(matches)]
    return found


def _apart(matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield the matches in order, without those that overlap an earlier one."""
    end = -1
    for match in sorted(matches, key=lambda one: one.start()):
        if match.start() >= end:
            yield match
            end = match.end()


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
    path = _clean(known["path"] or "")
    function = _last_name(known.get("function") or "")
    owner = known.get("owner")
    if owner:
        package, _, own = owner.rpartition(".")
        outer, *inner = own.split("$")
        path = "/".join([*package.split("."), path or outer.removesuffix("Kt")]).strip("/")
        if function in _OF_LAMBDA:
            function = next((name for name in reversed(inner) if name[:1].islower()), function)
    return Frame(path, int(known["line"] or 0), function)


def _clean(path: str) -> str:
    return path.replace("\\", "/").removeprefix("file://")


_OF_LAMBDA = frozenset("invoke invokeSuspend apply accept run call get emit create".split())
"""Methods of the classes that Kotlin and Java make of lambdas, whose names hold the function's."""

_MADE_BY_COMPILER = re.compile(
    r"lambda\$(?P<java>\w+)\$\d+|<(?P<async>\w+)>d__\d+(?:\.MoveNext)?|<\w+>g__(?P<local>\w+)\|[\d_]+"
    r"|<(?P<lambda>\w+)>b__[\d_]+|\$anonfun\$(?P<scala>\w+)\$\d+"
)
"""Names of lambdas, async methods and local functions of Java, C# and Scala, which contain the name
in the source.
"""
_NOT_NAME = re.compile(
    r"<[^>]*>|\{\{[^}]*\}\}|\([^)]*\)|\$\w+\$?\d*|`\d+|\[.*?\]| (?:throws |async )*->.*| const$"
)


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
