"""Cut a text with a grammar into pieces: one for each definition found by its language's query.

The walk goes down from the root, only into nodes that contain a definition or are too large for one
chunk. It keeps its own stack, so any depth of nesting is possible.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from tree_sitter import Node, Range

from ragit.chunk.comments import plain
from ragit.chunk.grammars import COMMENTS, parse
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.lines import Lines
from ragit.chunk.naming import BODIES, Namer, name_end
from ragit.chunk.node_types import node_types
from ragit.chunk.options import ChunkOptions
from ragit.chunk.pieces import ITEMS, MAX_DOC, Piece
from ragit.chunk.query import CONTAINERS, Findings, Found, load, run
from ragit.chunk.references import Collector
from ragit.chunk.rewrites import REWRITES
from ragit.chunk.row import Language
from ragit.chunk.time_budget import TimeBudget
from ragit.records import NamedTuple
from ragit.types import Definition

_TYPES = frozenset(
    "class struct trait impl interface object protocol extension mixin union contract".split()
)
_IN_A_TYPE = {"function": "method", "constant": "field", "variable": "field"}
"""Kinds with the same name everywhere in grammars, and their kinds inside a type."""

_OPAQUE = frozenset(
    "function method constructor getter setter macro test task operator callback rpc phaser".split()
)
"""Kinds that are one chunk with all of their content, if they fit."""

_NESTED = _OPAQUE | CONTAINERS | {"enum", "type", "record", "annotation", "delegate", "heading"}
"""Kinds listed among a chunk's definitions even if local to it."""

_SIGNATURES = frozenset(
    (
        "function_signature method_signature abstract_method_signature function_signature_item"
        " method_declaration function_declaration protocol_function_declaration value_specification"
        " method_specification annotation_type_element_declaration function_definition"
    ).split()
)
"""Nodes of functions that may lack a body; such declarations are grouped like fields."""

_DEEPEST = 2000
"""Limit of nesting; a file with millions of levels would take all memory."""


class Parsed(NamedTuple):
    """The pieces of a text, and its references, packed."""

    pieces: list[Piece]
    references: bytes


def parsed(lines: Lines, row: Language, options: ChunkOptions, budget: TimeBudget) -> Parsed | None:
    """Return the pieces and references of a text; None if parsing or searching its tree takes too
    long.
    """
    lines = lines.for_grammar()
    source = lines.text
    rewrite = REWRITES.get(row.name)
    if rewrite is not None:
        lines = lines.replaced(rewrite(source))
    walk = _Walk(lines, source, options, budget)
    level = walk.level_of(row)
    if level is None:
        return None
    walk.run(level)
    walk.add_nested()
    return Parsed(walk.pieces, walk.references.packed)


class _Level:
    """Siblings of the walk, with what applies to all of them."""

    __slots__ = (
        "nodes",
        "row",
        "findings",
        "parent",
        "base",
        "kind",
        "strict",
        "passing",
        "lead",
        "lead_end",
        "comments",
    )

    def __init__(
        self, nodes: Iterable[Node], row: Language, findings: Findings, parent: str, kind: str
    ) -> None:
        self.nodes: Iterator[Node] = iter(nodes)
        self.row = row
        self.findings = findings
        self.parent = self.base = parent
        self.kind = kind
        """Kind of text outside of definitions on this level."""
        self.strict = False
        """True inside a large function: only large nodes are entered."""
        self.passing = False
        """True if the level stands for its node: comments at its edges belong to the level around
        it.
        """
        self.lead = -1
        """First row of the preceding comments and attributes; -1 if none."""
        self.lead_end = -1
        self.comments: list[tuple[int, int]] = []

    @property
    def rest(self) -> str:
        """Return the kind of text outside of definitions at the top level."""
        return "text" if self.row.data else "code"

    def inner(self, nodes: Iterable[Node], parent: str, kind: str) -> _Level:
        """Return a level for nodes within this one."""
        return _Level(nodes, self.row, self.findings, parent, kind)

    def hand_lead_to(self, other: _Level) -> None:
        other.lead, other.lead_end, other.comments = self.lead, self.lead_end, self.comments
        self.lead, self.comments = -1, []


class _Walk:
    def __init__(
        self, lines: Lines, source: bytes, options: ChunkOptions, budget: TimeBudget
    ) -> None:
        self.lines = lines
        self.text = lines.text
        self.source = source
        """The original text; in `text`, macros are hidden from the grammar."""
        self.options = options
        self.budget = budget
        self.pieces: list[Piece] = []
        self.levels: list[tuple[Language, Findings]] = []
        self.namers: dict[str, Namer] = {}
        self.references = Collector(lines, source)

    def level_of(self, row: Language, span: Range | None = None, parent: str = "") -> _Level | None:
        """Parse the text, or one span of it, in a language; None if that takes too long."""
        root = parse(row.grammar, self.text, self.budget, span)
        if root is None:
            return None
        chosen = self.options.types_of(row.name)
        if chosen is not None:
            chosen = tuple(sorted(node_types(row.grammar).intersection(chosen)))
        findings = run(load(row.name, row.grammar, chosen), root, self.text)
        self.levels.append((row, findings))
        self.references.add(row, root)
        self.namers[row.name] = Namer(row, self.text, self.source)
        return _Level(root.named_children, row, findings, parent, "text" if row.data else "code")

    def run(self, top: _Level) -> None:
        """Walk the tree from its top level down."""
        levels = [top]
        while levels:
            level = levels[-1]
            for node in level.nodes:
                inner = self._look(level, node)
                if inner is None:
                    continue
                if len(levels) < _DEEPEST:
                    levels.append(inner)
                    break
                self._leave(inner, level)  # the level inside continues the one around it
            else:
                levels.pop()
                self._leave(level, levels[-1] if levels else None)

    def add_nested(self) -> None:
        """List local functions and types among the definitions of the piece that holds them."""
        self._read_small_injections()
        rows = [piece.row for piece in self.pieces]
        for row, findings in self.levels:
            namer = self.namers[row.name]
            for found in findings.unplaced(_NESTED):
                at = bisect_right(rows, self.lines.row(found.key.start_byte)) - 1
                if at >= 0:
                    piece = self.pieces[at]
                    listed = piece.definitions if found.kind == "heading" else piece.nested
                    listed += self._definitions(namer, [found])

    def _read_small_injections(self) -> None:
        """Read the text of other languages in pieces that the walk did not look into."""
        for _, findings in list(self.levels):
            for inside, language in findings.injections.values():
                if LANGUAGES[language].grammar:
                    self.level_of(LANGUAGES[language], _span(inside))

    def _leave(self, level: _Level, outer: _Level | None) -> None:
        if level.lead < 0:
            return
        if level.passing and outer and outer.lead < 0 and outer.findings is level.findings:
            level.hand_lead_to(outer)
        else:
            self._flush(level)

    def _look(self, level: _Level, node: Node) -> _Level | None:
        """Record what a node begins; return the level of its children if they are to be walked."""
        found = level.findings
        number = node.id
        row = self.lines.row(node.start_byte)
        last = self.lines.last_row(node.start_byte, node.end_byte)
        if node.type in COMMENTS or number in found.leading:
            self._lead(level, node, row, last)
            return None
        if number in found.by_key or number in found.outers:
            group = self._unwrapped(level, node)
            if group:
                return self._begin(level, node, group, row, last)
        if number in found.imports:
            inside = level.kind != level.rest
            self._rest(level, row, last, level.kind if inside else "imports")
            return None
        if number in found.tails and self.pieces and self.pieces[-1].definitions:
            self.pieces[-1].last = max(last, self.pieces[-1].last)
            return None
        if number in found.injections:
            return self._inject(level, number, row)
        return self._other(level, node, row, last)

    def _lead(self, level: _Level, node: Node, row: int, last: int) -> None:
        """Keep a comment or attribute for the next definition, unless it follows code."""
        if self.pieces and row <= self.pieces[-1].last:
            self.pieces[-1].last = max(last, self.pieces[-1].last)
            return
        if level.lead >= 0 and row > level.lead_end + 1:
            self._flush(level)
        if level.lead < 0:
            level.lead, level.comments = row, []
        level.lead_end = last
        if node.type in COMMENTS or node.id in level.findings.documenting:
            level.comments.append((node.start_byte, node.end_byte))

    def _flush(self, level: _Level) -> None:
        """Turn comments without a following definition into text."""
        lead, level.lead = level.lead, -1
        self._rest(level, lead, level.lead_end, level.kind)

    def _take_lead(self, level: _Level, row: int) -> tuple[int, str]:
        """Return the first row of the comments directly above a row, and their words."""
        if level.lead < 0:
            return row, ""
        if row > level.lead_end + 1:
            self._flush(level)
            return row, ""
        lead, level.lead = level.lead, -1
        words = (plain(self._words(start, end), MAX_DOC) for start, end in level.comments)
        return min(lead, row), " ".join(filter(None, words))[:MAX_DOC]

    def _words(self, start: int, end: int) -> str:
        return self.text[start : min(end, start + 2 * MAX_DOC)].decode("utf-8", "ignore")

    def _rest(self, level: _Level, row: int, last: int, kind: str) -> None:
        """Add rows without a definition to a similar piece before them, or as a new piece."""
        if level.lead >= 0:
            if row <= level.lead_end + 1:
                row, level.lead = min(row, level.lead), -1
            else:
                self._flush(level)
        current = self.pieces[-1] if self.pieces else None
        if current is None or (row > current.last and not _goes_on(current, level, kind)):
            self.pieces.append(Piece(row, last, kind, parent=level.parent))
            return
        if row > current.last:
            current.cuts.append(row)
        current.last = max(current.last, last)

    def _other(self, level: _Level, node: Node, row: int, last: int) -> _Level | None:
        """Enter a node if it is large or, outside functions, contains a definition."""
        large, findings = self._large(node, row, last), level.findings
        holds = findings.has_definition(node) or findings.has_import(node)
        if large or (holds and not level.strict):
            inner = self._through(level, node, row)
            if inner is not None:
                inner.strict = level.strict or not holds
                return inner
        self._rest(level, row, last, level.kind)
        return None

    def _through(self, level: _Level, node: Node, row: int) -> _Level | None:
        children = node.named_children
        if not children:
            return None
        begin = level.findings.first_definition(node)
        if begin is not None:  # `memoize def price`: the text before it on its line belongs to it
            start = self.lines.starts[self.lines.row(begin)]
            children = [one for one in children if one.end_byte > begin or one.start_byte < start]
        if self.lines.row(children[0].start_byte) > row:
            self._rest(level, row, row, level.kind)  # a line of keywords only: `try:`, `else`, `do`
        inner = level.inner(children, level.parent, level.kind)
        inner.passing = True
        if level.lead >= 0:
            level.hand_lead_to(inner)
        return inner

    def _inject(self, level: _Level, number: int, row: int) -> _Level | None:
        """Look into text of another language: a script in a page."""
        inside, language = level.findings.injections.pop(number)
        self._rest(level, row, row, level.kind)
        if not LANGUAGES[language].grammar:
            self._rest(level, row, self.lines.row(inside.end_byte - 1), level.kind)
            return None
        return self.level_of(LANGUAGES[language], _span(inside), level.parent)

    def _large(self, node: Node, row: int, last: int) -> bool:
        return (
            node.end_byte - node.start_byte > self.options.max_bytes
            or last - row >= self.options.max_lines
        )

    def _unwrapped(self, level: _Level, node: Node) -> list[Found]:
        """Return the definitions of a statement, or those inside its `export` or decorator."""
        findings = level.findings
        at: Node | None = node
        for _ in range(8):
            if at is None:
                return []
            group = [found for found in findings.by_key.get(at.id, ()) if not found.placed]
            if group:
                return [found for found in group if self._counts(level, found)]
            if at.id not in findings.outers:
                return []
            at = next(
                (
                    child
                    for child in at.named_children
                    if child.id in findings.by_key or child.id in findings.outers
                ),
                None,
            )
        return []

    def _counts(self, level: _Level, found: Found) -> bool:
        """Return False for a local variable, and for node types not chosen by the user."""
        if level.kind in _OPAQUE and found.kind in ITEMS:
            return False
        return level.findings.accepts(found)

    def _begin(
        self, level: _Level, outer: Node, group: list[Found], row: int, last: int
    ) -> _Level | None:
        """Begin the piece of a definition; return the level inside if it is entered."""
        main = min(group, key=attrgetter("pattern"))
        for found in group:
            found.placed = True
        namer = self.namers[level.row.name]
        first, doc = self._take_lead(level, row)
        definitions = self._definitions(namer, group, level.kind)
        parent = namer.owner(level.base if main.opens else level.parent, main)
        opens = self._large(outer, row, last) or self._splits(level, outer, group)
        name = definitions[0].name if definitions else ""
        path = namer.path(parent, name, main.kind) if opens else ""
        head = self.lines.row(main.node.start_byte) if opens else last
        kind = _kind(definitions[0].kind if definitions else main.kind, level.kind)
        piece = Piece(first, head, kind, "", parent, namer.signature(outer, main.node), doc, path)
        piece.doc = doc or namer.docstring(main)
        piece.definitions = definitions
        piece.start, piece.whole = row, last
        piece.bodiless = _bodiless(main.node)
        self._add(piece)
        if _encloses_rest(main):
            level.parent = namer.path(level.base, name, main.kind)
            self.pieces[-1].path = level.parent
        if not opens:
            return None
        inner = level.inner(_inside(outer, main.node, level.findings), path or parent, kind)
        inner.strict = kind in _OPAQUE
        return inner

    def _splits(self, level: _Level, outer: Node, group: list[Found]) -> bool:
        """Return whether a definition is cut at its members, such as the methods of a class."""
        if level.row.data and not any(found.kind in level.row.splits.split() for found in group):
            return False
        if any(found.whole or found.kind in _OPAQUE for found in group):
            return False
        named = level.findings.names_type(group[0])
        starts = level.findings.member_starts if named else level.findings.starts
        if named and group[0].kind in CONTAINERS:  # one chunk, unless its members are named, too
            return bisect_left(starts, outer.end_byte) > bisect_left(starts, outer.start_byte)
        inside = bisect_left(starts, outer.end_byte) - bisect_left(starts, outer.start_byte)
        return inside > len(group)

    def _definitions(
        self, namer: Namer, group: Sequence[Found], around: str = ""
    ) -> list[Definition]:
        """Return the names of definitions with kinds and lines, in order."""
        names = {}
        for found in sorted(group, key=attrgetter("pattern"), reverse=True):
            names.update(found.names)
        made = []
        for _, name in sorted(names.items()):
            written = namer.name(name)
            if written:
                line = self.lines.row(name_end(name.node) - 1) + 1
                kind = "test" if namer.title(name.node) else _kind(name.kind, around)
                made.append(Definition(written, kind, line))
        return made

    def _add(self, piece: Piece) -> None:
        if self.pieces and piece.row <= self.pieces[-1].last:
            self.pieces[-1].absorb(piece)
            if piece.path:
                self.pieces[-1].path = piece.path
        else:
            self.pieces.append(piece)


def _span(node: Node) -> Range:
    return Range(node.start_point, node.end_point, node.start_byte, node.end_byte)


def _goes_on(piece: Piece, level: _Level, kind: str) -> bool:
    if piece.path:
        return piece.path == level.parent
    return not piece.definitions and piece.kind == kind and piece.parent == level.parent


def _kind(kind: str, around: str) -> str:
    return _IN_A_TYPE.get(kind, kind) if around in _TYPES else kind


def _encloses_rest(found: Found) -> bool:
    """Return whether a namespace has no body, so that it contains what follows."""
    return found.opens and found.node.child_by_field_name("body") is None


def _bodiless(node: Node) -> bool:
    """Return whether a function is declared without a body."""
    if node.type not in _SIGNATURES or node.child_by_field_name("body") is not None:
        return False
    last = node.named_child(node.named_child_count - 1) if node.named_child_count else None
    return last is None or last.type not in BODIES


def _inside(outer: Node, node: Node, findings: Findings) -> list[Node]:
    """Return the nodes inside a definition: of its body, else after it in its statement, else
    children.
    """
    body = node.child_by_field_name("body")
    if body is not None and (findings.has_definition(body) or not findings.has_definition(node)):
        return [body] if body.id in findings.by_key else body.named_children
    if outer.end_byte > node.end_byte + 1:
        # In Zig a function's block stands beside its prototype, both in one declaration.
        after = [child for child in outer.named_children if child.start_byte >= node.end_byte]
        if after:
            return after
    return node.named_children
