"""What a server means by an error: that it may be asked again later, or why it never will do what was asked.

Providers agree on statuses only roughly, and say the rest in sentences of their own: the words that they use stand here
in tables. Sends nothing: what is made of a meaning is the business of `client`.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from typing import NamedTuple

from ragit.remote.failures import KeyRefused, ParameterRefused, Refused, TooLong
from ragit.remote.server import masked
from ragit.remote.wire import Response

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed; 529 is some providers' word for overload."""

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


class Later(NamedTuple):
    """The same request may succeed later; `after` seconds, if the server said so."""

    words: str
    after: float | None = None
    busy: bool = False


class Refusal(NamedTuple):
    """The same request will be refused again."""

    kind: type[Refused]
    words: str
    hint: str = ""
    """Empty for the usual one of its kind."""
    parameter: str = ""
    """Which one `ParameterRefused` is about."""


def meaning(answer: Response, payload: Mapping[str, object]) -> Later | Refusal:
    """What an error status means, as the answer to a request."""
    said = own_words(answer.content)
    words = f"answered {answer.status}: {said or answer.reason}"
    status = answer.status
    if status == 500 and _says_too_long(said):  # llama.cpp's word for it
        return Refusal(TooLong, words)
    if status in _LATER and b"insufficient_quota" not in answer.content:
        return Later(words, _retry_after(answer.headers), busy=status in (429, 503, 529))
    if status in (401, 403):
        return Refusal(KeyRefused, words)
    if status < 400:
        to = masked(answer.headers.get("location", "")) or "nowhere"
        hint = "ragit follows none: name that address if it is right"
        return Refusal(Refused, f"answered {status}: it redirects to {to}", hint)
    parameter = _refused_parameter(payload, answer.content) if status in (400, 404, 422) else ""
    if parameter:
        return Refusal(ParameterRefused, words, parameter=parameter)
    if status == 413 or (status in (400, 422) and _says_too_long(said)):
        return Refusal(TooLong, words)
    return Refusal(Refused, words)


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
