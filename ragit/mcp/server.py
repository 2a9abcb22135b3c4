"""The server, by the official SDK's lowest layer: lists the tools and calls them in threads."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
from anyio import from_thread, to_thread
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from ragit import __version__
from ragit.errors import RagitError
from ragit.mcp.call import Call, Cancelled
from ragit.mcp.tools import INSTRUCTIONS, TOOLS, Tool

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ragit.mcp.engine import Engine

    Context = ServerRequestContext[Any, Any]


IDLE_S = 60.0
"""Seconds without a call after which a server closes its repositories."""


class ToolServer:
    """The tools for any number of clients, in repositories relative to one folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str], tools: tuple[Tool, ...]) -> None:
        self._folder = folder
        self._environ = environ
        self._tools = {tool.name: tool for tool in tools}
        self._engine: Engine | None = None
        self.calls = 0
        """Number of running calls."""
        self._last_call_s = 0.0
        self.sdk: Server[Any] = Server(
            "ragit",
            version=__version__,
            title="ragit",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        """Speaks the protocol over each client's streams."""
        self.sdk.middleware.clear()  # nothing is traced

    async def _list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in self._tools.values()])

    async def _call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"there is no tool {params.name!r}; there are {', '.join(self._tools)}",
            )

        def report(done: int, total: int) -> None:
            from_thread.run(ctx.session.report_progress, done, total, "files indexed")

        call = Call(report)
        self.calls += 1
        self._last_call_s = time.monotonic()
        try:
            return await to_thread.run_sync(
                self._run, tool, params.arguments or {}, call, abandon_on_cancel=True
            )
        finally:
            self.calls -= 1
            call.cancel()

    def _run(self, tool: Tool, arguments: Mapping[str, object], call: Call) -> types.CallToolResult:
        """Run a tool in this thread. Errors are results, so that a model can read them."""
        from ragit.render import visible

        try:
            return _result(self._ready().run(tool, arguments, call))
        except RagitError as error:
            text = f"error: {visible(error.message)}\nhint: {visible(error.hint)}"
        except Cancelled:
            text = "error: the call was cancelled"
        except Exception:
            from ragit.crash import report

            log = report(["mcp", tool.name])
            text = f"error: ragit failed unexpectedly; the details are in {visible(str(log))}"
        return _result(text, failed=True)

    def close(self) -> None:
        """Close all repositories."""
        if self._engine is not None:
            self._engine.close()

    def _ready(self) -> Engine:
        """Return the engine, which is imported at the first call."""
        if self._engine is None:
            from ragit.mcp.engine import Engine

            self._engine = Engine(self._folder, self._environ)
            threading.Thread(target=self._close_when_idle, daemon=True).start()
        return self._engine

    def _close_when_idle(self) -> None:
        """Close all repositories whenever no call has come for `IDLE_S` seconds.

        An open store takes memory, and cannot be made smaller on a full disk.
        """
        while True:
            time.sleep(IDLE_S / 4)
            if not self.calls and time.monotonic() - self._last_call_s > IDLE_S:
                self.close()


def tool_server(folder: Path, environ: Mapping[str, str]) -> ToolServer:
    """Return a server for clients that work in a folder."""
    # A command line runs without the garbage collector; a server runs long enough to need it.
    gc.freeze()
    gc.enable()
    tools = TOOLS
    if any(tool.needs_images for tool in TOOLS):
        from ragit.mcp.workspace import describes_images

        if not describes_images(folder, environ):
            tools = tuple(tool for tool in TOOLS if not tool.needs_images)
    return ToolServer(folder, environ, tools)


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _result(text: str, *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=failed
    )
