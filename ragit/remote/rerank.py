"""Cross-encoders behind `/rerank`: a query and documents in, a relevance for each document out.

Servers differ in what they call the documents and how they wrap the answer; each difference is a word in a row of
`DIALECTS`, whose names are those of `presets`, which knows where they listen. Relevances are as the server gives them:
a probability here, a logit there, comparable within one answer only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from ragit.remote.client import QUERY, Client, RetryPolicy, shortened_repr
from ragit.remote.parallel import map_parallel


class Dialect(NamedTuple):
    """How one kind of server is spoken to."""

    model: str
    """The model to ask for if none is named; empty: the server has only one."""
    base_url: str = ""
    """Where it usually listens, where that is not the address of its row in `presets`."""
    documents: str = "documents"
    top: str = "top_n"
    """The parameter that asks for the relevance of all documents rather than of the best; empty: it gives all."""
    rows: str = "results"
    """The key of the list in the answer; empty: the answer is the list."""
    relevance: str = "relevance_score"
    extra: Mapping[str, object] = MappingProxyType({})
    most: int = 1000
    """Documents in one request."""


DIALECTS: Mapping[str, Dialect] = {
    "jina": Dialect(
        "jina-reranker-v2-base-multilingual",
        extra=MappingProxyType({"return_documents": False}),
    ),
    "cohere": Dialect("rerank-v3.5"),
    "llama.cpp": Dialect(""),
    "tei": Dialect(
        "",
        "http://localhost:8080",
        documents="texts",
        top="",
        rows="",
        relevance="score",
        extra=MappingProxyType({"truncate": True}),
        most=32,  # its --max-client-batch-size, unless raised
    ),
    "voyage": Dialect(
        "rerank-2.5-lite",
        top="top_k",
        rows="data",
        extra=MappingProxyType({"truncation": True}),
    ),
}
"""text-embeddings-inference is `tei`. Many other servers (vLLM, Infinity, LocalAI, LiteLLM) speak Jina's dialect."""

_PATH = "rerank"

_FRAME, _EACH = 100_000, 1_000
"""Bytes of an answer, at most, and of it for each document."""


class CrossEncoder:
    """One reranking model on one server. Threads may share it."""

    def __init__(self, client: Client, dialect: Dialect, model: str = "") -> None:
        self.client = client
        self.model = model or dialect.model
        self._dialect = dialect

    def relevances(
        self, query: str, documents: Sequence[str], *, policy: RetryPolicy = QUERY
    ) -> list[float | None]:
        """How relevant each document is; None for one that the server left out. Raises `RemoteFailed`."""
        most = self._dialect.most
        parts = [documents[start : start + most] for start in range(0, len(documents), most)]

        def asked(part: Sequence[str], over: threading.Event) -> list[float | None]:
            return self._ask(query, part, policy._replace(over=over))

        return list(chain(*map_parallel(asked, parts, at_once=self.client.server.concurrency)))

    def _ask(self, query: str, documents: Sequence[str], policy: RetryPolicy) -> list[float | None]:
        dialect = self._dialect
        payload: dict[str, object] = {
            "query": query,
            dialect.documents: list(documents),
            **dialect.extra,
        }
        if self.model:
            payload["model"] = self.model
        if dialect.top:
            payload[dialect.top] = len(documents)
        largest = (
            _FRAME + len(documents) * _EACH + 6 * sum(map(len, documents))
        )  # some send the documents back
        return self._read(
            self.client.post(_PATH, payload, policy=policy, largest=largest), len(documents)
        )

    def _read(self, answer: Any, count: int) -> list[float | None]:
        """The relevances in an answer, which names documents by number. All of it is right, or none is taken."""
        found: list[float | None] = [None] * count
        try:
            rows = answer[self._dialect.rows] if self._dialect.rows else answer
            pairs = [(row["index"], row[self._dialect.relevance]) for row in rows]
        except (KeyError, TypeError, IndexError) as error:
            raise self._wrong(
                f"did not answer as a reranker does, but with {shortened_repr(answer)}"
            ) from error
        for index, relevance in pairs:
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
                raise self._wrong(f"named document {shortened_repr(index)[:20]} of {count}")
            if found[index] is not None:
                raise self._wrong(f"named document {index} twice")
            if not _is_finite(relevance):
                raise self._wrong(
                    f"gave document {index} the relevance {shortened_repr(relevance)[:20]}"
                )
            found[index] = float(relevance)
        if not pairs:
            raise self._wrong("gave no document a relevance")
        return found

    def _wrong(self, words: str) -> Exception:
        return self.client.wrong(_PATH, words)


def _is_finite(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer that no float holds
        return False
