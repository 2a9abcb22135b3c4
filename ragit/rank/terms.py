"""Analyse a query: terms with weights, names written as code, phrases, paths, stack frames and
shape. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from ragit import words
from ragit.rank.intent import Intent, intent_of
from ragit.records import Record
from ragit.words import STOP_WORDS

if TYPE_CHECKING:
    from ragit.rank.traces import Frame

QUERY_BYTES = 10_000
"""Limit of a query's bytes: a pasted file must not take a minute."""

MAX_TERMS = 48
"""Limit of distinct terms looked up: the heaviest; of equal ones the first."""

MAX_TERMS_OF_TEXT = 96
"""The same for a pasted text, whose telling words may be at its end."""

TEXT_WORDS = 40
"""A query of more words is a pasted text: an issue, a log, a mail."""

PASTED = frozenset(("text", "trace"))
"""Shapes of pasted texts."""

MAX_SEQUENCE, MAX_SEQUENCES = 60, 16
"""Limits of words in a line and of lines in a query that are compared with chunks in order."""

TITLE_WEIGHT, CODE_WEIGHT, REST_WEIGHT = 1.0, 0.5, 0.15
"""Weight of a word of a pasted text: in its first line, in code or written like code, and
elsewhere.
"""

COMPOUND_WEIGHT = 0.7
"""Weight of a pair of adjacent words as one identifier ("path router": path_router): more telling
than its words, but counted in addition to them.
"""

_STOP_ELSEWHERE = tuple(
    frozenset(text.split())
    for text in (
        "der die das den dem des ein eine einer einem einen und oder ist sind wird werden wie wo wer wann warum welche "  # noqa: E501
        "welcher welches nicht kein keine im am zum zur aus bei mit nach von vor für über auf zu sich",  # noqa: E501
        "el la los las un una unos unas es son de del al en con por para que qué cómo como dónde donde cuándo cuál "  # noqa: E501
        "quién se su sus lo",
        "le la les un une des du de et ou est sont au aux dans pour par sur avec que qui quoi comment où quand "  # noqa: E501
        "pourquoi se ne pas ce cette",
    )
)
"""Stop words of German, Spanish and French. One alone may be a word of code (`die`, `des`); with
two of one language, the query is in that language.
"""

_OPERATOR = r"operator(?:\(\)|\[\]|[=<>!+\-*/%&|^~]{1,3})"
_SYMBOL = re.compile(rf"(?:\w+::)*{_OPERATOR}|[^\W\d]\w*(?:(?:::|\.|->|#|/)[^\W\d]\w*)*")
_SEPARATOR = re.compile(r"::|\.|->|#|/")
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|[A-Z]{2}|\d|::|->|\(\)|\w\.\w")
_IDENTIFIER = re.compile(r"[a-z0-9]_+[a-z0-9]|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Z]_[A-Z]", re.ASCII)
"""A name of several words that no sentence contains: not an acronym."""
_IN_CODE_LINE = re.compile(r"`([^`\n]+)`")
_CALLED = re.compile(r"([^\W\d][\w.:]*)\(\)")
_QUOTED = re.compile(r'"([^"\n]{3,300})"|\u201c([^\u201d\n]{3,300})\u201d')
_TRACE = re.compile(
    r"\.\w+(?:\?[\w=&.-]*)?\"?(?:[:,(#]| line )\s*(?:line )?\d"
    r"|\((?:SourceFile|Unknown Source)"
)
_PATH_LIKE = re.compile(r"\w[./]\w")
_TIME = re.compile(r"\d\d:\d\d")
_FILE = re.compile(
    r"\.(?:py|pyi|ipynb|[cm]?[jt]sx?|vue|java|kts?|scala|groovy|go|rs|c|h|cc|cpp|cxx|hpp|hh|m|mm|cs|fs|vb|rb|php|swift"
    r"|lua|exs?|erl|zig|hs|ml|mli|clj|jl|r|pl|pm|sh|bash|ps1|md|rst|adoc|txt|ya?ml|toml|json|xml|html?|s?css|sql|cfg|ini"
    r"|proto|gradle|cmake|tf)\s*$",
    re.IGNORECASE,
)
"""The end of a query that is a file name."""


class Symbol(Record):
    """A name that the query writes as code: in Foo::bar, `owner` is Foo and `name` is bar."""

    name: str
    owner: str

    @cached_property
    def key(self) -> str:
        """The name without case and separators."""
        return joined(self.name)


class QueryTerms(Record):
    """The words, names and intent of a parsed query."""

    weights: Mapping[str, float]
    """Index terms, with their weights before rarity."""
    compounds: Mapping[str, float]
    """Adjacent words joined, which may exist as identifiers."""
    symbols: tuple[Symbol, ...]
    shape: str
    """symbol (one name), phrase (some words), question, text (pasted, of many words) or trace (a
    pasted text that begins with a stack trace, an error or a log line).
    """
    expansions: Mapping[str, float] = MappingProxyType({})
    """Terms near to the query's own words: they help to find, and name nothing."""
    names: tuple[str, ...] = ()
    """Identifiers to find as written."""
    sequences: tuple[tuple[str, ...], ...] = ()
    """Words in lower case and in order: of the query, or of the lines of a pasted text."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """The same of quoted text, which must match as a whole."""
    word_terms: Mapping[str, str] = MappingProxyType({})
    """The index term of each whole word of the sequences and phrases."""
    paths: tuple[str, ...] = ()
    """Files and dotted modules that the query names, as paths; without a suffix if the query has
    none.
    """
    frames: tuple[Frame, ...] = ()
    """Frames of stack traces, innermost first."""
    intent: Intent = Intent()
    title: str = ""
    """The part of a pasted text that says its subject; else the query."""
    is_cut: bool = False
    """True if words of the query are not looked up because there are too many."""

    @cached_property
    def spelled(self) -> frozenset[str]:
        """The words of all sequences and phrases."""
        return frozenset(word for one in (*self.sequences, *self.phrases) for word in one)

    @cached_property
    def pairs(self) -> Mapping[tuple[str, ...], frozenset[tuple[str, str]]]:
        """The adjacent words of each sequence and phrase."""
        every = (*self.phrases, *self.sequences)
        return {one: frozenset(zip(one, one[1:], strict=False)) for one in every}

    def with_pair(
        self, sequences: Iterable[tuple[str, ...]], tokens: Sequence[str]
    ) -> list[tuple[str, ...]]:
        """Return the sequences of which two adjacent words are adjacent among `tokens`."""
        held = set(zip(tokens, tokens[1:], strict=False))
        return [one for one in sequences if not held.isdisjoint(self.pairs[one])]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The names written as code, without case and separators."""
        return frozenset(symbol.key for symbol in self.symbols)

    @property
    def is_pasted(self) -> bool:
        """Return whether the query is a pasted text of many words."""
        return self.shape in PASTED

    @property
    def is_path(self) -> bool:
        """Return whether the query may be the path of a file with spaces in its name."""
        return bool(self.paths) and _FILE.search(self.title) is not None and "\n" not in self.title

    @property
    def is_quoted(self) -> bool:
        """Return whether the query is only a quoted phrase, or several."""
        every = sum(map(len, self.phrases))
        return every > 0 and all(len(one) <= every for one in self.sequences)

    @property
    def listed(self) -> list[str]:
        """Return every looked-up term."""
        return [*self.weights, *self.compounds, *self.expansions]

    @property
    def made_of_several(self) -> dict[str, str]:
        """Names written as code that join several words, by the term of the whole name."""
        written = (name for symbol in self.symbols for name in (symbol.owner, symbol.name))
        return {joined(name): name for name in written if len(words.parts(name)) > 1}

    def weight(self, term: str) -> float:
        """Return the weight of a term, compound or expansion before rarity."""
        return self.weights.get(term) or self.compounds.get(term) or self.expansions[term]


def parse_query(query: str) -> QueryTerms:
    """Analyse any text as a query."""
    text = split_scripts(_unescaped(query[:QUERY_BYTES]))
    written = _SYMBOL.findall(text)
    found = words.identifiers(text)
    shape = _shape(text, written, found)
    title = text
    if shape in PASTED:
        from ragit.rank.pasted import title_of

        title = title_of(text)
    stop = _stop(found)
    marked = _marked_as_code(title if shape in PASTED else text)
    frames = _frames(text, shape)
    is_place = shape == "symbol" and bool(frames)
    symbols = () if is_place else _symbols(title if shape in PASTED else text, marked, shape)
    every = _weights(text, title, found, stop, shape)
    weights = _heaviest(every, MAX_TERMS_OF_TEXT if shape in PASTED else MAX_TERMS)
    return QueryTerms(
        weights,
        _compounds(words.identifiers(title), weights, stop),
        symbols,
        shape,
        names=() if is_place else _names(text, symbols, marked, shape),
        sequences=_sequences(text, shape),
        word_terms={word.lower(): terms[-1] for word in found if (terms := words.terms_of(word))},
        phrases=() if frames else _phrases(text, found),
        paths=_paths(text),
        frames=frames,
        intent=Intent() if shape in PASTED else intent_of(text),
        title=title,
        is_cut=len(query) > QUERY_BYTES or len(every) > len(weights),
    )


def _unescaped(text: str) -> str:
    """Return a text without the escape sequences of a terminal or of a log in JSON."""
    if "\x1b" not in text and "\\n" not in text:
        return text
    from ragit.rank.pasted import unescaped

    return unescaped(text)


def _heaviest(weights: Mapping[str, float], most: int) -> dict[str, float]:
    """Return the `most` heaviest terms, in their order."""
    kept = frozenset(sorted(weights, key=lambda term: -weights[term])[:most])
    return {term: weight for term, weight in weights.items() if term in kept}


def content_words(query: str) -> str:
    """Return the words of a query without stop words; all of them if nothing else is left."""
    found = words.identifiers(query[:QUERY_BYTES])
    stop = _stop(found)
    return " ".join([identifier for identifier in found if identifier.lower() not in stop] or found)


_BOUNDARY = rf"(?<=[{words.CJK}])(?=[A-Za-z_])|(?<=[A-Za-z0-9_])(?=[{words.CJK}])"
"""Compiled on demand: it takes 5 ms, and most queries are ASCII."""


def split_scripts(text: str) -> str:
    """Put a space between Chinese, Japanese or Korean letters and an adjacent identifier."""
    return text if text.isascii() else re.sub(_BOUNDARY, " ", text)


def joined(name: str) -> str:
    """Return a name without case and separators: the same for commit_offset, commitOffset and
    CommitOffset.
    """
    return "".join(words.parts(name))


def _stop(found: Iterable[str]) -> frozenset[str]:
    asked = {identifier.lower() for identifier in found} - STOP_WORDS
    return STOP_WORDS.union(*(listed for listed in _STOP_ELSEWHERE if len(asked & listed) > 1))


def _shape(text: str, written: list[str], found: list[str]) -> str:
    is_long = len(found) > TEXT_WORDS
    if is_long or ("\n" in text and _TRACE.search(text)):
        from ragit.rank.pasted import begins_with_trace

        if begins_with_trace(text):
            return "trace"
        if is_long:
            return "text"
    tokens = text.split()
    if len(tokens) == 1 and written:
        return "symbol"
    return "question" if len(tokens) > 5 or text.rstrip().endswith("?") else "phrase"


def _weights(
    text: str, title: str, found: list[str], stop: frozenset[str], shape: str
) -> dict[str, float]:
    """Return the terms in order, each with its greatest weight."""
    if shape not in PASTED:
        listed = [(word, 1.0) for word in found if word.lower() not in stop]
        return _of_words(listed or [(word, 1.0) for word in found])
    from ragit.rank.pasted import code_of

    code = frozenset(words.identifiers(code_of(text)))
    listed = [(word, TITLE_WEIGHT) for word in words.identifiers(title)]
    listed += [
        (word, CODE_WEIGHT if word in code or _CODE_LIKE.search(word) else REST_WEIGHT)
        for word in found
    ]
    return _of_words((word, weight) for word, weight in listed if word.lower() not in stop)


def _of_words(listed: Iterable[tuple[str, float]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for word, weight in listed:
        for term in words.terms_of(word):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _marked_as_code(text: str) -> frozenset[str]:
    """Return the names in backticks and those called: `name` and name()."""
    spans = " ".join(_IN_CODE_LINE.findall(text))
    return frozenset([*_SYMBOL.findall(spans), *_CALLED.findall(text)])


def _symbols(text: str, marked: frozenset[str], shape: str) -> tuple[Symbol, ...]:
    """Return the names spelled like code. A capital at the very beginning belongs to the
    sentence.
    """
    first = text.lstrip()[:1].isupper() and shape != "symbol"
    if shape == "symbol" and _FILE.search(text):
        stem = _FILE.sub("", text.strip()).rpartition("/")[2]
        return (Symbol(stem, ""),) if stem.isidentifier() else ()
    found = []
    for at, name in enumerate(_SYMBOL.findall(text)):
        is_first = first and at == 0
        if shape == "symbol" or name in marked or _is_written_as_code(name, is_first=is_first):
            *before, last = _SEPARATOR.split(name)
            found.append(Symbol(last, before[-1] if before else ""))
    return tuple(dict.fromkeys(found))


def _is_written_as_code(name: str, *, is_first: bool) -> bool:
    """Return whether a name has a capital, unless it begins a sentence, or other signs of code."""
    capital = name[:1].isupper() and not is_first and name.lower() not in STOP_WORDS
    return capital or _CODE_LIKE.search(name) is not None


def _names(
    text: str, symbols: tuple[Symbol, ...], marked: frozenset[str], shape: str
) -> tuple[str, ...]:
    """Return the identifiers to find as written."""
    if shape == "symbol":
        return () if _FILE.search(text) else tuple(symbol.name for symbol in symbols[-1:])
    last = {_SEPARATOR.split(name)[-1] for name in marked}
    listed = (symbol.name for symbol in symbols)
    return tuple(name for name in listed if name in last or _IDENTIFIER.search(name))


def _sequence(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in words.identifiers(text))[:MAX_SEQUENCE]


def _phrases(text: str, found: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the quoted phrases; single words only if there is nothing else: messages quote values
    and names.
    """
    quoted = tuple(filter(None, (_sequence(a or b) for a, b in _QUOTED.findall(text))))
    whole = sum(map(len, quoted)) >= len(found)
    return tuple(phrase for phrase in quoted if whole or len(phrase) > 1)


def _sequences(text: str, shape: str) -> tuple[tuple[str, ...], ...]:
    """Return the words in order: of the query, or of each line of several."""
    if shape == "symbol":
        return ()
    lines = [text]
    if shape in PASTED or "\n" in text or _TIME.search(text) or _TRACE.search(text):
        from ragit.rank.pasted import message_lines

        lines = message_lines(text, all_lines=shape not in PASTED)
    found = [_sequence(line) for line in lines]
    # a number may stand for a placeholder of the message
    found += [tuple(word for word in one if not word.isdigit()) for one in found]
    return tuple(dict.fromkeys(one for one in found if len(one) > 1))[:MAX_SEQUENCES]


def _paths(text: str) -> tuple[str, ...]:
    if not _PATH_LIKE.search(text):
        return ()
    from ragit.rank.pasted import paths_of

    return tuple(paths_of(text))


def _frames(text: str, shape: str) -> tuple[Frame, ...]:
    """Return the frames of a stack trace; else the places that a query names (`src/m.c:4`). A long
    text names many in passing.
    """
    if not _TRACE.search(text):
        return ()
    from ragit.rank.traces import frames_of, places_of  # patterns that most searches never need

    return frames_of(text) or (() if shape == "text" else places_of(text))


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
