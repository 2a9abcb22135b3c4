"""The tool `describe_image`."""

from __future__ import annotations

from ragit import render
from ragit.errors import NotDescribed
from ragit.mcp.arguments import Arguments
from ragit.mcp.call import Call
from ragit.mcp.listing import Listing
from ragit.mcp.paths import of_file
from ragit.mcp.workspace import Workspace
from ragit.reports import ImageDescribed


def answer(workspace: Workspace, arguments: Arguments, call: Call) -> Listing:
    """Return the stored description of an image. No model is asked just because a client wants to
    know.

    Raises NotDescribed.
    """
    with workspace.opened() as index:
        path, ref = str(arguments["path"]), arguments.get("ref")
        found = index.describe(of_file(index, path), ref=None if ref is None else str(ref))
    if not isinstance(found, ImageDescribed):
        raise NotDescribed(f"{path} is no image", "Pass path: an image, such as docs/overview.png")
    if not found.text:
        raise NotDescribed(f"{path} is not described yet", "Type: ragit index")
    lines = [f"{render.visible(found.path)}:", *map(render.visible, found.text.splitlines())]
    return Listing(
        found.blob, found.ref, 1, lambda at, first: lines, complete=True, noun="image", of="image"
    )
