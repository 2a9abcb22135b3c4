"""The named reasons for a rank. Each is a pure function of a candidate, from 0 to 1, with one weight.

A weight can be set under `retrieval.signals`; 0 turns its signal off. With all of them 0, the score is the plain mix of
both arms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ragit import words
from ragit.rank.keyword import ChunkScore
from ragit.rank.terms import QueryTerms, Symbol, joined


class FileFacts(NamedTuple):
    """What is known of a candidate's file, for this query."""

    path: str
    keyword: float
    """BM25F of the file, as a share of the best file's."""
    coverage: float
    """Share of the query's weight that the file holds."""
    path_share: float
    """Share of the query's weight that its path holds."""
    nearness: float
    """Mean cosine of its three nearest chunks (of all, if there are fewer), each at least 0."""


class ChunkFacts(NamedTuple):
    """What is known of a chunk of a candidate file."""

    place: int
    """Of its file in the snapshot."""
    chunk: int
    """Its number in the store."""
    cosine: float
    """With the query, from 0 to 1; 0 where there are no vectors."""
    keyword: ChunkScore
    share: float
    """Its keyword score, as a share of the best candidate's."""


class Names(NamedTuple):
    """What a chunk is called."""

    kind: str
    symbol: str
    parent: str


class FileSignal(NamedTuple):
    """One reason that all chunks of a file share: its function, usual weight, and meaning to a reader of --explain."""

    of: Callable[[FileFacts, QueryTerms], float]
    weight: float
    help: str


class ChunkSignal(NamedTuple):
    """One reason of a single chunk. `names` are only looked up where the chunk's symbols hold a word of the query."""

    of: Callable[[ChunkFacts, Names | None, QueryTerms], float]
    weight: float
    help: str


_TYPES = frozenset(
    "class enum interface module namespace object protocol record service struct trait type typeclass union".split()
)
_QUALIFIER = re.compile(r"::|[.#/\\]")


def _defines(chunk: ChunkFacts, names: Names | None, query: QueryTerms) -> float:
    """It defines a name that the query writes as code; the better, the more exactly it is that name."""
    if names is None or not names.symbol:
        return 0.0
    return max((_match(names, symbol) for symbol in query.symbols), default=0.0)


def _match(names: Names, symbol: Symbol) -> float:
    best = 0.0
    for at, written in enumerate(names.symbol.split()):
        *before, name = _QUALIFIER.split(written)
        if joined(name) != symbol.key:
            continue
        value = 1.0 if name == symbol.name else 0.6
        value *= 1.0 if at == 0 else 0.7  # a later name of a group is a field or a neighbour
        if symbol.name[:1].isupper() and names.kind not in _TYPES:
            value *= 0.8
        if symbol.owner:
            owners = {joined(part) for part in (*before, *_QUALIFIER.split(names.parent))}
            value *= 1.0 if joined(symbol.owner) in owners else 0.5
        best = max(best, value)
    return best


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _names_file(file: FileFacts, query: QueryTerms) -> float:
    """Share of the file's name that the query says; all of it for a symbol or a pair of words."""
    stem = _stem(file.path)
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


def _test(file: FileFacts, query: QueryTerms) -> float:
    asked = _is_about(query, "test", "spec", "mock", "fixtur")
    return 0.0 if asked or not _TEST.search(file.path) else 1.0


def _aside(file: FileFacts, query: QueryTerms) -> float:
    asked = _is_about(query, "exampl", "sampl", "demo", "benchmark", "doc", "documentation", "tutorial")
    return 0.0 if asked or not _ASIDE.search(file.path) else 1.0


def _vendored(file: FileFacts, query: QueryTerms) -> float:
    return 1.0 if _VENDORED.search(file.path) else 0.0


def _prose(file: FileFacts, query: QueryTerms) -> float:
    asked = _is_about(query, "readm", "changelog", "licens", "document")
    return 0.0 if asked or not _PROSE.search(file.path) else 1.0


FILE_SIGNALS: Mapping[str, FileSignal] = {
    "fileKeyword": FileSignal(lambda file, _: file.keyword, 0.15, "words of the query in the whole file"),
    "fileVector": FileSignal(lambda file, _: file.nearness, 0.5, "meaning of the file's nearest chunks"),
    "coverage": FileSignal(lambda file, _: file.coverage, 0.1, "share of the query's words that the file holds"),
    "path": FileSignal(lambda file, _: file.path_share, 0.2, "words of the query in the path"),
    "fileName": FileSignal(_names_file, 0.2, "the file is called like the query"),
    "test": FileSignal(_test, -0.5, "a test, and the query asks for none"),
    "aside": FileSignal(_aside, -0.2, "an example, a benchmark or a compatibility layer"),
    "vendored": FileSignal(_vendored, -0.2, "vendored, generated or built"),
    "prose": FileSignal(_prose, -0.5, "prose, and code is preferred"),
}

CHUNK_SIGNALS: Mapping[str, ChunkSignal] = {
    "defines": ChunkSignal(_defines, 0.5, "defines a name that the query writes as code"),
    "head": ChunkSignal(lambda c, *_: c.keyword.head, 0.1, "words of the query in its signature, doc or outer names"),
}

SIGNAL_NAMES = (*CHUNK_SIGNALS, *FILE_SIGNALS)
"""All signals, for the settings."""


def signal_weights(overrides: Mapping[str, float]) -> dict[str, float]:
    """The weight of every signal, the given ones instead of the usual ones; those of weight 0 are left out."""
    usual = {name: signal.weight for name, signal in CHUNK_SIGNALS.items()}
    usual |= {name: signal.weight for name, signal in FILE_SIGNALS.items()}
    return {name: weight for name, weight in {**usual, **overrides}.items() if weight}
