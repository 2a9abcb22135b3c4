"""The tool `search_semantic`."""

from __future__ import annotations

from collections.abc import Sequence

from ragit import render
from ragit.digests import digest
from ragit.mcp.arguments import Arguments, several, text_or_none
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.workspace import Asked, Large, Question, Workspace
from ragit.query import Query
from ragit.records import replaced
from ragit.repository import Ragit
from ragit.types import Answer, Oid, OnIndex

DEPTH = 50
"""Limit of hits on all pages. All of 577 questions find one of their targets among fifty
(bench/agents.py).
"""

BEST_LINES, OTHER_LINES = 6, 4
"""Limits of lines of the first hit, and of each other: shorter hits allow more hits for the same
tokens.
"""

THIS_BRANCH = "-"
"""The range of the commits of this branch since it left its upstream."""

_HEAD = render.FORMATS["compact"]


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the hits of a query, best first, each with the lines that answer."""
    query = query_of(arguments)
    if query.refs or query.new_in is not None or query.gone_since is not None:
        return listing(workspace.ask(_of_several(query), None, call))
    asked = workspace.ask(
        lambda opened, index, on_index: opened.ask(replaced(query, index=index), on_index),
        query.ref,
        call,
    )
    if asked.answer.completeness.absent:
        workspace.close()  # what git lacks now may be there at the next call
    return listing(asked)


def _of_several(query: Query) -> Question[Answer]:
    """Return a question about several trees, for which a call indexes only a few files. More are
    left to `ragit search`, and the answer says how many.
    """

    def question(opened: Ragit, index: bool, on_index: OnIndex | None) -> Answer:
        try:
            return opened.ask(replaced(query, index=index), on_index)
        except Large:
            return opened.ask(replaced(query, index=False))

    return question


def query_of(arguments: Arguments) -> Query:
    """Return the query of a call."""
    new_in = text_or_none(arguments, "new_in")
    return Query(
        str(arguments["query"]),
        ref=text_or_none(arguments, "ref"),
        refs=several(arguments, "refs"),
        new_in="" if new_in == THIS_BRANCH else new_in,
        gone_since=text_or_none(arguments, "gone_since"),
        paths=several(arguments, "path"),
        languages=several(arguments, "language"),
        top_k=DEPTH,
    )


def listing(asked: Asked[Answer]) -> Listing:
    """Return an answer as a list with a block for each hit."""
    found = asked.answer
    notes = [note for note in render.notes(found) if not note.startswith("no hits in")]
    left_out = f" without the code of {found.without.ref}" if found.without else ""
    return Listing(
        _tree(found),
        found.ref + left_out,
        len(found.hits),
        lambda at, _: _block(
            replaced(found, hits=(found.hits[at],)), OTHER_LINES if at else BEST_LINES
        ),
        complete=found.complete,
        notes=(*filter(None, (asked.note,)), *notes),
        of="trees" if found.without or found.union else "tree",
        reusable=found.completeness.settled and not found.degraded,
    )


def _tree(found: Answer) -> Oid:
    """Return the id of the list: the searched tree, or a digest of it and the one left out."""
    if found.without is None:
        return found.tree
    return Oid(digest(f"{found.tree} {found.without.tree}".encode()).hex())


def _block(alone: Answer, most: int) -> Sequence[str]:
    """Return a hit as place, kind, name and score on one line, and the lines that answer."""
    options = render.RenderOptions(max_lines=most)
    return [*_HEAD(alone, options), *render.hit_lines(alone.query, alone.hits[0], options)]
