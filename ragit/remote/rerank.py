"""Asks cross-encoders by `/rerank` for the relevance of each document to a query.

Servers differ in names of parameters and the form of the answer; each row of `DIALECTS` lists the
differences under a name of `presets`, which has the addresses. Relevances are a probability or a
logit, as the server gives them, comparable within one answer only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from ragit.records import NamedTuple
from ragit.remote.client import QUERY, Client, RetryPolicy, shortened_repr
from ragit.remote.parallel import map_parallel


class Dialect(NamedTuple):
    """Names of parameters and limits of one kind of server."""

    model: str
    """Default model; empty if the server has only one."""
    base_url: str = ""
    """Default address, if it differs from the row in `presets`."""
    documents: str = "documents"
    top: str = "top_n"
    """Parameter for the number of results; empty if the server returns all."""
    rows: str = "results"
    """Key of the list in the answer; empty if the answer is the list."""
    relevance: str = "relevance_score"
    extra: Mapping[str, object] = MappingProxyType({})
    most: int = 1000
    """Limit of documents in one request."""


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
        most=32,  # its default --max-client-batch-size
    ),
    "voyage": Dialect(
        "rerank-2.5-lite",
        top="top_k",
        rows="data",
        extra=MappingProxyType({"truncation": True}),
    ),
}
"""`tei` is text-embeddings-inference. Many other servers (vLLM, Infinity, LocalAI, LiteLLM) speak
Jina's dialect.
"""

_PATH = "rerank"

_FRAME, _EACH = 100_000, 1_000
"""Limit of an answer in bytes, and of its part for each document."""


class CrossEncoder:
    """One reranking model on one server. Threads may share it."""

    def __init__(self, client: Client, dialect: Dialect, model: str = "") -> None:
        self.client = client
        self.model = model or dialect.model
        self._dialect = dialect

    def relevances(
        self, query: str, documents: Sequence[str], *, policy: RetryPolicy = QUERY
    ) -> list[float | None]:
        """Return the relevance of each document; None for one missing from the answer.

        Raises `RemoteFailed`.
        """
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
        # Some servers send the documents back.
        largest = _FRAME + len(documents) * _EACH + 6 * sum(map(len, documents))
        return self._read(
            self.client.post(_PATH, payload, policy=policy, largest=largest), len(documents)
        )

    def _read(self, answer: Any, count: int) -> list[float | None]:
        """Return the relevances of an answer, which numbers the documents. Raises if any part is
        wrong.
        """
        found: list[float | None] = [None] * count
        try:
            rows = answer[self._dialect.rows] if self._dialect.rows else answer
            pairs = [(row["index"], row[self._dialect.relevance]) for row in rows]
        except (KeyError, TypeError, IndexError) as error:
            raise self._wrong_answer(
                f"did not answer as a reranker does, but with {shortened_repr(answer)}"
            ) from error
        for index, relevance in pairs:
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
                raise self._wrong_answer(f"named document {shortened_repr(index)[:20]} of {count}")
            if found[index] is not None:
                raise self._wrong_answer(f"named document {index} twice")
            if not _is_finite(relevance):
                raise self._wrong_answer(
                    f"gave document {index} the relevance {shortened_repr(relevance)[:20]}"
                )
            found[index] = float(relevance)
        if not pairs:
            raise self._wrong_answer("gave no document a relevance")
        return found

    def _wrong_answer(self, words: str) -> Exception:
        return self.client.wrong(_PATH, words)


def _is_finite(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer too large for a float
        return False
