"""The commands `ragit mcp` and `ragit serve`."""

from __future__ import annotations

import os
from pathlib import Path

from ragit.cli.call import Call
from ragit.cli.declare import command, option


@command(short_help="Serve a coding agent on standard input and output (MCP).")
def mcp(call: Call) -> None:
    """Serve a coding agent by the Model Context Protocol, on standard input and output.

    An agent starts this itself: name it in the agent's settings. Without a repository argument, its
    tools use the repository of the folder where the agent starts it.

    \b
    Example:
      ragit mcp
    """
    from ragit.mcp import serve_stdio

    serve_stdio(Path(call.directory), os.environ)


@command(short_help="Serve editors on a Unix socket.")
@option(
    "--socket",
    metavar="PATH",
    help="Listen there.  [default: ragit/mcp.sock in XDG_RUNTIME_DIR]",
)
def serve(call: Call, socket: str | None) -> None:
    """Serve editors on a Unix socket, with the tools and the protocol of `ragit mcp`.

    Only you can connect to it. It ends after ten minutes without a request, and is never started by
    itself.

    \b
    Example:
      ragit serve --socket ~/ragit.sock
    """
    from ragit.mcp import serve_socket, socket_path

    folder = Path(call.directory)
    serve_socket(Path(socket) if socket else socket_path(os.environ), folder, os.environ)
