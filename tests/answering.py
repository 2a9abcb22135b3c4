"""A real HTTP server that answers JSON to JSON as a test tells it to, at once or late."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple

Payload = dict[str, Any]


class Raw(NamedTuple):
    """An answer that is not 200 with JSON."""

    status: int
    body: bytes


Reply = Callable[[Payload], object]
"""What to answer to a request: a value for JSON, or `Raw`."""


class AnsweringServer:
    """Answers every POST with `reply`; keeps what was asked. Use it in a `with`."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[Payload] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.hold = threading.Event()
        """While it is cleared, answers wait."""
        self.hold.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        payload = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.asked.append(payload)
        self.paths.append(handler.path)
        self.keys.append(handler.headers.get("Authorization"))
        answer = self.reply(payload)
        self.hold.wait(10)
        status, body = answer if isinstance(answer, Raw) else (200, json.dumps(answer).encode())
        try:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:  # nobody waits for it any more
            handler.close_connection = True

    def __enter__(self) -> AnsweringServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def said(text: str) -> object:
    """What a chat server answers that says this."""
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
