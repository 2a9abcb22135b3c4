"""Read the receiver before a name from a line, and the type of a variable from a file. Pure.

Both use regular expressions on the text. Code that they do not understand stays unresolved.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from ragit.records import NamedTuple

SELF = frozenset(("self", "this", "cls", "super", "Self", "static", "parent", "base"))
"""Receivers that mean the type around the line."""

_ACCESS = r"\s*(?:\?\.|!!?\.|&\.|\.|->|::|\\)\s*$"
_CALL = r"\((?:[^()]|\([^()]*\))*\)"
_DOTTED = re.compile(rf"((?:[\w$]+\s*(?:\?\.|\.|->|::|\\)\s*)*)([\w$@]+)({_CALL})?{_ACCESS}")
_READ = 200
"""Limit of characters read before a name."""
_ENDINGS = (".", "->", "::", "\\")
"""Ends of `_ACCESS`, without blanks."""

_ARROWS = frozenset(("c", "php"))
"""Families in which an arrow comes before a member."""

_MAKERS = frozenset(("new", "create", "builder", "from", "default"))
"""Functions of a type that return a value of it: `Type::new()`."""

_NOT_TYPES = frozenset(
    "return new else case throw in is as await yield not and or if import from typeof delete del"
    " public private protected static final const let var val mut async function def package goto"
    " instanceof extends implements use raise assert lambda".split()
)


class Receiver(NamedTuple):
    """The expression before the dot before a name."""

    name: str
    """Its last name; empty if it is no name."""
    before: str = ""
    """The names before the last, with their dots."""
    called: bool = False
    """True if it is a call: `name(...).`"""

    @property
    def is_super(self) -> bool:
        """Return whether it means the types that the type around the line extends."""
        return self.name in ("super", "parent", "base") and not self.before

    @property
    def is_self(self) -> bool:
        """Return whether it means the type around the line."""
        return self.name.lstrip("@$") in SELF and not self.before


def receiver(before: str, family: str) -> Receiver | None:
    """Return the receiver at the end of the text before a name; None if there is none."""
    before = before[-_READ:]
    ahead = before.rstrip()
    if not ahead.endswith(_ENDINGS):
        return None
    if ahead.endswith("->") and family not in _ARROWS:
        return None  # the type of a result
    match = _DOTTED.search(before)
    if match is None:
        return Receiver("")
    return Receiver(match[2], re.sub(r"\s", "", match[1]), match[3] is not None)


_AFTER = re.compile(
    r"\s*[?!]?:\s*(?:[&*?\"']|mut\s|Optional\[|final\s)*(?P<stated>[A-Za-z_][\w.]*)"
    r"|\s*(?::[^=\n]*)?:?=\s*(?:await\s+)?(?:new\s+|&)?(?P<made>[A-Za-z_][\w.:]*)"
    r"\s*(?:<[^<>\n]*>)?\s*[({]"
)
"""Text after a variable that declares its type, or assigns a new value of it."""

_MADE = re.compile(
    r"\s*=\s*(?:await\s+)?(?:new\s+|&)?(?P<made>[A-Za-z_][\w.:]*)\s*(?:<[^<>\n]*>)?\s*[({]"
)
_GO = re.compile(
    r"[ \t]+\*?(?:\w+\.)?(?P<stated>[A-Z]\w*)|\s*:?=\s*&?(?P<made>[A-Za-z_][\w.]*)\s*[({]"
)
_AHEAD = re.compile(r"(?<![\w.$])([A-Za-z_]\w*)(?:<[^;(){}\n]*>)?(?:\[\])?[ \t]*[ \t*&]$")
"""A type before a variable."""

_ENDS = re.compile(r"\s*[=;,):{]")
"""Text after a variable that is declared after its type."""

_TYPE_FIRST = frozenset(("jvm", "csharp", "c", "php"))
"""Families that may write the type before the variable."""

_LOOKED_BACK = 80
"""Limit of characters before a variable that are searched for its type."""


class Declaration(NamedTuple):
    """A declaration of a variable's type, with its offset."""

    offset: int
    type: str


def declarations(text: str, variable: str, family: str) -> list[Declaration]:
    """Return the declarations of a variable with a type, in order."""
    found = []
    at = text.find(variable)
    while at >= 0:
        end = at + len(variable)
        if not _is_part(text[at - 1 : at]) and not _is_part(text[end : end + 1]):
            name = _type_at(text, at, end, family)
            if name:
                found.append(Declaration(at, name))
        at = text.find(variable, end)
    return found


def _is_part(sign: str) -> bool:
    """Return whether a character extends a name."""
    return sign.isalnum() or sign in ("_", "$") and sign != ""


def _type_at(text: str, start: int, end: int, family: str) -> str:
    """Return the type with which a variable is declared at this place; empty if it is not."""
    ahead = _type_ahead(text, start, end) if family in _TYPE_FIRST else ""
    if ahead:
        return ahead
    pattern = {"go": _GO, "csharp": _MADE, "c": _MADE, "php": _MADE}.get(family, _AFTER)
    match = pattern.match(text, end)
    if match is None:
        return ""
    written = match["made"] or match.groupdict().get("stated") or ""
    names = re.split(r"[.:]+", written)
    name = names[-2] if "::" in written and names[-1] in _MAKERS else names[-1]
    if name in _NOT_TYPES or (match["made"] and not name[:1].isupper()):
        return ""
    return name


def _type_ahead(text: str, start: int, end: int) -> str:
    """Return the type before a declared variable; empty if there is none."""
    if not _ENDS.match(text, end):
        return ""
    before = _AHEAD.search(text[max(0, start - _LOOKED_BACK) : start])
    return before[1] if before and before[1] not in _NOT_TYPES else ""


def declared_type(found: Sequence[Declaration], offset: int) -> str:
    """Return the type declared last before an offset, or else first after it; empty for none."""
    at = bisect_right(found, offset, key=lambda one: one.offset)
    return found[max(0, at - 1)].type if found else ""


_NO_TYPE = r"(?!(?:return|new|else|case|throw|in|delete|goto|await|yield|typeof)\b)"


@lru_cache(maxsize=64)
def _bindings(name: str, family: str) -> re.Pattern[str]:
    """Return a pattern for code that makes a name a parameter or a local variable."""
    word = re.escape(name)
    parts = {
        "python": (
            rf"\A\s*(?:@[^\n]*\n\s*)*(?:async\s+)?def\s+\w+\s*"
            rf"\((?:(?:[^()]|\([^()]*\))*?[,*])?\s*{word}\s*[:,=)]",
            rf"^\s*(?:\w+\s*,\s*)*{word}\s*(?:,[^=\n]*|:[^=\n]*)?=(?!=)",
            rf"\bfor\b[^:\n]*\b{word}\b[^:\n]*\bin\b",
            rf"\bas\s+{word}\b|\blambda\b[^:\n]*\b{word}\b|\b{word}\s*:=",
        ),
        "go": (
            rf"\b{word}\s*(?:,\s*\w+\s*)*:=|\bvar\s+{word}\b",
            rf"[(,]\s*{word}\s+[\w*.\[\]]+\s*[,)]",
        ),
    }.get(
        family,
        (
            rf"\b(?:const|let|var|val|mut)\s+(?:mut\s+)?{word}\b",
            rf"\b(?:const|let|var)\s*[{{\[][^}}\]]*\b{word}\b[^}}\]]*[}}\]]\s*=",
            rf"(?<![\w.]){_NO_TYPE}[A-Za-z_]\w*(?:<[^;(){{}}]*>)?(?:\[\])?[ \t*&]+{word}\s*[=;,):]",
            rf"[(,]\s*(?:mut\s+)?{word}\s*[?]?:(?!:)|\b{word}\s*=>",
            rf"[(,]\s*{word}\s*[,)][^=;\n]*=>",
            rf"\bfunction\b[^(\n]*\((?:[^()'\"]*,)?\s*{word}\s*[,)=]",
        ),
    )
    return re.compile("|".join(parts), re.MULTILINE)


def is_local(function: str, name: str, family: str) -> bool:
    """Return whether a function has a parameter or a variable of this name."""
    if not function or name.isupper() or not _may_bind(function, name, family):
        return False
    return _bindings(name, family).search(function) is not None


_MAKES = {"python": re.compile(r"\b(?:for|as|lambda)\b"), "go": re.compile(r"\bvar\b")}
_MAKES_ELSEWHERE = re.compile(r"\b(?:const|let|var|val|mut)\b")


def _may_bind(function: str, name: str, family: str) -> bool:
    """Return False if no pattern of `_bindings` can match, by a quicker test: each needs one of
    these words, or one of these characters after the name.
    """
    word = re.escape(name)
    after = rf"{word}\s*[=;,):?{'*.' if family == 'go' else ''}]"
    if re.search(after, function) or (family == "go" and re.search(rf"{word}\s+\w", function)):
        return True
    return _MAKES.get(family, _MAKES_ELSEWHERE).search(function) is not None


def is_label(before: str, after: str, family: str) -> bool:
    """Return whether it is the name of an argument or the key of an object: `f(name=1)`, `{name:
    1}`.
    """
    inside = re.search(r"[({,]\s*$", before) is not None
    if family == "python":
        return re.match(r"=(?!=)", after) is not None or (
            inside and re.match(r"\s*=(?!=)", after) is not None
        )
    if family in ("ecma", "ruby", "swift", "csharp"):
        begins = inside or not before.strip()
        return begins and re.match(r"\s*\??:(?!:)", after) is not None
    return False
