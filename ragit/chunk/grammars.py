"""Load grammars and parse text with them, within a time limit."""

from __future__ import annotations

import threading
from functools import cache
from time import thread_time

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Range
from tree_sitter_language_pack import get_language

from ragit.chunk.time_budget import NONE, TimeBudget

COMMENTS = frozenset(
    "comment line_comment block_comment multiline_comment doc_comment documentation_comment haddock"
    " marginalia Comment html_comment js_comment bracket_comment pod container_doc_comment".split()
)


@cache
def grammar(name: str) -> Grammar:
    """Return the grammar of this name."""
    return get_language(name)  # type: ignore[arg-type]


_MEASURE_EVERY = 4
_PARSE_S = 2.0
_SLOWEST = 100_000
"""Limit of any parse: processor seconds, and the bytes a second required beyond that.

Ordinary files parse 20 to 100 times as fast. Slower texts are hostile, such as ten thousand opening
marks. The exact limit differs between machines, so it is far from ordinary texts.
"""

_BRIEFLY = 0.25
_SLOW = 400_000
"""Limit for a brief try, still far above the time of ordinary files."""


def parse(name: str, text: bytes, budget: TimeBudget, span: Range | None = None) -> Node | None:
    """Return the root of the syntax tree of a text or one span of it; None if out of time."""
    if budget.kind == NONE:
        budget.over = True
        return None
    parser = _parsers.of(name)
    parser.included_ranges = [] if span is None else [span]
    view = memoryview(text)
    allowed = _BRIEFLY + len(text) / _SLOW if budget.brief else _PARSE_S + len(text) / _SLOWEST
    limit = thread_time() + allowed
    calls = 0

    def too_long(_offset: int, _has_error: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls % _MEASURE_EVERY == 0 and thread_time() > limit

    slices: dict[int, memoryview] = {}

    def read(offset: int, _point: object) -> memoryview:
        # tree-sitter 0.26 never releases the objects returned here, and a grammar that looks back
        # (Scala's) reads the same offset many times, so return the same object.
        found = slices.get(offset)
        if found is None:
            found = slices[offset] = view[offset:]
        return found

    try:
        return parser.parse(read, progress_callback=too_long).root_node
    except ValueError:
        parser.reset()
        budget.over = True
        return None
    finally:
        for given in slices.values():
            given.release()  # frees the text, though the view itself is never freed


class _Parsers(threading.local):
    """Parsers by grammar, one set for each thread: other threads run during a parse."""

    def __init__(self) -> None:
        self.known: dict[str, Parser] = {}

    def of(self, name: str) -> Parser:
        if name not in self.known:
            self.known[name] = Parser(grammar(name))
        return self.known[name]


_parsers = _Parsers()
