"""Name a definition: its identifier, its parent, its signature and its docstring."""

from __future__ import annotations

import html
import re

from tree_sitter import Node

from ragit.chunk.comments import plain
from ragit.chunk.pieces import MAX_DOC, MAX_PARENT, MAX_SIGNATURE, MAX_SYMBOL
from ragit.chunk.query import Found, Name
from ragit.chunk.row import Language

BODIES = frozenset(
    (
        "block body class_body interface_body enum_body annotation_type_body object_type"
        " statement_block declaration_list field_declaration_list enumerator_list body_statement"
        " do_block do_group enum_class_body function_body statements protocol_body"
        " compound_statement enum_declaration_list statement_list template_body with_template_body"
        " indented_block braced_expression structure signature contract_body message_body"
        " extension_body class_declarations instance_declarations code_block script_block"
        " mixin_body"
    ).split()
)
"""Types of nodes that are bodies, for grammars without a field for them."""

TITLES = " › "
"""Separator of the titles of nested tests."""

_CLOSING_MARKS = re.compile(r"\s#+$|\s*\{#[^{}]*\}$")
_TAG = re.compile(r"<[^<>]*>?")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_FREE = frozenset("test describe impl instance implementation extension section".split())
"""Kinds whose names may be any text: titles, and types with their arguments."""
_QUALIFIED = frozenset("namespace package module protocol implementation".split())
"""Kinds whose name is the whole path."""
_QUALIFIER = re.compile(r"::|[./\\]")
_NO_OWNERS = frozenset(
    "this self exports module module.exports global script local private".split()
)
"""Objects and scopes before a name that are not its type or module."""


class Namer:
    """Names the definitions of one text in one language."""

    def __init__(self, row: Language, text: bytes, source: bytes) -> None:
        self.row = row
        self.text = text
        self.source = source
        self.identifier = re.compile(row.identifier)
        self.qualifiers = row.qualifiers.split()
        self._known: dict[int, tuple[str, str]] = {}

    def name(self, name: Name) -> str:
        """Return a definition's name without its owners; empty if invalid in this language."""
        title = self.title(name.node)
        if title:
            return title
        written = name.prefix + self._resolved(name)[1]
        quoted = self.text[name.node.start_byte : name.node.start_byte + 1] == b"`"
        if name.kind in _FREE or self.row.data or name.prefix or quoted:
            return written
        parts = _QUALIFIER.split(written) if name.kind in _QUALIFIED else [written]
        return written if all(map(self.identifier.fullmatch, parts)) else ""

    def title(self, node: Node) -> str:
        """Return the title that a rewrite made a function's name of; empty for other names."""
        if self.row.name not in ("bash", "cpp"):
            return ""
        node = declared(node)
        start, end = node.start_byte, node.end_byte
        quote = self.source[max(0, start - 1) : start]
        if quote not in (b'"', b"'") or self.source[end : end + 1] != quote:
            return ""
        return self.source[start : min(end, start + MAX_SYMBOL)].decode("utf-8", "ignore")

    def owner(self, parent: str, found: Found) -> str:
        """Return the parent of a definition with the type that qualifies its name (`Foo::bar`)."""
        if self.qualifiers and found.names:
            owner = self._resolved(next(iter(found.names.values())))[0]
            if owner and owner not in _NO_OWNERS:
                parent = self.path(parent, owner)
        if found.owner is not None:
            written = self._words(found.owner.start_byte, found.owner.end_byte, MAX_SYMBOL)
            parent = self.path(parent, written.lstrip("*").partition("[")[0])
        return parent

    def path(self, parent: str, symbol: str, kind: str = "") -> str:
        """Return the parent of definitions inside a definition."""
        if not symbol or len(parent) > MAX_PARENT:
            return parent
        join = TITLES if kind == "describe" else self.row.join
        return f"{parent}{join}{symbol}" if parent else symbol

    def signature(self, outer: Node, node: Node) -> str:
        """Return a declaration without its body, on one line."""
        start = (node if outer.type.startswith("decorated") else outer).start_byte
        body = node.child_by_field_name("body")
        if body is None and node.named_child_count:
            tail = node.named_child(node.named_child_count - 1)
            body = tail if tail is not None and tail.type in BODIES else None
        if body is not None and body.start_byte > start:
            end = body.start_byte
        else:
            end = self.text.find(b"\n", start, node.end_byte)
            end = node.end_byte if end < 0 else end
        words = self.source[start : min(end, start + MAX_SIGNATURE)].decode("utf-8", "ignore")
        return " ".join(words.split()).rstrip("{:=(; ")

    def docstring(self, found: Found) -> str:
        """Return the text of a definition's docstring."""
        for node in found.docs:
            return plain(self._words(node.start_byte, node.end_byte, 2 * MAX_DOC), MAX_DOC)
        return ""

    def _resolved(self, name: Name) -> tuple[str, str]:
        """Return the owners and the last part of a name."""
        start = name.node.start_byte
        if start not in self._known:
            self._known[start] = self._split(self._written(name.node), name.kind)
        return self._known[start]

    def _split(self, name: str, kind: str) -> tuple[str, str]:
        """Return the owners of a qualified name, joined by dots, and its last part."""
        if "<" in name and "::" in self.qualifiers and not name.startswith("operator"):
            name = _ARGUMENTS.sub("", name)
        if name.startswith(("[", "operator")) or kind in _FREE:
            return "", name
        by = max(self.qualifiers, key=name.rfind, default="")
        owner, found, rest = name.rpartition(by) if by else ("", "", name)
        if not (found and rest and owner):
            return "", name
        for each in self.qualifiers:
            owner = owner.replace(each, ".")
        return owner.removesuffix(".prototype"), rest.lstrip(self.row.sigils)

    def _written(self, node: Node) -> str:
        """Return a name as written, without quotes and sigils."""
        node = declared(node)
        if node.type == "element":
            words = self._words(node.start_byte, node.end_byte, 4 * MAX_SYMBOL)
            return " ".join(html.unescape(_TAG.sub("", words)).split())[:MAX_SYMBOL]
        if node.type == "qualified_identifier" or node.type == "operator_cast":
            return self._qualified(node)
        name = " ".join(self._words(node.start_byte, node.end_byte, MAX_SYMBOL).split())
        if self.row.name == "markdown":
            name = _CLOSING_MARKS.sub("", name)
        name = name.lstrip(self.row.sigils) if self.row.sigils else name
        return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name

    def _qualified(self, node: Node) -> str:
        """Return a qualified name of C++ or the name of a conversion, without its parameters."""
        end = node.end_byte
        inner: Node | None = node
        while inner is not None and inner.type == "qualified_identifier":
            inner = inner.child_by_field_name("name")
        if inner is not None and inner.type == "operator_cast":
            declarator = inner.child_by_field_name("declarator")
            end = declarator.start_byte if declarator is not None else end
        return " ".join(self._words(node.start_byte, end, MAX_SYMBOL).split())

    def _words(self, start: int, end: int, limit: int) -> str:
        return self.text[start : min(end, start + limit)].decode("utf-8", "ignore")


def name_end(node: Node) -> int:
    """Return the offset after a name; of an element whose text is the name, after its first tag."""
    if node.type == "element" and node.named_children:
        return node.named_children[0].end_byte
    return declared(node).end_byte


def declared(node: Node) -> Node:
    """Return the innermost declarator of a C declaration: the `f` of `*(*f)(void)`."""
    for _ in range(50):
        if node.type == "operator_cast":
            break
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type.endswith("_declarator"):
            # Some declarators contain the next one without a field: `int (*f)(void)`.
            inner = next(
                (child for child in node.named_children if child.type.endswith("declarator")),
                None,
            ) or next((child for child in node.named_children if "identifier" in child.type), None)
        if inner is None:
            break
        node = inner
    return node
