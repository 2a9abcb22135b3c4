"""Starts a server as an agent would, and requests its list of tools."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

PATIENCE_S = 15.0
"""Timeout of an answer in seconds: a busy machine takes some to start a server."""

_MOST = 1_000_000
"""Limit of an answer in bytes."""

_ENDED = "it ended, or did not answer in time"

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "ragit doctor", "version": "1"},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


class Silent(Exception):
    """A server that did not answer; the text tells how it failed, as the end of a sentence."""


def tools_of(
    command: Sequence[str], environ: Mapping[str, str], seconds: float = PATIENCE_S
) -> list[str]:
    """Start a server with an empty PATH, and return the names of its tools. Raises Silent.

    An agent started from a desktop may lack a shell's PATH. The server runs in the root folder,
    where it has nothing to read, and is ended afterwards.
    """
    try:
        server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(command[0]).anchor or "/",
            env={**environ, "PATH": ""},
            start_new_session=True,
        )
    except OSError as error:
        raise Silent(f"it cannot be started: {error.strerror}") from error
    timer = threading.Timer(seconds, _kill, [server])
    timer.start()
    try:
        return _list_tools(cast(BinaryIO, server.stdin), cast(BinaryIO, server.stdout))
    finally:
        timer.cancel()
        _end(server)


def _list_tools(to: BinaryIO, back: BinaryIO) -> list[str]:
    """Begin a session, and return the names of the tools. Raises Silent."""
    try:
        _send(to, _INITIALIZE)
        _answer(back, 1)
        _send(to, _INITIALIZED, _LIST)
        tools = _answer(back, 2)["tools"]
        return [str(tool["name"]) for tool in tools]  # type: ignore[attr-defined]
    except OSError as error:
        raise Silent(_ENDED) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Silent("it answered something else than the protocol") from error


def _send(to: BinaryIO, *messages: object) -> None:
    to.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    to.flush()


def _answer(back: BinaryIO, number: int) -> dict[str, object]:
    """Return the result of the request with this number, skipping notifications."""
    while True:
        line = back.readline(_MOST)
        if not line:
            raise Silent(_ENDED)
        message = json.loads(line)
        if message.get("id") == number:
            result: dict[str, object] = message["result"]
            return result


def _kill(server: subprocess.Popen[bytes]) -> None:
    """Kill a server and what it started."""
    # The group first: until the server is waited for, no other process gets its id.
    with contextlib.suppress(OSError, AttributeError):  # it is gone, or Windows has no groups
        os.killpg(server.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        server.kill()


def _end(server: subprocess.Popen[bytes]) -> None:
    """Kill a server and what it started, wait for it, and close its pipes."""
    _kill(server)
    server.wait()
    for pipe in (server.stdin, server.stdout):
        with contextlib.suppress(OSError):  # what a dead process cannot read
            cast(BinaryIO, pipe).close()
