"""The server of the Model Context Protocol: search for coding agents and editors.

    tools        the table of tools: names, descriptions and arguments
    arguments    checks the arguments of a call
    engine       runs a tool in one of the open repositories
    workspace    keeps a repository open, and indexes a large tree in the background
    listing      cuts a result into pages with a cursor
    server       speaks the protocol, by the official SDK
    stdio        serves one client on standard input and output
    unix_socket  serves the clients of a Unix socket

Only `server`, `stdio` and `unix_socket` import the SDK. The search engine is imported at the first
call, so that a client's discovery never waits for it.
"""

from __future__ import annotations

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.mcp.stdio import serve_stdio
    from ragit.mcp.tools import TOOLS
    from ragit.mcp.unix_socket import serve_socket, socket_path
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "stdio": ["serve_stdio"],
            "tools": ["TOOLS"],
            "unix_socket": ["serve_socket", "socket_path"],
        },
    )
