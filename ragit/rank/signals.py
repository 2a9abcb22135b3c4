"""The named reasons for a rank. Each is a pure function of a candidate, from 0 to 1, with one weight.

A weight can be set under `retrieval.signals`; 0 turns its signal off. With all of them 0, the score is the plain mix of
both arms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ragit import words
from ragit.rank.keyword import ChunkScore, Shares
from ragit.rank.terms import QueryTerms, Symbol, joined


class FileFacts(NamedTuple):
    """What is known of a candidate's file, for this query. All numbers are from 0 to 1."""

    path: str
    keyword: float
    """BM25F of the file, as a share of the best file's."""
    path_share: float
    """Share of the query's weight that its path holds."""
    nearness: float
    """Mean cosine of its three nearest chunks (of all, if there are fewer)."""
    path_nearness: float
    """Cosine of its path's words with the query."""
    in_script: bool = False
    """It holds a word of the query that is not written in plain Latin letters."""
    has_bodies_beside: bool = False
    """It is a header or a stub, and the file whose names it declares lies beside it."""


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


class QueryFacts(NamedTuple):
    """What signals know of the query."""

    terms: QueryTerms
    names: Shares
    """What each word counts in a defined name."""
    in_code: bool = True
    """A candidate that is no prose holds a word of the query."""


class FileSignal(NamedTuple):
    """One reason that all chunks of a file share: its function, usual weight, and meaning to a reader of --explain."""

    of: Callable[[FileFacts, QueryFacts], float]
    weight: float
    help: str


class ChunkSignal(NamedTuple):
    """One reason of a single chunk. `names` are only looked up where the chunk's symbols hold a word of the query."""

    of: Callable[[ChunkFacts, Names | None, QueryFacts], float]
    weight: float
    help: str
    for_symbols: bool = False
    """It is 0 for a query that writes no name as code."""


_TYPES = frozenset(
    "class enum interface module namespace object protocol record service struct trait type typeclass union".split()
)
_NOT_CODE = frozenset(
    "heading imports key namespace package pair property rule section table text".split()
)
"""Kinds that bear a name without defining it: a key of a data file, a namespace that many files open, a heading."""
_QUALIFIER = re.compile(r"::|[.#/\\]")


def _defines(chunk: ChunkFacts, names: Names | None, query: QueryFacts) -> float:
    """It defines a name that the query writes as code; the better, the more exactly it is that name."""
    if names is None or not names.symbol:
        return 0.0
    return max((_match(names, symbol) for symbol in query.terms.symbols), default=0.0)


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
        if names.kind in _NOT_CODE:
            value *= 0.5
        if symbol.owner:
            owners = {joined(part) for part in (*before, *_QUALIFIER.split(names.parent))}
            value *= 1.0 if joined(symbol.owner) in owners else 0.5
        best = max(best, value)
    return best


def _named(chunk: ChunkFacts, names: Names | None, query: QueryFacts) -> float:
    """Its (first) name is made of words of the query: the mean of how much of the query and how much of the name."""
    if names is None or not names.symbol:
        return 0.0
    first = names.symbol.split(maxsplit=1)[0]
    pieces = {words.stem(part) for part in words.parts(first)}
    if not pieces:
        return 0.0
    known = len(pieces.intersection(query.terms.weights)) / len(pieces)
    return math.sqrt(query.names.of(dict.fromkeys(words.terms(first))) * known)


def _names_file(file: FileFacts, query: QueryFacts) -> float:
    """Share of the file's name that the query says; all of it for a symbol or a pair of words."""
    base = file.path.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    name = joined(stem)
    if name and (
        name in query.terms.compounds or any(name == symbol.key for symbol in query.terms.symbols)
    ):
        return 1.0
    pieces = {words.stem(part) for part in words.parts(stem)}
    return len(pieces.intersection(query.terms.weights)) / len(pieces) if pieces else 0.0


_TEST = re.compile(
    r"(^|/)(tests?|testing|testdata|test[-_]?(suite|utils?|support|fixtures)|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e)/"
    r"|(^|/)(test_[^/]*|tests?|conftest)\.\w+$|[^/](_test|_spec|\.test|\.spec|-test)\.\w+$"
    r"|[a-z0-9](Test|Tests|TestCase|Spec|IT)\.\w+$"
)
_ASIDE = re.compile(
    r"(^|/)[_.]?(examples?|samples?|demos?|docs?(_src)?|documentation|benchmarks?|bench|perf|tutorials?|playground|legacy|compat)/"
)
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|third[-_]?party|node_modules|dist|build|generated|gen)/|\.min\.|[._]pb2?\.|\.lock$"
)
_PROSE = re.compile(
    r"\.(md|mdx|rst|rest|adoc|asciidoc|asc|txt|tex|pdf|doc[xm]?|rtf|xls[xm]?|pptx|od[tsp]|epub)$"
    r"|(^|/)(CHANGELOG|HISTORY|NEWS|LICENSE|README)[^/]*$",
    re.IGNORECASE,
)


def _is_about(query: QueryFacts, *stems: str) -> bool:
    return not query.terms.weights.keys().isdisjoint(stems)


def _test(file: FileFacts, query: QueryFacts) -> float:
    asked = _is_about(query, "test", "spec", "mock", words.stem("fixture"))
    return 0.0 if asked or not _TEST.search(file.path) else 1.0


def _aside(file: FileFacts, query: QueryFacts) -> float:
    asked = _is_about(
        query,
        *map(
            words.stem,
            ("example", "sample", "demo", "benchmark", "doc", "documentation", "tutorial"),
        ),
    )
    return 0.0 if asked or not _ASIDE.search(file.path) else 1.0


def _vendored(file: FileFacts, query: QueryFacts) -> float:
    return 1.0 if _VENDORED.search(file.path) else 0.0


def _declares(file: FileFacts, query: QueryFacts) -> float:
    return 1.0 if file.has_bodies_beside else 0.0


def _prose(file: FileFacts, query: QueryFacts) -> float:
    if file.in_script or not query.in_code:
        return 0.0  # no code answers: it holds none of the words, or is English where another script is asked for
    asked = _is_about(query, *map(words.stem, ("readme", "changelog", "license", "documentation")))
    return 0.0 if asked or not _PROSE.search(file.path) else 1.0


def held_in_code(files: Iterable[FileFacts]) -> bool:
    """Whether a file that is no prose holds a word of the query. Without words at all, as in a search by vectors
    alone, the answer is no use: true.
    """
    holders = [file for file in files if file.keyword > 0]
    return not holders or any(not _PROSE.search(file.path) for file in holders)


FILE_SIGNALS: Mapping[str, FileSignal] = {
    "fileVector": FileSignal(
        lambda file, _: file.nearness, 2.0, "meaning of the file's nearest chunks"
    ),
    "fileKeyword": FileSignal(
        lambda file, _: file.keyword, 0.25, "words of the query in the whole file"
    ),
    "fileName": FileSignal(_names_file, 0.3, "the file is called like the query"),
    "path": FileSignal(lambda file, _: file.path_share, 0.2, "words of the query in the path"),
    "pathVector": FileSignal(lambda file, _: file.path_nearness, 0.3, "meaning of the path"),
    "test": FileSignal(_test, -0.6, "a test, and the query asks for none"),
    "aside": FileSignal(_aside, -0.4, "an example, a benchmark or a compatibility layer"),
    "vendored": FileSignal(_vendored, -0.3, "vendored, generated or built"),
    "prose": FileSignal(_prose, -0.6, "prose, and code is preferred"),
    "declares": FileSignal(
        _declares, -0.3, "a header or stub: the bodies are in the file beside it"
    ),
}

CHUNK_SIGNALS: Mapping[str, ChunkSignal] = {
    "defines": ChunkSignal(
        _defines, 0.5, "defines a name that the query writes as code", for_symbols=True
    ),
    "named": ChunkSignal(_named, 0.15, "is called like the query"),
}

REPEAT = "repeat"
"""The one signal of the list, not of a chunk: see `order.Mix.repeat`."""

REPEAT_WEIGHT = -1.0

SIGNAL_NAMES = (*CHUNK_SIGNALS, *FILE_SIGNALS, REPEAT)
"""All signals, for the settings."""

MEANINGS: Mapping[str, str] = {
    "vector": "meaning of these lines",
    "keyword": "words of the query in these lines",
    **{name: signal.help for name, signal in CHUNK_SIGNALS.items()},
    **{name: signal.help for name, signal in FILE_SIGNALS.items()},
    REPEAT: "a better hit of this file stands above",
    "rerank": "the reranker moved it",
}
"""What each part of a score is, to a reader of --explain."""


FOR_SHAPE: Mapping[str, Mapping[str, float]] = {"symbol": {"fileVector": 0.5, "defines": 1.5}}
"""By query shape, what the weights are multiplied with: a single name has no context from which a meaning could be
told, and whoever types it wants its definition.
"""


def shaped(weights: Mapping[str, float], shape: str) -> Mapping[str, float]:
    """The weights for a query of this shape."""
    factors = FOR_SHAPE.get(shape)
    return (
        {name: weight * factors.get(name, 1.0) for name, weight in weights.items()}
        if factors
        else weights
    )


def signal_weights(overrides: Mapping[str, float]) -> dict[str, float]:
    """The weight of every signal, the given ones instead of the usual ones; those of weight 0 are left out."""
    usual = {name: signal.weight for name, signal in CHUNK_SIGNALS.items()}
    usual |= {name: signal.weight for name, signal in FILE_SIGNALS.items()} | {
        REPEAT: REPEAT_WEIGHT
    }
    return {name: weight for name, weight in {**usual, **overrides}.items() if weight}
