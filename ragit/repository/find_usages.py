"""Answers where a name is used in a tree: files by the index, lines by a scan of their texts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragit import globs, rank, usages
from ragit.search import OpenTree
from ragit.store import ChunkRow
from ragit.types import Definition, path_text
from ragit.usages import Defined, Occurrence, Usages, UsagesQuery, Use


class _File(NamedTuple):
    """A file of the tree that holds the name."""

    path: str
    chunking: int
    lines: tuple[Occurrence, ...]


def find_usages(opened: OpenTree, query: UsagesQuery) -> Usages:
    """Return one page of the lines of a tree that hold a name as a whole word, definitions apart.

    Path patterns of the query count from the top.
    """
    started = time.perf_counter()
    definitions: tuple[Defined, ...] = ()
    found: list[Use] = []
    page: tuple[Use, ...] = ()
    if opened.tree.snapshot.paths:
        finder = _Finder(opened, query)
        definitions, found = finder.found()
        page = tuple(finder.enclosed(usages.page_of(found, query.top_k, query.page)))
    return Usages(
        query,
        opened.target.name,
        opened.target.tree,
        opened.tree.complete,
        len(opened.tree.missing),
        definitions,
        page,
        len(found),
        usages.by_file(found),
        (time.perf_counter() - started) * 1000,
        notes=(opened.failed,) if opened.failed else (),
    )


class _Finder:
    """One question about one tree."""

    def __init__(self, opened: OpenTree, query: UsagesQuery) -> None:
        self._opened = opened
        self._store = opened.store
        self._snapshot = opened.tree.snapshot
        self._texts = opened.texts
        self._query = query

    def found(self) -> tuple[tuple[Defined, ...], list[Use]]:
        """Return the definitions of the name, and all other lines that hold it, in order."""
        files = list(self._files())
        defined = list(self._defined(files))
        places = {(one.path, one.line) for one in defined}
        uses = [
            self._use(file, line)
            for file in files
            for line in file.lines
            if (file.path, line.line) not in places
        ]
        defined.sort(key=lambda one: (one.test, one.path, one.line))
        return tuple(defined), usages.ordered(uses)

    def _files(self) -> Iterator[_File]:
        """Yield the files that hold the name, in the order of paths."""
        allowed = globs.chooser(self._query.paths)
        rows = zip(self._snapshot.paths, self._snapshot.chunkings, strict=True)
        named = self._named()
        wanted = [
            (path_text(path), chunking)
            for path, chunking in rows
            if (named is None or chunking in named) and (allowed is None or allowed(path))
        ]
        self._texts.load(chunking for _, chunking in wanted)
        word = usages.pattern(self._query.name)
        for path, chunking in wanted:
            lines = tuple(usages.occurrences(self._texts[chunking], word))
            if lines:
                yield _File(path, chunking, lines)

    def _named(self) -> set[int] | None:
        """Return the chunkings that hold all terms of the name; None if it has none."""
        found: set[int] | None = None
        for term in usages.terms_of(self._query.name):
            holding = {chunking for chunking, _ in self._store.occurrences(term)}
            found = holding if found is None else found & holding
        return found

    def _defined(self, files: Sequence[_File]) -> Iterator[Defined]:
        """Yield the definitions of the name in some files."""
        rows = self._store.names.defining({file.chunking for file in files}, self._query.name)
        for file in files:
            lines = {line.line: line for line in file.lines}
            for row in rows.get(file.chunking, ()):
                for one in row.definitions:
                    if one.name == self._query.name and one.line in lines:
                        yield self._definition(file, row, one, lines[one.line])

    def _definition(self, file: _File, row: ChunkRow, one: Definition, line: Occurrence) -> Defined:
        text, column = self._text(file, line), line.columns[0] + 1
        test = rank.paths.is_test(file.path)
        return Defined(file.path, one.line, one.kind, one.name, row.parent, text, column, test)

    def _text(self, file: _File, line: Occurrence) -> str:
        return self._texts.part(file.chunking, line.start, line.end).rstrip("\r")

    def _use(self, file: _File, line: Occurrence) -> Use:
        test = rank.paths.is_test(file.path)
        column = line.columns[0] + 1
        return Use(file.path, line.line, column, self._text(file, line), "text", "name", test=test)

    def enclosed(self, page: Iterable[Use]) -> Iterator[Use]:
        """Yield lines with the names of the definitions that they are part of."""
        rows: dict[str, list[ChunkRow]] = {}
        for use in page:
            if use.path not in rows:
                chunking = self._opened.chunking_at(use.path.encode("utf-8", "surrogateescape"))
                rows[use.path] = self._opened.chunks_of(chunking) if chunking is not None else []
            yield _enclosed(use, rows[use.path])


def _enclosed(use: Use, rows: Iterable[ChunkRow]) -> Use:
    for row in rows:
        if row.start_line <= use.line <= row.end_line:
            return use._replace(symbol=_symbol(row, use.line), place=row.place)
    return use


def _symbol(row: ChunkRow, line: int) -> str:
    """Return the name of the definition at a line of a chunk, with the names around it."""
    names = row.symbol.split(" ") if row.kind != "section" else [row.symbol]
    name = names[0]
    for one in row.definitions:
        if one.line <= line and one.name in names:
            name = one.name
    return ".".join(filter(None, (row.parent, name)))
