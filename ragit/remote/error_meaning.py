"""Tells from an HTTP error whether the request may succeed later, or why it never will.

Providers agree on statuses only roughly, and explain the rest in sentences, which the patterns
below match.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping

from ragit.records import NamedTuple
from ragit.remote.failures import KeyRefused, ParameterRefused, Refused, TooLong, TooMany
from ragit.remote.server import masked

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed; some providers use 529 for overload."""

_NUMBER = r"[\d,_]+"
_TEXT = r"(?:input|prompt|text|sequence|message|document|query|passage|string|sentence)s?"
_WINDOW = (
    r"(?:context (?:length|size|window|limit)|(?:input|prompt|sequence|model|token"
    r"|text) (?:length|size|limit))"
)

_TOO_LONG = re.compile(
    # A kind of text: OpenAI and its copies, Anthropic, Fireworks, Mistral, llama.cpp.
    rf"\b{_TEXT}\b[^.]{{0,60}}?\b(?:is|are|was) (?:too (?:long|large)|(?:longer|larger) than)\b"
    rf"|\b{_TEXT} too (?:long|large)\b"
    r"|^too long\b|: too long\b"
    # A window that it does not fit in: OpenAI, vLLM, Ollama, LM Studio, Voyage, NVIDIA.
    rf"|\b(?:maximum|max|available|model's|model’s) (?:allowed )?{_WINDOW}\b"
    r"|\b(?:exceeds?|exceeding|exceeded|overflows?|longer than|larger than|fit into"
    rf"|fit in)\b[^.]{{0,40}}\b{_WINDOW}\b"
    r"|\bcontext length of only\b|\bcontext_length_exceeded\b|\bphysical batch size\b"
    # Tokens: Mistral, Cohere, Bedrock, Voyage, Jina, text-embeddings-inference, OpenAI.
    rf"|\btoo many (?:input |prompt |text |total )?(?:tokens|characters)\b"
    r"|\bmax(?:imum)?(?: number of| allowed)? tokens (?:per|for|in) (?:submitted |the "
    rf"|a )?(?:{_TEXT}|batch|request)\b"
    r"|\bmaximum allowed token size\b"
    rf"|\bmust have less than {_NUMBER} (?:input |total )?(?:tokens|characters)\b"
    rf"|\b(?:cannot|can not|may not|must not) (?:exceed|be longer than) {_NUMBER} (?:tokens"
    r"|characters)\b"
    rf"|\b(?:exceeds?|exceeding|exceeded)[^.]{{0,40}}? {_NUMBER} (?:tokens|characters)\b"
    rf"|\bmax(?:imum)? {_NUMBER} tokens per request\b"
    rf"|\bstring should have at most {_NUMBER} characters\b"
    rf"|`?inputs`? tokens \+ `?max_new_tokens`? must be"
    rf"|\breduce (?:the length of|your|the size of) (?:the |your )?(?:{_TEXT}|message size)\b"
)
"""Messages about a text, or all texts of a request, being too long."""

_TOO_MANY = re.compile(
    r"\btoo many (?:inputs|texts|documents|passages|sentences|strings)\b"
    r"|\b(?:batch|inputs?|texts|documents)\b(?: [a-z]+)? too many (?:items|elements)\b"
    r"|\btoo many (?:items|elements) in (?:the )?(?:batch|inputs?)\b"
    r"|\bmaximum allowed batch size\b|\bbatch size limit\b"
    r"|\b(?:client )?batch size (?:is )?too large\b"
    r"|\barray too long\b|\b(?:list|tuple) should have at most\b"
    rf"|\b(?:number of|total) (?:texts|inputs|documents)\b[^.]{{0,30}} (?:at most|exceed)"
    rf"|\bmust have less than {_NUMBER} (?:input |total )?(?:inputs|texts|documents)\b"
    rf"|\b(?:cannot|can not) (?:process|embed|have) more than {_NUMBER} (?:inputs|texts"
    r"|documents)\b"
)
"""Messages about too many texts in one request."""

_ANSWER = re.compile(
    r"max_(?:completion_|output_|new_)?tokens'?(?: or 'max_completion_tokens')?:? (?:is too large"
    r"|[\d,_]+ >)"
)
"""Messages about the length of the answer, which is a parameter."""

_NO_ROOM = re.compile(r"\((\d{1,12}) > (\d{1,12}) - \d{1,12}\)")
"""Numbers that vLLM adds: tokens of the answer, of the context window, and of the text."""

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
"""Required parameters: an error about one is about its value."""


class Response(NamedTuple):
    """A response of any status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    content: bytes
    reason: str = ""


class Later(NamedTuple):
    """The same request may succeed later."""

    words: str
    after: float | None = None
    """Seconds to wait, if the server gave them."""
    busy: bool = False
    """The server is overloaded, so fewer requests should run."""


class Refusal(NamedTuple):
    """The same request will be refused again."""

    kind: type[Refused]
    words: str
    hint: str = ""
    """Empty for the default hint of its kind."""
    parameter: str = ""
    """The parameter that `ParameterRefused` is about."""


def meaning(answer: Response, payload: Mapping[str, object]) -> Later | Refusal:
    """Return whether a refused request may succeed later, or the reason of the refusal."""
    return later(answer) or _refusal(answer, payload)


def later(answer: Response) -> Later | None:
    """Return when the request may be sent again; None if the answer is final."""
    if answer.status not in _LATER or b"insufficient_quota" in answer.content:
        return None
    message = own_words(answer.content)
    if answer.status == 500 and _too_much(message):  # llama.cpp refuses a long text with 500
        return None
    words = f"answered {answer.status}: {message or answer.reason}"
    busy = answer.status in (429, 503, 529)
    return Later(words, _retry_after(answer.headers), busy)


def _refusal(answer: Response, payload: Mapping[str, object]) -> Refusal:
    status, message = answer.status, own_words(answer.content)
    words = f"answered {status}: {message or answer.reason}"
    if status in (401, 403):
        return Refusal(KeyRefused, words)
    if status < 400:
        target = masked(answer.headers.get("location", "")) or "nowhere"
        hint = "ragit follows no redirects: name that address if it is right"
        return Refusal(Refused, f"answered {status}: it redirects to {target}", hint)
    if status in (400, 404, 422):
        parameter = _refused_parameter(payload, answer.content)
        if parameter:
            return Refusal(ParameterRefused, words, parameter=parameter)
    much = _too_much(message) if status in (400, 413, 422, 500) else None
    # 413 is about the size of the request, whatever its text.
    return Refusal(much or (TooLong if status == 413 else Refused), words)


def own_words(content: bytes) -> str:
    """Return the message of an error's body, or an unknown body, on one printable line."""
    text = content[:100_000].decode("utf-8", "replace")
    try:
        error = json.loads(text)
        if isinstance(error, list) and error:
            error = error[0]
        error = error.get("error") or error
        if isinstance(error, dict):
            error = error.get("message") or error.get("detail") or text
        text = error if isinstance(error, str) else json.dumps(error)
    except (ValueError, AttributeError, RecursionError):
        pass
    return printable(text[:2000])


def printable(text: str) -> str:
    """Return the text on one line of at most 300 characters, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def _too_much(message: str) -> type[Refused] | None:
    """Return TooMany or TooLong for an error about the number or length of texts, else None."""
    folded = message.lower()
    if _ANSWER.search(folded):
        # A shorter text leaves room, unless the answer alone takes all of it.
        room = _NO_ROOM.search(folded)
        return TooLong if room and int(room[1]) < int(room[2]) else None
    if _TOO_MANY.search(folded):
        return TooMany
    return TooLong if _TOO_LONG.search(folded) else None


def _refused_parameter(payload: Mapping[str, object], content: bytes) -> str:
    """Return the optional parameter of the request that an error names; empty for none."""
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
    """Return the seconds that a server asks to wait, given as a number or a date."""
    if wait := headers.get("retry-after-ms"):
        return _seconds(wait, 1000)
    wait = headers.get("retry-after", "")
    if (seconds := _seconds(wait, 1)) is not None or not wait:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(wait).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(wait: str, share: int) -> float | None:
    try:
        seconds = float(wait) / share
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
