"""An open tree as the rules that resolve names see it: files, types and definitions, read once."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate

from ragit import rank, usages, words
from ragit.records import NamedTuple
from ragit.references import References
from ragit.remembered import Remembered
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import path_text
from ragit.usages import TYPES, Importer, Modules, Reach, StoredDefinition, TypeFact

_FUNCTIONS = frozenset("function method constructor getter setter macro test task operator".split())

MOST_FILES = 16
"""Limit of files that may define a name for all its definitions to be read."""

CALLED = frozenset("function declaration macro method class struct constructor".split())
"""Kinds of definitions that code calls."""

_NAMES = 50_000
"""Limit of remembered definitions."""

_WORD_FILES = 500_000
"""Limit of files in remembered words."""


class TreeFile:
    """One file of the tree."""

    def __init__(self, opened: OpenTree, path: str, chunking: int, language: str) -> None:
        self._opened = opened
        self._chunking = chunking
        self.path = path
        self.language = language
        self.family = usages.family_of(language)
        self.test = rank.paths.is_test(path)

    @cached_property
    def references(self) -> References | None:
        """Its references; None if its language has no rules."""
        return self._opened.store.names.references([self._chunking]).get(self._chunking)

    @cached_property
    def data(self) -> bytes:
        """Its text in UTF-8."""
        return self._opened.text_of(self._chunking)

    @cached_property
    def text(self) -> str:
        """Its text."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def rows(self) -> list[ChunkRow]:
        """Its chunks, in order of lines."""
        return self._opened.chunks_of(self._chunking)

    @cached_property
    def _starts(self) -> list[int]:
        return [row.start_line for row in self.rows]

    def row_at(self, line: int) -> ChunkRow | None:
        """Return the chunk at a line; None for a blank line between two."""
        at = bisect_right(self._starts, line) - 1
        row = self.rows[at] if at >= 0 else None
        return row if row is not None and line <= row.end_line else None

    def owners_at(self, line: int) -> tuple[str, ...]:
        """Return the names of the definitions around a line, outermost first."""
        row = self.row_at(line)
        if row is None:
            return ()
        names = tuple(name for name in row.parent.split(".") if name)
        return (*names, *row.symbol.split()) if row.kind in TYPES else names

    def function_at(self, line: int) -> str:
        """Return the text of the function around a line if it is one chunk; else empty."""
        row = self.row_at(line)
        if row is None or row.kind not in _FUNCTIONS:
            return ""
        own = row.symbol.split()
        starts = [one.line for one in row.definitions if one.name in own]
        first = max((at for at in starts if at <= line), default=row.start_line)
        after = min((at for at in starts if at > line), default=row.end_line + 1)
        text = self.data[row.start : row.end].decode("utf-8", "replace")
        lines = text.split("\n")[first - row.start_line : after - row.start_line]
        return "\n".join(lines)

    def extent(self, line: int, name: str) -> tuple[int, int]:
        """Return the first and last line of the definition of a name at a line."""
        row = self.row_at(line)
        if row is None:
            return line, line
        later = [one.line for one in row.definitions if one.line > line and one.name in row.symbol]
        if later:
            return line, min(later) - 1
        whole = ".".join(filter(None, (row.parent, name)))
        last = row.end_line
        for one in self.rows:
            inside = one.parent == whole or one.parent.startswith(f"{whole}.")
            if one.start_line > line and inside:
                last = max(last, one.end_line)
        return line, last

    def line_span(self, number: int) -> tuple[int, int]:
        """Return the offsets of a line's begin and end in the text."""
        return self._line_starts[number - 1], self._line_starts[number] - 1

    @cached_property
    def _line_starts(self) -> list[int]:
        ends = accumulate(map(len, self.data.split(b"\n")), initial=0)
        return [end + breaks for breaks, end in enumerate(ends)]

    def symbol_at(self, line: int) -> str:
        """Return the name of the definition that contains the line, with the names around it."""
        row = self.row_at(line)
        if row is None:
            return ""
        names = [row.symbol] if row.kind == "section" else row.symbol.split(" ")
        name = names[0]
        for one in row.definitions:
            if one.line <= line and one.name in names:
                name = one.name
        return ".".join(filter(None, (row.parent, name)))


class Export(NamedTuple):
    """A definition of a file that others may call."""

    definition: StoredDefinition
    parts: frozenset[str]
    """The words of its name."""


class TreeWorld:
    """The files, types and definitions of a tree, read on demand.

    Facts about names and modules depend on the tree alone, and are kept for the next question;
    `open` sets the tree to read from, and forgets files.
    """

    def __init__(self, opened: OpenTree) -> None:
        self.snapshot = opened.tree.snapshot
        self._opened = opened
        self._files: dict[str, TreeFile] = {}
        self._types: Remembered[str, tuple[TypeFact, ...]] = Remembered(_NAMES)
        self._definitions: Remembered[tuple[str, Sequence[str]], tuple[StoredDefinition, ...]] = (
            Remembered(_NAMES)
        )
        self._chunkings_with: Remembered[tuple[str, str], Sequence[int]] = Remembered(_WORD_FILES)
        self._exports: Remembered[str, tuple[Export, ...]] = Remembered(_NAMES)
        self._reach = Reach(self)

    def open(self, opened: OpenTree) -> None:
        """Read from an open tree of the same snapshot from now on."""
        self._opened = opened
        self._files.clear()

    @cached_property
    def modules(self) -> Modules:
        """The files by module."""
        paths = map(path_text, self.snapshot.paths)
        return Modules(paths, lambda path: self.view(path).text)

    def reach(self, module: str, name: str, view: Importer) -> Sequence[str]:
        """Return the files in which a name of a module may be defined, as a file imports it."""
        return self._reach.files(module, name, view)

    def view(self, path: str) -> TreeFile:
        """Return a file by its path."""
        found = self._files.get(path)
        if found is None:
            chunking = self._chunking(path)
            language = self._opened.store.blobs([chunking])[chunking][1]
            found = self._files[path] = TreeFile(self._opened, path, chunking, language)
        return found

    def _chunking(self, path: str) -> int:
        chunking = self._opened.chunking_at(path.encode("utf-8", "surrogateescape"))
        if chunking is None:
            raise LookupError(path)
        return chunking

    def text(self, chunking: int) -> bytes:
        """Return the text of a chunking, in UTF-8."""
        return self._opened.text_of(chunking)

    def types(self, name: str) -> Sequence[TypeFact]:
        """Return the types with this name."""
        found = self._types.get(name)
        if found is None:
            found = tuple(self._found_types(name))
            self._types.add(name, found, len(found) + 1)
        return found

    def paths_of(self, chunkings: Iterable[int]) -> list[str]:
        """Return the paths of chunkings, sorted."""
        return sorted(path for one in chunkings for path in self.paths.get(one, ()))

    def definitions(
        self, name: str, chunkings: Iterable[int] | None = None
    ) -> list[StoredDefinition]:
        """Return the definitions of a name, in all files or in those of the chunkings."""
        wanted = self.chunkings_defining(name) if chunkings is None else chunkings
        found = []
        for chunking, chunks in self._opened.store.names.defining(wanted, name).items():
            for path in self.paths.get(chunking, ()):
                file = self.view(path)
                found += [one for row in chunks for one in self._defined(file, row, name)]
        return sorted(found)

    def definitions_near(self, name: str, near: Set[str]) -> Sequence[StoredDefinition]:
        """Return the definitions of a name. If more than MOST_FILES may define it, only those in
        near files, and none if these are as many.
        """
        found = self._definitions.get((name, ()))
        if found is None:
            wanted = self.chunkings_defining(name)
            if len(wanted) > MOST_FILES:
                wanted = [one for one in wanted if self.paths[one][0] in near] if near else []
                return self.definitions(name, wanted) if len(wanted) <= MOST_FILES else ()
            found = tuple(self.definitions(name, wanted))
            self._definitions.add((name, ()), found, len(found) + 1)
        return found

    def definitions_in(self, name: str, files: Sequence[str]) -> Sequence[StoredDefinition]:
        """Return the definitions of a name in the files."""
        found = self._definitions.get((name, files))
        if found is None:
            wanted = [self._chunking(path) for path in files]
            if len(wanted) > MOST_FILES:
                wanted = sorted(set(wanted).intersection(self.chunkings_defining(name)))
            found = tuple(self.definitions(name, wanted[:MOST_FILES]))
            self._definitions.add((name, files), found, len(found) + 1)
        return found

    def exports(self, path: str) -> tuple[Export, ...]:
        """Return the definitions of a file that code may call, except names in capitals."""
        found = self._exports.get(path)
        if found is None:
            file = self.view(path)
            definitions = sorted(
                definition for row in file.rows for definition in self._defined(file, row)
            )
            found = tuple(
                Export(one, frozenset(words.parts(one.name)))
                for one in definitions
                if one.kind in CALLED and one.local is None and not one.name.isupper()
            )
            self._exports.add(path, found, len(found) + 1)
        return found

    @staticmethod
    def _defined(file: TreeFile, row: ChunkRow, name: str = "") -> Iterator[StoredDefinition]:
        """Yield the definitions of a name in a chunk, or all of them."""
        own = [row.symbol] if row.kind == "section" else row.symbol.split()
        inside = (row.start_line, row.end_line) if row.kind in _FUNCTIONS else None
        parent = row.parent
        for one in row.definitions:
            if one.name == (name or one.name):
                yield StoredDefinition(
                    *(file.path, one.line, one.kind, parent.rpartition(".")[2], file.family),
                    None if one.name in own else inside,
                    *(file.test, one.name, parent, _signature(row, own, one.name)),
                )
            if one.kind in TYPES and one.name != name:
                # of the members after it, where both are in one chunk
                parent = f"{row.parent}.{one.name}" if row.parent else one.name

    def _found_types(self, name: str) -> Iterator[TypeFact]:
        for definition in self.definitions(name):
            if definition.kind in TYPES:
                bases = tuple(
                    dict.fromkeys(self._bases(self.view(definition.path), definition.line))
                )
                yield TypeFact(definition.path, definition.line, name, definition.family, bases)

    @staticmethod
    def _bases(file: TreeFile, line: int) -> Iterator[str]:
        """Yield the types that a type defined at a line extends and implements."""
        if file.references is None:
            return
        defined = (one for row in file.rows for one in row.definitions if one.kind in TYPES)
        after = min((one.line for one in defined if one.line > line), default=1 << 30)
        for one in file.references.bases:
            if line <= one.line < after:
                yield one.name

    def chunkings_defining(self, name: str) -> Sequence[int]:
        """Return the chunkings of the tree that may define a name."""
        held = [self.chunkings_with(term, "symbol") for term in usages.terms_of(name)]
        if len(held) == 1:
            return held[0]
        return sorted(set(held[0]).intersection(*held[1:])) if held else ()

    def chunkings_with(self, term: str, column: str = "") -> Sequence[int]:
        """Return the chunkings of the tree that contain a term, in a column or in any."""
        found = self._chunkings_with.get((term, column))
        if found is None:
            held = self._opened.store.holding(term, column)
            found = array("Q", sorted(held & self.paths.keys()))
            self._chunkings_with.add((term, column), found, len(found) + 1)
        return found

    @cached_property
    def paths(self) -> dict[int, list[str]]:
        """The paths of each chunking."""
        found: dict[int, list[str]] = {}
        for path, chunking in zip(self.snapshot.paths, self.snapshot.chunkings, strict=True):
            found.setdefault(chunking, []).append(path_text(path))
        return found


def _signature(row: ChunkRow, own: Sequence[str], name: str) -> str:
    """Return the declaration of a name, from those of its chunk, joined by `; `."""
    if own == [name]:
        return row.signature
    parts = row.signature.split("; ")
    return next((part for part in parts if name in words.identifiers(part)), name)
