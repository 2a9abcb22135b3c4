"""Sends one request for vectors in the server's dialect, and returns unit vectors."""

from __future__ import annotations

import math
import threading
import time
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragit.embed import answer
from ragit.embed.options import EmbedderOptions
from ragit.embed.pace import Pace
from ragit.errors import ConfigError, RemoteFailed
from ragit.remote import Client, Embeddings, ParameterRefused, Preset, RetryPolicy, shortened_repr

MOST_DIMENSIONS = 16_384
"""Limit of dimensions. Served models have up to 4096, one has 12,288."""

PLAIN = "def main():"
"""A harmless text: a server that refuses it refuses all texts."""

_FRAME, _NUMBER = 1_000_000, 25
"""Limit of an answer in bytes, and of each number in it."""

Kind = tuple[tuple[str, str], ...]
"""Parameters that tell a query from a document."""


class EmbeddingRequests:
    """Requests to one model on one server, with what was learnt about it. Threads may share it."""

    def __init__(
        self,
        client: Client,
        preset: Preset,
        dialect: Embeddings,
        options: EmbedderOptions,
        pace: Pace,
    ) -> None:
        self.client = client
        self.model = options.model or dialect.model
        self.dimensions = options.dimensions
        """Length of the vectors: as configured, else learnt from the first."""
        self.counts: Counter[str] = Counter()
        """Tokens (as counted by the server), shortened and refused texts so far."""
        self._preset = preset
        self._dialect = dialect
        self._options = options
        self._pace = pace
        self._base64 = options.encoding_format == "base64" or (
            dialect.base64 and not options.encoding_format
        )
        self._left_out: set[str] = set()
        """Parameters that the server refuses and the user did not set."""
        self._answered = False
        """True if the server made a vector since it last refused a text."""
        self._lock = threading.Lock()

    def send(self, texts: Sequence[str], kind: Kind, policy: RetryPolicy) -> list[bytes]:
        """Return a unit vector per text, or zeros for a refused text."""
        started = time.monotonic()
        try:
            found = self.client.post(
                self._dialect.path,
                self._payload(texts, kind),
                policy=policy,
                largest=_FRAME + len(texts) * MOST_DIMENSIONS * _NUMBER,
                openai=self._dialect.is_openai,
            )
        except ParameterRefused as refused:
            if not self._adapts(refused.parameter):
                raise
            return self.send(texts, kind, policy)
        vectors = self._vectors(found, len(texts))
        self._pace.answered(len(texts), sum(map(len, texts)), time.monotonic() - started)
        zeros = sum(not any(vector) for vector in vectors)
        if zeros < len(vectors):
            self._answered = True
        else:
            wrong = self._wrong_answer(
                "sent embeddings that are all zero", "Is it a model for embeddings?"
            )
            if list(texts) == [PLAIN]:
                raise wrong
            self.still_takes_texts(kind, policy, wrong)
        self.count("refused", zeros)
        return vectors

    def still_takes_texts(self, kind: Kind, policy: RetryPolicy, failed: RemoteFailed) -> None:
        """Raise the failure if the server refuses every text.

        A refused text is stored as such and not sent again. A server that refuses everything from
        some moment on must not leave a store without vectors.
        """
        if not self._answered:
            try:
                self.send([PLAIN], kind, policy)
            except RemoteFailed:
                raise failed from None
        self._answered = False

    def count(self, what: str, number: int = 1) -> None:
        """Add to the counts."""
        with self._lock:
            self.counts[what] += number

    def _payload(self, texts: Sequence[str], kind: Kind) -> dict[str, object]:
        dialect, options = self._dialect, self._options
        payload: dict[str, object] = {"model": self.model, dialect.texts: list(texts), **dict(kind)}
        for name, value in dialect.always:
            if name not in self._left_out:
                payload[name] = value
        if options.dimensions is not None:
            payload[self._parameter(dialect.dimensions, "dimensions")] = options.dimensions
        if self._base64 or options.encoding_format:
            name = self._parameter(dialect.encoding, "encodingFormat")
            payload[name] = "base64" if self._base64 else "float"
        return payload

    def _parameter(self, name: str, setting: str) -> str:
        if not name:
            raise ConfigError(
                f"{self._preset.title} has no parameter for embedding.{setting}", "Leave it out"
            )
        return name

    def _adapts(self, parameter: str) -> bool:
        """Drop a parameter that the user did not set; return False if the user did."""
        chosen = bool(self._options.encoding_format)
        if parameter == self._dialect.encoding and self._base64 and not chosen:
            self._base64 = False
            return True
        if parameter in dict(self._dialect.always) and parameter not in self._left_out:
            self._left_out.add(parameter)
            return True
        return False

    def _vectors(self, found: Any, expected: int) -> list[bytes]:
        try:
            vectors = answer.rows(found, self._dialect.answer)
            tokens = answer.tokens(found)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            words = f"did not answer with embeddings, but with {shortened_repr(found)}"
            raise self._wrong_answer(words) from error
        if len(vectors) != expected:
            raise self._wrong_answer(f"answered with {len(vectors)} embeddings to {expected} texts")
        self.count("tokens", tokens)
        return [self._unit(vector) for vector in vectors]

    def _unit(self, given: Any) -> bytes:
        vector = answer.numbers(given)
        if not vector:
            raise self._wrong_answer(
                f"sent an embedding that is not a list of numbers: {shortened_repr(given)[:60]}"
            )
        if len(vector) > MOST_DIMENSIONS:
            raise self._wrong_answer(
                f"sent {len(vector):,} dimensions, and {MOST_DIMENSIONS:,} are the most"
            )
        if self.dimensions is None:
            self.dimensions = len(vector)
        if len(vector) != self.dimensions:
            hint = "Set embedding.dimensions to what the model gives, or leave it out"
            raise self._wrong_answer(
                f"sent {len(vector)} dimensions instead of {self.dimensions}", hint
            )
        length = answer.length(vector)
        if not math.isfinite(length):
            raise self._wrong_answer(
                "sent an embedding with numbers that are not finite, or too large"
            )
        return array("f", [x / (length or 1.0) for x in vector]).tobytes()

    def _wrong_answer(self, words: str, hint: str = "") -> RemoteFailed:
        return self.client.wrong(self._dialect.path, words, hint)
