"""A real HTTP server that speaks the embeddings protocol, and misbehaves as a test tells it to."""

from __future__ import annotations

import base64
import json
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
Wild = Callable[[BaseHTTPRequestHandler], None]
"""Writes to the connection what it likes, which is then cut."""
Reply = Callable[[dict[str, Any]], "Answer | Wild | None"]
"""What to answer to a request's payload; None cuts the connection."""


def vector(text: str, dimensions: int = 4) -> list[float]:
    """A vector that tells texts apart, not of length one."""
    return [float(sum(ord(c) * (place + 1) ** k for place, c in enumerate(text)) % 97 + 1) for k in range(dimensions)]


def as_base64(values: list[float]) -> str:
    """Numbers as the protocol packs them: float32, little-endian."""
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def well(payload: dict[str, Any], dimensions: int = 4) -> Answer:
    """The right answer, its rows not in order: the protocol numbers them."""
    size = payload.get("dimensions", dimensions)
    packed = payload.get("encoding_format") == "base64"
    rows = [
        {"index": i, "embedding": as_base64(vector(text, size)) if packed else vector(text, size)}
        for i, text in enumerate(payload["input"])
    ]
    return 200, {}, json.dumps({"data": rows[::-1], "model": payload["model"]}).encode()


def error(status: int, message: str, **headers: str) -> Answer:
    """An error in the protocol's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, json.dumps({"error": {"message": message}}).encode()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: who asks may go away in the middle of an answer."""


class EmbeddingServer:
    """Answers with `replies` in turn, then well. Keeps what was asked."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections: set[object] = set()
        """The other end of each connection on which something was asked."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one packet: written apart, each request takes 40 ms

            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def secure(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        payload = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.asked.append(payload)
        self.headers.append(dict(handler.headers))
        self.paths.append(handler.path)
        answer = self.replies.pop(0)(payload) if self.replies else well(payload)
        self.connections.add(handler.client_address)
        if not isinstance(answer, tuple):
            handler.close_connection = True
            with suppress(OSError):
                if answer is not None:
                    answer(handler)
            return
        status, headers, body = answer
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
            if (name, value) == ("Connection", "close"):
                handler.close_connection = True
        handler.end_headers()
        handler.wfile.write(body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
