"""JSON over HTTP to one server: tried again when that may help, slower when the server is busy, and never for ever.

Every request of ragit goes through `Client.post`, which is the one door: what is a secret in a text is taken out there,
and what a server says comes back as a typed failure with a hint, on one printable line, without the key.
"""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ragit.errors import RemoteFailed
from ragit.remote.failures import KeyRefused, Unreachable, WrongAnswer
from ragit.remote.gate import Gate
from ragit.remote.refusal import Later, Refusal, meaning, printable
from ragit.remote.secrets import Clean, redact
from ragit.remote.server import Server, checked, masked
from ragit.remote.side_by_side import NEVER
from ragit.remote.wire import Broken, NoConnection, TooMuch, Wire

LARGEST_ANSWER = 256_000_000
"""Bytes, inflated. 2048 vectors of 4096 numbers in decimal are some 100 MB."""

MOST_PARTS = 50_000
"""Lists and objects of an answer: an empty one takes 20 times the memory here of what it takes on its way."""

Failure = TypeVar("Failure", bound=RemoteFailed)


class Patience(NamedTuple):
    """How long it may take until the answer is there."""

    retries: int = 5
    """Further tries after an answer that says to come back later, or after a cut connection."""
    longest_wait: float = 60.0
    """Seconds between two tries. A server that asks for more has a quota that is used up, not a queue."""
    within: float | None = None
    """Seconds for everything, tries and waiting included."""
    over: threading.Event = NEVER
    """Set when nobody waits for the answer any more: then it is not asked for again."""


INDEXING = Patience()
QUERY = Patience(retries=1, longest_wait=2.0)
"""While a person waits: keywords answer without a server."""


class Client:
    """Requests to one server. Threads may share it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._address = checked(server)
        self._wire = Wire(self._address, server.proxy, server.ca_file)
        self._gate = Gate(server.concurrency)
        self._door = threading.Lock()
        self.taken_out: Counter[str] = Counter()
        """How many secrets of each kind were taken out of what was sent."""

    def __repr__(self) -> str:
        return f"Client({self.server!r})"

    def url(self, path: str) -> str:
        """The address that a path is asked at, as it may be shown."""
        return masked(self._address._replace(path=self._path(path)).geturl())

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        patience: Patience = INDEXING,
        largest: int = 0,
    ) -> Any:
        """The parsed answer to a JSON request, of at most `largest` bytes; `path` is relative to the base URL.

        Raises one of `ragit.remote.failures`, all of them `RemoteFailed`.
        """
        largest = min(largest or LARGEST_ANSWER, LARGEST_ANSWER)
        body = json.dumps(self._without_secrets(payload), allow_nan=False).encode()
        end = math.inf if patience.within is None else time.monotonic() + patience.within
        for attempt in range(patience.retries + 1):
            with self._gate:
                if patience.over.is_set():
                    raise self._failed(Unreachable, path, "was not asked any more")
                outcome = self._try(path, payload, body, end=end, largest=largest)
            if not isinstance(outcome, Later):
                self._gate.went_well()
                return outcome
            if outcome.busy:
                self._gate.is_busy(outcome.after or 0.0)
            pause = outcome.after if outcome.after is not None else _back_off(attempt)
            impatient = pause > patience.longest_wait or time.monotonic() + pause >= end
            if attempt == patience.retries or impatient or _pause(pause, patience.over):
                raise self._failed(Unreachable, path, outcome.words)
        raise AssertionError(
            "unreachable"
        )  # pragma: no cover - the last attempt returned or raised

    def clean(self, text: str) -> Clean:
        """The text as it will be sent. For who cuts or counts texts before: a piece of a secret has no form to find."""
        found: Counter[str] = Counter()
        clean = redact(text, found)
        if found:
            with self._door:
                self.taken_out.update(found)
        return clean

    def wrong(self, path: str, words: str, hint: str = "") -> WrongAnswer:
        """The failure to raise where an answer's content is not what the protocol promises."""
        return self._failed(WrongAnswer, path, words, hint)

    def _without_secrets(self, value: Any) -> Any:
        """Every text in a request, however deep, without what looks like a secret; pictures as they are."""
        if isinstance(value, str):
            return value if value.startswith("data:image/") else self.clean(value)
        if isinstance(value, Mapping):
            return {name: self._without_secrets(one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._without_secrets(one) for one in value]
        return value

    def _try(
        self, path: str, payload: Mapping[str, object], body: bytes, *, end: float, largest: int
    ) -> Any:
        """The parsed answer, or `Later`."""
        until = min(time.monotonic() + self.server.timeout, end)
        try:
            answer = self._wire.post(
                self._target(path), self._headers(), body, until=until, largest=largest
            )
        except Broken as broken:
            return Later(f"the connection broke ({broken})")
        except NoConnection as error:
            hint = f"Is it running, and is {self.server.section}.baseUrl right?"
            if "certificate" in str(error):
                hint = f"{self.server.section}.caFile names further certificates to trust"
            raise self._failed(Unreachable, path, f"cannot be reached ({error})", hint) from error
        except TooMuch as error:
            raise self._failed(WrongAnswer, path, str(error)) from error
        if answer.status >= 300:
            said = meaning(answer, payload)
            if isinstance(said, Later):
                return said
            raise self._refused(path, said, answer.status)
        return self._parsed(path, answer.content)

    def _parsed(self, path: str, content: bytes) -> Any:
        if content.count(b"[") + content.count(b"{") > MOST_PARTS:
            raise self._failed(
                WrongAnswer, path, f"answered with more than {MOST_PARTS:,} lists and objects"
            )
        try:
            return json.loads(content, parse_int=_integer)
        except (ValueError, RecursionError) as error:
            words = f"did not answer in JSON, but with {content[:80]!r}"
            raise self._failed(WrongAnswer, path, words) from error

    def _refused(self, path: str, said: Refusal, status: int) -> RemoteFailed:
        hint = self._about_key() if said.kind is KeyRefused else said.hint
        more = {"parameter": said.parameter} if said.parameter else {}
        return self._failed(said.kind, path, said.words, hint, status=status, **more)

    def _about_key(self) -> str:
        if not self.server.key_hint:
            return f"No key is sent to this address: {self.server.section}.apiKeyEnv names the variable that holds one"
        return f"{self.server.key_hint} {'is set, but not accepted' if self.server.key else 'is not set'}"

    def _failed(
        self, kind: type[Failure], path: str, words: str, hint: str = "", **more: Any
    ) -> Failure:
        words = self.server.hide(words)
        hint = hint or f"Check {self.server.section}.baseUrl and {self.server.section}.model"
        return kind(f"{self.url(path)} {printable(words)}", hint, **more)

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "ragit",
        }
        if self.server.key:
            bearer = self.server.key_header.lower() == "authorization"
            headers[self.server.key_header] = (
                f"Bearer {self.server.key}" if bearer else self.server.key
            )
        return {**headers, **dict(self.server.headers)}

    def _path(self, path: str) -> str:
        above = self._address.path.rstrip("/")
        return f"{above}/{path}" if path else above or "/"

    def _target(self, path: str) -> str:
        query = self._address.query
        return self._path(path) + (f"?{query}" if query else "")


def _integer(digits: str) -> int:
    """A number of an answer. ValueError for one that is none: Python takes long over thousands of digits."""
    if len(digits) > 4000:
        raise ValueError("a number of too many digits")
    return int(digits)


def shown(answer: object) -> str:
    """The beginning of an answer that is not what was asked for, however large and deep it is."""
    from reprlib import Repr  # only on the way to an error message

    short = Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    return short.repr(answer)[:80]


def count(said: object) -> int:
    """A number of tokens, as a server counts them; 0 for what can be none."""
    return (
        said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < 10**12 else 0
    )


def _pause(seconds: float, over: threading.Event) -> bool:
    """Wait before the next try; True if there is to be none."""
    return over.wait(seconds)


def _back_off(attempt: int) -> float:
    """Seconds; random, so that those who failed together do not come back together."""
    return min(30.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1)
