"""The tool `find_usages`."""

from __future__ import annotations

from collections.abc import Sequence

from ragit import render
from ragit.mcp.arguments import Arguments, several, text_or_none
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.workspace import Asked, Workspace
from ragit.render import usages
from ragit.usages import Usages

MOST = 2000
"""Limit of lines on all pages. For more, ask about a part of the repository."""

_OPTIONS = render.PLAIN


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the definitions of a name and the lines that use it, a block for each."""
    ref = text_or_none(arguments, "ref")
    asked = workspace.ask(
        lambda opened, index, on_index: opened.usages(
            str(arguments["name"]),
            ref=ref,
            paths=several(arguments, "path"),
            top_k=MOST,
            index=index,
            on_index=on_index,
        ),
        ref,
        call,
    )
    return _listing(asked)


def _listing(asked: Asked[Usages]) -> Listing:
    found = asked.answer
    notes = [usages.summary(found), *usages.notes(found)]
    if found.total > MOST:
        notes.append(f"note: {found.total - MOST:,} more lines are not listed; pass path")
    return Listing(
        found.tree,
        found.ref,
        len(found.definitions) + len(found.uses),
        lambda at, first: _block(found, at, first),
        complete=found.complete,
        notes=(*filter(None, (asked.note,)), *notes),
        noun="line",
        reusable=found.complete and not found.notes,
    )


def _block(found: Usages, at: int, first: int) -> Sequence[str]:
    """Return one line, below its path if the previous line is of another file."""
    number = at - len(found.definitions)
    if number < 0:
        return [usages.definition_line(found.definitions[at], _OPTIONS)]
    use = found.uses[number]
    line = usages.use_line(use, _OPTIONS)
    if number and at > first and found.uses[number - 1].path == use.path:
        return [line]
    return [render.visible(use.path), line]
