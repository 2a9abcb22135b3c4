"""Serve the clients of a Unix socket, until ten minutes without activity."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio
import mcp_types as types
from anyio.abc import Listener, ObjectReceiveStream, ObjectSendStream, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.shared.message import SessionMessage

from ragit.errors import OutputFailed
from ragit.mcp.server import ToolServer, tool_server

IDLE_S = 600.0
"""Seconds without a message or a running call after which the server ends."""

MOST_BYTES = 1 << 20
"""Limit of one message, in bytes. An argument is a question or a path."""

_LOOK_EVERY_S = 1.0


def socket_path(environ: Mapping[str, str]) -> Path:
    """Return the usual path of the socket, in a folder only for this user."""
    folder = environ.get("XDG_RUNTIME_DIR", "")
    if folder and Path(folder).is_absolute():
        return Path(folder) / "ragit" / "mcp.sock"
    home = environ.get("HOME") or str(Path.home())
    return Path(home) / ".cache" / "ragit" / "mcp.sock"


def serve_socket(
    path: Path, folder: Path, environ: Mapping[str, str], idle_s: float = IDLE_S
) -> None:
    """Serve clients of a socket that only this user can open, until it was idle for `idle_s`.

    Raises OutputFailed if it cannot be created, or if another server listens there.
    """
    server = tool_server(folder, environ)
    anyio.run(_SocketServer(path, server, idle_s).serve)
    server.close()


class _SocketServer:
    def __init__(self, path: Path, server: ToolServer, idle_s: float) -> None:
        self._path = path
        self._server = server
        self._idle_s = idle_s
        self._used = 0.0

    async def serve(self) -> None:
        """Listen until the server was idle for long enough, and remove the socket."""
        listener = await self._listener()
        own = self._path.stat().st_ino
        self._used = anyio.current_time()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(listener.serve, self._client)
                while self._server.calls or anyio.current_time() - self._used < self._idle_s:
                    await anyio.sleep(min(_LOOK_EVERY_S, self._idle_s))
                group.cancel_scope.cancel()
        finally:
            with suppress(OSError):
                if self._path.stat().st_ino == own:
                    self._path.unlink()

    async def _listener(self) -> Listener[SocketStream]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            await self._remove_left_over()
            before = os.umask(0o177)  # from the first moment on, no other user can connect
            try:
                return await anyio.create_unix_listener(self._path, mode=0o600)
            finally:
                os.umask(before)
        except OSError as error:
            raise OutputFailed(
                f"cannot listen on {self._path}: {error.strerror or error}",
                "Name another path: ragit serve --socket PATH",
            ) from error

    async def _remove_left_over(self) -> None:
        """Remove the socket of a server that was killed. Raises OutputFailed if one listens."""
        try:
            is_socket = stat.S_ISSOCK(self._path.lstat().st_mode)
        except FileNotFoundError:
            return
        if is_socket:
            with suppress(ConnectionRefusedError):
                async with await anyio.connect_unix(self._path):
                    raise OutputFailed(
                        f"a server listens on {self._path} already", "Use it, or end it first"
                    )
            self._path.unlink()
            return
        raise OutputFailed(f"{self._path} is no socket", "Remove it, or name another path")

    async def _client(self, stream: SocketStream) -> None:
        """Serve one client: a JSON object on each line, as on standard input and output."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        sdk = self._server.sdk
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with stream, anyio.create_task_group() as group:
                group.start_soon(self._write, from_server, stream)
                group.start_soon(
                    sdk.run, from_client, to_client, sdk.create_initialization_options()
                )
                await self._read(stream, to_server)
                group.cancel_scope.cancel()

    async def _read(
        self,
        stream: SocketStream,
        to_server: ObjectSendStream[SessionMessage | Exception],
    ) -> None:
        lines = BufferedByteReceiveStream(stream)
        async with to_server:
            while True:
                try:
                    line = await lines.receive_until(b"\n", MOST_BYTES)
                except (anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound):
                    return
                self._used = anyio.current_time()
                await to_server.send(_message(line))

    async def _write(
        self, from_server: ObjectReceiveStream[SessionMessage], stream: SocketStream
    ) -> None:
        async with from_server:
            async for sent in from_server:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stream.send(text.encode() + b"\n")


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
