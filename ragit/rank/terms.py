"""A query taken apart: its terms with their weights, the symbols it names, and its shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ragit import words
from ragit.records import Record

QUERY_BYTES = 10_000
"""Longer queries are cut: what an engineer means stands at the beginning, and a pasted file must not take a minute."""

MAX_TERMS = 48
"""Distinct terms looked up; the first ones count, for the same reason."""

STOP = frozenset(
    "a an and are as at be by can do does for from how i if in into is it its of on or that the their them then there "
    "these this to use used using was what when where which who why will with you".split()
)
"""Words of questions, not of code. Dropped unless nothing else is left: "if", "with" and "for" alone are looked up."""

_STOP_ELSEWHERE = tuple(
    frozenset(text.split())
    for text in (
        "der die das den dem des ein eine einer einem einen und oder ist sind wird werden wie wo wer wann warum welche "
        "welcher welches nicht kein keine im am zum zur aus bei mit nach von vor für über auf zu sich",
        "el la los las un una unos unas es son de del al en con por para que qué cómo como dónde donde cuándo cuál "
        "quién se su sus lo",
        "le la les un une des du de et ou est sont au aux dans pour par sur avec que qui quoi comment où quand "
        "pourquoi se ne pas ce cette",
    )
)
"""The same in German, Spanish and French. One of them alone may be a word of code (`die`, `des`); from two of one
language on, the query is in that language."""

COMPOUND_WEIGHT = 0.7
"""A pair of neighbouring words as one identifier ("path router": path_router) says more than both words apart, but is
also counted beside them."""

_SYMBOL = re.compile(r"[^\W\d]\w*(?:(?:::|\.|->|#|/)[^\W\d]\w*)*")
_SEPARATOR = re.compile(r"::|\.|->|#|/")
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|[A-Z]{2}|\d|::|->|\(\)|\w\.\w")


class Symbol(Record):
    """A name that the query writes as code: `owner` is Foo, `name` is bar in Foo::bar."""

    name: str
    owner: str

    @property
    def key(self) -> str:
        """The name without case and separators."""
        return joined(self.name)


class QueryTerms(Record):
    """What is looked up for a query."""

    weights: Mapping[str, float]
    """Each index term and how much it counts before its rarity."""
    compounds: Mapping[str, float]
    """Neighbouring words joined, which may exist as identifiers."""
    symbols: tuple[Symbol, ...]
    shape: str
    """symbol (one name), phrase (some words) or question."""
    expansions: Mapping[str, float] = MappingProxyType({})
    """Terms that the query does not hold, but words near to its own: they help to find, and name nothing."""

    @property
    def listed(self) -> list[str]:
        """Everything that is looked up."""
        return [*self.weights, *self.compounds, *self.expansions]

    @property
    def made_of_several(self) -> dict[str, str]:
        """Names written as code that join several words, by the term that stands for the whole name."""
        written = (name for symbol in self.symbols for name in (symbol.owner, symbol.name))
        return {joined(name): name for name in written if len(words.parts(name)) > 1}

    def weight(self, term: str) -> float:
        """How much a term, compound or expansion counts before its rarity."""
        return self.weights.get(term) or self.compounds.get(term) or self.expansions[term]


def take_apart(query: str) -> QueryTerms:
    """The terms, symbols and shape of any text at all."""
    text = query[:QUERY_BYTES]
    names = _SYMBOL.findall(text)
    found = words.identifiers(text)
    shape = _shape(text, names)
    stop = _stop(found)
    listed = [identifier for identifier in found if identifier.lower() not in stop] or found
    weights: dict[str, float] = {}
    for identifier in listed:
        for term in words.terms_of(identifier):
            weights[term] = max(weights.get(term, 0.0), 1.0)
    weights = dict(list(weights.items())[:MAX_TERMS])
    return QueryTerms(
        weights, _compounds(found, weights, stop), _symbols(text, names, shape), shape
    )


def telling(query: str) -> str:
    """The words of a query without those of any question; all of them if nothing else is left."""
    found = words.identifiers(query[:QUERY_BYTES])
    stop = _stop(found)
    return " ".join([identifier for identifier in found if identifier.lower() not in stop] or found)


def _stop(found: list[str]) -> frozenset[str]:
    asked = {identifier.lower() for identifier in found} - STOP
    return STOP.union(*(listed for listed in _STOP_ELSEWHERE if len(asked & listed) > 1))


def _shape(text: str, names: list[str]) -> str:
    tokens = text.split()
    if len(tokens) == 1 and names:
        return "symbol"
    return "question" if len(tokens) > 5 or text.rstrip().endswith("?") else "phrase"


def _symbols(text: str, names: list[str], shape: str) -> tuple[Symbol, ...]:
    """Names in the spelling of code. A capital at the very beginning is a sentence's, not a name's."""
    first = text.lstrip()[:1].isupper() and shape != "symbol"
    found = []
    for at, name in enumerate(names):
        capital = name[:1].isupper() and not (first and at == 0) and name.lower() not in STOP
        if shape == "symbol" or capital or _CODE_LIKE.search(name):
            *before, last = _SEPARATOR.split(name)
            found.append(Symbol(last, before[-1] if before else ""))
    return tuple(dict.fromkeys(found))


def joined(name: str) -> str:
    """A name without case and separators: the same for commit_offset, commitOffset and CommitOffset."""
    return "".join(words.parts(name))


def _compounds(
    found: list[str], weights: Mapping[str, float], stop: frozenset[str]
) -> dict[str, float]:
    pieces = [joined(identifier) for identifier in found]
    pairs = zip(pieces, pieces[1:], found, found[1:], strict=False)
    listed = (
        a + b for a, b, x, y in pairs if a and b and x.lower() not in stop and y.lower() not in stop
    )
    return {
        pair: COMPOUND_WEIGHT
        for pair in dict.fromkeys(listed)
        if pair not in weights and len(pair) <= words.MAX_WORD
    }
