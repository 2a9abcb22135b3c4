"""The tool `search_semantic`."""

from __future__ import annotations

from collections.abc import Sequence

from ragit import render
from ragit.mcp.arguments import Arguments, several, text_or_none
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.workspace import Asked, Workspace
from ragit.query import Query
from ragit.records import replaced
from ragit.types import Answer

DEPTH = 50
"""Hits of the whole list, over all of its pages. All of 577 questions find one of their targets
among fifty (bench/agents.py).
"""

BEST_LINES, OTHER_LINES = 6, 4
"""Lines of the first hit at most, and of each other: what a hit shows decides how many are read for
the same tokens.
"""

_HEAD = render.FORMATS["compact"]


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the hits of a query, best first, each with the lines that answer."""
    query = query_of(arguments)
    asked = workspace.ask(
        lambda opened, index, on_index: opened.ask(replaced(query, index=index), on_index),
        query.ref,
        call,
    )
    if asked.answer.completeness.absent:
        workspace.close()  # what git lacks now may be there at the next call
    return listing(asked)


def query_of(arguments: Arguments) -> Query:
    """Return the query that a call asks."""
    return Query(
        str(arguments["query"]),
        ref=text_or_none(arguments, "ref"),
        paths=several(arguments, "path"),
        languages=several(arguments, "language"),
        top_k=DEPTH,
    )


def listing(asked: Asked[Answer]) -> Listing:
    """Return an answer as a list with a block for each hit."""
    found = asked.answer
    notes = [note for note in render.notes(found) if not note.startswith("no hits in")]
    return Listing(
        found.tree,
        found.ref,
        len(found.hits),
        lambda at, _: _block(
            replaced(found, hits=(found.hits[at],)), OTHER_LINES if at else BEST_LINES
        ),
        complete=found.complete,
        notes=(*filter(None, (asked.note,)), *notes),
        reusable=found.completeness.settled and not found.degraded,
    )


def _block(alone: Answer, most: int) -> Sequence[str]:
    """Return a hit as place, kind, name and score on one line, and the lines that answer."""
    options = render.RenderOptions(max_lines=most)
    return [*_HEAD(alone, options), *render.hit_lines(alone.query, alone.hits[0], options)]
