"""The one engine for every language with a grammar: syntax tree to pieces.

It looks at declarations only: the top level, the inside of containers, and the inside of what is too large for one
chunk; it never visits the body of a function that fits. It keeps its own stack, which no nesting makes too deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node, Range

from ragit.chunk.comments import plain
from ragit.chunk.grammars import LanguageRules, Rule, follow, parse, plan
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.patience import Patience
from ragit.chunk.pieces import MAX_DOC, MAX_PARENT, MAX_SIGNATURE, MAX_SYMBOL, Piece
from ragit.chunk.row import Language

_TYPES = frozenset(
    (
        "class",
        "struct",
        "trait",
        "impl",
        "interface",
        "object",
        "protocol",
        "extension",
        "mixin",
        "union",
        "contract",
    )
)
_IN_A_TYPE = {"function": "method", "constant": "field", "variable": "field"}
"""What some grammars call by one name wherever it stands."""

_DEEPEST = 2000
"""Levels within each other that are looked into: nobody writes as many, and millions take all memory there is."""

_ARGUMENTS = re.compile(r"<[^<>]*>")
_LETTER = re.compile(rb"[^\n]")


def pieces_of(
    lines: Lines, row: Language, options: ChunkOptions, patience: Patience
) -> list[Piece] | None:
    """The pieces of a text under a language with a grammar; None if it cannot be parsed in a sensible time."""
    rules = _plan(row, options)
    lines = lines.for_grammar()
    if rules.masks is not None:
        lines = lines.replaced(rules.masks.sub(_blank, lines.text))
    root = parse(row.grammar, lines.text, patience)
    if root is None:
        return None
    walk = _Walk(lines, options, patience)
    walk.run(root, rules)
    return walk.pieces


def _blank(found: re.Match[bytes]) -> bytes:
    """What was found, its groups turned to spaces, line ends kept."""
    group = found.lastindex or 0
    whole, start, end = (
        found.group(),
        found.start(group) - found.start(),
        found.end(group) - found.start(),
    )
    return whole[:start] + _LETTER.sub(b" ", whole[start:end]) + whole[end:]


def _plan(row: Language, options: ChunkOptions) -> LanguageRules:
    chosen = options.node_types.get(row.name)
    return plan(row, None if chosen is None else tuple(chosen))


class _Level:
    """Siblings being looked at, and what holds of all of them."""

    __slots__ = (
        "nodes",
        "plan",
        "parent",
        "base",
        "kind",
        "strict",
        "passing",
        "lead",
        "lead_end",
        "comments",
    )

    def __init__(self, nodes: Iterator[Node], rules: LanguageRules, parent: str, kind: str) -> None:
        self.nodes = nodes
        self.plan = rules
        self.parent = self.base = parent
        self.kind = kind
        """Of what is no definition here."""
        self.strict = False
        """Inside of something large that is nothing by itself: only what is large, too, is looked into."""
        self.passing = False
        """Looked into in place of its node: comments at its edges belong to what is before or after it."""
        self.lead = -1
        """First row of the comments and attributes just seen; -1 if there are none."""
        self.lead_end = -1
        self.comments: list[tuple[int, int]] = []

    def hand_lead_to(self, other: _Level) -> None:
        other.lead, other.lead_end, other.comments = self.lead, self.lead_end, self.comments
        self.lead, self.comments = -1, []


class _Walk:
    def __init__(self, lines: Lines, options: ChunkOptions, patience: Patience) -> None:
        self.lines = lines
        self.text = lines.text
        self.options = options
        self.patience = patience
        self.pieces: list[Piece] = []

    def run(self, root: Node, rules: LanguageRules) -> None:
        levels = [_Level(iter(root.named_children), rules, "", rules.rest)]
        while levels:
            level = levels[-1]
            for node in level.nodes:
                inner = self._look(level, node)
                if inner is None:
                    continue
                if len(levels) < _DEEPEST:
                    levels.append(inner)
                    break
                self._leave(inner, level)  # what is in there goes on with what is around it
            else:
                levels.pop()
                self._leave(level, levels[-1] if levels else None)

    def _leave(self, level: _Level, outer: _Level | None) -> None:
        if level.lead < 0:
            return
        if level.passing and outer is not None and outer.lead < 0 and outer.plan is level.plan:
            level.hand_lead_to(outer)
        else:
            self._flush(level)

    def _look(self, level: _Level, node: Node) -> _Level | None:
        """Notes what one node begins; returns the level of its children if they are to be looked at."""
        rule = level.plan.rules.get(node.type)
        row = self.lines.row(node.start_byte)
        last = self.lines.last_row(node.start_byte, node.end_byte)
        if rule is None:
            return self._other(level, node, row, last)
        if rule.comment or rule.leading:
            self._lead(level, node, rule, row, last)
            return None
        if rule.kind or rule.wraps:
            return self._definition(level, node, rule, row, last)
        if rule.called:
            return self._call(level, node, row, last)
        return self._flagged(level, node, rule, row, last)

    def _flagged(self, level: _Level, node: Node, rule: Rule, row: int, last: int) -> _Level | None:
        """A node whose rule says something else than that it is a definition."""
        if rule.imports:
            self._rest(level, row, last, _imports(level))
            return None
        if rule.tail and self.pieces and self.pieces[-1].symbols:
            self.pieces[-1].last = max(last, self.pieces[-1].last)
            return None
        if rule.inject:
            return self._inject(level, node, rule, row)
        if (rule.through or rule.container) and (not level.strict or self._large(node, row, last)):
            return self._through(level, node, row)
        return self._other(level, node, row, last)

    def _lead(self, level: _Level, node: Node, rule: Rule, row: int, last: int) -> None:
        """A comment or attribute waits for the definition after it, unless it stands behind something on its line."""
        if self.pieces and row <= self.pieces[-1].last:
            self.pieces[-1].last = max(last, self.pieces[-1].last)
            return
        if level.lead >= 0 and row > level.lead_end + 1:
            self._flush(level)
        if level.lead < 0:
            level.lead, level.comments = row, []
        level.lead_end = last
        start, end = node.start_byte, node.end_byte
        if rule.comment or (level.plan.docs and self.text[start:end].startswith(level.plan.docs)):
            level.comments.append((start, end))

    def _flush(self, level: _Level) -> None:
        """Comments that lead to nothing are text of their own."""
        lead, level.lead = level.lead, -1
        self._rest(level, lead, level.lead_end, level.kind)

    def _take_lead(self, level: _Level, row: int) -> tuple[int, str]:
        """First row of what leads up to `row` without a gap, and the words of its comments."""
        if level.lead < 0:
            return row, ""
        if row > level.lead_end + 1:
            self._flush(level)
            return row, ""
        lead, level.lead = level.lead, -1
        words = (
            plain(self._words(start, end, 2 * MAX_DOC), MAX_DOC) for start, end in level.comments
        )
        return min(lead, row), " ".join(filter(None, words))[:MAX_DOC]

    def _rest(self, level: _Level, row: int, last: int, kind: str) -> None:
        """Something that is no definition: it goes on with the piece before it where that is alike."""
        if level.lead >= 0:
            if row <= level.lead_end + 1:
                row, level.lead = min(row, level.lead), -1
            else:
                self._flush(level)
        current = self.pieces[-1] if self.pieces else None
        if current is None or (row > current.last and not self._goes_on(current, level, kind)):
            self.pieces.append(Piece(row, last, kind, parent=level.parent))
            return
        if row > current.last:
            current.cuts.append(row)
        current.last = max(current.last, last)

    def _goes_on(self, piece: Piece, level: _Level, kind: str) -> bool:
        if piece.path:
            return piece.path == level.parent
        return not piece.symbols and piece.kind == kind and piece.parent == level.parent

    def _other(self, level: _Level, node: Node, row: int, last: int) -> _Level | None:
        if level.plan.deep or self._large(node, row, last):
            inner = self._through(level, node, row)
            if inner is not None:
                inner.strict = not level.plan.deep
                return inner
        self._rest(level, row, last, level.kind)
        return None

    def _through(self, level: _Level, node: Node, row: int) -> _Level | None:
        children = node.named_children
        if not children:
            return None
        if self.lines.row(children[0].start_byte) > row:
            self._rest(level, row, row, level.kind)  # a line of keywords only: `try:`, `else`, `do`
        inner = _Level(iter(children), level.plan, level.parent, level.kind)
        inner.passing = True
        if level.lead >= 0:
            level.hand_lead_to(inner)
        return inner

    def _inject(self, level: _Level, node: Node, rule: Rule, row: int) -> _Level | None:
        """Text in another language within this one: a script in a page."""
        inside = next((child for child in node.named_children if child.type == "raw_text"), None)
        self._rest(level, row, row, level.kind)
        if inside is None:
            return None
        language = LANGUAGES[rule.inject]
        span = Range(inside.start_point, inside.end_point, inside.start_byte, inside.end_byte)
        root = parse(language.grammar, self.text, self.patience, span)
        if root is None:
            return None
        rules = _plan(language, self.options)
        return _Level(iter(root.named_children), rules, level.parent, rules.rest)

    def _large(self, node: Node, row: int, last: int) -> bool:
        return (
            node.end_byte - node.start_byte > self.options.max_bytes
            or last - row >= self.options.max_lines
        )

    def _definition(
        self, level: _Level, node: Node, rule: Rule, row: int, last: int
    ) -> _Level | None:
        inner, meaning, name = self._unwrap(level.plan, node, rule)
        if meaning.kind and (name or meaning.unnamed) and _defines(inner):
            return self._begin(level, node, inner, meaning, name, row, last)
        return self._flagged(level, node, rule, row, last)

    def _unwrap(self, rules: LanguageRules, node: Node, rule: Rule) -> tuple[Node, Rule, str]:
        """The definition within its wrappings (`export`, a decorator, `const f =`), what it is and its name."""
        found, meaning, name = node, rule, self._name(node, rule)
        for _ in range(8):
            inner = _wrapped(rules, node, rule, self.text)
            if inner is None:
                break
            node, rule = inner
            inner_name = self._name(node, rule)
            if rule.kind and (inner_name or name or rule.unnamed) and _defines(node):
                found, meaning, name = node, rule, inner_name or name
            else:
                name = name or inner_name
        return found, meaning, name

    def _begin(
        self, level: _Level, outer: Node, node: Node, rule: Rule, name: str, row: int, last: int
    ) -> _Level | None:
        first, doc = self._take_lead(level, row)
        parent, symbol = self._place(level, node, rule, name)
        doc = doc or self._docstring(level.plan, node)
        opens = rule.container or self._large(outer, row, last)
        path = self._path(level.plan, parent, symbol) if opens else ""
        head = self.lines.row(node.start_byte) if opens else last
        kind = self._kind(level, node, rule)
        piece = Piece(
            first, head, kind, symbol, parent, self._signature(level.plan, outer, node), doc, path
        )
        piece.whole = last
        self._add(piece)
        if rule.opens and (not opens or head == last):
            level.parent = self._path(level.plan, level.base, symbol)
            self.pieces[-1].path = level.parent
        if not opens:
            return None
        children = _inside(outer, node)
        inner = _Level(iter(children), level.plan, path or parent, kind)
        inner.strict = not rule.container
        return inner if children else None

    def _kind(self, level: _Level, node: Node, rule: Rule) -> str:
        for path in rule.kinds:
            found = follow(node, path, self.text)
            if found is not None:
                return self._symbol(found)
        return _IN_A_TYPE.get(rule.kind, rule.kind) if level.kind in _TYPES else rule.kind

    def _add(self, piece: Piece) -> None:
        if self.pieces and piece.row <= self.pieces[-1].last:
            self.pieces[-1].absorb(piece)
            if piece.path:
                self.pieces[-1].path = piece.path
        else:
            self.pieces.append(piece)

    def _path(self, rules: LanguageRules, parent: str, symbol: str) -> str:
        if not symbol or len(parent) > MAX_PARENT:
            return parent
        symbol = symbol.partition(" ")[0] if rules.row.join == "." else symbol
        return f"{parent}{rules.row.join}{symbol}" if parent else symbol

    def _place(self, level: _Level, node: Node, rule: Rule, name: str) -> tuple[str, str]:
        """Parent and symbol of a name that may be qualified (`Foo::bar`) or belong to a type named beside it."""
        parent = level.base if rule.opens else level.parent
        name = name.lstrip(level.plan.row.sigils) if level.plan.row.sigils else name
        if "<" in name and level.plan.row.qualifiers == "::" and not name.startswith("operator"):
            name = _ARGUMENTS.sub("", name)
        if not rule.container:
            for by in level.plan.row.qualifiers.split():
                owner, found, rest = name.rpartition(by)
                if found and rest and owner and not name.startswith(("[", "operator")):
                    owner = owner.replace(by, ".").removesuffix(".prototype")
                    name = rest
                    if owner not in ("this", "exports", "module", "module.exports"):
                        parent = self._path(level.plan, parent, owner)
        for path in rule.owner:
            got = follow(node, path, self.text)
            if got is not None:
                owner = (
                    self._words(got.start_byte, got.end_byte, MAX_SYMBOL)
                    .lstrip("*")
                    .partition("[")[0]
                )
                parent = self._path(level.plan, parent, owner)
        return parent, name

    def _name(self, node: Node, rule: Rule) -> str:
        for path in rule.names:
            if path[0][-1] == "&":
                names = self._all_names(node, path)
                if names:
                    return names
                continue
            found = follow(node, path, self.text)
            if found is not None:
                return self._symbol(found)
        if rule.names:
            return ""
        found = node.child_by_field_name("name")
        return "" if found is None else self._symbol(found)

    def _all_names(self, node: Node, path: tuple[str, ...]) -> str:
        """The names of a definition that makes several: `const a = 1, b = 2`."""
        wanted, rest = path[0][:-1], path[1:]
        found = (
            follow(child, rest, self.text) for child in node.named_children if child.type == wanted
        )
        return " ".join(self._symbol(name) for name in found if name is not None)

    def _symbol(self, node: Node) -> str:
        name = " ".join(self._words(node.start_byte, node.end_byte, MAX_SYMBOL).split())
        return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name

    def _signature(self, rules: LanguageRules, outer: Node, node: Node) -> str:
        start = (node if outer.type.startswith("decorated") else outer).start_byte
        body = node.child_by_field_name("body")
        if body is None and rules.bodies and node.named_child_count:
            tail = node.named_child(node.named_child_count - 1)
            body = tail if tail is not None and tail.type in rules.bodies else None
        if body is not None and body.start_byte > start:
            end = body.start_byte
        else:
            end = self.text.find(b"\n", start, node.end_byte)
            end = node.end_byte if end < 0 else end
        return " ".join(self._words(start, end, MAX_SIGNATURE).split()).rstrip("{:=(; ")

    def _docstring(self, rules: LanguageRules, node: Node) -> str:
        for path in rules.docstring:
            found = follow(node, path, self.text)
            if found is not None:
                return plain(self._words(found.start_byte, found.end_byte, 2 * MAX_DOC), MAX_DOC)
        return ""

    def _words(self, start: int, end: int, limit: int) -> str:
        return self.text[start : min(end, start + limit)].decode("utf-8", "ignore")

    def _call(self, level: _Level, node: Node, row: int, last: int) -> _Level | None:
        """A definition that is a call: `def`, `defmodule`, `(defn ...)`."""
        heads = level.plan.heads
        keyword = None if heads is None else follow(node, heads.keyword, self.text)
        rule = (
            None
            if heads is None or keyword is None
            else heads.rules.get(self._symbol(keyword).lower())
        )
        if heads is None or rule is None:
            return self._other(level, node, row, last)
        if rule.imports:
            self._rest(level, row, last, _imports(level))
            return None
        target = next(
            (got for path in heads.names if (got := follow(node, path, self.text)) is not None),
            None,
        )
        if target is None:
            return self._other(level, node, row, last)
        return self._begin(level, node, node, rule, self._symbol(target), row, last)


def _imports(level: _Level) -> str:
    """Imports inside of a class or function are part of it."""
    return "imports" if level.kind == level.plan.rest else level.kind


def _wrapped(rules: LanguageRules, node: Node, rule: Rule, text: bytes) -> tuple[Node, Rule] | None:
    for path in rule.wraps:
        inner = follow(node, path, text)
        inner_rule = None if inner is None else rules.rules.get(inner.type)
        if inner is not None and inner_rule is not None and (inner_rule.kind or inner_rule.wraps):
            return inner, inner_rule
    return None


def _defines(node: Node) -> bool:
    """False for `struct s` in `struct s *p;`, which names a type without defining it."""
    return not node.type.endswith("_specifier") or node.child_by_field_name("body") is not None


def _inside(outer: Node, node: Node) -> list[Node]:
    """What stands in a definition: its body, else its children, else what follows it in its wrapping."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body.named_children
    if outer.end_byte > node.end_byte + 1:
        # In Zig a function's block stands beside its prototype, both in one declaration.
        return [child for child in outer.named_children if child.start_byte >= node.end_byte]
    return node.named_children
