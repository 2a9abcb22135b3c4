"""Parsers, one per grammar and process, and the rules that a table row makes of a grammar's node types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser
from tree_sitter_language_pack import get_language

from ragit.chunk.row import Language

COMMENTS = (
    "comment line_comment block_comment multiline_comment doc_comment documentation_comment haddock marginalia Comment "
    "html_comment js_comment bracket_comment pod container_doc_comment"
)

Path = tuple[str, ...]
Paths = tuple[Path, ...]


@cache
def grammar(name: str) -> Grammar:
    """The grammar of that name."""
    return get_language(name)  # type: ignore[arg-type]


@cache
def parser(name: str) -> Parser:
    """The one parser of a grammar in this process."""
    return Parser(grammar(name))


class Rule:
    """What a node type means in one language."""

    __slots__ = ("kind", "container", "through", "names", "wraps", "imports", "comment", "leading", "unnamed", "owner")

    def __init__(self) -> None:
        self.kind = ""
        self.container = False
        self.through = False
        self.names: Paths = ()
        self.wraps: Paths = ()
        self.imports = False
        self.comment = False
        self.leading = False
        self.unnamed = False
        self.owner: Paths = ()


class Heads:
    """Definitions that are calls: which node, where its keyword and name are, and what each keyword means."""

    __slots__ = ("type", "keyword", "names", "kinds")

    def __init__(self, at: str, heads: str) -> None:
        self.type, _, paths = at.partition("=")
        keyword, *names = paths.split("|")
        self.keyword: Path = tuple(keyword.split("/"))
        self.names: Paths = tuple(tuple(name.split("/")) for name in names)
        self.kinds = words_to_kinds(heads)


class Plan:
    """The rules of one language under one choice of node types."""

    __slots__ = ("row", "rules", "deep", "heads", "docstring", "join", "bodies")

    def __init__(self, row: Language, chosen: tuple[str, ...] | None) -> None:
        self.row = row
        self.rules = _rules(row, chosen)
        self.deep = chosen is not None
        """Node types of the user's own choice are looked for everywhere, not only where definitions usually stand."""
        self.heads = Heads(row.heads_at, row.heads) if row.heads else None
        self.docstring = split_paths(row.docstring)
        self.join = row.join
        self.bodies = frozenset(row.through.split())


@lru_cache(maxsize=256)
def plan(row: Language, chosen: tuple[str, ...] | None) -> Plan:
    """The rules of a row; `chosen` replaces its node types."""
    return Plan(row, chosen)


def words_to_kinds(text: str) -> dict[str, str]:
    """ "kind: word word; kind: word" to word -> kind."""
    kinds = {}
    for group in filter(None, (part.strip() for part in text.split(";"))):
        kind, _, words = group.partition(":")
        kinds.update(dict.fromkeys(words.split(), kind))
    return kinds


def split_paths(text: str) -> Paths:
    """ "a/b|c" to its paths and their steps."""
    return tuple(tuple(path.strip().split("/")) for path in text.split("|") if path.strip())


def words_to_paths(text: str) -> dict[str, Paths]:
    """ "type=path|path; type=path" to type -> paths."""
    pairs = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip(): split_paths(paths) for name, _, paths in pairs}


def _rules(row: Language, chosen: tuple[str, ...] | None) -> Mapping[str, Rule]:
    rules: dict[str, Rule] = {}

    def rule(name: str) -> Rule:
        return rules.setdefault(name, Rule())

    nodes, containers = words_to_kinds(row.nodes), words_to_kinds(row.containers)
    if chosen is not None:
        known = {**nodes, **containers}
        nodes = {name: known.get(name, _kind_from(name)) for name in chosen}
        containers = {name: kind for name, kind in containers.items() if name not in nodes}
    for name, kind in containers.items():
        rule(name).kind, rule(name).container = kind, True
    for name, kind in nodes.items():
        rule(name).kind = kind
    for name, paths in words_to_paths(row.names).items():
        rule(name).names = paths
    for name, paths in words_to_paths(row.wraps).items():
        rule(name).wraps = paths
    for name, paths in words_to_paths(row.owner).items():
        rule(name).owner = paths
    _flag(rules, row, nodes if chosen is not None else ())
    return rules


def _flag(rules: dict[str, Rule], row: Language, chosen: Mapping[str, str] | tuple[()]) -> None:
    for flag, words in (
        ("through", [*row.through.split(), "ERROR"]),
        ("imports", row.imports.split()),
        ("comment", COMMENTS.split()),
        ("leading", row.leading.split()),
        ("unnamed", [*row.unnamed.split(), *chosen]),
    ):
        for name in words:
            setattr(rules.setdefault(name, Rule()), flag, True)


def _kind_from(node_type: str) -> str:
    """A kind for a node type that the table does not know."""
    return node_type.split("_")[0].lower()


def follow(node: Node, path: Path) -> Node | None:
    """The node at the end of a path; None if a step leads nowhere."""
    at: Node | None = node
    for step in path:
        if at is None:
            return None
        if step.endswith("+"):
            at = _follow_repeatedly(at, step[:-1])
        else:
            at = at.child_by_field_name(step) or child_of_type(at, step)
    return at


def _follow_repeatedly(node: Node, step: str) -> Node | None:
    deepest = None
    for _ in range(50):
        inner = node.child_by_field_name(step)
        if inner is None:
            # Some declarators hold the next one without a field: `int (*f)(void)`.
            inner = next((child for child in node.named_children if child.type.endswith("declarator")), None)
            if inner is None or deepest is None:
                break
        deepest = node = inner
    return deepest


def child_of_type(node: Node, wanted: str) -> Node | None:
    """The first child of a type."""
    for child in node.children:
        if child.type == wanted:
            return child
    return None
