"""The definitions that a name may mean, and the facts about files around its uses. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ragit.records import NamedTuple
from ragit.references import References
from ragit.types import CLASSES
from ragit.usages.modules import Modules

MEMBERS = frozenset("method field property getter setter event operator callback".split())
"""Kinds of definitions that belong to a type. A constructor counts as its type."""

TYPES = CLASSES | {"type", "annotation", "delegate", "module", "namespace"}
"""Kinds of definitions that are types, or contain names as types do."""

_DECLARATIONS = frozenset(("declaration",))


class StoredDefinition(NamedTuple):
    """One definition of the name, as stored."""

    path: str
    line: int
    kind: str
    owner: str
    """The innermost name around it."""
    family: str
    local: tuple[int, int] | None = None
    """First and last line of the definition to which it is local."""
    test: bool = False
    name: str = ""
    parent: str = ""
    """All names around it."""
    signature: str = ""
    """Its declaration, on one line."""


class Candidate(NamedTuple):
    """A possible meaning of a name: definitions in one file and type count once, as do a function
    and its declarations.
    """

    definitions: tuple[StoredDefinition, ...]
    """Its definitions; an answer names the first."""
    paths: frozenset[str]
    """The files that define or declare it."""
    owner: str
    """The type of which it is a member; empty if none."""

    @property
    def where(self) -> str:
        """Return its definition as path:line."""
        return f"{self.definitions[0].path}:{self.definitions[0].line}"


def _candidate(*definitions: StoredDefinition) -> Candidate:
    first = definitions[0]
    owner = first.owner if first.kind in MEMBERS else ""
    return Candidate(definitions, frozenset(definition.path for definition in definitions), owner)


class CandidateGroups:
    """The candidates of a line, grouped for its rules."""

    def __init__(self, items: Iterable[Candidate]) -> None:
        self.items = list(items)
        self.free = [one for one in self.items if not one.owner]
        self.members = [one for one in self.items if one.owner]
        self.by_owner: dict[str, list[Candidate]] = {}
        """Members by the name of their type."""
        self.by_plain_owner: dict[str, list[Candidate]] = {}
        """Candidates by name in lower case, without underscores."""
        for one in self.members:
            self.by_owner.setdefault(one.owner, []).append(one)
            self.by_plain_owner.setdefault(plain(one.owner), []).append(one)


def plain(name: str) -> str:
    """Return a normalised name to compare with types: `_my_cart` and `MyCart` are equal."""
    return name.lstrip("_@$").replace("_", "").lower()


class TypeFact(NamedTuple):
    """A type of the tree with the names of the types that it extends and implements."""

    path: str
    line: int
    name: str
    family: str
    bases: tuple[str, ...]

    @property
    def paths(self) -> frozenset[str]:
        """Its file, as for a candidate."""
        return frozenset((self.path,))


class Importer(Protocol):
    """A file with its imports."""

    @property
    def path(self) -> str:
        """Path from the top."""

    @property
    def family(self) -> str:
        """Family of its language."""

    @property
    def test(self) -> bool:
        """Return whether it is a test."""

    @property
    def references(self) -> References | None:
        """Its references; None if its language has no rules."""


class FileView(Importer, Protocol):
    """A file of the tree, read on demand."""

    @property
    def text(self) -> str:
        """Its text."""

    def owners_at(self, line: int) -> tuple[str, ...]:
        """Return the names of the definitions around a line, outermost first."""

    def function_at(self, line: int) -> str:
        """Return the text of the function around a line if it is one chunk; else empty."""


class World(Protocol):
    """The tree in which names are resolved."""

    @property
    def modules(self) -> Modules:
        """Its files by module."""

    def view(self, path: str) -> FileView:
        """Return one of its files."""

    def reach(self, module: str, name: str, view: Importer) -> Sequence[str]:
        """Return the files in which a name of a module may be defined, as a file imports it."""

    def types(self, name: str) -> Sequence[TypeFact]:
        """Return the tree's types with a name."""


def candidates_of(definitions: Iterable[StoredDefinition]) -> list[Candidate]:
    """Return the candidates for definitions of a name, in the order of paths."""
    groups: dict[tuple[str, str, object], list[StoredDefinition]] = {}
    declared: dict[str, list[StoredDefinition]] = {}
    for definition in sorted(definitions, key=lambda each: (each.path, each.line)):
        if definition.kind in _DECLARATIONS or definition.path.endswith(".pyi"):
            declared.setdefault(definition.owner, []).append(definition)
            continue
        owner = _owner(definition)
        groups.setdefault((definition.path, owner, definition.local), []).append(definition)
    found = []
    for (_, owner, local), group in groups.items():
        extra = [] if local else declared.get(owner, [])
        related = (one for one in extra if one.family == group[0].family)
        found.append(_candidate(*group, *related))
    if not groups:
        found = [_candidate(*group) for group in declared.values()]
    return found


def _owner(definition: StoredDefinition) -> str:
    """Return the type of a member, or the name around another definition; empty for types."""
    return "" if definition.kind == "constructor" or definition.kind in TYPES else definition.owner
