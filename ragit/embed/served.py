"""Vectors from a server, in whatever dialect of the embeddings protocol it speaks. Opens no connection: `remote` does.

All dialects are one request of texts and one answer of vectors. What they call things is a row of `remote.presets`;
what a server may do other than answer is the business of `remote.client`, except for two things that only we can mend:
texts that are too long are cut, and a text that the server will not take, for whatever reason of its own, is left
without a vector. Both depend on the text and the server alone, never on the texts that shared its request, and both
are counted.
"""

from __future__ import annotations

import base64
import binascii
import math
import os
import re
import sys
import threading
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragit.embed.options import EmbedderOptions, fingerprint
from ragit.errors import ConfigError, EmbedderUnavailable, RemoteFailed
from ragit.remote import secrets
from ragit.remote.client import INDEXING, QUERY, Client, RetryPolicy, count, shown
from ragit.remote.failures import KeyRefused, ParameterRefused, Refused, TooLong, TooMany
from ragit.remote.parallel import NEVER, each
from ragit.remote.presets import PRESETS, Preset, spoken_as
from ragit.remote.secrets import Clean
from ragit.remote.server import Server, masked, on_this_machine
from ragit.reports import Reached, Sent

_SHORTEST = 200
"""Characters. A server that still calls such a text too long means something else."""

_PLAIN = "def main():"
"""A text that no server minds, unless it minds all."""

CACHED_QUERIES = 256
"""Vectors of queries that an embedder keeps: a query is often repeated with other filters."""

MOST_DIMENSIONS = 16_384
"""Of a vector. Models that are served have up to 4096 of them, or 12,288."""

_FRAME, _NUMBER = 1_000_000, 25
"""Bytes of an answer, at most, and of each number in it."""

_OFFLINE = "Or use the offline embedder: embedding.provider = static, without embedding.model"


class ServedEmbedder:
    """Vectors from a server, scaled to length one."""

    local = False

    def __init__(self, options: EmbedderOptions, preset: Preset, server: Server) -> None:
        dialect = spoken_as(preset, options.model, server.base_url)
        if dialect is None:
            raise ConfigError(
                f"{preset.title} has no embeddings", "docs/providers.md lists who has"
            )
        if not (options.model or dialect.model):
            hint = (
                "the deployment's name"
                if preset.name == "azure"
                else "the name that the server gave it"
            )
            raise ConfigError("embedding.model is not set", f"For {preset.title} it is {hint}")
        self._options = options
        self._preset = preset
        self._dialect = dialect
        self._model = options.model or dialect.model
        self._client = Client(server)
        self._dimensions = options.dimensions
        self._base64 = options.encoding_format == "base64" or (
            dialect.base64 and not options.encoding_format
        )
        self._queries: dict[str, bytes] = {}
        self._left_out: set[str] = set()
        """Parameters that the server does not take and that are not the user's wish."""
        self._answered = False
        """Whether the server made a vector since it last refused a text."""
        self._counting = threading.Lock()
        self.counts: Counter[str] = Counter()
        """Of the texts so far: tokens (as the server counts them), shortened and refused ones."""

    @property
    def fingerprint(self) -> str:
        """Server, model, requested dimensions and all that is done to a text before it becomes a vector."""
        done = [f"{name}={value}" for name, value in self._dialect.document]
        if self._options.max_characters:
            done.append(f"first {self._options.max_characters}")
        if self._dialect.prefixes[1] and not self._options.document_prefix:
            done.append(repr(self._dialect.prefixes[1]))
        done.append(f"secrets {secrets.VERSION}")
        name = fingerprint(
            self._preset.name,
            f"{masked(self._client.server.base_url)}#{self._model}",
            self._options.dimensions,
            self._options,
        )
        return f"{name}:{','.join(done)}"

    @property
    def dimensions(self) -> int:
        """Length of each vector: as configured, else learnt from the server's first answer, which this may ask for."""
        if self._dimensions is None:
            self._translated(["dimensions"], self._dialect.document, self._indexing)
        if self._dimensions is None:  # pragma: no cover - an answer sets it, all else raises
            raise AssertionError("an answer without vectors was accepted")
        return self._dimensions

    @property
    def sent(self) -> Sent:
        """What was sent so far, queries included."""
        counts = self.counts
        secrets = sum(self._client.taken_out.values())
        return Sent(self._model, counts["tokens"], secrets, counts["shortened"], counts["refused"])

    @property
    def taken_out(self) -> Mapping[str, int]:
        """Secrets that were taken out of what was sent, by kind."""
        return self._client.taken_out

    def warm_up(self) -> None:
        """Start to import the server's client, so that the first query need not wait for it."""
        self._client.warm_up(openai=self._dialect.is_openai)

    def about(self) -> Reached:
        """What `ragit embed --test` says of it: provider, address, model, and whether there is a key."""
        server = self._client.server
        abroad = server.base_url.startswith("http://") and not on_this_machine(server.base_url)
        return Reached(
            provider=f"{self._preset.name} ({self._preset.title})",
            address=self._client.url(self._dialect.path),
            model=self._model,
            key=self._about_key(server),
            in_clear=bool(server.key) and abroad,
        )

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector per text. Blank texts, which servers refuse, are not sent: their vectors are zero.

        Raises `EmbedderUnavailable` if the server refuses, stays unreachable or answers with something else.
        """
        prefix = self._options.document_prefix or self._dialect.prefixes[1]
        spoken = {i: self._outgoing(prefix, text) for i, text in enumerate(texts) if text.strip()}
        batches = list(self._batches(spoken))
        answers = self._side_by_side([[spoken[i] for i in batch] for batch in batches])
        vectors: dict[int, bytes] = {}
        for batch, answer in zip(batches, answers, strict=True):
            vectors.update(zip(batch, answer, strict=True))
        blank = bytes(4 * self.dimensions) if len(spoken) < len(texts) else b""
        return [vectors.get(i, blank) for i in range(len(texts))]

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query; gives up sooner than indexing. The last queries are cached."""
        vector = self._queries.pop(text, None) or self._query(text)[0]
        self._queries[text] = vector
        if len(self._queries) > CACHED_QUERIES:
            del self._queries[next(iter(self._queries))]
        return vector

    def embed_query_beside(self, query: str, text: str) -> tuple[bytes, bytes]:
        """The vectors of a query and of a document's text by one request. That of the text is empty where a parameter
        tells the server which of the two a whole request is, or where a request is to hold no more than one text.
        """
        if self._dialect.query != self._dialect.document or self._most < 2:
            return self.embed_query(query), b""
        document = self._outgoing(self._options.document_prefix or self._dialect.prefixes[1], text)
        vectors = self._query(query, document)
        return vectors[0], vectors[1] if len(vectors) > 1 else b""

    def knows(self, text: str) -> bool:
        """True: such models read pieces of words, and most languages."""
        return bool(text)

    def _query(self, text: str, *beside: str) -> list[bytes]:
        """The vector of a query, and those of texts as they are sent with it; of a blank query, that alone."""
        if not text.strip():
            return [bytes(4 * self.dimensions)]
        clean = self._client.clean((self._options.query_prefix or self._dialect.prefixes[0]) + text)
        policy = QUERY._replace(retries=min(QUERY.retries, self._options.retries))
        return self._translated([clean, *beside], self._dialect.query, policy)

    def _about_key(self, server: Server) -> str:
        if not server.key_hint:
            needed = (
                "and none is needed"
                if self._preset.local
                else f"unless {server.section}.apiKeyEnv names one"
            )
            return f"none is sent, {needed}"
        needed = (
            ", and needed only where the server was started with one" if self._preset.local else ""
        )
        return f"{server.key_hint}: {'set' if server.key else f'not set{needed}'}"

    @property
    def _indexing(self) -> RetryPolicy:
        return INDEXING._replace(retries=self._options.retries)

    def _outgoing(self, prefix: str, text: str) -> str:
        """A text as it is sent. Secrets first: half of one has no form by which it could be found."""
        clean = self._client.clean(prefix + text)
        most = self._options.max_characters
        if not most or len(clean) <= most:
            return clean
        self._count("shortened")
        return Clean(clean[:most])

    @property
    def _most(self) -> int:
        """How many texts a request holds."""
        return min(self._options.batch_size, self._dialect.most)

    def _batches(self, texts: Mapping[int, str]) -> Iterator[list[int]]:
        batch: list[int] = []
        size = 0
        for number, text in texts.items():
            if batch and (len(batch) >= self._most or size + len(text) > self._dialect.characters):
                yield batch
                batch, size = [], 0
            batch.append(number)
            size += len(text)
        if batch:
            yield batch

    def _side_by_side(self, batches: list[list[str]]) -> list[list[bytes]]:
        """The vectors of each batch; as many requests under way at once as the options allow."""

        def vectors(batch: list[str], over: threading.Event) -> list[bytes]:
            return self._translated(
                batch, self._dialect.document, self._indexing._replace(over=over)
            )

        # The first answer may have to tell the dimensions that all others are checked by.
        alone = 1 if self._dimensions is None else 0
        answers = [vectors(batch, NEVER) for batch in batches[:alone]]
        return answers + each(vectors, batches[alone:], at_once=self._client.server.concurrency)

    def _translated(
        self, texts: Sequence[str], kind: tuple[tuple[str, str], ...], policy: RetryPolicy
    ) -> list[bytes]:
        """As `_fitting`, with failures in the words of this room."""
        try:
            return self._fitting(texts, kind, policy)
        except RemoteFailed as error:
            raise EmbedderUnavailable(
                f"model {self._model} at {error.message}", self._hint(error)
            ) from error

    def _hint(self, error: RemoteFailed) -> str:
        if isinstance(error, ParameterRefused):
            own = {
                self._dialect.dimensions: "embedding.dimensions",
                self._dialect.encoding: "embedding.encodingFormat",
            }
            if error.parameter in own:
                return f"Leave {own[error.parameter]} out: this server does not take it"
            hint = 'For a server that only speaks OpenAI\'s protocol: embedding.provider = "openai"'
            return f"This server does not take the parameter {error.parameter}. {hint}"
        return (
            error.hint
            if isinstance(error, KeyRefused)
            else f"{error.hint}. {_OFFLINE}".replace("?.", "?")
        )

    def _fitting(
        self, texts: Sequence[str], kind: tuple[tuple[str, str], ...], policy: RetryPolicy
    ) -> list[bytes]:
        """Vectors of texts; where the server says too long, of fewer at a time, at last of a text's beginning.

        The same for a request that it does not take: sooner or later the text that it means stands alone.
        """
        try:
            return self._request(texts, kind, policy)
        except (KeyRefused, ParameterRefused):
            raise
        except Refused as refused:
            if not isinstance(refused, (TooLong, TooMany)) and refused.status not in (400, 422):
                raise
            if len(texts) > 1:
                return self._halves(texts, kind, policy)
            if isinstance(refused, TooLong):
                return self._shortened(texts[0], kind, policy, refused)
            return self._refused(kind, policy, refused)

    def _halves(
        self, texts: Sequence[str], kind: tuple[tuple[str, str], ...], policy: RetryPolicy
    ) -> list[bytes]:
        """Short ones and long ones apart: what is too long is soon among itself."""
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
        middle = len(order) // 2
        vectors: dict[int, bytes] = {}
        for half in (order[:middle], order[middle:]):
            vectors.update(
                zip(half, self._fitting([texts[i] for i in half], kind, policy), strict=True)
            )
        return [vectors[i] for i in range(len(texts))]

    def _shortened(
        self, text: str, kind: tuple[tuple[str, str], ...], policy: RetryPolicy, refused: TooLong
    ) -> list[bytes]:
        shorter = text
        while len(shorter) >= _SHORTEST:
            shorter = Clean(shorter[: int(len(shorter) * _share(refused.message))])
            try:
                found = self._request([shorter], kind, policy)
            except TooLong as again:
                refused = again
                continue
            self._count("shortened")
            return found
        raise refused

    def _refused(
        self, kind: tuple[tuple[str, str], ...], policy: RetryPolicy, refused: Refused
    ) -> list[bytes]:
        """No vector for a text that the server does not take, if it takes any."""
        self._still_takes_texts(kind, policy, refused)
        self._count("refused")
        return [bytes(4 * self.dimensions)]

    def _still_takes_texts(
        self, kind: tuple[tuple[str, str], ...], policy: RetryPolicy, failed: RemoteFailed
    ) -> None:
        """Raise the failure if it is not the text's fault. What is stored as refused is not asked for again: a server
        that from some moment on refuses everything must not leave a store without vectors."""
        if not self._answered:
            try:
                self._request([_PLAIN], kind, policy)
            except RemoteFailed:
                raise failed from None
        self._answered = False

    def _request(
        self, texts: Sequence[str], kind: tuple[tuple[str, str], ...], policy: RetryPolicy
    ) -> list[bytes]:
        payload: dict[str, object] = {
            "model": self._model,
            self._dialect.texts: list(texts),
            **dict(kind),
        }
        payload.update(
            (name, value) for name, value in self._dialect.always if name not in self._left_out
        )
        if self._options.dimensions is not None:
            payload[self._wanted(self._dialect.dimensions, "dimensions")] = self._options.dimensions
        if self._base64 or self._options.encoding_format:
            payload[self._wanted(self._dialect.encoding, "encodingFormat")] = (
                "base64" if self._base64 else "float"
            )
        largest = _FRAME + len(texts) * MOST_DIMENSIONS * _NUMBER
        try:
            answer = self._client.post(
                self._dialect.path,
                payload,
                policy=policy,
                largest=largest,
                openai=self._dialect.is_openai,
            )
        except ParameterRefused as refused:
            if not self._adapts(refused.parameter):
                raise
            return self._request(texts, kind, policy)
        vectors = self._vectors(answer, len(texts))
        zeros = sum(not any(vector) for vector in vectors)
        if zeros < len(vectors):
            self._answered = True
        else:
            wrong = self._wrong(
                "sent embeddings that are all zero", "Is it a model for embeddings?"
            )
            if list(texts) == [_PLAIN]:
                raise wrong
            self._still_takes_texts(kind, policy, wrong)
        self._count("refused", zeros)
        return vectors

    def _wanted(self, parameter: str, setting: str) -> str:
        if not parameter:
            raise ConfigError(
                f"{self._preset.title} has no parameter for embedding.{setting}", "Leave it out"
            )
        return parameter

    def _adapts(self, parameter: str) -> bool:
        """True if the next request goes without a parameter that nobody asked for."""
        if (
            parameter == self._dialect.encoding
            and self._base64
            and not self._options.encoding_format
        ):
            self._base64 = False
            return True
        if parameter in dict(self._dialect.always) and parameter not in self._left_out:
            self._left_out.add(parameter)
            return True
        return False

    def _vectors(self, answer: Any, expected: int) -> list[bytes]:
        try:
            vectors = _rows(answer, self._dialect.answer)
            usage = answer.get("usage") or {}
            tokens = usage.get("total_tokens") or answer.get("prompt_eval_count") or 0
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise self._wrong(
                f"did not answer with embeddings, but with {shown(answer)}"
            ) from error
        if len(vectors) != expected:
            raise self._wrong(f"answered with {len(vectors)} embeddings to {expected} texts")
        self._count("tokens", count(tokens))
        return [self._unit(vector) for vector in vectors]

    def _unit(self, given: Any) -> bytes:
        vector = _numbers(given)
        if not vector:
            raise self._wrong(
                f"sent an embedding that is not a list of numbers: {shown(given)[:60]}"
            )
        if len(vector) > MOST_DIMENSIONS:
            raise self._wrong(
                f"sent {len(vector):,} dimensions, and {MOST_DIMENSIONS:,} are the most"
            )
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            hint = "Set embedding.dimensions to what the model gives, or leave it out"
            raise self._wrong(f"sent {len(vector)} dimensions instead of {self._dimensions}", hint)
        length = _length(vector)
        if not math.isfinite(length):
            raise self._wrong("sent an embedding with numbers that are not finite, or too large")
        return array("f", [x / (length or 1.0) for x in vector]).tobytes()

    def _count(self, what: str, number: int = 1) -> None:
        with self._counting:
            self.counts[what] += number

    def _wrong(self, words: str, hint: str = "") -> RemoteFailed:
        return self._client.wrong(self._dialect.path, words, hint)


def load(options: EmbedderOptions) -> ServedEmbedder:
    """The embedder that a provider's name stands for. ConfigError if its settings are not enough."""
    preset = PRESETS[options.provider]
    server = options.server or Server(
        options.base_url or preset.base_url,
        key=os.environ.get(options.api_key_env, "").strip() if options.api_key_env else "",
        key_header=preset.key_header,
        key_hint=f"the environment variable {options.api_key_env} (embedding.apiKeyEnv)"
        if options.api_key_env
        else "",
        timeout=options.timeout,
        concurrency=options.concurrency,
    )
    return ServedEmbedder(options, preset, server)


def _rows(answer: Any, place: str) -> list[Any]:
    """The vectors of an answer in the order of the texts. KeyError, TypeError or ValueError for another answer."""
    if place == "embeddings":
        return list(answer["embeddings"])
    if place == "by type":
        return list(answer["embeddings"]["float"])
    rows = answer["data"]
    indexes = [int(row["index"]) for row in rows]
    if sorted(indexes) != list(range(len(rows))):
        raise ValueError(f"its rows are numbered {sorted(indexes)[:10]}")
    return [row["embedding"] for row in sorted(rows, key=lambda row: int(row["index"]))]


def _numbers(given: Any) -> Sequence[float]:
    """A vector from a list or from base64 of little-endian float32; empty if it is neither."""
    if isinstance(given, str):
        vector = array("f")
        try:
            vector.frombytes(base64.b64decode(given, validate=True))
        except (ValueError, binascii.Error):
            return ()
        if sys.byteorder == "big":  # pragma: no cover
            vector.byteswap()
        return vector
    if isinstance(given, list) and all(
        isinstance(x, (int, float)) and not isinstance(x, bool) for x in given
    ):
        return given
    return ()


def _length(vector: Sequence[float]) -> float:
    """Of a vector of any numbers; not finite if it has none."""
    try:
        return math.sqrt(math.fsum(x * x for x in vector))
    except (OverflowError, ValueError):  # numbers that no float holds, or whose squares none does
        return math.inf


def _share(message: str) -> float:
    """How much of a text to keep, by the numbers with which a server says that it is too long; else three quarters."""
    said = message.partition("answered ")[2].partition(":")[2]
    numbers = sorted({int(number) for number in re.findall(r"(?<![\w.])\d{2,7}(?![\w.]*\d)", said)})
    if len(numbers) == 2 and numbers[0] >= numbers[1] / 8:
        return 0.95 * numbers[0] / numbers[1]
    return 0.75
