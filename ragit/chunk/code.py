"""The one engine for every language with a grammar: syntax tree to pieces.

It looks at declarations only: the top level, the inside of containers, and the inside of what is too large for one
chunk; it never visits the body of a function that fits. It keeps its own stack, so that no nesting is too deep.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ragit.chunk.comments import plain
from ragit.chunk.grammars import Plan, Rule, follow, parser, plan
from ragit.chunk.row import Language
from ragit.chunk.lines import Lines
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import MAX_DOC, MAX_PARENT, MAX_SIGNATURE, MAX_SYMBOL, Piece

_ANYTHING = Rule()


def pieces_of(lines: Lines, row: Language, options: ChunkOptions) -> list[Piece]:
    """The pieces of a text under a language with a grammar."""
    text = lines.parseable()
    chosen = options.node_types.get(row.name)
    walk = _Walk(lines, text, plan(row, None if chosen is None else tuple(chosen)), options)
    walk.run(parser(row.grammar).parse(text).root_node)
    return walk.pieces


class _Level:
    """Siblings being looked at, and what holds of all of them."""

    __slots__ = ("nodes", "parent", "kind", "lead", "lead_end", "comments")

    def __init__(self, nodes: Iterator[Node], parent: str, kind: str) -> None:
        self.nodes = nodes
        self.parent = parent
        self.kind = kind
        """Of what is no definition here."""
        self.lead = -1
        """First row of the comments and attributes just seen; -1 if there are none."""
        self.lead_end = -1
        self.comments: list[tuple[int, int]] = []


class _Walk:
    def __init__(self, lines: Lines, text: bytes, rules: Plan, options: ChunkOptions) -> None:
        self.lines = lines
        self.text = text
        self.plan = rules
        self.options = options
        self.pieces: list[Piece] = []

    def run(self, root: Node) -> None:
        levels = [_Level(iter(root.named_children), "", "code")]
        while levels:
            level = levels[-1]
            for node in level.nodes:
                inner = self._look(level, node)
                if inner is not None:
                    levels.append(inner)
                    break
            else:
                self._leave(level)
                levels.pop()

    def _leave(self, level: _Level) -> None:
        if level.lead >= 0:
            self._rest(level, level.lead, level.lead_end, level.kind)

    def _look(self, level: _Level, node: Node) -> _Level | None:
        """Notes what one node begins; returns the level of its children if they are to be looked at."""
        rule = self.plan.rules.get(node.type)
        start, end = node.start_byte, node.end_byte
        row = self.lines.row(start)
        last = self.lines.last_row(start, end)
        if rule is None:
            heads = self.plan.heads
            if heads is not None and node.type == heads.type:
                return self._call(level, node, row, last)
            return self._other(level, node, row, last)
        if rule.comment or rule.leading:
            self._lead(level, rule, row, last, start, end)
            return None
        if rule.kind or rule.wraps:
            return self._definition(level, node, rule, row, last)
        if rule.imports:
            self._rest(level, row, last, "imports")
            return None
        if rule.through:
            return self._through(level, node)
        return self._other(level, node, row, last)

    def _lead(self, level: _Level, rule: Rule, row: int, last: int, start: int, end: int) -> None:
        """A comment or attribute waits for the definition after it, unless it stands behind something on its line."""
        if self.pieces and row <= self.pieces[-1].last:
            self.pieces[-1].last = max(last, self.pieces[-1].last)
            return
        if level.lead >= 0 and row > level.lead_end + 1:
            self._rest(level, level.lead, level.lead_end, level.kind)
        if level.lead < 0:
            level.lead, level.comments = row, []
        level.lead_end = last
        if rule.comment:
            level.comments.append((start, end))

    def _take_lead(self, level: _Level, row: int) -> tuple[int, str]:
        """First row of what leads up to `row` without a gap, and the words of its comments."""
        lead, level.lead = level.lead, -1
        if lead < 0:
            return row, ""
        if row > level.lead_end + 1:
            self._rest(level, lead, level.lead_end, level.kind)
            return row, ""
        doc = " ".join(plain(self._words(start, end, 2 * MAX_DOC), MAX_DOC) for start, end in level.comments)
        return min(lead, row), doc[:MAX_DOC].strip()

    def _rest(self, level: _Level, row: int, last: int, kind: str) -> None:
        """Something that is no definition: it goes on with the piece before it where that is alike."""
        if level.lead >= 0:
            lead, level.lead = level.lead, -1
            if lead < row:
                self._rest(level, lead, level.lead_end, kind if row <= level.lead_end + 1 else level.kind)
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
        if self.plan.deep or self._large(node, row, last):
            inner = self._through(level, node)
            if inner is not None:
                return inner
        self._rest(level, row, last, level.kind)
        return None

    def _through(self, level: _Level, node: Node) -> _Level | None:
        children = node.named_children
        return _Level(iter(children), level.parent, level.kind) if children else None

    def _large(self, node: Node, row: int, last: int) -> bool:
        return node.end_byte - node.start_byte > self.options.max_bytes or last - row >= self.options.max_lines

    def _definition(self, level: _Level, node: Node, rule: Rule, row: int, last: int) -> _Level | None:
        inner, meaning, name = self._unwrap(node, rule)
        if not meaning.kind or not (name or meaning.unnamed):
            if rule.imports:
                self._rest(level, row, last, "imports")
                return None
            return self._through(level, node) if rule.through else self._other(level, node, row, last)
        return self._begin(level, node, inner, meaning, name, row, last)

    def _unwrap(self, node: Node, rule: Rule) -> tuple[Node, Rule, str]:
        """The definition within its wrappings (`export`, a decorator, `const f =`), what it is and its name."""
        name = self._name(node, rule)
        found = node, rule
        for _ in range(8):
            inner = next((got for path in rule.wraps if (got := follow(node, path)) is not None), None)
            inner_rule = None if inner is None else self.plan.rules.get(inner.type)
            if inner is None or inner_rule is None or not (inner_rule.kind or inner_rule.wraps):
                break
            node, rule = inner, inner_rule
            inner_name = self._name(node, rule)
            if rule.kind and (inner_name or name or rule.unnamed) and self._has_body(node, rule):
                found = node, rule
                name = inner_name or name
            elif not name:
                name = inner_name
        return found[0], found[1], name

    def _has_body(self, node: Node, rule: Rule) -> bool:
        """False for `struct s` in `struct s *p;`, which names a type without defining it."""
        return not node.type.endswith("_specifier") or node.child_by_field_name("body") is not None

    def _begin(
        self, level: _Level, outer: Node, node: Node, rule: Rule, name: str, row: int, last: int
    ) -> _Level | None:
        first, doc = self._take_lead(level, row)
        parent, symbol = self._place(level.parent, node, rule, name)
        if self.plan.docstring and not doc:
            doc = self._docstring(node)
        opens = rule.container or self._large(outer, row, last)
        path = self._path(parent, symbol) if opens else ""
        head = self.lines.row(node.start_byte) if opens else last
        self._add(Piece(first, head, rule.kind, symbol, parent, self._signature(node), doc, path))
        if not opens:
            return None
        body = node.child_by_field_name("body")
        children = (node if body is None else body).named_children
        return _Level(iter(children), path or parent, "code" if rule.through else rule.kind) if children else None

    def _add(self, piece: Piece) -> None:
        if self.pieces and piece.row <= self.pieces[-1].last:
            self.pieces[-1].absorb(piece)
            if piece.path:
                self.pieces[-1].path = piece.path
        else:
            self.pieces.append(piece)

    def _path(self, parent: str, symbol: str) -> str:
        if not symbol or len(parent) > MAX_PARENT:
            return parent
        return f"{parent}{self.plan.join}{symbol}" if parent else symbol

    def _place(self, parent: str, node: Node, rule: Rule, name: str) -> tuple[str, str]:
        """Parent and symbol of a name that may be qualified (`Foo::bar`) or belong to a type named beside it."""
        by = self.plan.row.qualifiers
        if by and by in name and not rule.container:
            owner, _, name = name.rpartition(by)
            owner = owner.replace(by, ".").removesuffix(".prototype")
            if owner not in ("this", "exports", "module", ""):
                parent = self._path(parent, owner)
        for path in rule.owner:
            found = follow(node, path)
            if found is not None:
                parent = self._path(parent, self._words(found.start_byte, found.end_byte, MAX_SYMBOL).lstrip("*"))
        return parent, name

    def _name(self, node: Node, rule: Rule) -> str:
        for path in rule.names:
            found = follow(node, path)
            if found is not None:
                return self._symbol(found)
        found = node.child_by_field_name("name")
        return "" if found is None else self._symbol(found)

    def _symbol(self, node: Node) -> str:
        return " ".join(self._words(node.start_byte, node.end_byte, MAX_SYMBOL).split()).strip("\"'`:")

    def _signature(self, node: Node) -> str:
        start = node.start_byte
        body = node.child_by_field_name("body")
        if body is None and self.plan.bodies and node.named_child_count:
            tail = node.named_child(node.named_child_count - 1)
            body = tail if tail is not None and tail.type in self.plan.bodies else None
        end = body.start_byte if body is not None and body.start_byte > start else self._line_end(start, node.end_byte)
        return " ".join(self._words(start, end, MAX_SIGNATURE).split()).rstrip("{:=( ")

    def _line_end(self, start: int, end: int) -> int:
        stop = self.text.find(b"\n", start, end)
        return end if stop < 0 else stop

    def _docstring(self, node: Node) -> str:
        for path in self.plan.docstring:
            found = follow(node, path)
            if found is not None:
                return plain(self._words(found.start_byte, found.end_byte, 2 * MAX_DOC), MAX_DOC)
        return ""

    def _words(self, start: int, end: int, limit: int) -> str:
        return self.text[start : min(end, start + limit)].decode("utf-8", "ignore")

    def _call(self, level: _Level, node: Node, row: int, last: int) -> _Level | None:
        """A definition that is a call: `def`, `defmodule`, `(defn ...)`."""
        heads = self.plan.heads
        assert heads is not None
        keyword = follow(node, heads.keyword)
        kind = "" if keyword is None else heads.kinds.get(self._symbol(keyword), "")
        target = next((got for path in heads.names if (got := follow(node, path)) is not None), None)
        if not kind or target is None:
            return self._other(level, node, row, last)
        rule = Rule()
        rule.kind, rule.container = kind.rstrip("*"), kind.endswith("*")
        return self._begin(level, node, node, rule, self._symbol(target), row, last)
