"""Extract the names around a cursor and the imports of its file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from ragit import rank, usages
from ragit.chunk import imports_of
from ragit.records import NamedTuple
from ragit.references import Import, References, pack

NEAR = 10
"""Number of lines before and after the cursor whose names count."""

_STATEMENT = re.compile(
    r"\s*(?:(?:pub(?:\([^)]*\))?\s+)?use\s|(?:from|import|export|using|extern crate|@\w+ import)\b"
    r"|#\s*(?:include|import)\b|(?:const|let|var)\b.*\brequire\s*\(|require(?:_relative)?\b)"
)
_MOST_LINES = 80
"""Limit of lines in one import statement."""

_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT = re.compile(r"^\s*(?://|#(?!include)|\*|/\*|--)")
_SHORTEST = 3
"""Least letters of a looked-up name: shorter ones are loop variables."""

KEYWORDS = frozenset(
    "abstract and any as assert async await bool boolean break byte case catch char class "
    "const continue def default del delete do double else elif end enum except export "
    "extends false final finally float fn for from func function global goto if "
    "implements import in instanceof int interface is lambda let long match module mut "
    "namespace new nil none not null object of or override package pass private protected "
    "public pub raise readonly return self short sizeof static string struct super switch "
    "this throw throws trait true try type typedef typeof undefined union unsigned use "
    "using val var void volatile when where while with yield True False None String "
    "Integer Long Boolean Double Object".split()
)
"""Keywords and built-in types of languages, which no file of a tree defines."""


class Cursor(NamedTuple):
    """The file of a cursor: its imports, and the names around the cursor."""

    path: str
    family: str
    test: bool
    references: References
    """Its imports."""
    names: tuple[str, ...]
    """The names near it, nearest first."""
    used: tuple[str, ...]
    """Those of the names that are called, written as types or imported."""
    unused: frozenset[str]
    """Imported names that occur nowhere else in the file: likely to be used next."""
    rest: Iterator[str]
    """The other names that the file calls or writes as types, nearest first, each once; the file is
    read lazily.
    """


def read_cursor(path: str, lines: Sequence[str], line: int, language: str) -> Cursor:
    """Return the names around line `line` (from 1) of a file, and the file's imports."""
    statements = list(_statements(lines))
    inside = {at for first, last, _ in statements for at in range(first, last + 1)}
    references = References(pack((), _imports(language, statements), ()))
    near, used = _near(lines, line, inside)
    bound = {one.alias for each in references.imports for one in each.names}
    used = tuple(name for name in near if name in bound or name in used)
    rest = _used_elsewhere(lines, line, inside, bound.union(used))
    text = "\n".join(each for at, each in enumerate(lines, 1) if at not in inside)
    unused = frozenset(name for name in bound if name and name not in text)
    family, test = usages.family_of(language), rank.paths.is_test(path)
    return Cursor(path, family, test, references, near, used, unused, rest)


def _used_elsewhere(
    lines: Sequence[str], line: int, inside: Set[int], known: set[str]
) -> Iterator[str]:
    """Yield the names that a file calls or writes as types outside of its imports, except known
    names.
    """
    for at in sorted(range(1, len(lines) + 1), key=lambda at: abs(at - line)):
        if at not in inside and not _COMMENT.match(lines[at - 1]):
            for name in _used_in(lines[at - 1]):
                if name not in known:
                    known.add(name)
                    yield name


_USED = re.compile(r"([^\W\d]\w*)\s*\(|\b([A-Z]\w*[a-z]\w*)")
"""A name that is called, or written as a type."""


def _used_in(text: str) -> Iterator[str]:
    for called, written in _USED.findall(text):
        name = called or written
        if len(name) >= _SHORTEST and name not in KEYWORDS:
            yield name


def names_in(text: str) -> Iterator[str]:
    """Yield the identifiers of a line that may name a definition elsewhere."""
    for name in _WORD.findall(text):
        if len(name) >= _SHORTEST and name not in KEYWORDS:
            yield name


def _near(
    lines: Sequence[str], line: int, inside: set[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all names within NEAR lines of a line, and those called or written as types, nearest
    first.
    """
    first, last = max(1, line - NEAR), min(len(lines), line + NEAR)
    order = sorted(range(first, last + 1), key=lambda at: abs(at - line))
    code = [at for at in order if at not in inside and not _COMMENT.match(lines[at - 1])]
    used = [name for at in code for name in _used_in(lines[at - 1])]
    others = [name for at in code for name in names_in(lines[at - 1])]
    return tuple(dict.fromkeys([*used, *others])), tuple(dict.fromkeys(used))


def _statements(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and text of each import statement."""
    at = 0
    while at < len(lines):
        if not _STATEMENT.match(lines[at]):
            at += 1
            continue
        last, depth = at, _open(lines[at])
        while depth > 0 and last + 1 < len(lines) and last - at < _MOST_LINES:
            last += 1
            depth += _open(lines[last])
        yield at + 1, last + 1, "\n".join(lines[at : last + 1])
        at = last + 1


def _open(text: str) -> int:
    return sum(map(text.count, "({")) - sum(map(text.count, ")}"))


def _imports(language: str, statements: Sequence[tuple[int, int, str]]) -> Iterator[Import]:
    for line, _, text in statements:
        for module, names in imports_of(language, text.strip()):
            yield Import(line, module, names)
