"""MCP clients for tests: one that writes lines, and the official SDK's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from mcp import StdioServerParameters

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
COMMAND = [sys.executable, "-m", "ragit", "mcp"]


def parameters(folder: Path) -> StdioServerParameters:
    """Return the parameters with which the SDK's client starts a server in a folder."""
    return StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ), cwd=folder
    )


def request(number: int, method: str, params: Mapping[str, Any] | None = None) -> bytes:
    """Return a request as one line."""
    result = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
    return json.dumps(result).encode() + b"\n"


def initialize_params(version: str) -> dict[str, Any]:
    """Return the parameters of `initialize`."""
    return {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }


class LineClient:
    """Start a server in a process of its own, and exchange lines with it."""

    def __init__(self, folder: Path, version: str = LEGACY[-1]) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ),
        )
        self._number = 0
        self.notifications: list[dict[str, Any]] = []
        self.version = self.ask("initialize", initialize_params(version))["result"][
            "protocolVersion"
        ]
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def __enter__(self) -> LineClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close_input()
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()

    def close_input(self) -> None:
        """Close stdin, as a client does at its end."""
        assert self.process.stdin
        with suppress(BrokenPipeError):
            self.process.stdin.close()

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Write a request and return its number."""
        self._number += 1
        self.write(request(self._number, method, params))
        return self._number

    def answer(self, number: int) -> dict[str, Any]:
        """Read up to the answer to a request; keep the messages before it as notifications."""
        assert self.process.stdout
        while line := self.process.stdout.readline():
            result: dict[str, Any] = json.loads(line)
            if result.get("id") == number:
                return result
            self.notifications.append(result)
        raise EOFError("the server ended")

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self.answer(self.send(method, params))

    def call(self, name: str, arguments: Mapping[str, Any], **meta: Any) -> dict[str, Any]:
        """Return the result of a tool."""
        params = {"name": name, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        result: dict[str, Any] = self.ask("tools/call", params)["result"]
        return result


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a tool's result, which must be one block of text."""
    assert "structuredContent" not in result
    (block,) = result["content"]
    assert block["type"] == "text"
    return str(block["text"])


def function(name: str, *, lines: int = 3) -> str:
    """Return a Python function about retries."""
    body = "".join(f"    step_{name}_{at} = retry({at})\n" for at in range(lines))
    return f'def {name}():\n    """Retry the request {name} with backoff."""\n{body}\n\n'
