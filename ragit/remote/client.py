"""Posts JSON to one server, without secrets, and returns the parsed answer or a typed failure.

`Client.post` is the only way out of the machine. Requests of OpenAI's protocol are sent by the
`openai` package, with its retries; other dialects (`/rerank`, Cohere, Ollama's own) by `httpx2`,
which it depends on and which imports five times as fast. Both use `transport`.
"""

from __future__ import annotations

import json
import math
import random
import threading
import time
import weakref
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, parse_qsl

from ragit.errors import RemoteFailed
from ragit.records import NamedTuple
from ragit.remote.error_meaning import Later, Refusal, Response, meaning, printable
from ragit.remote.failures import KeyRefused, TimedOut, Unreachable, WrongAnswer
from ragit.remote.parallel import NEVER_CANCELLED
from ragit.remote.secrets import Clean, redact
from ragit.remote.server import Server, checked, masked

if TYPE_CHECKING:
    import httpx2
    import openai

LARGEST_ANSWER = 256_000_000
"""Limit of an answer in bytes, inflated. 2048 vectors of 4096 decimal numbers are about 100 MB."""

MOST_PARTS = 50_000
"""Limit of lists and objects in an answer. An empty one takes 20 times its bytes in memory."""

OPENAI_PATHS = frozenset({"chat/completions", "embeddings"})

Failure = TypeVar("Failure", bound=RemoteFailed)


class RetryPolicy(NamedTuple):
    """Number and duration of a call's tries."""

    retries: int = 5
    """Further tries after a temporary status or a broken connection."""
    longest_wait: float = 60.0
    """Limit of seconds between two tries. A server that asks for more has a used-up quota."""
    within: float | None = None
    """Seconds for all tries and waits together."""
    over: threading.Event = NEVER_CANCELLED
    """Set when the answer is no longer wanted."""
    repeats_timeouts: bool = True
    """Repeat a request after a timeout, though the server may still be working on it."""


INDEXING = RetryPolicy()
QUERY = RetryPolicy(retries=1, longest_wait=2.0)
"""Policy while a user waits: a search can do without the server."""


class Client:
    """Requests to one server. Threads may share it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._address = checked(server)
        self._lock = threading.RLock()
        self.taken_out: Counter[str] = Counter()
        """Number of secrets removed from requests, by kind."""
        self._http: httpx2.Client | None = None
        self._openai: openai.OpenAI | None = None

    def __repr__(self) -> str:
        return f"Client({self.server!r})"

    def url(self, path: str) -> str:
        """Return the address of a path, safe to show."""
        return masked(self._address._replace(path=self._path(path)).geturl())

    def warm_up(self, *, openai: bool = True) -> None:
        """Import the client library in a thread, so that the first request need not wait."""
        name = "openai" if openai else "httpx2"
        threading.Thread(target=import_module, args=(name,), daemon=True).start()

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        policy: RetryPolicy = INDEXING,
        largest: int = 0,
        openai: bool | None = None,
    ) -> Any:
        """Return the parsed answer to a JSON request, of at most `largest` bytes.

        `path` is relative to the base URL. `openai` chooses the client; by default the path does.
        Raises a `RemoteFailed` of `ragit.remote.failures`.
        """
        from ragit.remote import transport

        clean = self._without_secrets(payload)
        call = transport.Call(
            end=math.inf if policy.within is None else time.monotonic() + policy.within,
            largest=min(largest or LARGEST_ANSWER, LARGEST_ANSWER),
            longest_wait=policy.longest_wait,
            repeats_timeouts=policy.repeats_timeouts,
            over=policy.over,
        )
        by_openai = path in OPENAI_PATHS if openai is None else openai
        send = self._send_by_openai if by_openai else self._send_by_httpx
        with transport.limits(call):
            try:
                response = send(path, clean, policy)
            except transport.Stopped as error:
                raise self._stopped(path, error) from error
        answer = Response(
            response.status_code, response.headers, response.content, response.reason_phrase
        )
        if answer.status < 300:
            return self._parsed(path, answer.content)
        refusal = meaning(answer, payload)
        if isinstance(refusal, Later):
            raise self._failure(Unreachable, path, refusal.words)
        raise self._refused(path, refusal, answer.status)

    def clean(self, text: str) -> Clean:
        """Return the text without secrets, as it will be sent.

        Clean before cutting: half a secret is not found.
        """
        found: Counter[str] = Counter()
        clean = redact(text, found)
        if found:
            with self._lock:
                self.taken_out.update(found)
        return clean

    def wrong(self, path: str, words: str, hint: str = "") -> WrongAnswer:
        """Return the failure of an answer that breaks the protocol."""
        return self._failure(WrongAnswer, path, words, hint)

    def _without_secrets(self, value: Any) -> Any:
        """Return the value with every text in it redacted; pictures are unchanged."""
        if isinstance(value, str):
            return value if value.startswith("data:image/") else self.clean(value)
        if isinstance(value, Mapping):
            return {name: self._without_secrets(one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._without_secrets(one) for one in value]
        return value

    def _send_by_openai(self, path: str, payload: Any, policy: RetryPolicy) -> httpx2.Response:
        """Send a request of OpenAI's protocol; return a response of any status."""
        import httpx2
        import openai

        from ragit.remote import transport

        client = self._openai_client().with_options(max_retries=policy.retries)
        try:
            return client.post(f"/{path}", cast_to=httpx2.Response, body=payload)
        except openai.APIStatusError as error:
            return error.response
        except openai.APITimeoutError as error:
            raise self._stopped(path, transport.TimedOut("no answer in time")) from error
        except openai.APIConnectionError as error:
            raise self._unreachable(path, error.__cause__) from error

    def _send_by_httpx(self, path: str, payload: Any, policy: RetryPolicy) -> httpx2.Response:
        """Send a request of another dialect, with the retries of the openai client."""
        import httpx2

        from ragit.remote import transport

        http = self._http_client()
        for attempt in range(policy.retries + 1):
            wait = min(8.0, 0.5 * 2.0**attempt) * random.uniform(0.75, 1)
            try:
                response = http.post(self._path(path), json=payload)
            except httpx2.TransportError as error:
                if attempt < policy.retries and not _pause(wait, policy.over):
                    continue
                if isinstance(error, httpx2.TimeoutException):
                    raise self._stopped(path, transport.TimedOut(str(error))) from error
                raise self._unreachable(path, error) from error
            if response.headers["x-should-retry"] == "false" or attempt == policy.retries:
                break
            if _pause(_seconds(response.headers, wait), policy.over):
                break
        return response

    def _http_client(self) -> httpx2.Client:
        import httpx2

        from ragit.remote.transport import Transport

        with self._lock:
            if self._http is None:
                address = self._address._replace(path="", query="", fragment="").geturl()
                transport = Transport(self.server, self._address)
                self._http = httpx2.Client(base_url=address, transport=transport, trust_env=False)
                weakref.finalize(self, self._http.close)
            return self._http

    def _openai_client(self) -> openai.OpenAI:
        with self._lock:
            if self._openai is None:
                self._openai = _openai_of(self.server, self._address, self._http_client())
            return self._openai

    def _stopped(self, path: str, error: Exception) -> RemoteFailed:
        from ragit.remote import transport

        section = self.server.section
        if isinstance(error, transport.TimedOut):
            hint = f"If it only needs longer, raise {section}.timeoutMs"
            return self._failure(TimedOut, path, f"gave {error}", hint)
        if isinstance(error, transport.TooMuch):
            return self._failure(WrongAnswer, path, str(error))
        if isinstance(error, transport.Cancelled):
            return self._failure(Unreachable, path, str(error))
        hint = f"Is it running, and is {section}.baseUrl right?"
        if "certificate" in str(error):
            hint = f"{section}.caFile names further certificates to trust"
        return self._failure(Unreachable, path, f"cannot be reached ({error})", hint)

    def _unreachable(self, path: str, error: BaseException | None) -> Unreachable:
        return self._failure(Unreachable, path, f"the connection broke ({error})")

    def _parsed(self, path: str, content: bytes) -> Any:
        if content.count(b"[") + content.count(b"{") > MOST_PARTS:
            raise self._failure(
                WrongAnswer, path, f"answered with more than {MOST_PARTS:,} lists and objects"
            )
        try:
            return json.loads(content, parse_int=_integer)
        except (ValueError, RecursionError) as error:
            words = f"did not answer in JSON, but with {content[:80]!r}"
            raise self._failure(WrongAnswer, path, words) from error

    def _refused(self, path: str, refusal: Refusal, status: int) -> RemoteFailed:
        hint = self._about_key() if refusal.kind is KeyRefused else refusal.hint
        more = {"parameter": refusal.parameter} if refusal.parameter else {}
        return self._failure(refusal.kind, path, refusal.words, hint, status=status, **more)

    def _about_key(self) -> str:
        server = self.server
        if not server.key_hint:
            return (
                f"No key is sent to this address: {server.section}.apiKeyEnv names the variable "
                "that holds one"
            )
        return f"{server.key_hint} {'is set, but not accepted' if server.key else 'is not set'}"

    def _failure(
        self, kind: type[Failure], path: str, words: str, hint: str = "", **more: Any
    ) -> Failure:
        words = self.server.hide(words)
        hint = hint or f"Check {self.server.section}.baseUrl and {self.server.section}.model"
        return kind(f"{self.url(path)} {printable(words)}", hint, **more)

    def _path(self, path: str) -> str:
        above = self._address.path.rstrip("/")
        return f"{above}/{path}" if path else above or "/"


def _openai_of(server: Server, address: SplitResult, http: httpx2.Client) -> openai.OpenAI:
    """Return the openai client of a server. The transport adds the key, and all other headers.

    Addresses with an `api-version` get Azure's client; those that end in /v1 get OpenAI's.
    """
    import openai

    common: dict[str, Any] = {"api_key": "the transport adds it", "http_client": http}
    base = address._replace(query="", fragment="").geturl()
    version = dict(parse_qsl(address.query)).get("api-version")
    path = address.path.rstrip("/")
    if server.key_header.lower() != "api-key" or not version or path.endswith("/v1"):
        return openai.OpenAI(base_url=base, **common)
    if path:
        return openai.AzureOpenAI(base_url=base, api_version=version, **common)
    return openai.AzureOpenAI(azure_endpoint=base, api_version=version, **common)


def _pause(seconds: float, over: threading.Event) -> bool:
    """Wait before the next try; return True if cancelled."""
    return over.wait(seconds)


def _seconds(headers: Mapping[str, str], otherwise: float) -> float:
    """Return the wait that the server requested, as passed on by the transport."""
    wait = headers.get("retry-after-ms")
    return float(wait) / 1000 if wait else otherwise


def _integer(digits: str) -> int:
    """Parse a number of an answer. ValueError for thousands of digits, which take long to
    convert.
    """
    if len(digits) > 4000:
        raise ValueError("a number of too many digits")
    return int(digits)


def shortened_repr(answer: object) -> str:
    """Return the beginning of an unexpected answer of any size and depth."""
    from reprlib import Repr  # only on the way to an error message

    short = Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    return short.repr(answer)[:80]


def token_count(value: object) -> int:
    """Return a server's token count; 0 for an invalid one."""
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
    return value if valid and isinstance(value, int) else 0
