"""Collect what a text refers to from its syntax tree: calls, types, imports, comments and strings.

Each language that has rules has one file `queries/references/LANGUAGE.scm`. Its captures:

* `@reference.call`, `@reference.type`, `@reference.base`, `@reference.attribute`: the node of a
  name, by how it is used (see `ragit.references`). The first kind in that order counts, but a base
  comes before a type.
* `@import`: an import statement. `@require`: a statement that is one if it calls what imports.
* `@comment`, `@string`: text that is no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tree_sitter import Node, Query, QueryCursor

from ragit.chunk.grammars import grammar
from ragit.chunk.imports import imports_of
from ragit.chunk.lines import Lines
from ragit.chunk.query import MATCH_LIMIT
from ragit.chunk.row import Language
from ragit.chunk.sources import references_text
from ragit.references import Hidden, Import, pack_places, place_code

_KINDS = ("call", "base", "type", "attribute")
_LONGEST = 120
"""Bytes of the longest name kept: longer ones are data."""

_WORD = re.compile(rb"[^\W\d_]|[^\x00-\x7f]")
"""Pattern of comments and strings that may contain a name."""


@lru_cache(maxsize=64)
def _query(language: str, grammar_name: str) -> Query | None:
    """Compile a language's query of references, once per process; None if it has no rules."""
    text = references_text(language)
    return Query(grammar(grammar_name), text) if text else None


class Collector:
    """Collects the references of one text from the trees of its parts."""

    def __init__(self, lines: Lines, source: bytes) -> None:
        self._lines = lines
        self._source = source
        """The original text, of the same length as the parsed one."""
        self._has_rules = False
        self._places: dict[bytes, list[int]] = {}
        """Kinds and lines by name, coded by `place_code`."""
        self._imports: list[Import] = []
        self._hidden: list[Hidden] = []

    def add(self, row: Language, root: Node) -> None:
        """Collect from a tree of a language, if it has rules."""
        query = _query(row.name, row.grammar)
        if query is None:
            return
        self._has_rules = True
        found = QueryCursor(query, match_limit=MATCH_LIMIT).captures(root)
        statements = (*found.get("import", ()), *found.get("require", ()))
        imports = [one for node in statements for one in self._imported(row.name, node)]
        self._imports += imports
        aliases = {bound.alias for one in imports for bound in one.names}
        self._add_names(found, aliases)
        for kind in ("comment", "string"):
            for node in found.get(kind, ()):
                if _WORD.search(self._source, node.start_byte, node.end_byte):
                    self._hidden.append(self._span(kind, node))

    @property
    def packed(self) -> bytes:
        """Return the collected references, packed; empty if no part has rules."""
        if not self._has_rules:
            return b""
        places = {name.decode("utf-8", "replace"): each for name, each in self._places.items()}
        return pack_places(places, self._imports, self._hidden)

    def _add_names(self, found: Mapping[str, list[Node]], aliases: set[str]) -> None:
        source, places = self._source, self._places
        seen: set[int] = set()
        known = {alias.encode() for alias in aliases}
        for kind in _KINDS:
            code = place_code(kind, 1)
            for node in found.get(f"reference.{kind}", ()):
                start, end = node.start_byte, node.end_byte
                if start in seen or not 0 < end - start <= _LONGEST:
                    continue  # a name that the grammar missed has no bytes
                seen.add(start)
                name = source[start:end]
                if kind == "attribute" and name not in known and not _is_capital(name):
                    continue
                place = (node.start_point.row << 2) + code
                if name in places:
                    places[name].append(place)
                else:
                    places[name] = [place]

    def _imported(self, language: str, node: Node) -> Iterator[Import]:
        text = self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        line = self._lines.row(node.start_byte) + 1
        for module, names in imports_of(language, text):
            yield Import(line, module, names)

    def _span(self, kind: str, node: Node) -> Hidden:
        starts = self._lines.starts
        first, last = self._lines.row(node.start_byte), self._lines.row(node.end_byte)
        columns = (node.start_byte - starts[first], node.end_byte - starts[last])
        return Hidden(kind, first + 1, columns[0], last + 1, columns[1])


def _is_capital(name: bytes) -> bool:
    if name[0] < 128:
        return b"A" <= name[:1] <= b"Z"
    return name.decode("utf-8", "replace")[0].isupper()
