"""The named reasons for a rank: pure functions of a candidate, from 0 to 1, each with a weight.

`retrieval.signals` sets weights; 0 turns a signal off. With all at 0, the score is the plain mix of
both arms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ragit import words
from ragit.rank import paths
from ragit.rank.exact import joins_to
from ragit.rank.keyword import ChunkScore, Shares
from ragit.rank.terms import QueryTerms, Symbol, joined
from ragit.records import NamedTuple


class FileFacts(NamedTuple):
    """A candidate's file, for one query. All numbers are from 0 to 1."""

    path: str
    keyword: float
    """BM25F of the file, as a share of the best file's."""
    path_share: float
    """Share of the query's weight that its path contains."""
    nearness: float
    """Mean cosine of its three nearest chunks (of all, if fewer)."""
    path_nearness: float
    """Cosine of its path's words with the query."""
    in_script: bool = False
    """True if it contains a word of the query that is not in plain Latin letters."""
    has_bodies: bool = False
    """True if it is a header or a stub, with the implementation in another file."""
    suffix_share: float = 0.0
    """Share of the tree's files with its suffix."""
    mentioned: float = 0.0
    """1 if the query contains its path, less for a module or package that it belongs to."""
    is_outdated: bool = False
    """True if a folder of a later version lies beside its own: v2 beside v1."""
    tests_candidate: bool = False
    """True if it is a test whose subject is among the candidates."""
    best_kind: str = ""
    """Kind of the chunk that is nearest to the query by words and meaning."""
    best_share: float = 0.0
    """Mean keyword score of its three best chunks, as a share of the best candidate's; missing ones
    count 0.
    """
    lead: float = 0.0
    """Share of the query's words that it contains beyond the best file without a demotion."""


class ChunkFacts(NamedTuple):
    """A chunk of a candidate file."""

    place: int
    """Index of its file in the snapshot."""
    chunk: int
    """Number in the store."""
    cosine: float
    """Cosine with the query, from 0 to 1; 0 where there are no vectors."""
    keyword: ChunkScore
    share: float
    """Keyword score, as a share of the best candidate's."""
    brevity: float = 0.0
    """From 0 for a long chunk to 1 for one without words: see `brevity`."""
    alike: float = 0.0
    """How near the words of its first name are to those of the query, from 0 to 1; found out for
    the best contenders only.
    """


FEW_WORDS = 8
"""Words of a chunk of brevity 0.5."""


def brevity(words: int) -> float:
    """Return how brief a chunk of `words` words is, from 0 to 1."""
    return FEW_WORDS / (FEW_WORDS + words)


class ChunkColumns(NamedTuple):
    """The chunks of one file that pass the filters, in order; all columns have the same length.

    Most chunks are never looked at one by one.
    """

    place: int
    """Index of the file in the snapshot."""
    numbers: Sequence[int]
    """Numbers of the chunks in the store."""
    cosines: Sequence[float]
    """Cosines with the query, from 0 to 1; zeros where there are no vectors."""
    scores: Sequence[float]
    """Keyword scores."""
    shares: Sequence[float]
    """Keyword scores, as shares of the best candidate's."""
    names: Sequence[bool]
    """True where a name that the chunk defines contains a word of the query."""
    lengths: Sequence[int]
    """Numbers of words."""

    def facts(self, at: int) -> ChunkFacts:
        """Return the facts of one chunk."""
        keyword = ChunkScore(self.scores[at], self.names[at])
        brief = brevity(self.lengths[at])
        return ChunkFacts(
            self.place, self.numbers[at], self.cosines[at], keyword, self.shares[at], brief
        )

    def those(self, kept: Sequence[int]) -> ChunkColumns:
        """Return the chunks at the given indices."""
        if len(kept) == len(self.numbers):
            return self
        return ChunkColumns(
            self.place,
            [self.numbers[at] for at in kept],
            [self.cosines[at] for at in kept],
            [self.scores[at] for at in kept],
            [self.shares[at] for at in kept],
            [self.names[at] for at in kept],
            [self.lengths[at] for at in kept],
        )


class ChunkNames(NamedTuple):
    """The names of a chunk."""

    kind: str
    symbol: str
    parent: str
    signature: str = ""
    lines: int = 0


class QueryFacts(NamedTuple):
    """The facts about the query that signals read."""

    terms: QueryTerms
    names: Shares
    """Weight of each word in a defined name."""
    in_code: bool = True
    """True if a candidate other than prose contains a word of the query."""
    in_prose: bool = False
    """True if prose has a heading for what the query asks to do."""


class FileSignal(NamedTuple):
    """A signal that all chunks of a file share: its function, usual weight, and meaning for
    --explain.
    """

    of: Callable[[FileFacts, QueryFacts], float]
    weight: float
    help: str


class ChunkSignal(NamedTuple):
    """A signal of a single chunk."""

    of: Callable[[ChunkFacts, ChunkNames | None, QueryFacts], float]
    weight: float
    help: str
    for_symbols: bool = False
    """True if it is 0 for a query without a name written as code."""


_TYPES = frozenset(
    "class enum interface module namespace object protocol record service struct trait type typeclass union".split()  # noqa: E501
)
NOT_CODE = frozenset(
    "heading imports key namespace package pair property rule section table text".split()
)
"""Kinds that have a name without defining it: a key of a data file, a namespace that many files
open, a heading.
"""
TITLES = frozenset(("describe", "test"))
"""Kinds whose names are sentences about their subject."""
_REOPENS = frozenset("extension impl implementation partial".split())
"""Kinds that add to a type declared elsewhere."""
_QUALIFIER = re.compile(r"::|[.#/\\]")


def _defines(chunk: ChunkFacts, names: ChunkNames | None, query: QueryFacts) -> float:
    """Tell how exactly it defines a name that the query writes as code."""
    if names is None or names.kind in TITLES:
        return 0.0
    if query.terms.keys.isdisjoint(_keys_of(names.symbol)):
        return 0.0
    return max((_match(names, symbol) for symbol in query.terms.symbols), default=0.0)


def is_type_of(word: str, name: str, kind: str) -> bool:
    """Return whether a lower-case word spells the name of a type: `request` may mean a class
    Request.
    """
    return kind in _TYPES and word.isalpha() and word == name.lower()


@lru_cache(maxsize=words.CACHED)
def _keys_of(symbols: str) -> frozenset[str]:
    """Return the names that a chunk defines, without owners, case and separators."""
    return frozenset(map(_key_of, symbols.split()))


def _key_of(written: str) -> str:
    if written.isalnum() and written.isascii() and len(written) <= words.MAX_WORD:
        return written.lower()  # the same without a search for separators
    return joined(_QUALIFIER.split(written)[-1])


def _match(names: ChunkNames, symbol: Symbol) -> float:
    best = 0.0
    if names.symbol.isascii() and len(names.symbol) < len(symbol.key):
        return best
    for at, written in enumerate(names.symbol.split()):
        *before, name = _QUALIFIER.split(written)
        if joined(name) != symbol.key:
            continue
        value = 1.0 if name == symbol.name or is_type_of(symbol.name, name, names.kind) else 0.6
        value *= 1.0 if at == 0 else 0.7  # a later name of a group is a field or a neighbour
        value *= _of_kind(names, symbol)
        if symbol.owner:
            owners = {joined(part) for part in (*before, *_QUALIFIER.split(names.parent))}
            value *= 1.0 if joined(symbol.owner) in owners else 0.5
        best = max(best, value)
    return best


def _of_kind(names: ChunkNames, symbol: Symbol) -> float:
    """Return a factor: below 1 for what only has the name, adds to it, or declares it without a
    body.
    """
    value = 1.0
    if symbol.name[:1].isupper() and names.kind not in _TYPES:
        value *= 0.8
    if names.kind in NOT_CODE:
        value *= 0.5
    if names.kind in _REOPENS or re.match(_REOPENING, names.signature):
        value *= 0.6
    if names.lines <= 2 and re.match(_FORWARD, names.signature):
        value *= 0.6
    return value


_REOPENING = r"(?:[\w@()]+ )*?(?:extension|impl|partial class|partial struct)\b"
_FORWARD = r"(?:class|struct|union|enum)\s+\w+\s*;?$"


def _named(chunk: ChunkFacts, names: ChunkNames | None, query: QueryFacts) -> float:
    """Tell how far its (first) name consists of words of the query: the mean of the share of the
    query and the share of the name.
    """
    if names is None or not names.symbol:
        return 0.0
    first = names.symbol.split(maxsplit=1)[0]
    pieces = _stems_of(first)
    known = pieces.intersection(query.terms.weights)
    share = 0.0
    if known:
        held = query.names.of(_terms_of(first))
        share = math.sqrt(held * len(known) / len(pieces))
    return share or _joins(words.parts(first), query)


@lru_cache(maxsize=words.CACHED)
def _stems_of(name: str) -> frozenset[str]:
    return frozenset(words.stem(part) for part in words.parts(name))


@lru_cache(maxsize=words.CACHED)
def _terms_of(name: str) -> tuple[str, ...]:
    """Return the terms of a name, each once."""
    return tuple(dict.fromkeys(words.terms(name)))


def _joins(pieces: tuple[str, ...], query: QueryFacts) -> float:
    """Return the share of a name that one word of the query spells: `oauth` of OAuthHandler."""
    if not query.terms.symbols:
        return 0.0
    whole = "".join(pieces)
    found = 0
    for symbol in query.terms.symbols:
        key = symbol.key
        if len(key) > max(3, found) and key in whole and joins_to(pieces, key):
            found = len(key)
    return found / max(1, len(whole))


def _not_code(file: FileFacts, query: QueryFacts) -> float:
    """Tell whether its best chunk is a heading, a key of a data file or plain text."""
    asked = query.terms.intent.prose or not query.in_code
    return 0.0 if asked or file.best_kind not in NOT_CODE else _waived(file, query)


def _names_file(file: FileFacts, query: QueryFacts) -> float:
    """Tell the share of the file's name in the query, by word weights; 1 for a symbol or a pair of
    words.
    """
    base = file.path.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    name = joined(stem)
    if name and (
        name in query.terms.compounds or any(name == symbol.key for symbol in query.terms.symbols)
    ):
        return 1.0
    pieces = {words.stem(part) for part in words.parts(stem)}
    weights = query.terms.weights
    return sum(weights.get(piece, 0.0) for piece in pieces) / len(pieces) if pieces else 0.0


def _long_name(file: FileFacts, query: QueryFacts) -> float:
    """Tell how many words its name has: it is a part of the subject of a file with one word."""
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    return min(1.0, max(0, len(words.parts(stem)) - 1) / LONG_NAME)


LONG_NAME = 4
"""Number of words beyond the first from which a file's name counts as long."""


def _waived(file: FileFacts, query: QueryFacts) -> float:
    """Return the share of a demotion that remains: 0 if the file alone contains a quarter of the
    query's words.

    A pasted text keeps all of it: tests, documents and changelogs repeat what issues say.
    """
    if query.terms.shape == "text":
        return 1.0
    return 1.0 - min(1.0, file.lead / WAIVED_FROM)


WAIVED_FROM = 0.25


def _test(file: FileFacts, query: QueryFacts) -> float:
    if query.terms.intent.tests or not paths.is_test(file.path):
        return 0.0
    if file.tests_candidate or query.terms.shape == "text":
        return 1.0
    return UNTESTED * _waived(file, query)


UNTESTED = 0.8
"""Factor of a test whose subject is not among the candidates."""


def _aside(file: FileFacts, query: QueryFacts) -> float:
    intent = query.terms.intent
    if intent.examples or intent.prose or not paths.is_aside(file.path):
        return 0.0
    return _waived(file, query)


def _old(file: FileFacts, query: QueryFacts) -> float:
    return 1.0 if file.is_outdated or paths.is_old(file.path) else 0.0


def _tooling(file: FileFacts, query: QueryFacts) -> float:
    if query.terms.intent.tooling or not paths.is_tooling(file.path):
        return 0.0
    return _waived(file, query)


def _vendored(file: FileFacts, query: QueryFacts) -> float:
    return 1.0 if paths.is_vendored(file.path) else 0.0


def _declares(file: FileFacts, query: QueryFacts) -> float:
    return 1.0 if file.has_bodies else 0.0


def _prose(file: FileFacts, query: QueryFacts) -> float:
    if query.terms.intent.prose:  # what to do is asked: code comes after prose that says it
        return OF_CODE if query.in_prose and paths.is_usual(file.path) else 0.0
    if file.in_script or not query.in_code or not paths.is_prose(file.path):
        return 0.0  # no code answers: it holds none of the words, or is English where another script is asked for  # noqa: E501
    return _waived(file, query)


OF_CODE = 1.0
"""The signal of code where prose is asked for."""


def held_in_code(files: Iterable[FileFacts]) -> bool:
    """Return whether a file other than prose contains a word of the query, or no file does."""
    holders = [file for file in files if file.keyword > 0]
    return not holders or any(not paths.is_prose(file.path) for file in holders)


TEST = "test"
"""The signal of tests, which also come after what they test: see `order.Scorer`."""

FILE_SIGNALS: Mapping[str, FileSignal] = {
    "fileVector": FileSignal(
        lambda file, _: file.nearness, 2.0, "meaning of the file's nearest chunks"
    ),
    "fileKeyword": FileSignal(
        lambda file, _: file.keyword, 0.25, "words of the query in the whole file"
    ),
    "bestKeyword": FileSignal(
        lambda file, _: file.best_share, 0.3, "words of the query in the file's best places"
    ),
    "fileName": FileSignal(_names_file, 0.3, "the file is called like the query"),
    "path": FileSignal(lambda file, _: file.path_share, 0.2, "words of the query in the path"),
    "pathVector": FileSignal(lambda file, _: file.path_nearness, 0.5, "meaning of the path"),
    "mentioned": FileSignal(lambda file, _: file.mentioned, 0.8, "the query names this file"),
    "suffixShare": FileSignal(
        lambda file, _: file.suffix_share, 0.2, "many files of the tree are of this kind"
    ),
    TEST: FileSignal(_test, -0.75, "a test, and the query asks for none"),
    "aside": FileSignal(_aside, -0.4, "an example, a benchmark, documentation or a template"),
    "old": FileSignal(_old, -0.4, "deprecated, or kept for compatibility"),
    "vendored": FileSignal(_vendored, -0.3, "vendored, generated or built"),
    "tooling": FileSignal(_tooling, -0.6, "settings of tools, a translation or a list of changes"),
    "prose": FileSignal(_prose, -0.6, "prose where code is preferred, or the reverse"),
    "notCode": FileSignal(_not_code, -0.15, "its best place is a heading, a key or plain text"),
    "longName": FileSignal(_long_name, -0.4, "its name has several words: a part of something"),
    "declares": FileSignal(_declares, -0.3, "a header or stub: the bodies are in another file"),
}

ALIKE = "alike"
"""The signal that is found out for the best contenders only: see `ChunkFacts.alike`."""

CHUNK_SIGNALS: Mapping[str, ChunkSignal] = {
    "defines": ChunkSignal(
        _defines, 0.5, "defines a name that the query writes as code", for_symbols=True
    ),
    "named": ChunkSignal(_named, 0.15, "is called like the query"),
    ALIKE: ChunkSignal(
        lambda chunk, *_: chunk.alike,
        0.3,
        "its name has words that mean the same as the query's",
    ),
}

EXACT = "exact"
"""The signal that is no addend but a floor: see `order.Mix.exact`."""

EXACT_WEIGHT = 0.75

REPEAT = "repeat"
"""The signal of the list, not of a chunk: see `order.Mix.repeat`."""

REPEAT_WEIGHT = -1.0

SIGNAL_NAMES = (*CHUNK_SIGNALS, *FILE_SIGNALS, EXACT, REPEAT)
"""All signals, for the settings."""

MEANINGS: Mapping[str, str] = {
    "vector": "meaning of these lines",
    "keyword": "words of the query in these lines",
    **{name: signal.help for name, signal in CHUNK_SIGNALS.items()},
    **{name: signal.help for name, signal in FILE_SIGNALS.items()},
    EXACT: "holds the query word for word, or is a frame of its stack trace",
    REPEAT: "a better hit of this file stands above",
    "rerank": "the reranker moved it",
}
"""The meaning of each part of a score, for --explain."""


FOR_SHAPE: Mapping[str, Mapping[str, float]] = {
    "symbol": {"fileVector": 0.5, "defines": 1.5},
    "text": {"repeat": 0.2, "fileVector": 0.5, "mentioned": 0.3, "exact": 0.25, ALIKE: 0.0},
    "trace": {"repeat": 0.3, "exact": 1.3, ALIKE: 0.0},
}
"""Weight multipliers by query shape. For a lone symbol, vectors count less and definitions more. A
pasted text is about several places of the same file: an issue names files in passing, repeats
output, and only its title is compared by meaning.
"""


def shaped(weights: Mapping[str, float], shape: str) -> Mapping[str, float]:
    """Return the weights for a query of this shape."""
    factors = FOR_SHAPE.get(shape)
    return (
        {name: weight * factors.get(name, 1.0) for name, weight in weights.items()}
        if factors
        else weights
    )


def signal_weights(overrides: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of every signal, usual or overridden; weights of 0 are left out."""
    usual = {name: signal.weight for name, signal in CHUNK_SIGNALS.items()}
    usual |= {name: signal.weight for name, signal in FILE_SIGNALS.items()}
    usual |= {EXACT: EXACT_WEIGHT, REPEAT: REPEAT_WEIGHT}
    return {name: weight for name, weight in {**usual, **overrides}.items() if weight}
