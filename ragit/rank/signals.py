"""The named reasons for a rank. Each is a pure function of a candidate, from 0 to 1, with one weight.

A weight can be set under `retrieval.signals`; 0 turns its signal off. With every weight 0, and `hybridSearch` alone, the score is
the plain mix of both arms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ragit import words
from ragit.rank.keyword import ChunkScore
from ragit.rank.terms import QueryTerms, Symbol, joined


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a candidate's file, for this query."""

    path: str
    keyword: float
    """BM25F of the file, as a share of the best file's."""
    coverage: float
    """Share of the query's weight that the file holds."""
    path_share: float
    """Share of the query's weight that its path holds."""
    best_cosine: float
    mean_cosine: float
    """Mean of its three nearest chunks (of all, if there are fewer), each at least 0."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that may be a hit."""

    place: int
    """Of its file in the snapshot."""
    chunk: int
    """Its number in the store."""
    cosine: float
    """With the query, from 0 to 1; 0 where there are no vectors."""
    keyword: ChunkScore
    keyword_share: float
    """Its keyword score, as a share of the best candidate's."""
    kind: str
    symbol: str
    parent: str
    file: FileFacts


class Signal(NamedTuple):
    """One reason: its function, its usual weight, and what it means to a reader of --explain."""

    of: Callable[[Candidate, QueryTerms], float]
    weight: float
    help: str


_TYPES = frozenset(
    "class struct interface trait protocol enum record object type module namespace union typeclass message service".split()
)
_QUALIFIER = re.compile(r"::|[.#/\\]")


def _defines(candidate: Candidate, query: QueryTerms) -> float:
    """It defines a name that the query writes as code; the better, the more exactly it is that name."""
    names = candidate.symbol.split()
    return max((_match(candidate, names, symbol) for symbol in query.symbols), default=0.0) if names else 0.0


def _match(candidate: Candidate, names: list[str], symbol: Symbol) -> float:
    best = 0.0
    for at, written in enumerate(names):
        *before, name = _QUALIFIER.split(written)
        if joined(name) != symbol.key:
            continue
        value = 1.0 if name == symbol.name else 0.6
        value *= 1.0 if at == 0 else 0.7  # a later name of a group is a field or a neighbour
        if symbol.name[:1].isupper() and candidate.kind not in _TYPES:
            value *= 0.8
        if symbol.owner:
            owners = {joined(part) for part in (*before, *_QUALIFIER.split(candidate.parent))}
            value *= 1.0 if joined(symbol.owner) in owners else 0.5
        best = max(best, value)
    return best


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _names_file(candidate: Candidate, query: QueryTerms) -> float:
    """Share of the file's name that the query says; all of it for a symbol or a pair of words."""
    stem = _stem(candidate.file.path)
    name = joined(stem)
    if name and (name in query.compounds or any(name == symbol.key for symbol in query.symbols)):
        return 1.0
    pieces = {words.stem(part) for part in words.parts(stem)}
    return len(pieces.intersection(query.weights)) / len(pieces) if pieces else 0.0


_TEST = re.compile(
    r"(^|/)(tests?|testing|testdata|test[-_]?(suite|utils?|support|fixtures)|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e)/"
    r"|(^|/)(test_[^/]*|conftest)\.\w+$|[^/](_test|_spec|\.test|\.spec|-test)\.\w+$"
    r"|[a-z0-9](Test|Tests|TestCase|Spec|IT)\.\w+$"
)
_ASIDE = re.compile(
    r"(^|/)(examples?|samples?|demos?|docs?(_src)?|documentation|benchmarks?|bench|perf|tutorials?|playground|legacy|compat)/"
)
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|third[-_]?party|node_modules|dist|build|generated|gen)/|\.min\.|[._]pb2?\.|\.lock$"
)
_PROSE = re.compile(r"\.(md|mdx|rst|adoc|txt|tex)$|(^|/)(CHANGELOG|HISTORY|NEWS|LICENSE|README)[^/]*$", re.IGNORECASE)


def _is_about(query: QueryTerms, *stems: str) -> bool:
    return not query.weights.keys().isdisjoint(stems)


def _test(candidate: Candidate, query: QueryTerms) -> float:
    asked = _is_about(query, "test", "spec", "mock", "fixtur")
    return 0.0 if asked or not _TEST.search(candidate.file.path) else 1.0


def _aside(candidate: Candidate, query: QueryTerms) -> float:
    asked = _is_about(query, "exampl", "sampl", "demo", "benchmark", "doc", "documentation", "tutorial")
    return 0.0 if asked or not _ASIDE.search(candidate.file.path) else 1.0


def _vendored(candidate: Candidate, query: QueryTerms) -> float:
    return 1.0 if _VENDORED.search(candidate.file.path) else 0.0


def _prose(candidate: Candidate, query: QueryTerms) -> float:
    asked = _is_about(query, "readm", "changelog", "licens", "document")
    return 0.0 if asked or not _PROSE.search(candidate.file.path) else 1.0


SIGNALS: Mapping[str, Signal] = {
    "defines": Signal(_defines, 0.5, "defines a name that the query writes as code"),
    "fileKeyword": Signal(lambda c, q: c.file.keyword, 0.3, "words of the query in the whole file"),
    "fileVector": Signal(lambda c, q: c.file.mean_cosine, 0.3, "meaning of the file's nearest chunks"),
    "coverage": Signal(lambda c, q: c.file.coverage, 0.1, "share of the query's words that the file holds"),
    "symbol": Signal(lambda c, q: c.keyword.symbol, 0.2, "words of the query in the names it defines"),
    "head": Signal(
        lambda c, q: c.keyword.head, 0.1, "words of the query in its signature, doc comment or enclosing names"
    ),
    "path": Signal(lambda c, q: c.file.path_share, 0.2, "words of the query in the path"),
    "fileName": Signal(_names_file, 0.2, "the file is called like the query"),
    "test": Signal(_test, -0.3, "a test, and the query asks for none"),
    "aside": Signal(_aside, -0.2, "an example, a document's sample, a benchmark or a compatibility layer"),
    "vendored": Signal(_vendored, -0.2, "vendored, generated or built"),
    "prose": Signal(_prose, -0.2, "prose, and code is preferred"),
}
"""All signals, with their usual weights."""

SIGNAL_NAMES = tuple(SIGNALS)


def score(
    candidate: Candidate, query: QueryTerms, keyword_weight: float, weights: Mapping[str, float]
) -> tuple[float, dict[str, float]]:
    """A candidate's score and its parts: `(1 - kw) * vector + kw * keyword`, then each signal times its weight."""
    parts = {
        "vector": (1 - keyword_weight) * candidate.cosine,
        "keyword": keyword_weight * candidate.keyword_share,
    }
    for name, weight in weights.items():
        if weight:
            value = weight * SIGNALS[name].of(candidate, query)
            if value:
                parts[name] = value
    return sum(parts.values()), parts


def signal_weights(overrides: Mapping[str, float]) -> dict[str, float]:
    """The weight of every signal, the given ones instead of the usual ones."""
    return {name: overrides.get(name, signal.weight) for name, signal in SIGNALS.items()}
