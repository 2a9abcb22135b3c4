"""Tests of requests to a misbehaving server on this machine, and of proxies and certificates."""

from __future__ import annotations

import gzip
import json
import logging
import pickle
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import EmbeddingServer, embeddings_answer, error

from ragit.errors import ConfigError, RemoteFailed
from ragit.remote.client import Client, RetryPolicy
from ragit.remote.concurrency import ConcurrencyLimit
from ragit.remote.failures import (
    KeyRefused,
    ParameterRefused,
    Refused,
    TimedOut,
    TooLong,
    TooMany,
    Unreachable,
    WrongAnswer,
)
from ragit.remote.parallel import map_as_completed, map_parallel
from ragit.remote.server import Server, masked, on_this_machine

PAYLOAD = {"model": "tiny", "input": ["one"]}
NO_RETRY = RetryPolicy(retries=0)


def make_client(server: EmbeddingServer, **more: Any) -> Client:
    return Client(Server(server.url, **{"timeout": 5.0, **more}))


def failure(client: Client, policy: RetryPolicy = NO_RETRY) -> RemoteFailed:
    with pytest.raises(RemoteFailed) as caught:
        client.post("embeddings", PAYLOAD, policy=policy)
    return caught.value


def test_one_connection_serves_many_requests(server: EmbeddingServer) -> None:
    client = make_client(server)
    for _ in range(3):
        client.post("embeddings", PAYLOAD)
    assert len(server.connections) == 1 and len(server.asked) == 3


def test_closed_connection_is_reopened(
    server: EmbeddingServer,
) -> None:
    client = make_client(server)
    server.replies = [
        lambda payload: (
            *embeddings_answer(payload)[:1],
            {"Connection": "close"},
            embeddings_answer(payload)[2],
        )
    ]
    client.post("embeddings", PAYLOAD)
    client.post("embeddings", PAYLOAD)
    server.replies = [
        lambda _: None
    ]  # closed without an answer, as an idle connection is: not counted as a try
    client.post("embeddings", PAYLOAD, policy=NO_RETRY)
    assert len(server.connections) == 3


def test_long_error_body_does_not_reach_the_next_answer(
    server: EmbeddingServer,
) -> None:
    client = make_client(server)
    server.replies = [lambda _: (404, {}, b"no " * 1_000_000)]
    assert "answered 404: no no no no" in failure(client).message
    assert client.post("embeddings", PAYLOAD)["model"] == "tiny"
    assert len(server.connections) == 2


def test_connection_is_reused_after_an_error(server: EmbeddingServer) -> None:
    client = make_client(server)
    server.replies = [lambda _: error(404, "no such model")]
    assert isinstance(failure(client), Refused)
    client.post("embeddings", PAYLOAD)
    assert len(server.connections) == 1


def test_gzip_and_deflate_are_inflated(server: EmbeddingServer) -> None:
    body = json.dumps({"data": ["ä"] * 1000}).encode()
    for name, packed in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
        server.replies = [
            lambda _, name=name, packed=packed: (200, {"Content-Encoding": name}, packed)
        ]
        assert make_client(server).post("embeddings", PAYLOAD) == {"data": ["ä"] * 1000}
    assert server.headers[0]["Accept-Encoding"] == "gzip"


def test_truncated_or_unexpected_encoding_is_an_error(server: EmbeddingServer) -> None:
    server.replies = [
        lambda _: (200, {"Content-Encoding": "gzip"}, gzip.compress(b'{"data": 1}' * 99)[:30]),
        lambda _: (200, {"Content-Encoding": "br"}, b"xxx"),
        lambda _: (200, {"Content-Encoding": "gzip"}, b"no gzip at all"),
    ]
    assert "cut short" in failure(make_client(server)).message
    assert "an encoding that was not asked for: 'br'" in failure(make_client(server)).message
    assert isinstance(failure(make_client(server)), Unreachable)


def test_size_of_an_inflated_answer_is_bounded(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.remote.client.LARGEST_ANSWER", 1_000_000)
    packer = zlib.compressobj(wbits=31)  # as gzip
    bomb = b"".join(packer.compress(b" " * 1_000_000) for _ in range(200)) + packer.flush()
    server.replies = [
        lambda _: (200, {"Content-Encoding": "gzip"}, bomb),
        lambda _: (200, {}, b" " * 1_000_001),
    ]
    for _ in range(2):
        refused = failure(make_client(server))
        assert isinstance(refused, WrongAnswer) and "more than 1,000,000 bytes" in refused.message


def test_endless_answer_is_bounded(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.remote.client.LARGEST_ANSWER", 1_000_000)

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            handler.wfile.write(b"[" * 65536)

    server.replies = [lambda _: endless]
    assert "more than 1,000,000 bytes" in failure(make_client(server)).message


def test_truncated_answer_is_retried(server: EmbeddingServer, waits: list[float]) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"data": [')

    def chunk_cut(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(
            b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"data": ['
        )

    server.replies = [lambda _: cut, lambda _: chunk_cut]
    assert make_client(server).post("embeddings", PAYLOAD)["model"] == "tiny"
    assert len(server.asked) == 3 and len(waits) == 2


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["body", "headers", "header", "continue"],
)
def test_slow_server_hits_the_deadline(server: EmbeddingServer, begin: bytes, piece: bytes) -> None:
    def send_slowly(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(begin)
        for _ in range(500):
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.02)

    server.replies = [lambda _: send_slowly]
    started = time.monotonic()
    assert "no answer in time" in failure(make_client(server, timeout=0.2)).message
    assert time.monotonic() - started < 6


def test_slow_proxy_hits_the_deadline() -> None:
    def send_slowly() -> None:
        connection, _ = proxy.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 ")
            for _ in range(500):
                connection.sendall(b"O")
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as proxy:
        thread = threading.Thread(target=send_slowly, daemon=True)
        thread.start()
        client = Client(
            Server(
                "https://models.invalid/v1",
                timeout=0.2,
                proxy=f"http://127.0.0.1:{proxy.getsockname()[1]}",
            )
        )
        started = time.monotonic()
        assert "no answer in time" in failure(client).message
        assert time.monotonic() - started < 6
        thread.join()


def test_time_of_all_retries_is_bounded(server: EmbeddingServer) -> None:
    server.replies = [lambda _: error(503, "later")] * 50
    started = time.monotonic()
    assert (
        "answered 503: later"
        in failure(make_client(server), RetryPolicy(retries=40, within=0.3)).message
    )
    assert time.monotonic() - started < 10


def test_client_works_after_a_failed_parallel_run(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests running beside the failed one are not retried; later ones are."""
    client = make_client(server, concurrency=4)
    beside = threading.Event()

    def call(number: int, over: threading.Event) -> object:
        if number == 0:
            beside.wait(5)
            raise KeyError(number)
        return client.post("embeddings", PAYLOAD, policy=RetryPolicy(retries=1000, over=over))

    def busy(_: Any) -> object:
        if len(server.asked) > 3:
            beside.set()
        return error(503, "later")

    server.reply = busy
    started = time.monotonic()
    with pytest.raises(KeyError):
        map_parallel(call, [1, 2, 3, 0, 4, 5, 6, 7], at_once=4)
    time.sleep(1.2)  # the wait before the next try
    asked = len(server.asked)
    time.sleep(1.2)
    assert len(server.asked) == asked and time.monotonic() - started < 6
    server.reply = embeddings_answer
    server.replies = [lambda _: error(503, "later")] * 2
    models = map_parallel(
        lambda _, over: client.post("embeddings", PAYLOAD)["model"], [1, 2, 3], at_once=4
    )
    assert models == ["tiny"] * 3


def test_map_parallel_keeps_the_order_and_map_as_completed_gives_all() -> None:
    slow = map_parallel(lambda n, _: time.sleep(0.03 * (3 - n % 3)) or n, list(range(9)), at_once=3)
    assert slow == list(range(9))
    assert sorted(map_as_completed(lambda n, _: n, range(9), at_once=3)) == list(range(9))


def test_answer_that_is_not_http_is_unreachable(server: EmbeddingServer) -> None:
    server.replies = [
        lambda _: lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n") and None
    ]
    assert isinstance(failure(make_client(server)), Unreachable)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400, "This model's maximum context length is 512 tokens"), TooLong),
        (error(413, ""), TooLong),
        (error(422, "batch size 64 > maximum allowed batch size 32"), TooMany),
        (
            error(
                500, "input (992 tokens) is too large to process. increase the physical batch size"
            ),
            TooLong,
        ),
        (error(401, "who are you"), KeyRefused),
        (error(403, "not you"), KeyRefused),
        (error(400, "no idea"), Refused),
        (error(404, "model tiny not found"), Refused),
        (error(500, "oops"), Unreachable),
        ((200, {}, b"[" * 100_000), WrongAnswer),
        ((200, {}, b"\xff\xfe"), WrongAnswer),
    ],
)
def test_error_class_depends_on_status_and_message(
    server: EmbeddingServer, answer: Any, kind: type[RemoteFailed]
) -> None:
    server.replies = [lambda _: answer]
    failed = failure(make_client(server))
    assert type(failed) is kind and failed.hint
    copy = pickle.loads(pickle.dumps(failed))
    assert (type(copy), copy.message, copy.__dict__) == (kind, failed.message, failed.__dict__)


@pytest.mark.parametrize(
    "words",
    [
        "Too many requests",
        "too many requests for this input, slow down",
        "Input rejected: too many concurrent requests",
        "stop must have less than 4 sequences",
        "`messages` must have less than 2 system messages",
        "too many tools",
        "too many stop tokens",
    ],
)
def test_other_limits_are_not_a_too_long_text(server: EmbeddingServer, words: str) -> None:
    """A shorter text would be rejected as well."""
    server.replies = [lambda _: error(400, words)]
    assert type(failure(make_client(server))) is Refused


@pytest.mark.parametrize(
    ("answer", "parameter"),
    [
        (
            error(400, "Unsupported parameter: 'dimensions' is not supported with this model."),
            "dimensions",
        ),
        (error(422, "Extra inputs are not permitted: truncate"), "truncate"),
        ((400, {}, b'{"error": {"message": "Bad value", "param": "truncate"}}'), "truncate"),
    ],
)
def test_rejected_parameter_is_named(server: EmbeddingServer, answer: Any, parameter: str) -> None:
    server.replies = [lambda _: answer]
    with pytest.raises(ParameterRefused) as caught:
        make_client(server).post("embeddings", {**PAYLOAD, "dimensions": 3, "truncate": "NONE"})
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("header", ["Location", "location"])
def test_redirect_is_reported_without_its_secrets(server: EmbeddingServer, header: str) -> None:
    server.replies = [
        lambda _: (308, {header: "https://me:pw@other/v1/embeddings?key=secret"}, b"")
    ]
    failed = failure(make_client(server, key="k-123456"))
    assert "answered 308: it redirects to https://other/v1/embeddings?key=***" in failed.message


def test_errors_and_logs_show_no_secret(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = ("k-123456", "header-value", "query-value")
    for status in (400, 401, 500):
        server.replies = [lambda _, status=status: error(status, f"you sent {secrets}")]
        named = Server(
            f"{server.url}?code={secrets[2]}",
            secrets[0],
            headers=(("x-secret", secrets[1]),),
            timeout=5,
        )
        client = Client(named)
        failed = failure(client)
        seen = f"{failed.message} {failed.hint} {named!r} {client!r} {failed!r} {caplog.text}"
        assert not [secret for secret in secrets if secret in seen]
    assert server.headers[-1]["Authorization"] == "Bearer k-123456"
    assert server.headers[-1]["x-secret"] == "header-value"
    assert server.paths[-1] == "/v1/embeddings?code=query-value"


KEYS = st.text(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", min_size=12, max_size=80
)


@given(KEYS, st.data())
def test_no_part_of_a_key_is_shown(key: str, data: st.DataObject) -> None:
    """A server may repeat a part of it, in capitals or with separators."""
    start = data.draw(st.integers(0, len(key) - 8))
    piece = key[start : data.draw(st.integers(start + 8, len(key)))]
    between = data.draw(st.sampled_from(["", " ", "-", "...", "\n", "\0", "***"]))
    spelt = between.join(
        data.draw(st.sampled_from([piece, piece.upper(), piece.lower(), f"x{piece}y"]))
    )
    shown = Server("http://h/v1", key).hide(
        f"Incorrect API key provided: {spelt}. Look at https://h/keys"
    )
    letters = "".join(c for c in shown if c.isalnum()).lower()
    plain = "".join(c for c in key if c.isalnum()).lower()
    assert not [at for at in range(len(plain) - 7) if plain[at : at + 8] in letters]
    assert shown.startswith("Incorrect API key") and shown.count("\0") <= spelt.count("\0")


def test_key_echoed_in_parts_is_not_shown(server: EmbeddingServer) -> None:
    key = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWx"
    server.replies = [
        lambda _: error(401, f"key {key[:12]} {key[12:]} is wrong"),
        lambda _: error(401, f"no key ends in {key[-9:]}"),
        lambda _: (200, {}, f'{{"you said": "{key[3:]}'.encode()),
        lambda _: (
            lambda handler: handler.wfile.write(f"{key[4:20]} is no HTTP\r\n".encode()) and None
        ),
    ]
    for _ in range(4):
        message = failure(make_client(server, key=key)).message
        assert not [at for at in range(len(key) - 7) if key[at : at + 8] in message]


def test_azure_key_is_sent_in_its_own_header(server: EmbeddingServer) -> None:
    make_client(server, key="k-123456", key_header="api-key").post("embeddings", PAYLOAD)
    assert server.headers[-1]["api-key"] == "k-123456"
    assert "Authorization" not in server.headers[-1]


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/openai/v1", "/openai/v1/embeddings"),
        ("/openai/v1?api-version=preview", "/openai/v1/embeddings?api-version=preview"),
        ("?api-version=2024-10-21", "/openai/deployments/tiny/embeddings?api-version=2024-10-21"),
        (
            "/openai/deployments/mine?api-version=2024-10-21",
            "/openai/deployments/mine/embeddings?api-version=2024-10-21",
        ),
    ],
)
def test_azure_path_depends_on_the_api_version(
    server: EmbeddingServer, base: str, path: str
) -> None:
    address = server.url.removesuffix("/v1") + base
    client = Client(Server(address, "k-123456", key_header="api-key"))
    assert client.post("embeddings", PAYLOAD)["model"] == "tiny"
    assert server.paths == [path] and server.headers[0]["api-key"] == "k-123456"


def test_only_expected_headers_are_sent(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "x-from-environment")
    client = make_client(server)
    client.post("embeddings", PAYLOAD)
    client.post("rerank", PAYLOAD)
    for headers in server.headers:
        usual = {"Host", "Content-Type", "Accept", "Accept-Encoding", "User-Agent"}
        assert headers.keys() == {*usual, "Content-Length"}
        assert headers["User-Agent"] == "ragit"


@pytest.mark.parametrize("path", ["embeddings", "rerank"])
def test_both_clients_retry_and_give_up_alike(
    server: EmbeddingServer, waits: list[float], path: str
) -> None:
    client = make_client(server)
    server.replies = [
        lambda _: error(429, "slow down", Retry_After="7"),
        lambda _: error(500, "oops"),
    ]
    assert client.post(path, PAYLOAD)["model"] == "tiny"
    assert waits[0] == 7 and 0.5 <= waits[1] <= 1 and len(server.asked) == 3
    server.replies = [lambda _: error(429, "no", Retry_After="61")]
    with pytest.raises(Unreachable, match="answered 429: no"):
        client.post(path, PAYLOAD)
    server.replies = [lambda _: error(409, "conflict")]
    with pytest.raises(Refused, match="conflict"):
        client.post(path, PAYLOAD)
    assert len(waits) == 2


@pytest.mark.parametrize("path", ["embeddings", "rerank"])
def test_timed_out_request_is_retried_only_if_allowed(
    server: EmbeddingServer, waits: list[float], path: str
) -> None:
    server.replies = [lambda _: time.sleep(0.4)] * 3
    client = make_client(server, timeout=0.2)
    with pytest.raises(TimedOut, match="no answer in time") as caught:
        client.post(path, PAYLOAD, policy=RetryPolicy(repeats_timeouts=False))
    assert "embedding.timeoutMs" in caught.value.hint and len(server.asked) == 1
    with pytest.raises(Unreachable, match="no answer in time"):
        client.post(path, PAYLOAD, policy=RetryPolicy(retries=1))
    assert len(server.asked) == 3 and len(waits) == 1


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (Server("localhost:11434"), "is not the address of a server"),
        (Server("http://host/v1", key="a\r\nX-Evil: 1"), "the key cannot be sent"),
        (Server("http://host/v1", headers=(("x y", "1"),)), "'x y' cannot be sent"),
        (Server("http://host/v1", headers=(("x", "1\n2"),)), "cannot be sent"),
        (Server("http://host/v1\r\nHost: other"), "is not the address"),
        (Server("http://me:secret@host/v1"), "holds a user or a password"),
        (
            Server("http://host/v1", proxy="socks5://host:1"),
            "proxy is not the address of an HTTP proxy",
        ),
    ],
)
def test_invalid_address_key_or_header_is_rejected(server: Server, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        Client(server)
    assert "secret" not in caught.value.message and "Evil" not in caught.value.message


def test_masked_url_shows_no_secret() -> None:
    assert (
        masked("https://me:pw@host:1/v1?api-version=1&key=abc")
        == "https://host:1/v1?api-version=***&key=***"
    )


def test_concurrency_halves_when_busy_and_recovers() -> None:
    gate = ConcurrencyLimit(8)
    gate.is_busy(0)
    gate.is_busy(0)  # refused together with the first: counts once
    assert gate.size == 4
    for _ in range(4):
        gate.succeeded()
    assert gate.size == 5
    for _ in range(100):
        gate.succeeded()
    assert gate.size == 8


def test_concurrency_limit_holds_with_many_threads() -> None:
    gate, running, peak = ConcurrencyLimit(2), [0], [0]
    lock = threading.Lock()

    def work() -> None:
        with gate:
            with lock:
                running[0] += 1
                peak[0] = max(peak[0], running[0])
            time.sleep(0.005)
            with lock:
                running[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert peak[0] == 2


class Proxy:
    """An HTTP proxy that records requests and answers itself."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.asked.append(connection.recv(65536))
                status = b"403 Forbidden" if self.asked[-1].startswith(b"CONNECT") else b"200 OK"
                connection.sendall(
                    b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                )

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    running = Proxy()
    yield running
    running.close()


def test_configured_proxy_gets_its_password_and_not_the_key(proxy: Proxy) -> None:
    via = f"http://me:p%40ss@127.0.0.1:{proxy.port}"
    assert (
        Client(Server("http://models.invalid/v1", "k-123456", proxy=via)).post(
            "embeddings", PAYLOAD
        )
        == {}
    )
    assert proxy.asked[0].startswith(b"POST http://models.invalid/v1/embeddings HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in proxy.asked[0]
    failed = failure(Client(Server("https://models.invalid/v1", "k-123456", proxy=via)))
    assert proxy.asked[1].startswith(b"CONNECT models.invalid:443 ")
    assert b"k-123456" not in proxy.asked[1]
    assert (
        "403" in failed.message and "p@ss" not in failed.message and "p%40ss" not in failed.message
    )


def test_proxy_of_the_environment_is_used(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
    assert Client(Server("http://models.invalid/v1")).post("embeddings", PAYLOAD) == {}
    assert len(proxy.asked) == 1


def test_local_server_bypasses_the_proxy(
    proxy: Proxy, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
    make_client(server).post("embeddings", PAYLOAD)
    assert not proxy.asked


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9:80", True),
        ("[::1]:11434", True),
        ("127.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("10.0.0.1", False),
    ],
)
def test_only_loopback_hosts_are_on_this_machine(host: str, is_local: bool) -> None:
    assert on_this_machine(f"http://{host}/v1") == is_local


@pytest.mark.parametrize("setting", ["NO_PROXY", "none"])
def test_disabled_proxy_is_not_used(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
    if setting == "NO_PROXY":
        monkeypatch.setenv("NO_PROXY", "models.invalid")
    with pytest.raises(Unreachable):
        Client(
            Server("http://models.invalid/v1", proxy="" if setting == "NO_PROXY" else setting)
        ).post("x", PAYLOAD)
    assert not proxy.asked


def test_file_without_certificates_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("nothing")
    with pytest.raises(ConfigError, match="cannot read the certificates"):
        Client(Server("https://localhost:1/v1", ca_file=str(file))).post("x", PAYLOAD)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a self-signed certificate for localhost, with its key in the same file."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("the openssl command is not installed")
    key, issued = tmp_path / "key.pem", tmp_path / "made.pem"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    kind = ("-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key), "-out", str(issued))
    subprocess.run([program, "req", "-x509", *kind, *names], check=True, capture_output=True)
    both = tmp_path / "both.pem"
    both.write_text(key.read_text() + issued.read_text())
    return both


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="ssl of Python 3.10 leaves the refused server's socket open"
)
def test_only_a_trusted_certificate_is_accepted(server: EmbeddingServer, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.secure(context)
    port = server.url.partition("127.0.0.1:")[2]
    failed = failure(Client(Server(f"https://localhost:{port}", timeout=5)))
    assert (
        isinstance(failed, Unreachable) and "its certificate is not trusted: self" in failed.message
    )
    assert failed.hint == "embedding.caFile names further certificates to trust"
    trusting = Client(Server(f"https://localhost:{port}", timeout=5, ca_file=str(certificate)))
    assert trusting.post("embeddings", PAYLOAD)["model"] == "tiny"
    assert trusting.post("embeddings", PAYLOAD)["model"] == "tiny"
    other = Client(Server(f"https://127.0.0.1:{port}", timeout=5, ca_file=str(certificate)))
    assert "its certificate is not trusted" in failure(other).message  # it is for another name
