"""Load grammars and parse text with them, within a time limit."""

from __future__ import annotations

import threading
from functools import cache
from time import thread_time

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Range
from tree_sitter_language_pack import get_language

from ragit.chunk.patience import NONE, Patience

COMMENTS = frozenset(
    "comment line_comment block_comment multiline_comment doc_comment documentation_comment haddock"
    " marginalia Comment html_comment js_comment bracket_comment pod container_doc_comment".split()
)


@cache
def grammar(name: str) -> Grammar:
    """Return the grammar of that name."""
    return get_language(name)  # type: ignore[arg-type]


_MEASURE_EVERY = 4
_PATIENCE = 2.0
_SLOWEST = 100_000
"""Seconds of processor time that any parse may take, and the bytes a second it must do beyond that.
Ordinary files go 20 to 100 times as fast; the rest is text made to hurt, such as ten thousand
opening marks. Where exactly the line is crossed may differ between machines, so it lies far
outside of what people write."""

_BRIEFLY = 0.25
_SLOW = 400_000
"""The same for a try that is soon given up: still far slower than ordinary files go."""


def parse(name: str, text: bytes, patience: Patience, span: Range | None = None) -> Node | None:
    """Return the root of the syntax tree of a text, or of one span of it; None if parsing takes too
    long."""
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
        # tree-sitter 0.26 never releases what it is given here, and a grammar that looks back
        # (Scala's) asks for the same places again and again: they are answered with the same
        # object.
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
    """Parsers by grammar, for one thread: Python runs other threads in the middle of a parse."""

    def __init__(self) -> None:
        self.known: dict[str, Parser] = {}

    def of(self, name: str) -> Parser:
        if name not in self.known:
            self.known[name] = Parser(grammar(name))
        return self.known[name]


_parsers = _Parsers()
