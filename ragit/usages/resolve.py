"""Decide which definition of a name a line means, and by which rule. Pure.

The rules are those of a reader who runs nothing: scope, a file's imports, its package, the declared
type of the receiver. If two definitions match, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ragit.records import NamedTuple
from ragit.references import Import, References
from ragit.usages.candidates import (
    TYPES,
    Candidate,
    CandidateGroups,
    FileView,
    Importer,
    TypeFact,
    World,
    plain,
)
from ragit.usages.modules import package_of
from ragit.usages.reach import bindings, submodule_of, wildcard_imports
from ragit.usages.receivers import (
    Declaration,
    Receiver,
    declarations,
    declared_type,
    is_label,
    is_local,
    receiver,
)

_AS_TYPES = TYPES | {"constant", "constructor"}
"""Kinds of definitions that may be used as a type."""

_IMPLICIT = frozenset(("jvm", "csharp", "c", "swift", "ruby"))
"""Families whose methods name other members of their type without a receiver."""

_ALL_IMPORTED = frozenset(("python",))
"""Families whose names occur alone only if a file defines or imports them, or they are built in."""

_OPEN_TYPES = frozenset(("go", "rust", "csharp", "swift", "c", "ruby"))
"""Families whose types may have members in several files."""

_DOLLARS = frozenset(("ecma", "jvm"))
"""Families whose names may contain a dollar sign, which ends no word for a scan."""

_SIGNS = re.compile(r"\?\.|\.|->|::|\\")
"""Signs between names."""

_MOST_TYPES = 40
"""Limit of types searched for one that has a member."""


_BARE = frozenset("object Object ABC Generic Protocol Serializable Cloneable".split())
"""Built-in base types that give their subtypes no members to share with other types."""


class Resolved(NamedTuple):
    """The definition that a line means, with the rule that decided it."""

    certainty: str
    candidates: int = 0
    definition: str = ""
    """Definition as path:line; empty if unknown."""


UNKNOWN = Resolved("name")

_Named = TypeVar("_Named", Candidate, TypeFact)


class Line(NamedTuple):
    """A line that contains the name."""

    number: int
    before: str
    """The text before the name."""
    after: str
    kind: str
    """Kind of use: call, type, base, import, attribute or other."""
    offset: int = 0
    """Offset of the line's first character in the text."""


class Resolver:
    """Resolves the uses of one name in one tree."""

    def __init__(self, name: str, candidates: Sequence[Candidate], world: World) -> None:
        self.name = name
        self._candidates = candidates
        self._world = world
        self._pools: dict[tuple[str, bool, bool], CandidateGroups] = {}
        self._local: dict[str, list[Candidate]] = {}
        for one in candidates:
            if one.definitions[0].local is not None:
                self._local.setdefault(one.definitions[0].path, []).append(one)
        self._known_types: dict[tuple[str, str], list[TypeFact]] = {}
        self._declared: dict[tuple[str, str], list[Declaration]] = {}

    def resolve(self, view: FileView, line: Line) -> Resolved:
        """Return the meaning of a line of code."""
        pool = self._pool(view, line)
        if not pool.items:
            brought = [self._world.reach(*one, view) for one in bindings(view, self.name)]
            return Resolved("outside") if brought and not any(brought) else UNKNOWN
        if line.kind == "import":
            return self._imported(pool.free, view, line)
        if view.family in _DOLLARS and (line.before[-1:] == "$" or line.after[:1] == "$"):
            return UNKNOWN  # part of a longer name
        found = receiver(line.before, view.family)
        if found is None:
            return self._bare(pool, view, line)
        return self._received(pool, view, line, found)

    def meant(self, view: Importer, alias: str) -> tuple[str, list[Candidate]]:
        """Return the rule and the meaning of the name where it occurs alone, outside of a file's
        functions; `alias` is its name in the file.
        """
        return self._chosen(self._seen_by(view), alias, view)

    def _pool(self, view: FileView, line: Line) -> CandidateGroups:
        """Return the candidates that are possible for a line."""
        local = [one for one in self._local.get(view.path, ()) if _holds(one, line.number)]
        if local:
            return CandidateGroups(local)
        as_type = line.kind in ("type", "base")
        key = (view.family, view.test, as_type)
        if key not in self._pools:
            self._pools[key] = CandidateGroups(self._seen_by(view, as_type))
        return self._pools[key]

    def _seen_by(self, view: Importer, as_type: bool = False) -> list[Candidate]:
        """Return the candidates of a file's family that are local to no function."""
        found = [
            one
            for one in self._candidates
            if one.definitions[0].family == view.family and one.definitions[0].local is None
        ]
        if not view.test:
            found = [one for one in found if not one.definitions[0].test] or found
        if as_type:
            found = [one for one in found if one.definitions[0].kind in _AS_TYPES] or found
        return found

    # -- without a receiver

    def _bare(self, pool: CandidateGroups, view: FileView, line: Line) -> Resolved:
        if is_label(line.before, line.after, view.family):
            return UNKNOWN
        if pool.items[0].definitions[0].local is not None:
            return self._resolved("same scope", pool.items)
        if line.kind not in ("type", "base") and is_local(
            view.function_at(line.number), self.name, view.family
        ):
            return Resolved("local")
        if view.family in _IMPLICIT:
            for owner in reversed(view.owners_at(line.number)):
                found = self._members_of(owner, pool.by_owner, view)
                if found:
                    return self._resolved("same scope", found)
        if not pool.free and view.family not in _IMPLICIT:
            return UNKNOWN
        certainty, chosen = self._chosen(pool.free or pool.items, self.name, view)
        if certainty == "unique" and view.family in _ALL_IMPORTED:
            return UNKNOWN
        return self._resolved(certainty, chosen)

    def _imported(self, free: list[Candidate], view: FileView, line: Line) -> Resolved:
        """Resolve a name in an import."""
        one = import_at(view.references, self.name, line.number)
        if one is None:
            return UNKNOWN
        files = self._world.reach(one.module, self.name, view)
        hits = _in_files(free, files)
        if hits:
            return self._resolved("import", hits)
        return UNKNOWN if files else Resolved("outside")

    # -- with a receiver

    def _received(
        self, pool: CandidateGroups, view: FileView, line: Line, found: Receiver
    ) -> Resolved:
        if found.is_self:
            for owner in reversed(view.owners_at(line.number)):
                search = self._inherited if found.is_super else self._members_of
                hits = search(owner, pool.by_owner, view)
                if hits:
                    return self._resolved("same scope", hits)
            return UNKNOWN if found.is_super else self._resolve_only(pool.members)
        if found.name:
            named = self._by_import(pool.free, view, found)
            if named is not None:
                return named
        hits = self._by_type(pool, view, line, found)
        if hits:
            return self._resolved("receiver", hits)
        of_type = found.name[:1].isupper() or line.before.rstrip().endswith("::")
        return self._resolve_only(pool.members or (pool.items if of_type else []))

    def _by_import(self, free: list[Candidate], view: FileView, found: Receiver) -> Resolved | None:
        """Resolve a member of an imported module; None if the receiver is none."""
        first, *rest = [part for part in _SIGNS.split(found.before + found.name) if part]
        for module, name in bindings(view, first):
            files = self._world.reach(
                _module_reached(module, first, (name, *rest), view.family), self.name, view
            )
            if not files and self._world.reach(module, name or self.name, view):
                continue  # the name of a type or an object in a module of the tree
            hits = _in_files(free, files)
            if hits:
                return self._resolved("import", hits)
            if not files:
                return Resolved("outside")
        return None

    def _by_type(
        self, pool: CandidateGroups, view: FileView, line: Line, found: Receiver
    ) -> list[Candidate]:
        """Return members of the receiver's type, by its name or its declaration."""
        if not found.name or not pool.members:
            return []
        if found.name in pool.by_owner or found.name[:1].isupper():
            hits = self._members_of(found.name, pool.by_owner, view)
            if hits:
                return hits
        if found.called:
            return []
        declared = declared_type(self._declarations(view, found.name), line.offset)
        if declared:
            return self._members_of(declared, pool.by_owner, view)
        same = pool.by_plain_owner.get(plain(found.name), [])
        return same if len({one.owner for one in same}) == 1 else []

    def _declarations(self, view: FileView, variable: str) -> list[Declaration]:
        """Return the declarations of a variable in a file, cached."""
        key = (view.path, variable)
        if key not in self._declared:
            self._declared[key] = declarations(view.text, variable, view.family)
        return self._declared[key]

    # -- types

    def _members_of(
        self, owner: str, members: Mapping[str, list[Candidate]], view: FileView
    ) -> list[Candidate]:
        """Return the members of a type or, nearest first, of a type that it extends."""
        if not members:
            return []
        waiting: list[tuple[str, FileView]] = [(owner, view)]
        seen: set[tuple[str, str]] = set()
        while waiting and len(seen) < _MOST_TYPES:
            name, at = waiting.pop(0)
            if (name, at.path) in seen:
                continue
            seen.add((name, at.path))
            facts = self._types(name, at)
            for fact in facts:
                hits = [one for one in members.get(fact.name, ()) if _belongs(one, fact)]
                if hits:
                    return hits
            for fact in facts:
                inner = self._world.view(fact.path)
                waiting += [(base, inner) for base in fact.bases if base != name]
        return []

    def _types(self, name: str, view: FileView) -> list[TypeFact]:
        """Return the type that a name means in a file; none if that is not clear."""
        key = (name, view.path)
        if key not in self._known_types:
            self._known_types[key] = self._choose_types(name, view)
        return self._known_types[key]

    def _choose_types(self, name: str, view: FileView) -> list[TypeFact]:
        original = name
        for _, found in bindings(view, name):
            original = found if found not in ("", "default") else name
        facts = [one for one in self._world.types(original) if one.family == view.family]
        if not view.test:
            facts = [one for one in facts if not self._world.view(one.path).test] or facts
        certainty, chosen = self._chosen(facts, name, view)
        if certainty == "ambiguous":
            return []
        return chosen

    def members_of(self, owner: str) -> list[Candidate]:
        """Return the members of the types with this name, or else of the nearest types that they
        extend.
        """
        members = CandidateGroups(self._candidates).by_owner
        for fact in self._world.types(owner):
            found = self._members_of(owner, members, self._world.view(fact.path))
            if found:
                return found
        return []

    def overridden(self, member: Candidate, view: FileView) -> Candidate | None:
        """Return the nearest member with the name in a type that the member's type extends."""
        others = CandidateGroups(one for one in self._candidates if one != member).by_owner
        return next(iter(self._inherited(member.owner, others, view)), None)

    def _inherited(
        self, owner: str, members: Mapping[str, list[Candidate]], view: FileView
    ) -> list[Candidate]:
        """Return the members of the nearest type that a type extends."""
        for fact in self._types(owner, view):
            for base in fact.bases:
                found = self._members_of(base, members, self._world.view(fact.path))
                if found:
                    return found
        return []

    # -- what a file sees

    def _chosen(
        self, items: Sequence[_Named], name: str, view: Importer
    ) -> tuple[str, list[_Named]]:
        """Return the rule and the definitions that a name means in a file."""
        same = [one for one in items if view.path in one.paths]
        if same:
            return "same file", same
        bound = next(bindings(view, name), None)
        if bound is not None:
            files = self._world.reach(*bound, view)
            hits = _in_files(items, files)
            return ("import" if hits else "name" if files else "outside"), hits
        for module in wildcard_imports(view):
            hits = _in_files(items, self._world.reach(module, "*", view))
            if hits:
                return "import", hits
        hits = _in_package(items, package_of(view.path, view.family), view.family)
        if hits:
            return "same package", hits
        return ("unique" if len(items) == 1 else "ambiguous"), list(items)

    # -- answers

    def _resolve_only(self, pool: list[Candidate]) -> Resolved:
        """Return the only definition; unknown if the name may also come from outside of the
        tree.
        """
        if not pool or (len(pool) == 1 and self._is_from_outside(pool[0])):
            return UNKNOWN
        return self._resolved("unique", pool)

    def _is_from_outside(self, one: Candidate) -> bool:
        """Return whether a member's type extends one that the tree does not define: that one may
        have the member too, and so may other types.
        """
        waiting = [one.owner] if one.owner else []
        seen: set[str] = set()
        while waiting and len(seen) < _MOST_TYPES:
            name = waiting.pop()
            seen.add(name)
            facts = self._world.types(name)
            if not facts and name != one.owner and name not in _BARE:
                return True
            waiting += [base for fact in facts for base in fact.bases if base not in seen]
        return False

    @staticmethod
    def _resolved(certainty: str, found: Sequence[Candidate]) -> Resolved:
        """Return the result; several candidates are always ambiguous."""
        if not found:
            return Resolved(certainty)
        if len(found) > 1:
            return Resolved("ambiguous", len(found))
        return Resolved(certainty, 1, found[0].where)


def import_at(references: References | None, name: str, line: int) -> Import | None:
    """Return the import of a name at a line: a long import continues below its first line."""
    found = None
    for one in references.importing(name) if references is not None else ():
        if one.line <= line <= one.line + len(one.names) + 1:
            found = one
    return found


def is_module_at(references: References, name: str, line: int) -> bool:
    """Return whether a name is part of the module name of an import in a line."""
    named = (one.module for one in references.imports if one.line == line)
    return any(name in re.split(r"\W+", module) for module in named)


def _module_reached(module: str, first: str, parts: Sequence[str], family: str) -> str:
    """Return the module reached by a receiver's names from an imported one; the first name may only
    bind the outermost package.
    """
    outermost = module.split(".")[0]
    whole = outermost if not parts[0] and first == outermost else module
    for part in parts:
        if part not in ("", "default"):
            whole = submodule_of(whole, part, family)
    return whole


def _in_files(items: Iterable[_Named], files: Sequence[str]) -> list[_Named]:
    """Return the definitions in the files."""
    return [one for one in items if not one.paths.isdisjoint(files)]


def _belongs(one: Candidate, fact: TypeFact) -> bool:
    return fact.path in one.paths or fact.family in _OPEN_TYPES


def _holds(one: Candidate, line: int) -> bool:
    """Return whether a line is in the function to which a definition is local."""
    local = one.definitions[0].local
    return local is not None and local[0] <= line <= local[1]


def _in_package(items: Iterable[_Named], package: str | None, family: str) -> list[_Named]:
    """Return the definitions in the files of a package; none if the language has no packages."""
    if package is None:
        return []
    return [one for one in items if any(package_of(path, family) == package for path in one.paths)]
