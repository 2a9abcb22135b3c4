"""Any server that speaks OpenAI's embeddings protocol: one POST of texts, one list of vectors. Owns HTTP.

Written on urllib rather than on the openai package: the protocol is a single call, importing that package costs a query
600 ms, and one implementation serves queries and indexing alike. Proxies of the environment are honoured; a redirect is
refused, not followed, because it would carry the key and the code to a host that nobody configured.
"""

from __future__ import annotations

import json
import math
import os
import random
import threading
import time
import urllib.error
import urllib.request
from array import array
from collections.abc import Iterator, Sequence
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from ragit.embed.options import EmbedderOptions, fingerprint
from ragit.errors import ConfigError, EmbedderUnavailable

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

_BATCH_CHARACTERS = 200_000
"""Per request; servers limit tokens per request, and a token of code is seldom less than a character."""

_LONGEST_WAIT = 60.0
"""Seconds between two tries. A server that asks for more has a quota that is used up, not a queue."""

_QUERY_WAIT = 2.0
"""The same while a person waits; the keyword arm answers without us."""

_LARGEST_ANSWER = 256_000_000

_SHORTEST = 200
"""Characters. A server that still calls such a text too long means something else."""


class OpenAIEmbedder:
    """Vectors from a server, scaled to length one."""

    local = False

    def __init__(self, options: EmbedderOptions) -> None:
        self._options = options
        self._model = options.model or DEFAULT_MODEL
        self._base = (options.base_url or DEFAULT_URL).rstrip("/")
        _check_url(self._base)
        self._url = f"{self._base}/embeddings"
        self._key = os.environ.get(options.api_key_env, "").strip()
        self._dimensions = options.dimensions
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._given_up = threading.Event()
        """Set when a request failed for good or the user interrupts: those beside it end at their next pause."""

    @property
    def fingerprint(self) -> str:
        """Server, model, requested dimensions and document prefix: a name alone does not say whose weights it means."""
        return fingerprint("openai", f"{self._base}#{self._model}", self._options.dimensions, self._options)

    @property
    def dimensions(self) -> int:
        """Length of each vector: as configured, else learnt from the server's first answer, which this may ask for."""
        if self._dimensions is None:
            self._request(["dimensions"], self._options.retries, _LONGEST_WAIT)
        if self._dimensions is None:  # pragma: no cover - _request sets it or raises
            raise AssertionError("an answer without vectors was accepted")
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector per text. Blank texts, which servers refuse, are not sent: their vectors are zero.

        Raises `EmbedderUnavailable` if the server refuses, stays unreachable or answers with something else.
        """
        prefix = self._options.document_prefix
        spoken = [i for i, text in enumerate(texts) if text.strip()]
        vectors: dict[int, bytes] = {}
        batches = list(self._batches(spoken, texts))
        answers = self._side_by_side([[prefix + texts[i] for i in batch] for batch in batches])
        for batch, answer in zip(batches, answers, strict=True):
            vectors.update(zip(batch, answer, strict=True))
        blank = bytes(4 * self.dimensions) if len(spoken) < len(texts) else b""
        return [vectors.get(i, blank) for i in range(len(texts))]

    def embed_query(self, text: str) -> bytes:
        """The vector of a query; gives up sooner than indexing would."""
        if not text.strip():
            return bytes(4 * self.dimensions)
        return self._request([self._options.query_prefix + text], min(1, self._options.retries), _QUERY_WAIT)[0]

    def knows(self, text: str) -> bool:
        """True: such models read pieces of words, and most languages."""
        return bool(text)

    def _batches(self, numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
        batch: list[int] = []
        size = 0
        for number in numbers:
            length = len(texts[number])
            if batch and (len(batch) >= self._options.batch_size or size + length > _BATCH_CHARACTERS):
                yield batch
                batch, size = [], 0
            batch.append(number)
            size += length
        if batch:
            yield batch

    def _side_by_side(self, batches: list[list[str]]) -> list[list[bytes]]:
        """The vectors of each batch; as many requests under way at once as the options allow."""
        # The first answer may have to tell the dimensions that all others are checked by.
        alone = 1 if self._dimensions is None else 0
        answers = [self._fitting(batch) for batch in batches[:alone]]
        rest = batches[alone:]
        if self._options.concurrency == 1 or len(rest) < 2:
            return answers + [self._fitting(batch) for batch in rest]
        from concurrent.futures import ThreadPoolExecutor  # a query sends one request

        pool = ThreadPoolExecutor(min(self._options.concurrency, len(rest)))
        try:
            return answers + list(pool.map(self._fitting, rest))
        except BaseException:
            self._given_up.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            self._given_up.clear()

    def _fitting(self, texts: list[str]) -> list[bytes]:
        """Vectors of texts; where the server says too long, of fewer at a time, at last of a text's beginning."""
        try:
            return self._request(texts, self._options.retries, _LONGEST_WAIT)
        except _TooLong:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._fitting(texts[:middle]) + self._fitting(texts[middle:])
            if len(texts[0]) < _SHORTEST:
                raise
            return self._fitting([texts[0][: len(texts[0]) // 2]])

    def _request(self, texts: list[str], retries: int, longest_wait: float) -> list[bytes]:
        payload: dict[str, object] = {"model": self._model, "input": texts}
        if self._options.dimensions is not None:
            payload["dimensions"] = self._options.dimensions
        body = json.dumps(payload).encode()
        for attempt in range(retries + 1):
            try:
                return self._vectors(self._post(body), len(texts))
            except _Later as later:
                pause = later.after if later.after is not None else min(30.0, 0.5 * 2**attempt) * random.uniform(0.5, 1)
                if attempt == retries or pause > longest_wait or self._pause(pause):
                    raise self._unavailable(later.words) from later
        raise AssertionError("unreachable")  # pragma: no cover - the last attempt returned or raised

    def _pause(self, seconds: float) -> bool:
        """Wait before the next try; True if there is to be none."""
        return self._given_up.wait(seconds)

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragit"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._options.timeout) as answer:
                content: bytes = answer.read(_LARGEST_ANSWER)
                return content
        except urllib.error.HTTPError as error:
            raise self._refused(error) from error
        except (HTTPException, TimeoutError, ConnectionResetError, BrokenPipeError) as error:
            raise _Later(f"the connection broke ({str(error) or type(error).__name__})") from error
        except OSError as error:  # URLError is one, too
            reason = getattr(error, "reason", error)
            if isinstance(reason, (TimeoutError, ConnectionResetError)):
                raise _Later(f"the connection broke ({reason})") from error
            raise self._unavailable(f"cannot be reached ({reason})") from error

    def _refused(self, error: urllib.error.HTTPError) -> Exception:
        with error:
            try:
                content = error.read(100_000)
            except (OSError, HTTPException):
                content = b""
        words = f"answered {error.code}: {_own_words(content) or error.reason}"
        spent = b"insufficient_quota" in content
        if error.code in _LATER and not spent:
            return _Later(words, _retry_after(error.headers))
        if error.code == 413 or (error.code in (400, 422) and _says_too_long(content)):
            return _TooLong(*self._named(words))
        hint = ""
        if error.code in (401, 403):
            state = "is set, but not accepted" if self._key else "is not set"
            hint = f"the environment variable {self._options.api_key_env} {state}; embedding.apiKeyEnv names it"
        return self._unavailable(words, hint)

    def _vectors(self, content: bytes, expected: int) -> list[bytes]:
        try:
            rows = json.loads(content)["data"]
            vectors = [row["embedding"] for row in sorted(rows, key=lambda row: int(row["index"]))]
            indexes = sorted(int(row["index"]) for row in rows)
        except (ValueError, KeyError, TypeError) as error:
            raise self._unavailable(f"did not answer with embeddings, but with {content[:80]!r}") from error
        if indexes != list(range(expected)):
            raise self._unavailable(f"answered with {len(indexes)} embeddings to {expected} texts")
        return [self._unit(vector) for vector in vectors]

    def _unit(self, vector: Any) -> bytes:
        if not isinstance(vector, list) or not vector or not all(isinstance(x, (int, float)) for x in vector):
            raise self._unavailable(f"sent an embedding that is not a list of numbers: {str(vector)[:60]}")
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            hint = "set embedding.dimensions to what the model gives, or leave it out"
            raise self._unavailable(f"sent {len(vector)} dimensions instead of {self._dimensions}", hint)
        length = math.sqrt(math.fsum(x * x for x in vector))
        if not math.isfinite(length):
            raise self._unavailable("sent an embedding with numbers that are not finite")
        return array("f", [x / (length or 1.0) for x in vector]).tobytes()

    def _unavailable(self, words: str, hint: str = "") -> EmbedderUnavailable:
        return EmbedderUnavailable(*self._named(words, hint))

    def _named(self, words: str, hint: str = "") -> tuple[str, str]:
        if self._key:
            words = words.replace(self._key, "***")
        return (
            f"model {self._model} at {self._url} {words}",
            hint
            or "check embedding.baseUrl and embedding.model, or use the offline embedder (embedding.provider = static)",
        )


def load(options: EmbedderOptions) -> OpenAIEmbedder:
    """The embedder that the table's row `openai` stands for."""
    return OpenAIEmbedder(options)


class _TooLong(EmbedderUnavailable):
    """The server found a text, or all of them together, too long."""


class _Later(Exception):
    """The same request may succeed later; `after` seconds, if the server said so."""

    def __init__(self, words: str, after: float | None = None) -> None:
        super().__init__(words)
        self.words = words
        self.after = after


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect as the error it is for us."""

    def redirect_request(self, *_: Any) -> None:
        """No request: urllib then raises HTTPError with the status."""
        return


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"embedding.baseUrl {url!r} is not the address of a server", "for example http://localhost:11434/v1"
        )


def _own_words(content: bytes) -> str:
    """What the server says in its answer, on one line."""
    text = content.decode("utf-8", "replace")
    try:
        said = json.loads(text)
        said = said.get("error", said)
        if isinstance(said, dict):
            said = said.get("message") or said.get("detail") or text
        text = str(said)
    except (ValueError, AttributeError):
        pass
    return " ".join("".join(c if c.isprintable() else " " for c in text[:2000]).split())[:300]


def _says_too_long(content: bytes) -> bool:
    words = content[:4000].lower()
    return any(
        sign in words for sign in (b"too long", b"too large", b"maximum context", b"context length", b"max_tokens")
    )


def _retry_after(headers: Message) -> float | None:
    """Seconds that the server asks to wait: a number, or a date."""
    said = (headers.get("Retry-After") or "").strip()
    if not said:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
