"""Connections to one server: opened, kept for the next request, and read within bounds. Knows bytes, not JSON.

On http.client rather than on a library above it. Importing http.client with TLS costs a query 19 ms, urllib3 48 ms and
the openai package 600 ms (measured on 2 cores, warm); what urllib3 would add here - a pool, proxies, inflating - is
this file. No redirect is followed: it would carry the key and the code to a host that nobody configured.
"""

from __future__ import annotations

import base64
import io
import os
import socket
import ssl
import sys
import time
import weakref
import zlib
from collections.abc import Mapping
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from ragit.errors import ConfigError
from ragit.remote.server import on_this_machine

_AT_ONCE = 1 << 16

_WORDS_OF_AN_ERROR = 100_000
"""Bytes of an error that are read: its beginning says why."""


class Response(NamedTuple):
    """What came back, whatever it says."""

    status: int
    headers: Mapping[str, str]
    """By their names in lower case: HTTP tells none apart by case."""
    content: bytes
    reason: str = ""


class Broken(Exception):
    """The connection was cut, or was too slow: the same request may succeed."""


class NoConnection(Exception):
    """There is none to be had: a wrong name, nobody there, a certificate that is not trusted."""


class TooMuch(Exception):
    """The answer is larger than allowed."""


class Wire:
    """Connections to one address. Threads may share it: each request has a connection to itself."""

    def __init__(self, address: SplitResult, proxy: str, ca_file: str) -> None:
        self._secure = address.scheme == "https"
        self._host = address.hostname or ""
        self._port = address.port or (443 if self._secure else 80)
        self._authority = address.netloc
        self._proxy = urlsplit(_proxy_for(self._secure, address.netloc, proxy))
        self._ca_file = ca_file
        self._tls: ssl.SSLContext | None = None
        self._idle: list[HTTPConnection] = []
        weakref.finalize(self, _close, self._idle)

    def post(
        self, target: str, headers: Mapping[str, str], body: bytes, *, until: float, largest: int
    ) -> Response:
        """One request and its answer, by `until` (of `time.monotonic`) and in at most `largest` bytes.

        Raises `Broken`, `NoConnection` or `TooMuch`.
        """
        if self._proxy.hostname and not self._secure:
            target = f"http://{self._authority}{target}"
            headers = {**headers, **_proxy_headers(self._proxy)}
        while self._idle:
            connection = self._idle.pop()
            try:
                return self._exchange(
                    connection, target, headers, body, until=until, largest=largest
                )
            except _Stale:
                continue  # the server closed it while it lay idle, and has read nothing
        connection = self._connect(until)
        try:
            return self._exchange(connection, target, headers, body, until=until, largest=largest)
        except _Stale as stale:
            raise Broken(str(stale)) from stale

    def _exchange(
        self,
        connection: HTTPConnection,
        target: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        until: float,
        largest: int,
    ) -> Response:
        whole = False
        try:
            _hold_to(connection, until)
            response = _begin(connection, target, headers, body)
            most = largest if response.status < 300 else min(largest, _WORDS_OF_AN_ERROR)
            with closing(response):  # left open, it would keep the connection for itself
                content = _content(response, most)
            whole = not response.will_close and len(content) < most
            named = {name.lower(): value.strip() for name, value in response.headers.items()}
            return Response(response.status, named, content, response.reason)
        except (TimeoutError, HTTPException, zlib.error, OSError) as error:
            raise Broken(_words(error)) from error
        finally:
            if whole:
                self._idle.append(connection)
            else:
                connection.close()

    def _connect(self, until: float) -> HTTPConnection:
        via = self._proxy if self._proxy.hostname else None
        host, port = (via.hostname or "", via.port or 80) if via else (self._host, self._port)
        wait = _left(until)
        if self._secure:
            connection: HTTPConnection = HTTPSConnection(
                host, port, timeout=wait, context=self._context()
            )
        else:
            connection = HTTPConnection(host, port, timeout=wait)
        if via and self._secure:
            connection.set_tunnel(self._host, self._port, _proxy_headers(via))
        _hold_to(connection, until)
        try:
            connection.connect()
        except (TimeoutError, ConnectionResetError, HTTPException) as error:
            connection.close()
            raise Broken(_words(error)) from error
        except OSError as error:
            connection.close()
            raise NoConnection(_words(error)) from error
        return connection

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            context = ssl.create_default_context()
            if self._ca_file:
                try:
                    context.load_verify_locations(os.path.expanduser(self._ca_file))  # noqa: PTH111 - no pathlib here
                except (OSError, ssl.SSLError) as error:
                    hint = "A file of certificates in PEM form: -----BEGIN CERTIFICATE-----"
                    raise ConfigError(
                        f"cannot read the certificates in {self._ca_file}: {error}", hint
                    ) from error
            self._tls = context
        return self._tls


class _Timely(io.RawIOBase):
    """What arrives on a socket, until a moment: each read is given what is left, and not a time of its own.

    A status line and headers may come byte by byte, and "100 Continue" any number of times before them.
    """

    def __init__(self, line: socket.socket, until: float) -> None:
        self._line = line
        self._until = until
        self._raw = line.makefile(
            "rb", buffering=0
        )  # which keeps the socket open for as long as it is read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._line.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()

    def makefile(self, mode: str) -> io.BufferedReader:
        """As a socket has it, since http.client takes a response for a file of its socket."""
        return io.BufferedReader(self)


def _hold_to(connection: HTTPConnection, until: float) -> None:
    """Let all that is said on this connection, by a proxy on the way too, take until then."""

    def response(line: Any, *args: Any, **more: Any) -> HTTPResponse:
        return HTTPResponse(cast(socket.socket, _Timely(line, until)), *args, **more)

    def connect(place: tuple[str, int], *_: Any) -> socket.socket:
        return _connected(place, until)

    connection.response_class = cast(type[HTTPResponse], response)
    setattr(connection, "_create_connection", connect)  # noqa: B010 - which http.client has for this, and types do not
    if connection.sock:
        connection.sock.settimeout(_left(until))


def _connected(place: tuple[str, int], until: float) -> socket.socket:
    """As `socket.create_connection`, which gives each address of a name all the time there is."""
    failed: OSError = OSError("its name has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(*place, type=socket.SOCK_STREAM):
        line = socket.socket(family, kind, protocol)
        try:
            line.settimeout(_left(until))
            line.connect(address)
            return line
        except OSError as error:  # a time that is over, too: then it is for all
            line.close()
            failed = error
    raise failed


class _Stale(Exception):
    """A connection on which nothing came back, not even the first line of an answer."""


def _begin(
    connection: HTTPConnection, target: str, headers: Mapping[str, str], body: bytes
) -> HTTPResponse:
    try:
        with suppress(
            BrokenPipeError, ConnectionResetError
        ):  # it may have said why before it stopped reading
            connection.request("POST", target, body, dict(headers))
        return connection.getresponse()
    except ConnectionError as error:  # RemoteDisconnected is one
        raise _Stale(_words(error)) from error


def _content(response: HTTPResponse, largest: int) -> bytes:
    """The body, inflated. Read piece by piece, so that an endless one does not fill the memory."""
    inflate = _inflater(response.headers.get("Content-Encoding", "").strip().lower())
    refused = response.status >= 300
    content = bytearray()
    while piece := response.read1(_AT_ONCE):
        if inflate and inflate.eof:
            raise HTTPException("it goes on behind its end")
        content += inflate.decompress(piece, largest + 1 - len(content)) if inflate else piece
        if len(content) > largest:
            if refused:  # the beginning says why
                return bytes(content[:largest])
            raise TooMuch(f"sent more than {largest:,} bytes")
    if response.length or (inflate and not inflate.eof and content):
        raise IncompleteRead(b"")
    return bytes(content)


def _inflater(encoding: str) -> zlib._Decompress | None:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: gzip or zlib, as its first bytes say
    raise HTTPException(f"it answered in an encoding that was not asked for: {encoding[:20]!r}")


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    return left


def _words(error: BaseException) -> str:
    if isinstance(error, IncompleteRead):
        return "the answer was cut short"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _close(idle: list[HTTPConnection]) -> None:
    for connection in idle:
        connection.close()


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode()}


def _proxy_for(secure: bool, authority: str, wanted: str) -> str:
    """The proxy to use; empty for none. A server on this machine is never looked for behind one."""
    if wanted:
        return "" if wanted == "none" else wanted
    if on_this_machine(f"http://{authority}"):
        return ""
    if sys.platform not in ("darwin", "win32") and not any(
        name.lower().endswith("_proxy") for name in os.environ
    ):
        return ""
    from urllib.request import getproxies, proxy_bypass  # 5 ms, where a proxy may be meant

    proxies = getproxies()
    found = (
        ""
        if proxy_bypass(authority)
        else proxies.get("https" if secure else "http") or proxies.get("all", "")
    )
    if found and "://" not in found:
        found = "http://" + found
    if found and not found.lower().startswith("http://"):
        raise ConfigError(
            f"the environment names a proxy that ragit does not speak to: {found.partition('://')[0]}",
            'Only http:// proxies are: name one in the setting proxy, or "none"',
        )
    return found
