"""JSON over HTTP to one server: tried again when that may help, slower when the server is busy, and never for ever.

Every request of ragit goes through `Client.post`, which is the one door: what is a secret in a text is taken out there,
and what a server says comes back as a typed failure with a hint, on one printable line, without the key.
"""

from __future__ import annotations

import json
import math
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ragit.errors import RemoteFailed
from ragit.remote.failures import KeyRefused, ParameterRefused, Refused, TooLong, Unreachable, WrongAnswer
from ragit.remote.gate import Gate
from ragit.remote.secrets import Clean, redact
from ragit.remote.server import Server, checked, masked
from ragit.remote.wire import Broken, NoConnection, Response, TooMuch, Wire

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed; 529 is some providers' word for overload."""

LARGEST_ANSWER = 256_000_000
"""Bytes, inflated. 2048 vectors of 4096 numbers in decimal are some 100 MB."""

MOST_PARTS = 50_000
"""Lists and objects of an answer: an empty one takes 20 times the memory here of what it takes on its way."""

_WORDS_OF_TOO_LONG = (
    "too long",
    "too large",
    "maximum context",
    "context length",
    "context size",
    "context window",
    "max_tokens",
    "maximum number of tokens",
    "max allowed tokens",
    "exceeds the maximum",
    "exceeds the context",
    "maximum input length",
    "maximum allowed batch size",
    "physical batch size",
)

_TOO_MANY = re.compile(
    r"too many (?:input |prompt |text |total )?(?:tokens|inputs|texts|documents|characters)\b"
    r"|\b(?:batch|inputs?|texts|documents)\b(?: [a-z]+)? too many (?:items|elements)\b"
    r"|too many (?:items|elements) in (?:the )?(?:batch|inputs?)\b"
    r"|must have less than [\d,]+ (?:input |total )?(?:tokens|characters|inputs|texts|documents)\b"
)
"""Too many of what a request holds. There may be too many requests, too, or stop words: no shorter text helps there."""

_WORDS_OF_NO_PARAMETER = (
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "extra",
    "not permitted",
    "not allowed",
    "invalid",
    "does not exist",
)

_NEEDED = frozenset({"model", "input", "inputs", "messages", "query", "documents", "texts"})
"""Parameters that no server does without: a complaint about one is about its value."""

_Subject = TypeVar("_Subject")
_Result = TypeVar("_Result")


class Patience(NamedTuple):
    """How long it may take until the answer is there."""

    retries: int = 5
    """Further tries after an answer that says to come back later, or after a cut connection."""
    longest_wait: float = 60.0
    """Seconds between two tries. A server that asks for more has a quota that is used up, not a queue."""
    within: float | None = None
    """Seconds for everything, tries and waiting included."""


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
        self._run = threading.local()
        """Of each thread of `as_ready`, `over`: set when a request beside it failed for good or the user interrupts."""

    def __repr__(self) -> str:
        return f"Client({self.server!r})"

    def url(self, path: str) -> str:
        """The address that a path is asked at, as it may be shown."""
        return masked(self._address._replace(path=self._path(path)).geturl())

    def post(self, path: str, payload: Mapping[str, object], *, patience: Patience = INDEXING, largest: int = 0) -> Any:
        """The parsed answer to a JSON request, of at most `largest` bytes; `path` is relative to the base URL.

        Raises one of `ragit.remote.failures`, all of them `RemoteFailed`.
        """
        largest = min(largest or LARGEST_ANSWER, LARGEST_ANSWER)
        body = json.dumps(self._without_secrets(payload), allow_nan=False).encode()
        end = math.inf if patience.within is None else time.monotonic() + patience.within
        for attempt in range(patience.retries + 1):
            with self._gate:
                if self._over.is_set():
                    raise self._failed(Unreachable, path, "was not asked any more")
                outcome = self._try(path, payload, body, end=end, largest=largest)
            if not isinstance(outcome, _Later):
                self._gate.went_well()
                return outcome
            if outcome.busy:
                self._gate.is_busy(outcome.after or 0.0)
            pause = outcome.after if outcome.after is not None else _back_off(attempt)
            impatient = pause > patience.longest_wait or time.monotonic() + pause >= end
            if attempt == patience.retries or impatient or self._pause(pause):
                raise self._failed(Unreachable, path, outcome.words)
        raise AssertionError("unreachable")  # pragma: no cover - the last attempt returned or raised

    def clean(self, text: str) -> Clean:
        """The text as it will be sent. For who cuts or counts texts before: a piece of a secret has no form to find."""
        found: Counter[str] = Counter()
        clean = redact(text, found)
        if found:
            with self._door:
                self.taken_out.update(found)
        return clean

    def each(self, call: Callable[[_Subject], _Result], items: Sequence[_Subject]) -> list[_Result]:
        """As `as_ready`, in the order of the items. One of them, which a query sends, needs no thread."""
        if len(items) < 2:
            return [call(item) for item in items]
        found = dict(self.as_ready(lambda numbered: (numbered[0], call(numbered[1])), enumerate(items)))
        return [found[number] for number in range(len(items))]

    def as_ready(self, call: Callable[[_Subject], _Result], items: Iterable[_Subject]) -> Iterator[_Result]:
        """`call` of every item, each as soon as it is there, in no order; as many at once as the server's concurrency
        allows.

        Items are drawn in the caller's thread, a few ahead. The first failure is raised, and so ends it as does a
        caller that stops listening: those under way are not waited for, and try nothing a second time. A `call` that
        returns its failures as values goes on with the rest.
        """
        if self.server.concurrency == 1:
            yield from map(call, items)
            return
        from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

        given_up = threading.Event()
        pool = ThreadPoolExecutor(self.server.concurrency, initializer=setattr, initargs=(self._run, "over", given_up))
        under_way: set[Future[_Result]] = set()
        try:
            for item in items:
                under_way.add(pool.submit(call, item))
                if len(under_way) > self.server.concurrency:
                    ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in ready)
            while under_way:
                ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ready)
        except BaseException:
            # Whoever interrupts does not wait for what is under way, a minute perhaps; nothing more is sent.
            given_up.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()

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

    def _try(self, path: str, payload: Mapping[str, object], body: bytes, *, end: float, largest: int) -> Any:
        """The parsed answer, or `_Later`."""
        until = min(time.monotonic() + self.server.timeout, end)
        try:
            answer = self._wire.post(self._target(path), self._headers(), body, until=until, largest=largest)
        except Broken as broken:
            return _Later(f"the connection broke ({broken})")
        except NoConnection as error:
            hint = f"Is it running, and is {self.server.section}.baseUrl right?"
            if "certificate" in str(error):
                hint = f"{self.server.section}.caFile names further certificates to trust"
            raise self._failed(Unreachable, path, f"cannot be reached ({error})", hint) from error
        except TooMuch as error:
            raise self._failed(WrongAnswer, path, str(error)) from error
        if answer.status >= 300:
            return self._refusal(path, payload, answer)
        return self._parsed(path, answer.content)

    def _parsed(self, path: str, content: bytes) -> Any:
        if content.count(b"[") + content.count(b"{") > MOST_PARTS:
            raise self._failed(WrongAnswer, path, f"answered with more than {MOST_PARTS:,} lists and objects")
        try:
            return json.loads(content, parse_int=_integer)
        except (ValueError, RecursionError) as error:
            words = f"did not answer in JSON, but with {content[:80]!r}"
            raise self._failed(WrongAnswer, path, words) from error

    def _refusal(self, path: str, payload: Mapping[str, object], answer: Response) -> _Later:
        """What an error status means: `_Later`, or a failure that is raised."""
        said = own_words(answer.content)
        words = f"answered {answer.status}: {said or answer.reason}"
        status = answer.status
        if status == 500 and _says_too_long(said):  # llama.cpp's word for it
            raise self._failed(TooLong, path, words, status=status)
        if status in _LATER and b"insufficient_quota" not in answer.content:
            return _Later(words, _retry_after(answer.headers), busy=status in (429, 503, 529))
        if status in (401, 403):
            raise self._failed(KeyRefused, path, words, self._about_key(), status=status)
        if status < 400:
            to = masked(answer.headers.get("location", "")) or "nowhere"
            words, hint = (
                f"answered {status}: it redirects to {to}",
                "ragit follows none: name that address if it is right",
            )
            raise self._failed(Refused, path, words, hint, status=status)
        parameter = _refused_parameter(payload, answer.content) if status in (400, 404, 422) else ""
        if parameter:
            raise self._failed(ParameterRefused, path, words, status=status, parameter=parameter)
        if status == 413 or (status in (400, 422) and _says_too_long(said)):
            raise self._failed(TooLong, path, words, status=status)
        raise self._failed(Refused, path, words, status=status)

    def _about_key(self) -> str:
        if not self.server.key_hint:
            return f"No key is sent to this address: {self.server.section}.apiKeyEnv names the variable that holds one"
        return f"{self.server.key_hint} {'is set, but not accepted' if self.server.key else 'is not set'}"

    def _failed(self, kind: type[Failure], path: str, words: str, hint: str = "", **more: Any) -> Failure:
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
            headers[self.server.key_header] = f"Bearer {self.server.key}" if bearer else self.server.key
        return {**headers, **dict(self.server.headers)}

    def _path(self, path: str) -> str:
        above = self._address.path.rstrip("/")
        return f"{above}/{path}" if path else above or "/"

    def _target(self, path: str) -> str:
        query = self._address.query
        return self._path(path) + (f"?{query}" if query else "")

    def _pause(self, seconds: float) -> bool:
        """Wait before the next try; True if there is to be none."""
        return self._over.wait(seconds)

    @property
    def _over(self) -> threading.Event:
        """Set when this thread's run is over."""
        over: threading.Event = getattr(self._run, "over", None) or threading.Event()
        return over


Failure = TypeVar("Failure", bound=RemoteFailed)


class _Later(NamedTuple):
    """The same request may succeed later; `after` seconds, if the server said so."""

    words: str
    after: float | None = None
    busy: bool = False


def own_words(content: bytes) -> str:
    """What a server says in its error, on one printable line; the whole beginning if it is in no known form."""
    text = content[:100_000].decode("utf-8", "replace")
    try:
        said = json.loads(text)
        if isinstance(said, list) and said:
            said = said[0]
        said = said.get("error") or said
        if isinstance(said, dict):
            said = said.get("message") or said.get("detail") or text
        text = said if isinstance(said, str) else json.dumps(said)
    except (ValueError, AttributeError, RecursionError):
        pass
    return printable(text[:2000])


def printable(text: str) -> str:
    """On one line of at most 300 characters, without what a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def _says_too_long(said: str) -> bool:
    folded = said.lower()
    return any(words in folded for words in _WORDS_OF_TOO_LONG) or _TOO_MANY.search(folded) is not None


def _refused_parameter(payload: Mapping[str, object], content: bytes) -> str:
    """The optional parameter of the request that an error is about; empty if it is about something else."""
    optional = [name for name in payload if name not in _NEEDED]
    try:
        error = json.loads(content)["error"]
        if isinstance(error, dict) and error.get("param") in optional:
            return str(error["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    folded = content[:4000].decode("utf-8", "replace").lower()
    if not any(words in folded for words in _WORDS_OF_NO_PARAMETER):
        return ""
    return next((name for name in optional if name in folded), "")


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
    return said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < 10**12 else 0


def _back_off(attempt: int) -> float:
    """Seconds; random, so that those who failed together do not come back together."""
    return min(30.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: a number, or a date."""
    if said := headers.get("retry-after-ms"):
        return _seconds(said, 1000)
    said = headers.get("retry-after", "")
    if (seconds := _seconds(said, 1)) is not None or not said:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(said: str, share: int) -> float | None:
    try:
        seconds = float(said) / share
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
