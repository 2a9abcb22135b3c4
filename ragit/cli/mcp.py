"""The commands `ragit mcp` and `ragit serve`."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command(short_help="Serve a coding agent on standard input and output (MCP).")
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve a coding agent by the Model Context Protocol, on standard input and output.

    An agent starts this itself: name it in the agent's settings. Without a repository argument, its
    tools are about the repository of the folder in which the agent starts it.

    \b
    Example:
      ragit mcp
    """
    from ragit.mcp import serve_stdio

    serve_stdio(Path(ctx.obj["directory"]), os.environ)


@click.command(short_help="Serve editors on a Unix socket.")
@click.option(
    "--socket",
    type=click.Path(),
    metavar="PATH",
    help="Listen there.  [default: ragit/mcp.sock in XDG_RUNTIME_DIR]",
)
@click.pass_context
def serve(ctx: click.Context, socket: str | None) -> None:
    """Serve editors on a Unix socket, with the tools and the protocol of `ragit mcp`.

    Only you can connect to it. It ends after ten minutes without a request, and is never started by
    itself.

    \b
    Example:
      ragit serve --socket ~/ragit.sock
    """
    from ragit.mcp import serve_socket, socket_path

    folder = Path(ctx.obj["directory"])
    serve_socket(Path(socket) if socket else socket_path(os.environ), folder, os.environ)
