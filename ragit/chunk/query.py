"""Load a language's tree-sitter query and run it over a syntax tree.

Each parsed language has one file `queries/LANGUAGE.scm`. Its captures:

* `@definition.KIND`: a definition of that kind. `@name` is its name and `@declarator` a C
  declarator that holds the name; a pattern without either makes a nameless definition. `@outer` in
  the same
  pattern is the statement that it stands in. The first pattern that names a node decides its kind.
* `@operator`: the operator that a definition overloads, whose name is `operator +`.
* `@owner`: the type that a definition belongs to, where it is written beside the name (Go).
* `@doc`: a docstring, with `@definition` in the same pattern; alone, a node that documents the
  definition after it.
* `@outer` alone: a node that wraps a definition (`export`, a decorator, `template <...>`).
* `@leading`: a node that belongs to the definition after it, as comments always do.
* `@tail`: a node that belongs to the definition before it.
* `@import`: an import.
* `@injection.content`: text in the language that `(#set! injection.language "NAME")` names.
* `(#set! whole)`: the definition is one chunk with all that is in it, if it fits.
* `(#set! opens)`: the definition holds what follows it on its level (`package Shop;`).
* Captures that begin with an underscore serve predicates only.

The predicates `#eq?`, `#any-of?` and `#match?` and their `#not-` forms are evaluated here: the
binding's own read `Node.text`, which crashes for a tree that was parsed from a callback.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from operator import itemgetter

from tree_sitter import Node, Query, QueryCursor

from ragit.chunk.grammars import grammar
from ragit.chunk.sources import query_text
from ragit.records import NamedTuple
from ragit.types import CLASSES, SPACES

_PREDICATE = re.compile(r'\(#([\w-]+[?!])((?:\s+(?:@[\w.-]+|"(?:\\.|[^"\\])*"|[\w.-]+))*)\s*\)')
_ARGUMENT = re.compile(r'@([\w.-]+)|"((?:\\.|[^"\\])*)"|([\w.-]+)')
_KIND = re.compile(r"@definition\.(\w+)")

CONTAINERS = (CLASSES | SPACES) - {"enum", "actor"}
"""Kinds whose definitions stay chunks if `chunking.nodeTypes` names only their content."""


class Check(NamedTuple):
    """One predicate of a pattern: a capture, and a test of its text."""

    capture: str
    holds: Callable[[bytes], bool]


class Pattern(NamedTuple):
    """The directives of one pattern of a query."""

    kind: str
    checks: tuple[Check, ...]
    opens: bool
    whole: bool
    language: str


class Name(NamedTuple):
    """The node of a name, the kind of the definition, and the pattern that found it."""

    node: Node
    kind: str
    pattern: int
    prefix: str = ""


class Found:
    """A definition found by a query.

    `key` is the outermost node of its pattern, `node` the definition itself.
    """

    __slots__ = (
        "key",
        "node",
        "kind",
        "pattern",
        "names",
        "docs",
        "owner",
        "opens",
        "whole",
        "placed",
    )

    def __init__(self, key: Node, node: Node, kind: str, pattern: int) -> None:
        self.key = key
        self.node = node
        self.kind = kind
        self.pattern = pattern
        self.names: dict[int, Name] = {}
        """By the name's first byte."""
        self.docs: list[Node] = []
        self.owner: Node | None = None
        self.opens = self.whole = False
        self.placed = False


class LanguageQuery:
    """The compiled query of a language, with a pattern for each node type chosen by the user."""

    def __init__(self, language: str, grammar_name: str, chosen: tuple[str, ...] | None) -> None:
        source, settings = _split(query_text(language))
        known = grammar(grammar_name)
        query = Query(known, source)
        self.chosen = None if chosen is None else frozenset(chosen)
        self.own = query.pattern_count
        """Number of patterns in the file; those of chosen node types follow."""
        if chosen:
            kinds = (f"({name}) @definition.{name.split('_')[0].lower()}\n" for name in chosen)
            source += "\n" + "".join(kinds)
            query = Query(known, source)
        self.query = query
        self.patterns = [_pattern(query, source, settings, i) for i in range(query.pattern_count)]


@lru_cache(maxsize=256)
def load(language: str, grammar_name: str, chosen: tuple[str, ...] | None) -> LanguageQuery:
    """Compile a language's query, once per process."""
    return LanguageQuery(language, grammar_name, chosen)


_Settings = list[tuple[int, str, list[tuple[str, str]]]]


def _split(source: str) -> tuple[str, _Settings]:
    """Return a query with its predicates blanked, and these with their offsets."""
    found: _Settings = []

    def blank(match: re.Match[str]) -> str:
        arguments = [
            ("@", capture)
            if capture
            else ('"', text.replace('\\"', '"').replace("\\\\", "\\") or word)
            for capture, text, word in _ARGUMENT.findall(match.group(2))
        ]
        found.append((match.start(), match.group(1), arguments))
        return re.sub(r"[^\n]", " ", match.group())

    return _PREDICATE.sub(blank, source), found


def _pattern(query: Query, source: str, settings: _Settings, index: int) -> Pattern:
    start, end = query.start_byte_for_pattern(index), query.end_byte_for_pattern(index)
    kind = _KIND.search(source, start, end)
    checks, flags, language = [], set(), ""
    for at, name, arguments in settings:
        if not start <= at < end:
            continue
        if name == "set!":
            flags.add(arguments[0][1])
            language = arguments[1][1] if arguments[0][1] == "injection.language" else language
        else:
            checks.append(_check(name, arguments))
    return Pattern(
        kind.group(1) if kind else "", tuple(checks), "opens" in flags, "whole" in flags, language
    )


def _check(name: str, arguments: list[tuple[str, str]]) -> Check:
    capture, values = arguments[0][1], [value.encode() for _, value in arguments[1:]]
    wanted = not name.startswith("not-")
    name = name.removeprefix("not-")
    if name in ("eq?", "any-of?"):
        words = frozenset(values)
        return Check(capture, lambda text: (text in words) == wanted)
    if name == "match?":
        expression = re.compile(values[0])
        return Check(capture, lambda text: (expression.search(text) is not None) == wanted)
    raise ValueError(f"unknown predicate #{name}")


class Findings:
    """The findings of a query in one syntax tree, by the ids of nodes."""

    def __init__(self, rules: LanguageQuery, text: bytes) -> None:
        self.rules = rules
        self.text = text
        self.by_key: dict[int, list[Found]] = {}
        self.by_node: dict[int, Found] = {}
        self.outers: set[int] = set()
        self.imports: set[int] = set()
        self.leading: set[int] = set()
        self.documenting: set[int] = set()
        self.tails: set[int] = set()
        self.injections: dict[int, tuple[Node, str]] = {}
        self.starts: list[int] = []
        """First bytes of all definitions that become separate chunks, in order."""
        self.member_starts: list[int] = []
        """First bytes of those that contain no other definitions."""
        self.import_starts: list[int] = []

    def has_definition(self, node: Node) -> bool:
        """Return whether a definition begins within a node."""
        return _any_within(self.starts, node)

    def first_definition(self, node: Node) -> int | None:
        """Return the first byte of the first definition within a node."""
        at = bisect_left(self.starts, node.start_byte)
        found = self.starts[at] if at < len(self.starts) else node.end_byte
        return found if found < node.end_byte else None

    def has_import(self, node: Node) -> bool:
        """Return whether an import begins within a node."""
        return _any_within(self.import_starts, node)

    def unplaced(self, kinds: frozenset[str]) -> list[Found]:
        """Return the definitions of some kinds that are not separate chunks."""
        return [
            found for found in self.by_node.values() if not found.placed and found.kind in kinds
        ]

    def names_type(self, found: Found) -> bool:
        """Return whether the user chose the node type of a definition."""
        return self.rules.chosen is not None and found.node.type in self.rules.chosen

    def accepts(self, found: Found) -> bool:
        """Return whether a definition becomes a separate chunk under the chosen node types."""
        chosen = self.rules.chosen
        if chosen is None or found.kind in CONTAINERS:
            return True
        return any(node.type in chosen for node in (found.node, found.key, *self.wrappers(found)))

    def wrappers(self, found: Found) -> Iterator[Node]:
        """Yield the nodes that wrap a definition: `export`, a decorator, `template <...>`."""
        node = found.key.parent
        while node is not None and node.id in self.outers:
            yield node
            node = node.parent


def _any_within(starts: list[int], node: Node) -> bool:
    at = bisect_left(starts, node.start_byte)
    return at < len(starts) and starts[at] < node.end_byte


_FLAGS = {
    "outer": "outers",
    "import": "imports",
    "leading": "leading",
    "doc": "documenting",
    "tail": "tails",
}


MATCH_LIMIT = 512
"""Limit of simultaneous matches. Each costs time at every node, so endless nesting would take
quadratic time; the binding's own remedy, a progress callback, crashes.
"""


def run(rules: LanguageQuery, root: Node, text: bytes) -> Findings:
    """Return the findings of a query under a root."""
    findings = Findings(rules, text)
    matches = QueryCursor(rules.query, match_limit=MATCH_LIMIT).matches(root)
    for index, captures in sorted(matches, key=itemgetter(0)):
        pattern = rules.patterns[index]
        if all(check.holds(_text(captures, check.capture, text)) for check in pattern.checks):
            _record(findings, index, pattern, captures)
    findings.import_starts.sort()
    accepted = [found for found in findings.by_node.values() if findings.accepts(found)]
    findings.starts = sorted([found.key.start_byte for found in accepted])
    findings.member_starts = sorted(
        [found.key.start_byte for found in accepted if found.kind not in CONTAINERS]
    )
    return findings


def _text(captures: Mapping[str, list[Node]], name: str, text: bytes) -> bytes:
    nodes = captures.get(name)
    return text[nodes[0].start_byte : nodes[0].end_byte] if nodes else b""


def _record(
    findings: Findings, index: int, pattern: Pattern, captures: Mapping[str, list[Node]]
) -> None:
    if pattern.language:
        for node in captures["injection.content"]:
            if node.parent is not None:
                findings.injections[node.parent.id] = (node, pattern.language)
        return
    if pattern.kind:
        _record_definition(findings, index, pattern, captures)
        return
    for capture, nodes in captures.items():
        if capture in _FLAGS:
            getattr(findings, _FLAGS[capture]).update(node.id for node in nodes)
            if capture == "doc":
                findings.leading.update(node.id for node in nodes)
            elif capture == "import":
                findings.import_starts += [node.start_byte for node in nodes]


def _record_definition(
    findings: Findings, index: int, pattern: Pattern, captures: Mapping[str, list[Node]]
) -> None:
    found = _found(findings, index, pattern, captures)
    if found is None:
        return
    _add_names(found, index, pattern.kind, captures)
    found.docs += captures.get("doc", ())
    if "owner" in captures:
        found.owner = captures["owner"][0]
    found.opens = found.opens or pattern.opens
    found.whole = found.whole or pattern.whole


def _found(
    findings: Findings, index: int, pattern: Pattern, captures: Mapping[str, list[Node]]
) -> Found | None:
    """Return the definition of a match, known or new; None if it wraps one that the user chose."""
    node = captures[f"definition.{pattern.kind}"][0]
    known = findings.by_node.get(node.id)
    if known is not None:
        return known
    if index >= findings.rules.own and node.id in findings.outers:
        return None
    key = captures["outer"][0] if "outer" in captures else node
    found = Found(key, node, pattern.kind, index)
    findings.by_node[node.id] = found
    findings.by_key.setdefault(key.id, []).append(found)
    return found


def _add_names(found: Found, index: int, kind: str, captures: Mapping[str, list[Node]]) -> None:
    """Add the names of a match to a definition; the first pattern of the query decides its kind."""
    operators = captures.get("operator", ())
    prefix = "operator " if operators else ""
    names = captures.get("name") or captures.get("declarator") or operators
    if names and index < found.pattern:
        found.kind, found.pattern = kind, index
    for name in names:
        known = found.names.get(name.start_byte)
        if known is None or index < known.pattern:
            found.names[name.start_byte] = Name(name, kind, index, prefix)
