"""Serve one client on standard input and output, and end when the client is gone."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from ragit.mcp.server import tool_server

_LOOK_EVERY_S = 1.0


def serve_stdio(folder: Path, environ: Mapping[str, str]) -> None:
    """Serve a client until it closes its end, or is gone.

    Standard output carries only the protocol: everything else written to it goes to standard error.
    """
    # Clients end a server by a signal, and the thread that reads the input could not be ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):  # not on Windows; nohup ignores it for its children
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    threading.Thread(target=_end_with_client, args=(os.getppid(),), daemon=True).start()
    server = tool_server(folder, environ)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.sdk.run(read, write, server.sdk.create_initialization_options())
            os._exit(0)  # without waiting for a call that is running

    anyio.run(serve)


def _end_with_client(client: int) -> None:
    """End this process when its parent is gone.

    Usually the input ends then, but another process may have inherited the client's end of it.
    """
    while os.getppid() == client:
        time.sleep(_LOOK_EVERY_S)
    os._exit(0)
