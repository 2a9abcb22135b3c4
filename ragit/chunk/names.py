"""Tell the language of a file by its name, and find a language by a user's name for it."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ragit.chunk.languages import LANGUAGES
from ragit.chunk.row import Language
from ragit.errors import UnknownLanguage
from ragit.records import NamedTuple


class _Names(NamedTuple):
    """Languages by file names: three tables made from the rows."""

    exact: dict[str, str]
    suffixes: dict[str, str]
    patterns: list[tuple[str, str]]


def _names() -> _Names:
    names = _Names({}, {}, [])
    for row in LANGUAGES.values():
        for word in row.files.lower().split():
            if word.endswith(".*"):
                names.patterns.append((word, row.name))
            elif word.startswith("."):
                names.suffixes[word] = row.name
            else:
                names.exact[word] = row.name
    return names


_NAMES = _names()


def language_of(path: bytes) -> str:
    """Return the language by the file's name alone.

    For "auto" and "h", the content decides when the file is chunked.
    """
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    if name in _NAMES.exact:
        return _NAMES.exact[name]
    for pattern, language in _NAMES.patterns:
        if fnmatchcase(name, pattern):
            return language
    dot = name.find(".")
    if dot < 0:
        return "auto"
    # The longest suffix wins, so that a row may claim ".d.ts" beside ".ts".
    while dot >= 0:
        if name[dot:] in _NAMES.suffixes:
            return _NAMES.suffixes[name[dot:]]
        dot = name.find(".", dot + 1)
    return "text"


def languages() -> list[str]:
    """Return all names of the table, sorted."""
    return sorted(LANGUAGES)


CALLED = {
    "c#": "csharp",
    "docker": "dockerfile",
    "golang": "go",
    "protocol buffer": "protobuf",
    "shell": "bash",
    "terraform": "hcl",
}
"""Other names of languages, as people and github-linguist use them, unless a suffix or file name is
one.
"""


def named(name: str) -> str | None:
    """Return the language by its name, other name or a name of its files, in any case; None if
    unknown.

    Accepts "js", ".py", "*.rb", "C++" and "Makefile".
    """
    lower = name.lower()
    if lower in LANGUAGES:
        return lower
    suffix = "." + lower.removeprefix("*").removeprefix(".")
    return CALLED.get(lower) or _NAMES.exact.get(lower) or _NAMES.suffixes.get(suffix)


def dialects(name: str) -> frozenset[str]:
    """Return a language of the table and its dialects: TypeScript's is TSX."""
    return frozenset((name, *(row.name for row in LANGUAGES.values() if row.dialect_of == name)))


def require(name: str) -> Language:
    """Return the row of that name. Raises UnknownLanguage with the nearest names."""
    row = LANGUAGES.get(name)
    if row is None:
        raise UnknownLanguage(f"no language is named {name!r}", _hint(name))
    return row


def _hint(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), languages(), n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(near)}?" if near else f"Languages: {', '.join(languages())}"
