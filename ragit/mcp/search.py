"""The tool `search_semantic`."""

from __future__ import annotations

from ragit import render
from ragit.mcp.arguments import Arguments
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.workspace import Workspace
from ragit.query import Query
from ragit.records import replaced
from ragit.types import Answer

DEPTH = 50
"""Hits of the whole list, over all of its pages. Of 577 questions, those whose answer is not among
fifty are better asked anew.
"""

LINES = 10
"""Lines of a hit at most."""

_SHOW = render.FORMATS["text"]
_STYLE = render.RenderOptions(max_lines=LINES)


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the hits of a query, best first, each with the lines that answer."""
    ref = arguments.get("ref")
    query = Query(
        str(arguments["query"]),
        ref=None if ref is None else str(ref),
        paths=tuple(str(arguments[name]) for name in ("path",) if name in arguments),
        languages=tuple(str(arguments[name]) for name in ("language",) if name in arguments),
        top_k=DEPTH,
    )
    return _listing(workspace.ask(query, call))


def _listing(found: Answer) -> Listing:
    return Listing(
        found.tree,
        found.ref,
        len(found.hits),
        lambda at: list(_SHOW(replaced(found, hits=(found.hits[at],)), _STYLE)),
        complete=found.complete,
        notes=tuple(note for note in render.notes(found) if not note.startswith("no hits in")),
        reusable=found.completeness.settled and not found.degraded,
    )
