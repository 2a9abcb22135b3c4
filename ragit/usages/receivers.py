"""Read from a line what stands before a name, and from a file which type a variable has. Pure.

Both are read from the text by regular expressions. What they do not understand is not resolved.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

SELF = frozenset(("self", "this", "cls", "super", "Self", "static", "parent", "base"))
"""Receivers that mean the type around the line."""

_ACCESS = r"\s*(?:\?\.|!!?\.|&\.|\.|->|::|\\)\s*$"
_CALL = r"\((?:[^()]|\([^()]*\))*\)"
_DOTTED = re.compile(rf"((?:[\w$]+\s*(?:\?\.|\.|->|::|\\)\s*)*)([\w$@]+)({_CALL})?{_ACCESS}")
_READ = 200
"""Characters before a name that are read."""
_ANY = re.compile(_ACCESS)

_ARROWS = frozenset(("c", "php"))
"""Families in which an arrow comes before a member."""

_NOT_TYPES = frozenset(
    "return new else case throw in is as await yield not and or if import from typeof delete del"
    " public private protected static final const let var val mut async function def package goto"
    " instanceof extends implements use raise assert lambda".split()
)


class Receiver(NamedTuple):
    """What stands before the dot before a name."""

    name: str
    """Its last name; empty if it is no name."""
    before: str = ""
    """The names before that one, with their dots."""
    called: bool = False
    """True if the name is called: `name(...).`"""

    @property
    def is_super(self) -> bool:
        """Return True for what means the types that the type around the line extends."""
        return self.name in ("super", "parent", "base") and not self.before

    @property
    def is_self(self) -> bool:
        """Return True for what means the type around the line."""
        return self.name.lstrip("@$") in SELF and not self.before


def receiver(before: str, family: str) -> Receiver | None:
    """Return the receiver at the end of what stands before a name; None if there is none."""
    before = before[-_READ:]
    if not _ANY.search(before):
        return None
    if before.rstrip().endswith("->") and family not in _ARROWS:
        return None  # the type of a result
    match = _DOTTED.search(before)
    if match is None:
        return Receiver("")
    return Receiver(match[2], re.sub(r"\s", "", match[1]), match[3] is not None)


@lru_cache(maxsize=512)
def _declarations(variable: str, family: str) -> re.Pattern[str]:
    """Return a pattern that finds declarations of a variable with their type."""
    name = re.escape(variable)
    after = rf"(?<![\w.$]){name}\s*[?!]?:\s*(?:[&*?\"']|mut\s|Optional\[|final\s)*([A-Za-z_][\w.]*)"
    value = r"(?:await\s+)?(?:new\s+|&)?([A-Za-z_][\w.:]*)\s*(?:<[^<>\n]*>)?\s*[({]"
    made = rf"(?<![\w$]){name}\s*(?::[^=\n]*)?:?=\s*{value}"
    written = r"([A-Za-z_]\w*)(?:<[^;(){}\n]*>)?(?:\[\])?[ \t]*[ \t*&]"
    ahead = rf"(?<![\w.$]){written}{name}\s*[=;,):{{]"
    spaced = rf"(?<![\w.$]){name}\s+\*?(?:\w+\.)?([A-Z]\w*)"
    parts = {
        "jvm": (ahead, made, after),
        "csharp": (ahead, made),
        "c": (ahead, made),
        "php": (ahead.replace(name, rf"\${name}"), made),
        "go": (spaced, made),
    }.get(family, (after, made))
    return re.compile("|".join(parts))


def declared_type(text: str, variable: str, family: str, offset: int) -> str:
    """Return the type that a variable is declared with last before an offset of the text, or first
    after it; empty if none is found.
    """
    found = ""
    for match in _declarations(variable, family).finditer(text):
        written = next((group for group in match.groups() if group), "")
        name = re.split(r"[.:]+", written)[-1]
        if name in ("new", "create", "builder", "from", "default") and "::" in written:
            name = re.split(r"[.:]+", written)[-2]
        if name in _NOT_TYPES or (match.lastindex == 2 and not name[:1].isupper()):
            continue
        if match.start() > offset and found:
            break
        found = name
    return found


_NO_TYPE = r"(?!(?:return|new|else|case|throw|in|delete|goto|await|yield|typeof)\b)"


@lru_cache(maxsize=64)
def _bindings(name: str, family: str) -> re.Pattern[str]:
    """Return a pattern that finds what makes a name a parameter or a local variable."""
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
    """Return True if a function has a parameter or a variable of a name."""
    if not function or name.isupper():
        return False
    return _bindings(name, family).search(function) is not None


def is_label(before: str, after: str, family: str) -> bool:
    """Return True for the name of an argument or the key of an object: `f(name=1)`, `{name: 1}`."""
    inside = re.search(r"[({,]\s*$", before) is not None
    if family == "python":
        return re.match(r"=(?!=)", after) is not None or (
            inside and re.match(r"\s*=(?!=)", after) is not None
        )
    if family in ("ecma", "ruby", "swift", "csharp"):
        begins = inside or not before.strip()
        return begins and re.match(r"\s*\??:(?!:)", after) is not None
    return False
