"""Collect the context of a cursor within a number of tokens."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, zip_longest

from ragit.context.cursor import Cursor, read_cursor
from ragit.context.headers import likeliest
from ragit.context.similar import similar_code
from ragit.contexts import Signature, Similar
from ragit.records import NamedTuple
from ragit.store import Store
from ragit.tree_world import TreeWorld
from ragit.usages import (
    Candidate,
    Resolver,
    StoredDefinition,
    bindings,
    candidates_of,
    stem_of,
    terms_of,
    wildcard_imports,
)

BYTES_PER_TOKEN = 3
"""As in `ragit.render.budget`: tokenizers take 3 to 4 bytes of code to a token."""

RESERVED = 0.25
"""The share of the tokens reserved for similar code."""

PIECES = 2
"""Limit of pieces of similar code."""

INCLUDING = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm")
"""Suffixes of files that include headers, which bring in names without listing them."""

DECLARED = "included"
"""The reason shown for a declaration of a header."""

SMALL = frozenset("field property key element section target value item variable".split())
"""Kinds of definitions that are left out unless imported by name."""

MOST = 3
"""Limit of definitions of one name, such as overloads."""

REASONS = {"import": "imported"}
"""Reasons whose name differs from the rule of `ragit.usages`."""

ELSEWHERE = 40
"""Limit of looked-up names that are far from the cursor and not imported."""

LEFT = 8
"""Declarations collected beyond the first share of the tokens."""

LONGEST = 160
"""Limit of a declaration's characters."""


class CursorPosition(NamedTuple):
    """The file and line of a cursor, with the current text around it."""

    path: str
    line: int
    lines: list[str]
    language: str


class Chosen(NamedTuple):
    """A definition with the reason for showing it."""

    definition: StoredDefinition
    reason: str


class ChosenCode(NamedTuple):
    """The declarations and similar code that fit into the tokens."""

    signatures: tuple[Signature, ...]
    similar: tuple[Similar, ...]
    tokens: int


class _Budget:
    """Counts the remaining bytes of a number of tokens, for the text as printed."""

    def __init__(self, tokens: int) -> None:
        self.room = tokens * BYTES_PER_TOKEN
        self.used = 0
        self._folders: set[str] = set()

    def takes(self, path: str, size: int, room: int) -> bool:
        """Take `size` bytes, and the path if it is new, if `used` stays within `room`."""
        folder, _, name = path.rpartition("/")
        size += len(name.encode("utf-8", "surrogatepass"))
        if folder not in self._folders:
            size += len(folder.encode("utf-8", "surrogatepass")) + 2
        if self.used + size > room:
            return False
        self._folders.add(folder)
        self.used += size
        return True


def find_context(
    store: Store, world: TreeWorld, place: CursorPosition, max_tokens: int
) -> ChosenCode:
    """Return declarations and similar code for a cursor."""
    cursor = read_cursor(place.path, place.lines, place.line, place.language)
    budget = _Budget(max_tokens)
    first = int(budget.room * (1 - RESERVED))
    ranked = _ranked(world, cursor, place.lines)
    signatures: list[Signature] = []
    left: list[Signature] = []
    for one in ranked:
        fits = not left and budget.takes(one.path, _size(one), first)
        (signatures if fits else left).append(one)
        if len(left) > LEFT:
            break
    similar = []
    for piece in islice(similar_code(store, world, place.path, cursor.names), PIECES):
        if _holds(piece, signatures):
            continue
        if budget.takes(piece.path, len(piece.text.encode()) + 8, budget.room):
            similar.append(piece)
    for one in left:
        if budget.takes(one.path, _size(one), budget.room):
            signatures.append(one)
    return ChosenCode(tuple(signatures), tuple(similar), math.ceil(budget.used / BYTES_PER_TOKEN))


def _holds(piece: Similar, signatures: list[Signature]) -> bool:
    """Return whether a piece shows a definition whose declaration is already included."""
    lines = range(piece.start_line, piece.end_line + 1)
    return any(one.path == piece.path and one.line in lines for one in signatures)


def _size(one: Signature) -> int:
    return len(one.text.encode("utf-8", "surrogatepass")) + len(str(one.line)) + 4


def _ranked(world: TreeWorld, cursor: Cursor, lines: Sequence[str]) -> Iterator[Signature]:
    """Yield declarations by importance, each once: of names near the cursor, of names imported,
    then of names that the file calls elsewhere, alternating with declarations of included headers.
    """
    names = _Names(world, cursor)
    places: set[tuple[str, int]] = set()
    given: set[str] = set()
    for chosen in chain(names.near(), _in_turns(names.declared(lines), names.elsewhere())):
        one = chosen.definition
        known = one.name in given if chosen.reason == DECLARED else (one.path, one.line) in places
        if not known:
            places.add((one.path, one.line))
            given.add(one.name)
            yield _signature(chosen)


def _in_turns(ones: Iterable[Chosen], others: Iterable[Chosen]) -> Iterator[Chosen]:
    """Yield from both alternately, then the rest of the longer one."""
    for pair in zip_longest(ones, others):
        yield from (one for one in pair if one is not None)


class _Names:
    """Finds the definitions of the names that a file uses."""

    def __init__(self, world: TreeWorld, cursor: Cursor) -> None:
        self._world = world
        self._cursor = cursor
        self._imports: dict[str, str] = {}
        """Imported names, with their names where they are defined."""
        for each in cursor.references.imports:
            for one in each.names:
                if one.alias:
                    known = one.name not in ("", "default")
                    self._imports.setdefault(one.alias, one.name if known else one.alias)
        self._folder = posixpath.dirname(cursor.path)
        self._files: set[str] = set()
        """Files that define names imported explicitly."""

    def near(self) -> Iterator[Chosen]:
        """Yield the meanings of names near the cursor, imported ones first, then of all imports,
        unused ones first.
        """
        used = sorted(self._cursor.used, key=lambda name: name not in self._imports)
        for name in used:
            yield from self._meanings(name, MOST)
        for name in sorted(self._imports, key=lambda name: name not in self._cursor.unused):
            if name not in self._cursor.used:
                yield from self._meanings(name, 1)

    def elsewhere(self) -> Iterator[Chosen]:
        """Yield the meanings of the nearest other names that the file calls or writes as types."""
        for name in islice(self._cursor.rest, ELSEWHERE):
            yield from self._meanings(name, 1)

    def declared(self, lines: Sequence[str]) -> Iterator[Chosen]:
        """Yield the declarations of included headers, likeliest first."""
        if self._cursor.path.endswith(INCLUDING):
            modules = dict.fromkeys(one.module for one in self._cursor.references.imports)
            files = (self._header(one) for one in modules)
            headers = [self._world.exports(path) for path in files if path]
            for one in likeliest(headers, self._cursor.names, lines, self._files_that_hold):
                yield Chosen(one, DECLARED)

    def _header(self, module: str) -> str:
        """Return the likeliest file of an include; empty if the tree has none."""
        files = self._world.modules.files(module, self._cursor.path, self._cursor.family)
        return min(files, key=lambda path: (len(path), path), default="")

    def _files_that_hold(self, name: str) -> int:
        terms = terms_of(name)
        return len(self._world.chunkings_with(terms[-1])) if terms else 0

    def _meanings(self, name: str, most: int) -> Iterator[Chosen]:
        """Yield the meanings of a name in other files, at most `most` definitions."""
        is_imported = name in self._imports
        original = self._imports.get(name, name)
        candidates = candidates_of(self._definitions(name, original))
        rule, found = Resolver(original, candidates, self._world).meant(self._cursor, name)
        if rule == "ambiguous":
            rule, found = self._likeliest(found)
        if not found or rule == "same file":
            return
        path = max((one.definitions[0].path for one in found), key=self._shared)
        definitions = [
            definition for one in found for definition in one.definitions if definition.path == path
        ]
        if is_imported:
            self._files.add(path)
        for definition in sorted(
            definitions, key=lambda one: (one.kind == "constructor", one.line)
        )[:most]:
            if is_imported or definition.kind not in SMALL:
                yield Chosen(definition, REASONS.get(rule, rule))

    def _definitions(self, name: str, original: str) -> Sequence[StoredDefinition]:
        """Return the definitions that a name may mean."""
        cursor = self._cursor
        if name not in self._imports:
            return self._world.definitions_near(original, self._opened)
        reached = (self._world.reach(*one, cursor) for one in bindings(cursor, name))
        files = tuple(dict.fromkeys(path for paths in reached for path in paths))
        called_so = tuple(path for path in files if stem_of(path) == original)
        return self._world.definitions_in(original, called_so or files)

    @cached_property
    def _opened(self) -> frozenset[str]:
        """The files of which the cursor's file sees all names."""
        modules = wildcard_imports(self._cursor)
        reached = (self._world.reach(module, "*", self._cursor) for module in modules)
        return frozenset(path for paths in reached for path in paths)

    def _likeliest(self, found: Sequence[Candidate]) -> tuple[str, list[Candidate]]:
        """Return those of several meanings that are in a file from which something is imported, or
        else in the same folder.
        """
        imported = [one for one in found if not self._files.isdisjoint(one.paths)]
        if imported:
            return "import", imported
        beside = (
            one for one in found if posixpath.dirname(one.definitions[0].path) == self._folder
        )
        return "same folder", list(beside)

    def _shared(self, path: str) -> int:
        """Return the number of folders that a path shares with the cursor's."""
        return len(posixpath.commonprefix([path.split("/"), self._cursor.path.split("/")]))


def _signature(chosen: Chosen) -> Signature:
    one = chosen.definition
    name = f"{one.parent}.{one.name}" if one.parent else one.name
    text = one.signature or one.name
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    return Signature(one.path, one.line, one.kind, name, text, chosen.reason)
