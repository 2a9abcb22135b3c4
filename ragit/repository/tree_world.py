"""An open tree as the rules that resolve names see it: files, types and definitions, read once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from ragit import rank, usages
from ragit.references import References
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import path_text
from ragit.usages import TYPES, Modules, Place, TypeFact

_FUNCTIONS = frozenset("function method constructor getter setter macro test task operator".split())


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
        """Return what it refers to; None if its language has no rules."""
        return self._opened.store.names.references([self._chunking]).get(self._chunking)

    @cached_property
    def data(self) -> bytes:
        """Return its text in UTF-8."""
        return self._opened.text_of(self._chunking)

    @cached_property
    def text(self) -> str:
        """Return its text."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def rows(self) -> list[ChunkRow]:
        """Return its chunks, in order of lines."""
        return self._opened.chunks_of(self._chunking)

    @cached_property
    def _starts(self) -> list[int]:
        return [row.start_line for row in self.rows]

    def row(self, line: int) -> ChunkRow | None:
        """Return the chunk that holds a line; None for a blank line between two."""
        at = bisect_right(self._starts, line) - 1
        row = self.rows[at] if at >= 0 else None
        return row if row is not None and line <= row.end_line else None

    def around(self, line: int) -> tuple[str, ...]:
        """Return the names of the definitions around a line, outermost first."""
        row = self.row(line)
        if row is None:
            return ()
        names = tuple(name for name in row.parent.split(".") if name)
        return (*names, *row.symbol.split()) if row.kind in TYPES else names

    def function(self, line: int) -> str:
        """Return the text of the function around a line, as far as it is one chunk; else empty."""
        row = self.row(line)
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
        row = self.row(line)
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
        """Return where a line begins and ends in the text."""
        return self._line_starts[number - 1], self._line_starts[number] - 1

    @cached_property
    def _line_starts(self) -> list[int]:
        ends = accumulate(map(len, self.data.split(b"\n")), initial=0)
        return [end + breaks for breaks, end in enumerate(ends)]

    def symbol(self, line: int) -> str:
        """Return the name of the definition that a line is part of, with the names around it."""
        row = self.row(line)
        if row is None:
            return ""
        names = [row.symbol] if row.kind == "section" else row.symbol.split(" ")
        name = names[0]
        for one in row.definitions:
            if one.line <= line and one.name in names:
                name = one.name
        return ".".join(filter(None, (row.parent, name)))


class TreeWorld:
    """The files, types and definitions of an open tree."""

    def __init__(self, opened: OpenTree) -> None:
        self._opened = opened
        self._files: dict[str, TreeFile] = {}
        self._types: dict[str, tuple[TypeFact, ...]] = {}

    @cached_property
    def modules(self) -> Modules:
        """Return the files by module."""
        paths = map(path_text, self._opened.tree.snapshot.paths)
        return Modules(paths, lambda path: self.view(path).text)

    def view(self, path: str) -> TreeFile:
        """Return a file by its path."""
        found = self._files.get(path)
        if found is None:
            chunking = self._opened.chunking_at(path.encode("utf-8", "surrogateescape"))
            if chunking is None:
                raise LookupError(path)
            language = self._opened.store.blobs([chunking])[chunking][1]
            found = self._files[path] = TreeFile(self._opened, path, chunking, language)
        return found

    def types(self, name: str) -> Sequence[TypeFact]:
        """Return the types of a name."""
        if name not in self._types:
            self._types[name] = tuple(self._found_types(name))
        return self._types[name]

    def paths_of(self, chunkings: Iterable[int]) -> list[str]:
        """Return the paths of some chunkings, sorted."""
        return sorted(path for one in chunkings for path in self._paths.get(one, ()))

    def places(self, name: str, chunkings: Iterable[int] | None = None) -> list[Place]:
        """Return the definitions of a name, in all files or in those of some chunkings."""
        rows = self._opened.store.names.defining(
            self._naming(name) if chunkings is None else chunkings, name
        )
        found = []
        for chunking, chunks in rows.items():
            for path in self._paths.get(chunking, ()):
                file = self.view(path)
                found += [one for row in chunks for one in self._defined(file, row, name)]
        return sorted(found)

    @staticmethod
    def _defined(file: TreeFile, row: ChunkRow, name: str) -> Iterator[Place]:
        own = [row.symbol] if row.kind == "section" else row.symbol.split()
        inside = name not in own and row.kind in _FUNCTIONS
        local = (row.start_line, row.end_line) if inside else None
        owner = row.parent.rpartition(".")[2]
        for one in row.definitions:
            if one.kind in TYPES and one.name != name:
                owner = one.name  # of the members after it, where both are in one chunk
            if one.name == name:
                yield Place(file.path, one.line, one.kind, owner, file.family, local, file.test)

    def _found_types(self, name: str) -> Iterator[TypeFact]:
        for place in self.places(name):
            if place.kind in TYPES:
                bases = tuple(dict.fromkeys(self._bases(self.view(place.path), place.line)))
                yield TypeFact(place.path, place.line, name, place.family, bases)

    @staticmethod
    def _bases(file: TreeFile, line: int) -> Iterator[str]:
        """Yield what a type that is defined at a line extends and implements."""
        if file.references is None:
            return
        defined = (one for row in file.rows for one in row.definitions if one.kind in TYPES)
        after = min((one.line for one in defined if one.line > line), default=1 << 30)
        for one in file.references.bases:
            if line <= one.line < after:
                yield one.name

    def _naming(self, name: str) -> list[int]:
        """Return the chunkings of the tree in which a definition may have a name."""
        found: set[int] | None = None
        for term in usages.terms_of(name):
            holding = self._opened.store.holding(term, "symbol")
            found = holding if found is None else found & holding
        return sorted((found or set()) & self._paths.keys())

    @cached_property
    def _paths(self) -> dict[int, list[str]]:
        snapshot = self._opened.tree.snapshot
        found: dict[int, list[str]] = {}
        for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
            found.setdefault(chunking, []).append(path_text(path))
        return found
