"""An HTTP server for tests with scripted answers: at once, late, or malformed."""

from __future__ import annotations

import base64
import json
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Payload = dict[str, Any]
Answer = tuple[int, dict[str, str], bytes]
RawReply = Callable[[BaseHTTPRequestHandler], None]
"""Write anything to the connection, which is closed afterwards."""
Reply = Callable[[Payload], object]
"""Answer to a request: an `Answer`, a `Wild`, None to close the connection, or a value for JSON."""


def vector(text: str, dimensions: int = 4) -> list[float]:
    """Return a vector that differs between texts, not of unit length."""
    return [
        float(sum(ord(c) * (place + 1) ** k for place, c in enumerate(text)) % 97 + 1)
        for k in range(dimensions)
    ]


def as_base64(values: list[float]) -> str:
    """Encode numbers as the protocol does: float32, little-endian."""
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def embeddings_answer(payload: dict[str, Any], dimensions: int = 4) -> Answer:
    """Return the right answer, with its numbered rows out of order."""
    size = payload.get("dimensions", dimensions)
    packed = payload.get("encoding_format") == "base64"
    rows = [
        {"index": i, "embedding": as_base64(vector(text, size)) if packed else vector(text, size)}
        for i, text in enumerate(payload["input"])
    ]
    return 200, {}, json.dumps({"data": rows[::-1], "model": payload["model"]}).encode()


def error(status: int, message: str, **headers: str) -> Answer:
    """Return an error in the protocol's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, json.dumps({"error": {"message": message}}).encode()


def raw(status: int, body: bytes) -> Answer:
    """Return an answer with any body."""
    return status, {}, body


def chat_answer(text: object, **more: Any) -> dict[str, object]:
    """Return a language model's answer with this text."""
    choice = {"message": {"role": "assistant", "content": text, **more}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that leave in the middle of an answer."""


class AnsweringServer:
    """Answer with `replies` in turn, then with `reply`, and record requests. A context manager."""

    def __init__(self, reply: Reply, path: str = "") -> None:
        self.reply = reply
        self.replies: list[Reply] = []
        self.asked: list[Payload] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections: set[object] = set()
        """The client's end of each connection that made a request."""
        self.hold = threading.Event()
        """While cleared, answers wait."""
        self.hold.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = (
                1 << 16
            )  # head and body in one packet: written apart, each request takes 40 ms

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def secure(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def close(self) -> None:
        """Answer the waiting requests, and stop."""
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> AnsweringServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        payload = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.asked.append(payload)
        self.headers.append(dict(handler.headers))
        self.paths.append(handler.path)
        self.connections.add(handler.client_address)
        answer = (self.replies.pop(0) if self.replies else self.reply)(payload)
        self.hold.wait(10)
        if answer is None or callable(answer):
            handler.close_connection = True
            with suppress(OSError):
                if answer is not None:
                    answer(handler)
            return
        status, headers, body = (
            answer if isinstance(answer, tuple) else (200, {}, json.dumps(answer).encode())
        )
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
            if (name, value) == ("Connection", "close"):
                handler.close_connection = True
        handler.end_headers()
        handler.wfile.write(body)


class EmbeddingServer(AnsweringServer):
    """Answer with vectors; the address ends as OpenAI's does."""

    def __init__(self) -> None:
        super().__init__(embeddings_answer, "/v1")
