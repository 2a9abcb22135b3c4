"""The tool `get_file_skeleton`."""

from __future__ import annotations

from ragit import render
from ragit.mcp.arguments import Arguments, text_or_none
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.paths import of_file
from ragit.mcp.workspace import Workspace
from ragit.outlines import FileSkeleton
from ragit.render import outlines


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the declarations of a file with their lines, or a line for each file of a folder."""
    ref = text_or_none(arguments, "ref")
    asked = workspace.ask(
        lambda opened, index, on_index: opened.skeleton(
            of_file(opened, str(arguments.get("path", "."))),
            ref=ref,
            index=index,
            on_index=on_index,
        ),
        ref,
        call,
    )
    found = asked.answer
    lines = list(outlines.text(found, render.PLAIN))
    return Listing(
        found.tree,
        found.ref,
        len(lines),
        lambda at, first: (lines[at],),
        complete=not found.missing,
        notes=(*filter(None, (asked.note,)), *outlines.notes(found)),
        noun="line" if isinstance(found, FileSkeleton) else "file",
        reusable=not found.missing,
    )
