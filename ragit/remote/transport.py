"""Sends requests to one server over httpx2, within limits on time, bytes and concurrency.

The `openai` client and plain `httpx2` both use this transport. It decides what they may not: the
headers of a request, whether to retry, and when an answer is too late or too large. Redirects are
not followed, since they would carry the key and the code to another host.
"""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore2
import httpx2

from ragit.errors import ConfigError
from ragit.records import NamedTuple
from ragit.remote.concurrency import ConcurrencyLimit
from ragit.remote.error_meaning import Response, later
from ragit.remote.server import Server, on_this_machine

_ERROR_BYTES = 100_000
"""Limit of bytes read of an error, whose beginning gives the reason."""

_SHORTEST_WAIT = 0.375
"""Least seconds before the openai client's first retry."""


class Call(NamedTuple):
    """Limits of one call, which may take several requests."""

    end: float
    """Deadline of the call, by `time.monotonic`."""
    largest: int
    """Limit of bytes of an answer, inflated."""
    longest_wait: float
    """Limit of seconds between two tries; a server that asks for more has a used-up quota."""
    repeats_timeouts: bool
    """Repeat a request after a timeout, though the server may still be working on it."""
    over: threading.Event
    """Set when the result is no longer wanted."""


class Stopped(Exception):
    """A failure after which the call is not retried."""


class Cancelled(Stopped):
    """The result is no longer wanted."""


class TimedOut(Stopped):
    """No answer in time, from a server that may still be working on it."""


class NoConnection(Stopped):
    """No connection: a wrong name, a closed port, an untrusted certificate."""


class TooMuch(Stopped):
    """The answer is larger than allowed."""


_CALL: ContextVar[Call] = ContextVar("call")
_UNTIL: ContextVar[float] = ContextVar("until")
"""Deadline of the running request, by `time.monotonic`."""


@contextmanager
def limits(call: Call) -> Iterator[None]:
    """Apply limits to requests of this thread."""
    token = _CALL.set(call)
    try:
        yield
    finally:
        _CALL.reset(token)


class Transport(httpx2.BaseTransport):
    """Connections to one address. Threads may share it."""

    def __init__(self, server: Server, address: SplitResult) -> None:
        self._origin = (address.scheme, address.netloc)
        self._query = address.query
        self._timeout = server.timeout
        self._headers = _headers(server)
        self._limit = ConcurrencyLimit(server.concurrency)
        context = _certificates(server.ca_file) if address.scheme == "https" else None
        self._pool = _pool(_proxy_for(address, server.proxy), context)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises `Stopped`, or an error of httpx2 if it may be retried."""
        call = _CALL.get()
        with self._limit:
            if call.over.is_set():
                raise Cancelled("was cancelled")
            token = _UNTIL.set(min(time.monotonic() + self._timeout, call.end))
            try:
                answer = self._exchange(request, call.largest)
            except httpcore2.TimeoutException as error:
                if call.repeats_timeouts and time.monotonic() < call.end:
                    raise httpx2.ReadTimeout("no answer in time") from error
                raise TimedOut("no answer in time") from error
            finally:
                _UNTIL.reset(token)
        return self._with_retry_header(answer, call)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _exchange(self, request: httpx2.Request, largest: int) -> Response:
        url = request.url
        target = (
            url.raw_path
            if url.query or not self._query
            else url.raw_path + b"?" + self._query.encode()
        )
        assert (url.scheme, url.netloc.decode()) == self._origin, "a request to another host"
        headers = [
            (b"Host", url.netloc),
            *self._headers,
            (b"Content-Length", request.headers["Content-Length"].encode()),
        ]
        address = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=target
        )
        try:
            response = self._begin(address, headers, request.content)
            try:
                return _read(response, largest)
            finally:
                response.close()
        except httpcore2.TimeoutException:
            raise
        except (httpcore2.ConnectError, httpcore2.ProxyError) as error:
            if isinstance(error.__cause__, ConnectionResetError):
                raise httpx2.ConnectError(_words(error)) from error
            raise NoConnection(_words(error)) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, zlib.error) as error:
            raise httpx2.ReadError(_words(error)) from error

    def _begin(
        self, address: httpcore2.URL, headers: Sequence[tuple[bytes, bytes]], content: bytes
    ) -> httpcore2.Response:
        """Send a request and read the head of the answer.

        If the server closed a kept connection meanwhile, another one is used.
        """
        while True:
            opened: list[str] = []

            def trace(event: str, _: object, opened: list[str] = opened) -> None:
                if event == "connection.connect_tcp.complete":
                    opened.append(event)

            request = httpcore2.Request(
                "POST", address, headers=headers, content=content, extensions={"trace": trace}
            )
            try:
                return self._pool.handle_request(request)
            except (httpcore2.RemoteProtocolError, httpcore2.ReadError, httpcore2.WriteError):
                if opened:
                    raise

    def _with_retry_header(self, answer: Response, call: Call) -> httpx2.Response:
        """Return the answer with the header that tells the openai client whether to retry."""
        headers = {"location": answer.headers.get("location", "").encode("latin-1")}
        again = later(answer) if answer.status >= 300 else None
        if again is None:
            self._limit.succeeded()
        elif again.busy:
            self._limit.is_busy(again.after or 0.0)
        wait = _SHORTEST_WAIT
        if again and again.after is not None:
            wait = again.after
            headers["retry-after-ms"] = b"%d" % (1000 * wait)
        in_time = wait <= call.longest_wait and time.monotonic() + wait < call.end
        headers["x-should-retry"] = b"true" if again and in_time else b"false"
        return httpx2.Response(
            answer.status,
            headers=[(name.encode(), value) for name, value in headers.items()],
            content=answer.content,
            extensions={"reason_phrase": answer.reason.encode("ascii", "replace")},
        )


class _Timed(httpcore2.NetworkStream):
    """A connection whose reads all end at the request's deadline.

    Otherwise each byte would have the whole timeout: a status line and headers may come byte by
    byte, and "100 Continue" any number of times.
    """

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _remaining_seconds())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _remaining_seconds())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, _remaining_seconds()))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    """Opens connections within the deadline, however many addresses a name has."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        failed: Exception = httpcore2.ConnectError("its name has no address")
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(error) from error
        for *_, address in found:
            try:
                return _Timed(super().connect_tcp(str(address[0]), port, _remaining_seconds()))
            except httpcore2.ConnectError as error:
                failed = error
        raise failed


def _remaining_seconds() -> float:
    left = _UNTIL.get() - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout
    return left


def _read(response: httpcore2.Response, largest: int) -> Response:
    """Read the body piece by piece, so that an endless one does not fill the memory."""
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1").strip()
        for name, value in response.headers
    }
    inflate = _inflater(headers.get("content-encoding", "").lower())
    refused = response.status >= 300
    most = min(largest, _ERROR_BYTES) if refused else largest
    content = _body(response, inflate, most)
    if len(content) > most and not refused:
        raise TooMuch(f"sent more than {largest:,} bytes")
    if inflate and content and not inflate.eof and len(content) <= most:
        raise httpcore2.RemoteProtocolError("the answer was cut short")
    kept = {name: headers[name] for name in ("location", *_WAITS) if name in headers}
    reason = bytes(response.extensions.get("reason_phrase", b"")).decode("latin-1")
    return Response(response.status, kept, content[:most], reason)


def _body(response: httpcore2.Response, inflate: Any, most: int) -> bytes:
    """Return the inflated body; `most` + 1 bytes or more if it is longer than `most`."""
    content = bytearray()
    for piece in response.iter_stream():
        _remaining_seconds()  # a buffered piece is given without a read
        if inflate and inflate.eof:
            raise httpcore2.RemoteProtocolError("data after the end of the compressed answer")
        content += inflate.decompress(piece, most + 1 - len(content)) if inflate else piece
        if len(content) > most:
            break
    return bytes(content)


_WAITS = ("retry-after", "retry-after-ms")


def _inflater(encoding: str) -> Any:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: gzip or zlib, by the first bytes
    raise httpcore2.RemoteProtocolError(f"an encoding that was not asked for: {encoding[:20]!r}")


def _headers(server: Server) -> list[tuple[bytes, bytes]]:
    """Return all headers except host and length; the client libraries add none."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "User-Agent": "ragit",
    }
    if server.key:
        bearer = server.key_header.lower() == "authorization"
        headers[server.key_header] = f"Bearer {server.key}" if bearer else server.key
    headers.update(server.headers)
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def _certificates(ca_file: str) -> ssl.SSLContext:
    context = httpcore2.default_ssl_context()
    if ca_file:
        try:
            context.load_verify_locations(os.path.expanduser(ca_file))  # noqa: PTH111 - no pathlib here
        except (OSError, ssl.SSLError) as error:
            hint = "A file of certificates in PEM form: -----BEGIN CERTIFICATE-----"
            raise ConfigError(
                f"cannot read the certificates in {ca_file}: {error}", hint
            ) from error
    return context


def _pool(proxy: str, context: ssl.SSLContext | None) -> httpcore2.ConnectionPool:
    common: Mapping[str, Any] = {"ssl_context": context, "network_backend": _Backend()}
    if not proxy:
        return httpcore2.ConnectionPool(**common)
    parts = urlsplit(proxy)
    user = (unquote(parts.username or ""), unquote(parts.password or ""))
    return httpcore2.HTTPProxy(
        httpcore2.URL(scheme="http", host=parts.hostname or "", port=parts.port or 80, target="/"),
        proxy_auth=user if parts.username else None,
        **common,
    )


def _proxy_for(address: SplitResult, wanted: str) -> str:
    """Return the proxy to use; empty for none. A server on this machine needs none."""
    if wanted:
        return "" if wanted == "none" else wanted
    if on_this_machine(f"http://{address.netloc}"):
        return ""
    if sys.platform not in ("darwin", "win32") and not any(
        name.lower().endswith("_proxy") for name in os.environ
    ):
        return ""
    from urllib.request import getproxies, proxy_bypass  # 5 ms, only if a proxy may be configured

    if proxy_bypass(address.netloc):
        return ""
    proxies = getproxies()
    return _http_proxy(proxies.get(address.scheme) or proxies.get("all", ""))


def _http_proxy(found: str) -> str:
    """Return the URL of a proxy from the environment. Raises ConfigError unless it is http."""
    if found and "://" not in found:
        found = "http://" + found
    if found and not found.lower().startswith("http://"):
        raise ConfigError(
            f"the environment names a {found.partition('://')[0]} proxy, which ragit cannot use",
            'Only http:// proxies are supported: name one in the setting proxy, or "none"',
        )
    return found


def _words(error: BaseException) -> str:
    """Return the reason of a failure by its first cause."""
    cause = error
    while cause.__cause__ is not None or cause.__context__ is not None:
        cause = cause.__cause__ or cause.__context__ or cause
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}"
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
