"""Rewrite syntax that a grammar cannot parse, keeping the length and line ends of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from ragit.chunk import conditionals, macros, rust_macros

_TO_SPACES = bytes(10 if byte == 10 else 32 for byte in range(256))
"""For bytes.translate: all but line ends become spaces."""


def _c(text: bytes) -> bytes:
    return macros.hidden(conditionals.resolved(text), qualified=False)


def _cpp(text: bytes) -> bytes:
    return macros.hidden(conditionals.resolved(text), qualified=True)


_WITH_BRACE = re.compile(rb"^([ \t]*given\b[^\n{]*\b)with \{", re.MULTILINE)


def _scala(text: bytes) -> bytes:
    """Write `given a: B with {` as an instance: the grammar knows `with` by indentation only."""
    return _WITH_BRACE.sub(rb"\1= new{", text)


_ONE_LINE_TYPE = re.compile(
    rb"^[^\n\"/]*\b(?:class|object|interface)\b[^\n\"/]*\{[^\n\"/]*\}", re.MULTILINE
)
_BEFORE_BRACE = re.compile(rb"(?<=[^\s{;]) (?=\})|(?<=\}) (?=[a-z@])")


_DELEGATE = re.compile(
    rb"(\bobject[ \t]*:[ \t]*[\w.<>?, ]+?)([ \t]by[ \t][^{\n]+?)(?=[ \t]*\{[ \t]*\n)"
)


def _kotlin(text: bytes) -> bytes:
    """Hide what an object delegates to, whose body the grammar takes for a lambda, and put
    semicolons into classes on one line, whose members the grammar ends by lines only.
    """
    text = _DELEGATE.sub(lambda found: found[1] + b" " * len(found[2]), text)
    return _ONE_LINE_TYPE.sub(lambda found: _BEFORE_BRACE.sub(b";", found.group()), text)


_BATS = re.compile(
    rb"^([ \t]*@test[ \t]+)(['\"])([^'\"\n]+)\2 \{(?=[ \t]*(?:#.*)?\r?$)", re.MULTILINE
)


_ESCAPED = re.compile(rb"\\(?:\\|\$)")
_ARITHMETIC = re.compile(rb"(?<=[\s=]\")\(\(")
_TRIMMED = re.compile(rb"(?<=\$\{)(\w+(?:%%?|##?))([^{}$\"'`\n]*[\[\]][^{}$\"'`\n]*)(?=\})")
_BRACKETS = bytes.maketrans(b"[]", b"xx")


def _bash(text: bytes) -> bytes:
    """Make a function of a test of Bats, whose name stands where the title does.

    Hide escaped dollars, two brackets at the start of a string, and brackets in patterns to trim
    (`${list%%]*}`): the grammar reads on from them until the end.
    """
    text = _ARITHMETIC.sub(b"xx", text)
    text = _ESCAPED.sub(lambda found: b"__" if found[0] == b"\\$" else found[0], text)
    text = _TRIMMED.sub(lambda found: found[1] + found[2].translate(_BRACKETS), text)
    return _BATS.sub(lambda found: b" " * (len(found[1]) + 1) + b"x" * len(found[3]) + b"(){", text)


_CALL_SIGNATURE = re.compile(
    rb"((?:[\w>)\]}'\"]|\*/)[ \t]*\n(?:[ \t]*(?://[^\n]*)?\n)*[ \t]*)[ \t]"
    rb"(?=<\s*[A-Z_]\w*(?:[\s,]|>\())"
)


def _typescript(text: bytes) -> bytes:
    """Put a semicolon before type parameters that begin a line, where the grammar reads on."""
    return _CALL_SIGNATURE.sub(rb"\1;", text)


_GO = re.compile(rb"^([ \t]*)GO(?=[ \t]*\d*[ \t]*\r?$)", re.MULTILINE | re.IGNORECASE)
_BRACKETED = re.compile(rb"(?<=[\s.,(])\[([A-Za-z_][\w ]*)\]")
_ROUTINE = re.compile(
    rb"^[ \t]*(?:CREATE|ALTER)[ \t]+(?:OR[ \t]+(?:REPLACE|ALTER)[ \t]+)?(?:DEFINER[^\n]*?)?"
    rb"(PROC(?:EDURE)?|FUNCTION|TRIGGER|PACKAGE(?:[ \t]+BODY)?)[ \t]+"
    rb"(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?([\w\"`.]+)",
    re.MULTILINE | re.IGNORECASE,
)
_OBJECT = re.compile(
    rb"^[ \t]*CREATE[ \t]+((?:OR[ \t]+REPLACE[ \t]+)?(?:(?:GLOBAL|PUBLIC|PRIVATE|TRUSTED)[ \t]+)?"
    rb"(?:DOMAIN|EXTENSION|ROLE|USER|GROUP|LOGIN|AGGREGATE|POLICY|RULE|EVENT(?:[ \t]+TRIGGER)?"
    rb"|OPERATOR[ \t]+(?:CLASS|FAMILY)|VIRTUAL[ \t]+TABLE|FOREIGN[ \t]+(?:TABLE|DATA[ \t]+WRAPPER)"
    rb"|DATABASE|SERVER|COLLATION|CONVERSION|TEXT[ \t]+SEARCH[ \t]+\w+|PUBLICATION|SUBSCRIPTION"
    rb"|TABLESPACE|SYNONYM|LANGUAGE|STATISTICS|TASK|STREAM|STAGE|PIPE|WAREHOUSE|DICTIONARY|MACRO)"
    rb"[ \t]+(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?)(?:\"[^\"\n]+\"|[\w`.])+"
    rb"((?:[^;'$\n]|'[^']*'|\$(\w*)\$(?s:.*?)\$\3\$|\$|\n(?![ \t]*(?:CREATE|GO)\b))*)",
    re.MULTILINE | re.IGNORECASE,
)
_ROUTINE_END = re.compile(
    rb"^END\b[^\n;]*;?[ \t]*(?:\$\$|//)?[ \t]*\r?$"
    rb"|^[ \t]*(?:;|/|//|\$\$|DELIMITER\b[^\n]*)[ \t]*\r?$"
    rb"|^\$\w*\$[^\n]*;[ \t]*\r?$"
    rb"|(?=^[ \t]*(?:CREATE|ALTER|DROP)[ \t]+(?:OR|TABLE|VIEW|PROC|FUNCTION|TRIGGER|INDEX|UNIQUE|"
    rb"TYPE|SCHEMA|SEQUENCE|PACKAGE)\w*\b)|\Z",
    re.MULTILINE | re.IGNORECASE,
)


def _sql(text: bytes) -> bytes:
    """Write routines, whose syntax differs between databases, as views of the same name."""
    text = _BRACKETED.sub(rb'"\1"', _GO.sub(rb"\1; ", text))
    shown, at = [], 0
    for found in _ROUTINE.finditer(text):
        end = _ROUTINE_END.search(text, found.end())
        if found.start() < at or end is None:
            continue
        routine = text[found.start() : end.end()]
        if found.group(1).upper() in (b"FUNCTION", b"TRIGGER") and _known(routine):
            continue
        words = (b"CREATE", b"VIEW", found.group(2), b"AS", b"SELECT", b"1", b";")
        shown += [text[at : found.start()], _filled(routine, words)]
        at = end.end()
    return _OBJECT.sub(_as_type, b"".join((*shown, text[at:])))


def _as_type(found: re.Match[bytes]) -> bytes:
    """Write `CREATE DOMAIN name ...`, which the grammar does not know, as `CREATE TYPE name`."""
    text, start = found.group(), found.start()
    kind, rest = found.start(1) - start, found.start(2) - start
    name = found.end(1) - start
    return b"".join(
        (
            text[:kind],
            b"TYPE",
            text[kind + 4 : name].translate(_TO_SPACES),
            text[name:rest],
            text[rest:].translate(_TO_SPACES),
        )
    )


def _known(routine: bytes) -> bool:
    """Return whether the grammar can parse a routine.

    It can parse PostgreSQL's quoted bodies, and triggers that call a function.
    """
    return re.search(rb"\$\w*\$", routine) is not None or not re.search(
        rb"\bBEGIN\b", routine, re.IGNORECASE
    )


def _filled(text: bytes, words: Iterable[bytes]) -> bytes:
    """Return words on the lines of a text of equal length; the text itself if they do not fit."""
    shown = bytearray(text.translate(_TO_SPACES))
    at = 0
    for word in words:
        while b"\n" in shown[at : at + len(word)]:
            at = shown.index(b"\n", at) + 1
        if at + len(word) > len(shown):
            return text
        shown[at : at + len(word)] = word
        at += len(word) + 1
    return bytes(shown)


REWRITES: Mapping[str, Callable[[bytes], bytes]] = {
    "bash": _bash,
    "c": _c,
    "cpp": _cpp,
    "csharp": conditionals.resolved,
    "kotlin": _kotlin,
    "rust": rust_macros.opened,
    "scala": _scala,
    "sql": _sql,
    "typescript": _typescript,
}
"""Rewrites by the name of the grammar's language."""
