"""Parsers, one per grammar and thread, and the rules that a table row makes of a grammar's node types."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from time import thread_time

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Range
from tree_sitter_language_pack import get_language

from ragit.chunk.patience import NONE, Patience
from ragit.chunk.row import Language

COMMENTS = (
    "comment line_comment block_comment multiline_comment doc_comment documentation_comment haddock marginalia Comment "
    "html_comment js_comment bracket_comment pod container_doc_comment"
)


@cache
def grammar(name: str) -> Grammar:
    """The grammar of that name."""
    return get_language(name)  # type: ignore[arg-type]


_MEASURE_EVERY = 4
_PATIENCE = 2.0
_SLOWEST = 100_000
"""Seconds of processor time that any parse may take, and the bytes a second it must do beyond that. Ordinary files go
20 to 100 times as fast; what does not is text made to hurt, such as ten thousand opening marks. Where exactly the line
is crossed may differ between machines, so it lies far outside of what people write."""

_BRIEFLY = 0.25
_SLOW = 400_000
"""The same for a try that is soon given up: still far slower than ordinary files go."""


def parse(name: str, text: bytes, patience: Patience, span: Range | None = None) -> Node | None:
    """The root of the syntax tree of a text, or of one span of it; None if parsing takes longer than there is patience
    for."""
    if patience.kind == NONE:
        patience.over = True
        return None
    parser = _parsers.of(name)
    parser.included_ranges = [] if span is None else [span]
    view = memoryview(text)
    allowed = _BRIEFLY + len(text) / _SLOW if patience.brief else _PATIENCE + len(text) / _SLOWEST
    limit = thread_time() + allowed
    calls = 0

    def too_long(_offset: int, _has_error: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls % _MEASURE_EVERY == 0 and thread_time() > limit

    slices: dict[int, memoryview] = {}

    def read(offset: int, _point: object) -> memoryview:
        # tree-sitter 0.26 never lets go of what it was given here, and a grammar that looks back (Scala's) asks for the
        # same places again and again: they are answered with the same object.
        found = slices.get(offset)
        if found is None:
            found = slices[offset] = view[offset:]
        return found

    try:
        return parser.parse(read, progress_callback=too_long).root_node
    except ValueError:
        parser.reset()
        patience.over = True
        return None
    finally:
        for given in slices.values():
            given.release()  # what stays behind for good is then an empty hull, and not the text


class _Parsers(threading.local):
    """One for each grammar and thread: a parser holds the state of its parse, and Python runs other threads whenever it
    asks for text.
    """

    def __init__(self) -> None:
        self.known: dict[str, Parser] = {}

    def of(self, name: str) -> Parser:
        if name not in self.known:
            self.known[name] = Parser(grammar(name))
        return self.known[name]


_parsers = _Parsers()


Path = tuple[str, ...]
Paths = tuple[Path, ...]


class Rule:
    """What a node type means in one language."""

    __slots__ = (
        "kind",
        "container",
        "opens",
        "through",
        "names",
        "kinds",
        "wraps",
        "owner",
        "inject",
        "imports",
        "comment",
        "leading",
        "tail",
        "unnamed",
        "called",
    )

    def __init__(self, kind: str = "", container: bool = False) -> None:
        self.kind = kind
        self.container = container
        self.opens = False
        self.through = False
        self.names: Paths = ()
        self.kinds: Paths = ()
        self.wraps: Paths = ()
        self.owner: Paths = ()
        self.inject = ""
        self.imports = False
        self.comment = False
        self.leading = False
        self.tail = False
        self.unnamed = False
        self.called = False


class Heads:
    """Definitions that are calls: which node, where its keyword and name are, and what each keyword means."""

    __slots__ = ("type", "keyword", "names", "rules")

    def __init__(self, at: str, heads: str) -> None:
        self.type, _, paths = at.partition("=")
        keyword, *names = split_paths(paths)
        self.keyword: Path = keyword
        self.names: Paths = tuple(names)
        self.rules = {word: _head(kind) for word, kind in words_to_kinds(heads).items()}


def _head(kind: str) -> Rule:
    rule = Rule(kind.rstrip("*+"), kind.endswith("*"))
    rule.opens = kind.endswith("+")
    rule.imports = kind == "imports"
    return rule


class LanguageRules:
    """The rules of one language under one choice of node types."""

    __slots__ = ("row", "rules", "rest", "deep", "heads", "docstring", "docs", "bodies", "masks")

    def __init__(self, row: Language, chosen: tuple[str, ...] | None) -> None:
        self.row = row
        self.rules = _rules(row, chosen)
        self.rest = "text" if row.data else "code"
        """The kind of what is no definition at the top level."""
        self.deep = chosen is not None
        """Node types of the user's own choice are looked for everywhere, not only where definitions usually stand."""
        self.heads = Heads(row.heads_at, row.heads) if row.heads else None
        self.docstring = split_paths(row.docstring)
        self.docs = tuple(word.encode() for word in row.docs.split())
        self.bodies = frozenset(row.through.split())
        self.masks = re.compile(row.masks.encode(), re.MULTILINE) if row.masks else None


@lru_cache(maxsize=256)
def plan(row: Language, chosen: tuple[str, ...] | None) -> LanguageRules:
    """The rules of a row; `chosen` replaces its node types."""
    return LanguageRules(row, chosen)


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
    for what in ("names", "kinds", "wraps", "owner"):
        for name, paths in words_to_paths(getattr(row, what)).items():
            setattr(rule(name), what, paths)
    for name, language in (pair.split("=") for pair in row.inject.split()):
        rule(name).inject = language
    _flag(rules, row, nodes if chosen is not None else ())
    return rules


def _flag(rules: dict[str, Rule], row: Language, chosen: Iterable[str]) -> None:
    for flag, words in (
        ("through", [*row.through.split(), "ERROR"]),
        ("imports", row.imports.split()),
        ("comment", COMMENTS.split()),
        ("leading", row.leading.split()),
        ("tail", row.tails.split()),
        ("opens", row.opens.split()),
        (
            "unnamed",
            [*(words_to_kinds(row.nodes) if row.unnamed == "*" else row.unnamed.split()), *chosen],
        ),
        ("called", [row.heads_at.partition("=")[0]] if row.heads_at else []),
    ):
        for name in words:
            setattr(rules.setdefault(name, Rule()), flag, True)


def _kind_from(node_type: str) -> str:
    """A kind for a node type that the table does not know."""
    return node_type.split("_")[0].lower()


def follow(node: Node, path: Path, text: bytes) -> Node | None:
    """The node at the end of a path; None if a step leads nowhere. `text` is what was parsed: `Node.text` may crash."""
    at: Node | None = node
    for step in path:
        if at is None:
            return None
        at = _step(at, step, text)
    return at


def _step(node: Node, step: str, text: bytes) -> Node | None:
    """One step: see the table's docstring for what a step may be."""
    if step[-1] == "+":
        return _repeatedly(node, step[:-1])
    if step[0] == "[":
        return _attribute(node, step[1:-1].encode(), text)
    if step.isdigit():
        return node.named_child(int(step)) if int(step) < node.named_child_count else None
    if step[0] == "-":
        return child_of_type(node, step[1:], last=True)
    if step[0] == "*":
        return _descendant(node, step[1:])
    return node.child_by_field_name(step) or child_of_type(node, step)


def _repeatedly(node: Node, step: str) -> Node | None:
    deepest = None
    for _ in range(50):
        inner = node.child_by_field_name(step)
        if inner is None and deepest is not None:
            # Some declarators hold the next one without a field: `int (*f)(void)`.
            inner = next(
                (child for child in node.named_children if child.type.endswith("declarator")), None
            )
        if inner is None:
            break
        deepest = node = inner
    return deepest


def _attribute(node: Node, name: bytes, text: bytes) -> Node | None:
    """The value of the attribute of that name, in a tag of HTML or XML."""
    for child in node.named_children:
        if child.type.lower() == "attribute" and child.named_child_count > 1:
            key, value = child.named_child(0), child.named_child(1)
            if key is not None and text[key.start_byte : key.end_byte] == name:
                return value
    return None


def _descendant(node: Node, wanted: str) -> Node | None:
    """The first node of a type within, in reading order, among the first 200."""
    stack = [node]
    for _ in range(200):
        if not stack:
            return None
        at = stack.pop()
        if at.type == wanted:
            return at
        stack += reversed(at.named_children)
    return None


def child_of_type(node: Node, wanted: str, last: bool = False) -> Node | None:
    """The first (or last) child of a type."""
    children = node.children
    return next(
        (child for child in (reversed(children) if last else children) if child.type == wanted),
        None,
    )
