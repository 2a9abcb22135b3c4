"""Finds the uses of a name in a tree: files by the index, lines by a scan of their texts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ragit import globs, usages
from ragit.search import OpenTree
from ragit.tree_world import TreeFile, TreeWorld
from ragit.types import LOST_SINCE_INDEXED, path_text
from ragit.usages import (
    Defined,
    Line,
    Occurrence,
    Resolver,
    StoredDefinition,
    Usages,
    UsagesQuery,
    Use,
)

_LONGEST = 1000
"""Limit of the bytes shown of a line."""

_AROUND = 400
"""Bytes before and after a word that decide its meaning."""

_MOST_WORDS = 20
"""Limit of words resolved in a line; the surest meaning counts."""

_CODE = ("call", "base", "type", "attribute")
"""Kinds of references, in order of preference."""


def find_usages(opened: OpenTree, world: TreeWorld, query: UsagesQuery) -> Usages:
    """Return one page of the lines of a tree that hold a name, or are in a relation to it.

    Path patterns of the query are relative to the top.
    """
    started = time.perf_counter()
    definitions: tuple[Defined, ...] = ()
    found: list[Use] = []
    notes = [opened.failed] if opened.failed else []
    if opened.tree.snapshot.paths:
        finder = _Finder(opened, world, query)
        definitions, found = finder.definitions, list(finder.related())
        notes += finder.notes
    return Usages(
        query,
        opened.target.name,
        opened.target.tree,
        opened.completeness,
        definitions,
        finder.with_symbols(usages.page_of(found, query.top_k, query.page)) if found else (),
        len(found),
        usages.by_file(found),
        (time.perf_counter() - started) * 1000,
        notes=tuple(notes),
    )


class _Finder:
    """A query about one tree."""

    def __init__(self, opened: OpenTree, world: TreeWorld, query: UsagesQuery) -> None:
        self._opened = opened
        self._query = query
        self._world = world
        self._allowed = globs.chooser(query.paths)
        self._languages: set[str] = set()
        """Languages without rules in which the name was found."""

    def related(self) -> Iterable[Use]:
        """Return the lines of the queried relation, in order."""
        if self._query.relation == "callers":
            return usages.callers(self._with_all_symbols(self._uses))
        if self._query.relation == "callees":
            return self._callees()
        if self._query.relation == "overrides":
            return self._overrides()
        return self._uses

    @property
    def notes(self) -> list[str]:
        """Return notes on the answer, a sentence each."""
        found = []
        owner = self._query.owner
        if owner and self._selected_definitions is self._definitions:
            found.append(f"{owner} has no {self._query.name}; all uses are listed")
        lost = self._opened.texts.lost
        if lost:
            paths = ", ".join(self._world.paths_of(lost))
            found.append(f"{LOST_SINCE_INDEXED} (git fsck): {paths}")
        if self._languages:
            names = ", ".join(sorted(self._languages))
            found.append(f"in {names}, names are found as words only")
        return found

    # -- definitions

    @cached_property
    def _definitions(self) -> list[StoredDefinition]:
        """All definitions of the name in the tree."""
        return self._world.definitions(self._query.name, self._holding)

    @cached_property
    def _selected_definitions(self) -> list[StoredDefinition]:
        """Definitions by the queried owner; all without an owner, or if it has none."""
        owner = self._query.owner
        if not owner:
            return self._definitions
        own = [one for one in self._definitions if one.owner == owner]
        inherited = () if own else self._resolver.members_of(owner)
        own += [definition for one in inherited for definition in one.definitions]
        return own or self._definitions

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._query.name, usages.candidates_of(self._definitions), self._world)

    @cached_property
    def definitions(self) -> tuple[Defined, ...]:
        """The definitions to list, those of tests last."""
        found = [
            self._definition(one) for one in self._selected_definitions if self._is_wanted(one.path)
        ]
        return tuple(sorted(found, key=lambda one: (one.test, one.path, one.line)))

    def _is_wanted(self, path: str) -> bool:
        """Return whether the path patterns of the query, if any, match a path."""
        return self._allowed is None or self._allowed(path.encode("utf-8", "surrogateescape"))

    def _definition(self, definition: StoredDefinition) -> Defined:
        file = self._world.view(definition.path)
        row = file.row_at(definition.line)
        line = self._line_of(file, definition.line)
        text = _line_text(file, line)
        parent = row.parent if row else ""
        column = line.columns[0] + 1
        name = self._query.name
        return Defined(
            definition.path,
            definition.line,
            definition.kind,
            name,
            parent,
            text,
            column,
            definition.test,
        )

    def _line_of(self, file: TreeFile, number: int) -> Occurrence:
        """Return the line of a definition; without columns if the name is not written there."""
        lines = self._lines.get(file.path, ())
        return next((one for one in lines if one.line == number), Occurrence(number, 0, 0, (0,)))

    # -- uses

    @cached_property
    def _holding(self) -> set[int]:
        """The chunkings of the tree that may contain the name."""
        whole = set(self._opened.tree.snapshot.chunkings)
        found: set[int] | None = None
        for term in usages.terms_of(self._query.name):
            holding = self._opened.store.holding(term)
            found = holding if found is None else found & holding
        return whole if found is None else found & whole

    @cached_property
    def _lines(self) -> Mapping[str, tuple[Occurrence, ...]]:
        """The lines with the name, by file, in the order of paths."""
        snapshot = self._opened.tree.snapshot
        rows = zip(snapshot.paths, snapshot.chunkings, strict=True)
        holding = self._holding
        wanted = [(path_text(path), number) for path, number in rows if number in holding]
        self._opened.texts.load(number for _, number in wanted)
        found = {}
        for path, chunking in wanted:
            lines = tuple(usages.occurrences(self._opened.texts[chunking], self._query.name))
            if lines:
                found[path] = lines
        return found

    @cached_property
    def _uses(self) -> list[Use]:
        """The lines that are no definitions, in order."""
        defined = {(one.path, one.line) for one in self._definitions}
        wanted = {f"{one.path}:{one.line}" for one in self._selected_definitions}
        found: list[Use] = []
        for path, lines in self._lines.items():
            if self._is_wanted(path):
                file = self._world.view(path)
                here = (line for line in lines if (path, line.line) not in defined)
                found += [self._use(self._resolver, file, line) for line in here]
        if self._query.owner:
            found = [use for use in found if not use.definition or use.definition in wanted]
        return usages.ordered(found)

    def _use(self, resolver: Resolver, file: TreeFile, line: Occurrence) -> Use:
        """Return a line with the surest meaning of the words in it."""
        text = _line_text(file, line)
        kind, columns = _kind(file, self._query.name, line)
        if file.references is None:
            self._languages.add(file.language)
        use = Use(file.path, line.line, columns[0] + 1, text, kind, "word", test=file.test)
        if kind in ("comment", "string", "text"):
            return use
        meant = []
        for column in columns[:_MOST_WORDS]:
            found = resolver.resolve(file, _part(file, line, column, self._query.name, kind))
            meant.append(use._replace(column=column + 1, **found._asdict()))
        return usages.surest(meant)

    # -- other relations

    def _callees(self) -> list[Use]:
        """Return the calls inside the definitions of the name."""
        found: list[Use] = []
        for definition in self._selected_definitions:
            file = self._world.view(definition.path)
            if file.references is None:
                self._languages.add(file.language)
                continue
            first, last = file.extent(definition.line, self._query.name)
            for one in file.references.all():
                if one.kind == "call" and first <= one.line <= last:
                    found += self._call(file, one.name, one.line)
        return sorted(found, key=lambda use: (use.path, use.line, use.column))

    def _call(self, file: TreeFile, name: str, number: int) -> Iterator[Use]:
        """Yield a call in a line, with its meaning."""
        resolver = self._resolvers.get(name)
        if resolver is None:
            candidates = usages.candidates_of(self._world.definitions(name))
            resolver = self._resolvers[name] = Resolver(name, candidates, self._world)
        start, end = file.line_span(number)
        line = next(usages.occurrences(file.data[start:end], name), None)
        if line is None:
            return
        here = Occurrence(number, start, end, line.columns)
        found = resolver.resolve(file, _part(file, here, here.columns[0], name, "call"))
        column = here.columns[0] + 1
        yield Use(
            file.path,
            number,
            column,
            _line_text(file, here),
            "call",
            found.certainty,
            found.candidates,
            found.definition,
            name,
            test=file.test,
        )

    @cached_property
    def _resolvers(self) -> dict[str, Resolver]:
        return {}

    def _overrides(self) -> list[Use]:
        """Return methods of the name whose type extends another type that has one."""
        members = [one for one in usages.candidates_of(self._definitions) if one.owner]
        resolver = Resolver(self._query.name, members, self._world)
        wanted = {f"{one.path}:{one.line}" for one in self._selected_definitions}
        found = []
        for one in members:
            above = resolver.overridden(one, self._world.view(one.definitions[0].path))
            if above and not wanted.isdisjoint((one.where, above.where)):
                found.append(self._override(one.definitions[0], above.where))
        return usages.ordered(found)

    def _override(self, definition: StoredDefinition, above: str) -> Use:
        one = self._definition(definition)
        symbol = ".".join(filter(None, (one.parent, one.name)))
        use = Use(one.path, one.line, one.column, one.text, "override", "base", 1, above, symbol)
        return use._replace(test=one.test)

    # -- symbols

    def with_symbols(self, page: Sequence[Use]) -> tuple[Use, ...]:
        """Return lines with the names of the definitions around them."""
        return tuple(self._with_all_symbols(page))

    def _with_all_symbols(self, uses: Iterable[Use]) -> Iterator[Use]:
        for use in uses:
            file = self._world.view(use.path)
            row = file.row_at(use.line)
            yield use._replace(
                symbol=use.symbol or file.symbol_at(use.line), place=row.place if row else ""
            )


def _line_text(file: TreeFile, line: Occurrence) -> str:
    """Return the text of a line, truncated if very long."""
    end = min(line.end, line.start + _LONGEST)
    return file.data[line.start : end].decode("utf-8", "replace").rstrip("\r")


def _part(file: TreeFile, line: Occurrence, column: int, name: str, kind: str) -> Line:
    """Return a word in a line with the text around it."""
    at = line.start + column
    start, stop = max(line.start, at - _AROUND), at + len(name.encode())
    before = file.data[start:at].decode("utf-8", "replace")
    after = file.data[stop : min(line.end, stop + _AROUND)].decode("utf-8", "replace")
    return Line(line.line, before, after, kind, line.start)


def _kind(file: TreeFile, name: str, line: Occurrence) -> tuple[str, tuple[int, ...]]:
    """Return the kind of a line's use of a name, and the columns of these words, from 0."""
    references = file.references
    if references is None:
        return "text", line.columns
    hidden = [references.hides(line.line, column) for column in line.columns]
    code = tuple(at for at, kind in zip(line.columns, hidden, strict=True) if not kind)
    if not code:
        return hidden[0], line.columns
    if usages.import_at(references, name, line.line) is not None:
        return "import", code
    here = references.kinds_at(name, line.line)
    found = next((kind for kind in _CODE if kind in here), "other")
    if found == "other" and usages.is_module_at(references, name, line.line):
        found = "import"
    return found, code
