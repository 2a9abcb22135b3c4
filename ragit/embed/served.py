"""Embeds texts with a server, in the dialect of its embeddings API.

`pace` sizes the batches. A request that is too large is split, a text that is too long is cut, and
a refused text gets no vector. Cutting and refusal depend on the text and the server alone, never on
the other texts of a request, and both are counted.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ragit.embed.answer import share_to_keep
from ragit.embed.options import EmbedderOptions, fingerprint
from ragit.embed.pace import Pace
from ragit.embed.request import EmbeddingRequests, Kind
from ragit.errors import ConfigError, EmbedderUnavailable, RemoteFailed
from ragit.remote import (
    INDEXING,
    NEVER_CANCELLED,
    PRESETS,
    QUERY,
    Clean,
    Client,
    KeyRefused,
    ParameterRefused,
    Preset,
    Refused,
    RetryPolicy,
    Server,
    TimedOut,
    TooLong,
    TooMany,
    dialect_for,
    map_as_completed,
    masked,
    on_this_machine,
    secrets,
)
from ragit.reports import Reached, Sent

CACHED_QUERIES = 256
"""Limit of cached vectors of queries; a query is often repeated with other filters."""

_SHORTEST = 200
"""Characters. If a server calls a shorter text too long, it means something else."""

_OFFLINE = "Or use the offline embedder: embedding.provider = static, without embedding.model"


class ServedEmbedder:
    """Vectors from a server, scaled to length one."""

    local = False

    def __init__(self, options: EmbedderOptions, preset: Preset, server: Server) -> None:
        dialect = dialect_for(preset, options.model, server.base_url)
        if dialect is None:
            hint = "docs/providers.md lists the providers that have"
            raise ConfigError(f"{preset.title} has no embeddings", hint)
        if not (options.model or dialect.model):
            azure = preset.name == "azure"
            hint = "the deployment's name" if azure else "the name that the server gave it"
            raise ConfigError("embedding.model is not set", f"For {preset.title} it is {hint}")
        self._options = options
        self._preset = preset
        self._dialect = dialect
        self._client = Client(server)
        most = min(options.batch_size, dialect.most)
        self._pace = Pace(most, dialect.characters, server.timeout)
        self._requests = EmbeddingRequests(self._client, preset, dialect, options, self._pace)
        self._queries: dict[str, bytes] = {}
        policy = INDEXING._replace(retries=options.retries, repeats_timeouts=False)
        self._indexing = policy

    @property
    def fingerprint(self) -> str:
        """Server, model, requested dimensions and all changes of a text before it is sent."""
        done = [f"{name}={value}" for name, value in self._dialect.document]
        if self._options.max_characters:
            done.append(f"first {self._options.max_characters}")
        if self._dialect.prefixes[1] and not self._options.document_prefix:
            done.append(repr(self._dialect.prefixes[1]))
        done.append(f"secrets {secrets.VERSION}")
        address = masked(self._client.server.base_url)
        model = f"{address}#{self._requests.model}"
        name = fingerprint(self._preset.name, model, self._options.dimensions, self._options)
        return f"{name}:{','.join(done)}"

    @property
    def dimensions(self) -> int:
        """Length of each vector: as configured, else learnt from the server, perhaps by a
        request.
        """
        if self._requests.dimensions is None:
            self._translated(["dimensions"], self._dialect.document, self._indexing)
        if (
            self._requests.dimensions is None
        ):  # pragma: no cover - an answer sets it, else it raises
            raise AssertionError("an answer without vectors was accepted")
        return self._requests.dimensions

    @property
    def counts(self) -> Counter[str]:
        """Tokens (as counted by the server), shortened and refused texts so far."""
        return self._requests.counts

    @property
    def sent(self) -> Sent:
        """Everything sent so far, with queries."""
        counts = self.counts
        return Sent(
            self._requests.model,
            counts["tokens"],
            sum(self._client.taken_out.values()),
            counts["shortened"],
            counts["refused"],
            most_texts=self._pace.learnt,
        )

    @property
    def taken_out(self) -> Mapping[str, int]:
        """Number of secrets removed from requests, by kind."""
        return self._client.taken_out

    @property
    def requests(self) -> int:
        """Requests answered with vectors so far."""
        return self._pace.requests

    @property
    def texts_per_second(self) -> float:
        """Throughput of the last requests; 0 before the first answer."""
        return self._pace.texts_per_second

    def warm_up(self) -> None:
        """Import the server's client in a thread, so that the first query need not wait."""
        self._client.warm_up(openai=self._dialect.is_openai)

    def about(self) -> Reached:
        """Return provider, address, model and state of the key, for `ragit embed --test`."""
        server = self._client.server
        abroad = server.base_url.startswith("http://") and not on_this_machine(server.base_url)
        return Reached(
            provider=f"{self._preset.name} ({self._preset.title})",
            address=self._client.url(self._dialect.path),
            model=self._requests.model,
            key=self._about_key(server),
            in_clear=bool(server.key) and abroad,
        )

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text.

        Blank texts are not sent, since servers refuse them: their vectors are zero.

        Raises `EmbedderUnavailable` if the server refuses, stays unreachable or breaks the
        protocol.
        """
        prefix = self._options.document_prefix or self._dialect.prefixes[1]
        outgoing = {i: self._outgoing(prefix, text) for i, text in enumerate(texts) if text.strip()}
        vectors: dict[int, bytes] = {}
        batches = self._batches(outgoing)

        def embedded(batch: list[int], over: threading.Event) -> tuple[list[int], list[bytes]]:
            policy = self._indexing._replace(over=over)
            sent = [outgoing[i] for i in batch]
            return batch, self._translated(sent, self._dialect.document, policy)

        # Sent alone, the first text tells the vectors' length and the server's speed.
        if self._requests.dimensions is None or not self._pace.known:
            for batch in batches:
                vectors.update(zip(*embedded(batch, NEVER_CANCELLED), strict=True))
                break
        at_once = self._client.server.concurrency if self._pace.is_fast else 1
        for batch, found in map_as_completed(embedded, batches, at_once=at_once):
            vectors.update(zip(batch, found, strict=True))
        blank = bytes(4 * self.dimensions) if len(outgoing) < len(texts) else b""
        return [vectors.get(i, blank) for i in range(len(texts))]

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query, cached; gives up sooner than indexing."""
        vector = self._queries.pop(text, None) or self._query(text)[0]
        self._queries[text] = vector
        if len(self._queries) > CACHED_QUERIES:
            del self._queries[next(iter(self._queries))]
        return vector

    def embed_query_beside(self, query: str, text: str) -> tuple[bytes, bytes]:
        """Return the vectors of a query and of a document's text, by one request.

        The text's vector is empty if a parameter marks whole requests as queries or documents, or
        if a request takes only one text.
        """
        if self._dialect.query != self._dialect.document or self._pace.most_texts < 2:
            return self.embed_query(query), b""
        document = self._outgoing(self._options.document_prefix or self._dialect.prefixes[1], text)
        vectors = self._query(query, document)
        return vectors[0], vectors[1] if len(vectors) > 1 else b""

    def knows(self, text: str) -> bool:
        """Return True: such models read pieces of words, and most languages."""
        return bool(text)

    def _query(self, text: str, *beside: str) -> list[bytes]:
        """Return the vectors of a query and the texts beside it; of a blank query, only zeros."""
        if not text.strip():
            return [bytes(4 * self.dimensions)]
        clean = self._client.clean((self._options.query_prefix or self._dialect.prefixes[0]) + text)
        retries = min(QUERY.retries, self._options.retries)
        policy = QUERY._replace(retries=retries, repeats_timeouts=False)
        return self._translated([clean, *beside], self._dialect.query, policy)

    def _about_key(self, server: Server) -> str:
        local = self._preset.local
        if not server.key_hint:
            needed = (
                "and none is needed" if local else f"unless {server.section}.apiKeyEnv names one"
            )
            return f"none is sent, {needed}"
        needed = ", and needed only where the server was started with one" if local else ""
        return f"{server.key_hint}: {'set' if server.key else f'not set{needed}'}"

    def _outgoing(self, prefix: str, text: str) -> str:
        """Return the text to send. Redacts before it cuts: half a secret is not found."""
        clean = self._client.clean(prefix + text)
        most = self._options.max_characters
        if not most or len(clean) <= most:
            return clean
        self._requests.count("shortened")
        return Clean(clean[:most])

    def _batches(self, texts: Mapping[int, str]) -> Iterator[list[int]]:
        """Yield the numbers of the texts of each request, sized just before it is sent."""
        order = list(texts)
        lengths = [len(texts[i]) for i in order]
        start = 0
        while start < len(order):
            end = self._pace.take(lengths, start)
            yield order[start:end]
            start = end

    def _translated(self, texts: Sequence[str], kind: Kind, policy: RetryPolicy) -> list[bytes]:
        """Return vectors; raise failures as `EmbedderUnavailable`."""
        try:
            return self._in_time(texts, kind, policy)
        except RemoteFailed as error:
            words = f"model {self._requests.model} at {error.message}"
            raise EmbedderUnavailable(words, self._hint(error)) from error

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
        if isinstance(error, KeyRefused):
            return error.hint
        return f"{error.hint}. {_OFFLINE}".replace("?.", "?")

    def _in_time(self, texts: Sequence[str], kind: Kind, policy: RetryPolicy) -> list[bytes]:
        """Return vectors, by smaller requests after a timeout.

        A request is not repeated at its full size, since the server may still be working on it, and
        gets some time to finish. Only a single text is sent once more: the server may have been
        loading its model.
        """
        try:
            return self._fitting(texts, kind, policy)
        except TimedOut:
            self._pace.timed_out(len(texts), sum(map(len, texts)))
            if policy.retries == 0 or policy.over.wait(self._client.server.timeout / 2):
                raise
            if len(texts) == 1:
                return self._fitting(texts, kind, policy)
            middle = len(texts) // 2
            return [
                *self._in_time(texts[:middle], kind, policy),
                *self._in_time(texts[middle:], kind, policy),
            ]

    def _fitting(self, texts: Sequence[str], kind: Kind, policy: RetryPolicy) -> list[bytes]:
        """Return vectors, with fewer texts or a text's beginning if the server refuses more.

        A request refused for another reason is split, too, until the refused text is alone.
        """
        try:
            return self._requests.send(texts, kind, policy)
        except (KeyRefused, ParameterRefused):
            raise
        except Refused as refused:
            if not isinstance(refused, (TooLong, TooMany)) and refused.status not in (400, 422):
                raise
            if len(texts) == 1 and isinstance(refused, TooLong):
                return self._shortened(texts[0], kind, policy, refused)
            if len(texts) == 1:
                return self._refused(kind, policy, refused)
            if isinstance(refused, TooMany):
                most = self._pace.too_many(
                    len(texts), refused.message.partition("answered ")[2][4:]
                )
                parts = [texts[i : i + most] for i in range(0, len(texts), most)]
                return [vector for part in parts for vector in self._fitting(part, kind, policy)]
            return self._halves(texts, kind, policy, isinstance(refused, TooLong))

    def _halves(
        self, texts: Sequence[str], kind: Kind, policy: RetryPolicy, too_long: bool
    ) -> list[bytes]:
        """Return the vectors of the shorter and the longer texts, which isolates long ones soon."""
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
        middle = len(order) // 2
        shortened = self.counts["shortened"]
        vectors: dict[int, bytes] = {}
        for half in (order[:middle], order[middle:]):
            found = self._fitting([texts[i] for i in half], kind, policy)
            vectors.update(zip(half, found, strict=True))
        if too_long and self.counts["shortened"] == shortened:  # all texts together were too long
            self._pace.too_long(sum(map(len, texts)))
        return [vectors[i] for i in range(len(texts))]

    def _shortened(
        self, text: str, kind: Kind, policy: RetryPolicy, refused: TooLong
    ) -> list[bytes]:
        shorter = text
        while len(shorter) >= _SHORTEST:
            shorter = Clean(shorter[: int(len(shorter) * share_to_keep(refused.message))])
            try:
                found = self._requests.send([shorter], kind, policy)
            except TooLong as again:
                refused = again
                continue
            self._requests.count("shortened")
            return found
        raise refused

    def _refused(self, kind: Kind, policy: RetryPolicy, refused: Refused) -> list[bytes]:
        """Return zeros for a refused text, if the server takes any text."""
        self._requests.still_takes_texts(kind, policy, refused)
        self._requests.count("refused")
        return [bytes(4 * self.dimensions)]


def load(options: EmbedderOptions) -> ServedEmbedder:
    """Return the embedder of a provider. Raises ConfigError for missing settings."""
    preset = PRESETS[options.provider]
    variable = options.api_key_env
    server = options.server or Server(
        options.base_url or preset.base_url,
        key=os.environ.get(variable, "").strip() if variable else "",
        key_header=preset.key_header,
        key_hint=f"the environment variable {variable} (embedding.apiKeyEnv)" if variable else "",
        timeout=options.timeout,
        concurrency=options.concurrency,
    )
    return ServedEmbedder(options, preset, server)
