"""Tests of a malicious server: each answer ends as an error with a hint, in bounded time and
memory.
"""

from __future__ import annotations

import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import AnsweringServer, EmbeddingServer, chat_answer, embeddings_answer, raw

from ragit.describe.describer import LONGEST, Describer, DescriptionRequest, one_line
from ragit.embed.options import EmbedderOptions
from ragit.embed.served import ServedEmbedder
from ragit.errors import EmbedderUnavailable, RagitError, RemoteFailed
from ragit.remote.chat import Chat, Message
from ragit.remote.client import Client, RetryPolicy
from ragit.remote.failures import WrongAnswer
from ragit.remote.presets import PRESETS
from ragit.remote.rerank import DIALECTS, CrossEncoder
from ragit.remote.server import Server as Address
from ragit.search.listwise import listed
from ragit.search.rewrite import listed as variants

NO_RETRY = RetryPolicy(retries=0)
WAIT = 0.3


def embed(url: str, timeout: float = WAIT, **more: Any) -> None:
    options = EmbedderOptions(model="m", retries=0, **more)
    ServedEmbedder(options, PRESETS["openai"], Address(url, "k-12345678", timeout=timeout)).embed(
        ["one", "two"]
    )


def chat(url: str, timeout: float = WAIT) -> None:
    Chat(Client(Address(url, timeout=timeout)), "m").ask(
        [Message("user", ("hi",))], max_tokens=9, policy=NO_RETRY
    )


def rerank(url: str, timeout: float = WAIT) -> None:
    encoder = CrossEncoder(Client(Address(url, timeout=timeout)), DIALECTS["jina"])
    encoder.relevances("query", ["one", "two"], policy=NO_RETRY)


CLIENTS: dict[str, Callable[..., None]] = {"embed": embed, "chat": chat, "rerank": rerank}


@contextmanager
def bounded(
    seconds: float, megabytes: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[None]:
    """Fail if the block takes more time, by this clock, or more memory."""
    tracemalloc.start()
    started = clock()
    try:
        yield
        took, peak = clock() - started, tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
    assert took < seconds and peak < megabytes, f"{took:.1f} s, {peak:.0f} MB"


@pytest.fixture(scope="module")
def hostile() -> Iterator[AnsweringServer]:
    import_module("openai")  # seconds on a loaded machine: import before the clock starts
    with AnsweringServer(lambda _: None, "/v1") as one:
        yield one


def endless(head: bytes, piece: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    """Answer for as long as the client reads, at most a second."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        end = time.monotonic() + 4 * WAIT
        handler.wfile.write(head)
        while time.monotonic() < end:
            handler.wfile.write(piece)
            handler.wfile.flush()

    return write


def send(*parts: bytes, pause: float = 0) -> Callable[[BaseHTTPRequestHandler], None]:
    """Send these parts and close."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        for part in parts:
            handler.wfile.write(part)
            handler.wfile.flush()
            time.sleep(pause)

    return write


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
GZIPPED = OK + b"Content-Encoding: gzip\r\n"
EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"
GZIP_HEAD = bytes([31, 139, 8, 0, 0, 0, 0, 0, 0, 3])

RAW_ANSWERS: dict[str, object] = {
    "no bytes": send(),
    "silence": send(b"", pause=3 * WAIT),
    "headers without a body": send(OK + b"Content-Length: 9\r\n\r\n"),
    "headers without an end": send(OK + b"Content-Length: 9\r\n"),
    "slow headers": send(*[OK, *[b"X-%d: y\r\n" % n for n in range(20)]], pause=0.1),
    "many headers": endless(OK, b"X: y\r\n" * 99),
    "a long header": endless(OK + b"X: ", b"y" * 9999),
    "a long status": endless(b"HTTP/1.1 200 ", b"O" * 9999),
    "endless 100 Continue": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "switching protocols": send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    "status 0": send(b"HTTP/1.1 000 No\r\n\r\n"),
    "status 999999": send(b"HTTP/1.1 999999 No\r\n\r\n"),
    "status of letters": send(b"HTTP/1.1 abc No\r\n\r\n"),
    "HTTP/9": send(b"HTTP/9.9 200 OK\r\n\r\n{}"),
    "no content": send(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "too long a length": send(OK + b"Content-Length: 99999999999999999999999\r\n\r\n{}"),
    "a negative length": send(OK + b"Content-Length: -1\r\n\r\n{}"),
    "two lengths": send(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"),
    "a length of letters": send(OK + b"Content-Length: abc\r\n\r\n{}"),
    "endless body": endless(OK + b"\r\n", b"[" * 65536),
    "endless chunks": endless(CHUNKED, b"10\r\n" + b"[" * 16 + b"\r\n"),
    "chunks of one byte": endless(CHUNKED, b"1\r\n[\r\n" * 5000),
    "empty chunks": send(CHUNKED + b"0\r\n\r\n"),
    "a negative chunk": send(CHUNKED + b"-5\r\n[[[[[\r\n0\r\n\r\n"),
    "a huge chunk": send(CHUNKED + b"f" * 16 + b"\r\n[[[["),
    "invalid chunk size": send(CHUNKED + b"xyz\r\n"),
    "a long chunk extension": endless(CHUNKED + b"1;", b"x" * 9999),
    "endless trailers": endless(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X: y\r\n" * 999),
    "endless empty blocks of gzip": endless(GZIPPED + b"\r\n" + GZIP_HEAD, EMPTY_BLOCK * 9999),
    "endless bytes after gzip": endless(GZIPPED + b"\r\n" + gzip.compress(b"{}"), b"x" * 65536),
    "a body that is not gzip": send(GZIPPED + b"Content-Length: 2\r\n\r\n{}"),
    "an unknown encoding": send(OK + b"Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}"),
    "two encodings": send(OK + b"Content-Encoding: gzip, gzip\r\nContent-Length: 2\r\n\r\n{}"),
    "a redirect to a local address": send(
        b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
    ),
    "a redirect to an invalid URL": send(
        b"HTTP/1.1 307 X\r\nLocation: \x1b[31m//[::\xff\r\nContent-Length: 0\r\n\r\n"
    ),
    "a redirect without a location": send(b"HTTP/1.1 308 X\r\nContent-Length: 0\r\n\r\n"),
    "cookies": send(OK + b"Set-Cookie: a=b; Domain=.com\r\n" * 9 + b"Content-Length: 2\r\n\r\n{}"),
    "Retry-After in decades": (429, {"Retry-After": "1e9"}, b""),
    "Retry-After negative": (503, {"Retry-After": "-5"}, b""),
    "Retry-After NaN": (503, {"Retry-After": "nan"}, b""),
    "Retry-After of an invalid date": (
        429,
        {"Retry-After": "Fri, 31 Dec 999999 23:59:59 GMT"},
        b"",
    ),
    "retry-after-ms infinite": (429, {"retry-after-ms": "1e400"}, b""),
    "a reason with terminal codes": send(
        b"HTTP/1.1 400 \x1b[31mred\x1b]0;title\x07\r\nContent-Length: 0\r\n\r\n"
    ),
}
"""Answers that HTTP does not allow, and some that it does."""

BODIES: dict[str, object] = {
    "an endless error": endless(b"HTTP/1.1 400 Bad\r\n\r\n", b'{"error":' * 9999),
    "a nested error": raw(400, b'{"error":' * 9000 + b"1" + b"}" * 9000),
    "an error of lists": raw(400, b'{"error": [[[{"message": {}}]]]}'),
    "an error of numbers": raw(422, b"[1]"),
    "an error of control characters": raw(500, b'{"error": {"message": "\\ud800\\u0000\\u202e"}}'),
    "an error with status 200": raw(200, b'{"error": {"message": "no"}}'),
    "invalid UTF-8": raw(200, b'{"data": "\xff\xfe"}'),
    "UTF-32": raw(200, '{"data": []}'.encode("utf-32")),
    "an empty body": raw(200, b""),
    "null": raw(200, b"null"),
    "a number": raw(200, b"1"),
    "a long number": raw(200, b"[" + b"9" * 4200 + b"]"),
    "a longer number": raw(200, b"[" + b"9" * 3_000_000 + b"]"),
    "a number with a long tail": raw(200, b"[0." + b"9" * 3_000_000 + b"]"),
    "infinity": raw(200, b"Infinity"),
    "a deep list": raw(200, b"[" * 90_000 + b"]" * 90_000),
    "many lists": raw(200, b"[" + b"[]," * 3_000_000 + b"[]]"),
    "many objects": raw(200, b"[" + b"{}," * 3_000_000 + b"{}]"),
    "one name repeated": raw(200, b"{" + b'"a":1,' * 900_000 + b'"a":1}'),
    "surrogates": raw(200, b'{"data": "\\ud800", "choices": "\\udfff", "results": "\\ud800"}'),
}


@pytest.mark.parametrize(
    ("attack", "client"),
    [
        *((attack, "embed") for attack in RAW_ANSWERS),
        *((one, client) for one in BODIES for client in CLIENTS),
    ],
)
def test_hostile_answer_is_an_error_with_a_hint(
    hostile: AnsweringServer, client: str, attack: str
) -> None:
    hostile.reply = lambda _: {**RAW_ANSWERS, **BODIES}[attack]
    with bounded(seconds=5 * WAIT + 3, megabytes=400), pytest.raises(RagitError) as caught:
        CLIENTS[client](hostile.url)
    assert (
        caught.value.hint and caught.value.message.isprintable() and len(caught.value.message) < 500
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_nested_answer_of_any_depth_is_an_error(hostile: AnsweringServer, client: str) -> None:
    """JSON that can be parsed may still be too deep to be printed."""
    for depth in range(100, 1000, 30):
        hostile.reply = lambda _, depth=depth: raw(200, b"[" * depth + b"]" * depth)
        with pytest.raises(RagitError):
            CLIENTS[client](hostile.url, timeout=5)


VECTORS: dict[str, object] = {
    "too few rows": [[1, 2]],
    "too many rows": [[1, 2]] * 3,
    "no rows": [],
    "rows of different lengths": [[1, 2], [1, 2, 3]],
    "empty rows": [[], []],
    "NaN": [[float("nan"), 1], [1, 1]],
    "infinite": [[float("inf"), 1], [1, 1]],
    "both infinities": [[float("inf"), float("-inf")], [1, 1]],
    "too large to square": [[1e200, 1e200], [1, 1]],
    "too large in total": [[1e154] * 99, [1] * 99],
    "integers beyond floats": [[10**400, 1], [1, 1]],
    "strings": [["1", "2"], ["1", "2"]],
    "rows of null": [[None, None], [None, None]],
    "booleans": [[True, False], [True, False]],
    "nested lists": [[[1, 2]], [[1, 2]]],
    "objects": [{"a": 1}, {"a": 1}],
    "null instead of rows": [None, None],
    "numbers instead of rows": [1, 2],
    "invalid base64": ["!!!!", "!!!!"],
    "base64 of half a float": ["AAA=", "AAA="],
    "base64 of NaN": ["AADAfwAAgD8=", "AADAfwAAgD8="],
    "too many dimensions": [[1] * 70_000] * 2,
    "zeros": [[0, 0], [0, 0]],
    "subnormal numbers": [[1e-320, 0], [1e-320, 0]],
}


@pytest.mark.parametrize("case", VECTORS)
def test_invalid_vectors_are_an_error(hostile: AnsweringServer, case: str) -> None:
    rows = VECTORS[case]
    assert isinstance(rows, list)
    hostile.reply = lambda _: {
        "data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    }
    with bounded(3, 100), pytest.raises(EmbedderUnavailable) as caught:
        embed(hostile.url, timeout=5)
    assert caught.value.hint


@pytest.mark.parametrize(
    "indexes",
    [
        [0, 0],
        [1, 2],
        [0, -1],
        [0, 10**30],
        [0, 1e400],
        [0, float("nan")],
        [0, None],
        [0, "x"],
        [0, "9" * 4000],
        [0, [1]],
    ],
    ids=str,
)
def test_invalid_row_numbers_are_an_error(hostile: AnsweringServer, indexes: list[Any]) -> None:
    hostile.reply = lambda _: {"data": [{"index": index, "embedding": [1, 2]} for index in indexes]}
    with pytest.raises(EmbedderUnavailable):
        embed(hostile.url, timeout=5)


def test_rows_are_sorted_by_their_index(hostile: AnsweringServer) -> None:
    hostile.reply = lambda _: {
        "data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    }
    options = EmbedderOptions(model="m")
    first, second = ServedEmbedder(options, PRESETS["openai"], Address(hostile.url)).embed(
        ["one", "two"]
    )
    assert first[:4] == second[4:] != second[:4]


@pytest.mark.parametrize(
    "tokens", [10**400, -5, 1e300, True, "9", None, [1], {"a": 1}], ids=lambda one: str(one)[:9]
)
def test_invalid_token_counts_are_ignored(hostile: AnsweringServer, tokens: Any) -> None:
    """The counts are only for the report, which ignores them."""
    rows = [{"index": at, "embedding": [1, 2]} for at in range(2)]
    hostile.reply = lambda _: {"data": rows, "usage": {"total_tokens": tokens}}
    embedder = ServedEmbedder(EmbedderOptions(model="m"), PRESETS["openai"], Address(hostile.url))
    embedder.embed(["one", "two"])
    assert 0 <= embedder.sent.tokens * 0.02 < 1e12
    hostile.reply = lambda _: {
        **chat_answer("yes"),
        "usage": {"prompt_tokens": tokens, "completion_tokens": tokens},
    }
    reply = Chat(Client(Address(hostile.url)), "m").ask([Message("user", ("hi",))], max_tokens=9)
    assert 0 <= (reply.prompt_tokens + reply.completion_tokens) * 0.02 < 1e12


CHATS: dict[str, object] = {
    "no choices": {"choices": []},
    "choices of text": {"choices": "yes"},
    "a choice that is a list": {"choices": [["message"]]},
    "a message that is text": {"choices": [{"message": "yes"}]},
    "content that is a number": {"choices": [{"message": {"content": 1}}]},
    "content of numbers": {"choices": [{"message": {"content": [1, 2]}}]},
    "parts without text": {"choices": [{"message": {"content": [{"type": "text"}]}}]},
    "parts of numbers": {"choices": [{"message": {"content": [{"type": "text", "text": 1}]}}]},
    "a refusal that is a list": {
        "choices": [{"message": {"content": None, "refusal": ["\x1b[31m", {}]}}]
    },
    "reasoning only": chat_answer("<think>" * 100_000),
    "blank": chat_answer(" \n" * 100_000),
    "markers only": chat_answer("</think>" * 100_000),
}


@pytest.mark.parametrize("case", CHATS)
def test_chat_answer_without_text_is_an_error(hostile: AnsweringServer, case: str) -> None:
    hostile.reply = lambda _: CHATS[case]
    with bounded(5, 100), pytest.raises(RemoteFailed) as caught:
        chat(hostile.url, timeout=5)
    assert caught.value.hint and caught.value.message.isprintable()


def extracted(text: str) -> str:
    """Return the text that is taken from an answer."""
    with suppress(WrongAnswer):  # the answer is empty
        return Chat(Client(Address("http://h/v1")), "m")._reply(chat_answer(text)).text
    return ""


@pytest.mark.parametrize(
    "unit",
    [
        "\n",
        "a\n",
        " ",
        "`",
        "```\n",
        "<think>",
        "</think>",
        "[",
        "[1",
        "[ ",
        "1 ",
        "1",
        "\x1b",
        "*",
        "\ud800",
        "- ",
    ],
)
def test_long_answer_is_parsed_within_5_seconds(unit: str) -> None:
    text = f"a{unit * (2_000_000 // len(unit))}b"
    with bounded(5, 200, time.process_time):
        text = extracted(text)
        assert len(one_line(text)) <= LONGEST
        assert len(listed(text, 20)) <= 20
        assert all(len(one) <= 300 for one in variants(text, "query", 3))


@given(st.text(max_size=200) | st.text("\ud800\udfffab\n", max_size=20))
@settings(max_examples=200, deadline=None)
def test_parsed_answer_is_valid_utf_8(text: str) -> None:
    """UTF-8 has no lone surrogates."""
    text = extracted(text)
    for one in (one_line(text), *variants(text, "query", 5)):
        assert one.encode().decode() == one


def test_describer_gives_up_on_a_hostile_server(hostile: AnsweringServer) -> None:
    hostile.reply = lambda _: raw(200, b"[" * 500 + b"]" * 500)
    describer = Describer(Chat(Client(Address(hostile.url)), "m"), 9)
    outcome = list(
        describer.describe_all(
            DescriptionRequest(bytes([n]), (Message("user", ("hi",)),)) for n in range(30)
        )
    )
    assert all(one.failure and not one.text for one in outcome) and describer.given_up


RELEVANCES: dict[str, object] = {
    "rows that are an object": {"results": {"index": 0}},
    "rows of text": {"results": "yes"},
    "rows of lists": {"results": [[0, 1]]},
    "an index out of range": {"results": [{"index": 2, "relevance_score": 1}]},
    "an index that is a float": {"results": [{"index": 0.0, "relevance_score": 1}]},
    "a huge index": {"results": [{"index": 10**4000, "relevance_score": 1}]},
    "a deep index": {"results": [{"index": [[[[]]]], "relevance_score": 1}]},
    "an index twice": {"results": [{"index": 0, "relevance_score": 1}] * 2},
    "a huge relevance": {"results": [{"index": 0, "relevance_score": 10**400}]},
    "NaN": {"results": [{"index": 0, "relevance_score": float("nan")}]},
    "a relevance that is text": {"results": [{"index": 0, "relevance_score": "1"}]},
    "no rows": {"results": []},
}


@pytest.mark.parametrize("case", RELEVANCES)
def test_invalid_relevances_are_an_error(hostile: AnsweringServer, case: str) -> None:
    hostile.reply = lambda _: RELEVANCES[case]
    with bounded(3, 100), pytest.raises(RemoteFailed) as caught:
        rerank(hostile.url, timeout=5)
    assert caught.value.hint


def test_endless_gzip_bombs_take_bounded_memory(hostile: AnsweringServer) -> None:
    """Each part inflates a thousandfold, and none is the last."""
    bomb = zlib.compressobj(wbits=31)
    piece = bomb.compress(b" " * 50_000_000) + bomb.flush(zlib.Z_SYNC_FLUSH)
    hostile.reply = lambda _: endless(GZIPPED + b"\r\n", piece)
    for client in CLIENTS.values():
        with bounded(seconds=9, megabytes=600), pytest.raises(RagitError):
            client(hostile.url, timeout=2)


def test_deadline_covers_all_addresses_of_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner of a name may give it a hundred addresses that do not answer."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as full:
        place = full.getsockname()
        waiting = [socket.socket() for _ in range(8)]
        for one in waiting:
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.connect(place)
        family = (socket.AF_INET, socket.SOCK_STREAM, 6, "", place)
        look_up = socket.getaddrinfo

        def many(host: str, *args: Any, **more: Any) -> Any:
            found = look_up if host != "models.invalid" else lambda *_, **__: [family] * 100
            return found(host, *args, **more)

        monkeypatch.setattr(socket, "getaddrinfo", many)
        started = time.monotonic()
        with pytest.raises(RemoteFailed):
            chat(f"http://models.invalid:{place[1]}/v1")
        assert time.monotonic() - started < 30 * WAIT
        for one in waiting:
            one.close()


def test_server_that_reads_nothing_hits_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unread:
        started = time.monotonic()
        url = f"http://127.0.0.1:{unread.getsockname()[1]}/v1"
        with pytest.raises(RagitError):
            Client(Address(url, timeout=WAIT)).post(
                "x", {"input": "a b " * 3_000_000}, policy=NO_RETRY
            )
        assert time.monotonic() - started < 8


def test_dimensions_that_change_between_batches_are_an_error(server: EmbeddingServer) -> None:
    server.reply = lambda payload: embeddings_answer(payload, 2 + len(server.asked))
    options = EmbedderOptions(model="m", batch_size=1)
    with pytest.raises(EmbedderUnavailable, match="dimensions instead of"):
        ServedEmbedder(options, PRESETS["openai"], Address(server.url)).embed(
            ["one", "two", "three"]
        )


def test_requests_are_bounded_if_every_text_is_too_long(
    server: EmbeddingServer,
) -> None:
    server.reply = lambda _: raw(400, b'{"error": {"message": "too long, 10 of 11 tokens"}}')
    with pytest.raises(EmbedderUnavailable):
        options = EmbedderOptions(model="m")
        ServedEmbedder(options, PRESETS["openai"], Address(server.url)).embed(
            ["a b " * 100_000] * 3
        )
    assert len(server.asked) < 200
