"""Choose the line of a hit to jump to: the requested definition, or the match. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragit import words
from ragit.rank import (
    SAME,
    QueryTerms,
    Symbol,
    WordWeights,
    joined,
    match_of_name,
    of_sequence,
    plain_tokens,
    tokens_of,
)
from ragit.records import NamedTuple
from ragit.words import STOP_WORDS

QUOTED_FROM = 0.12
"""Evidence from which a line counts as quoted by the query."""

DEFINITION_SHARE = 0.5
"""Share of the richest line's weight from which the line of a definition is preferred."""

_COMMENT = ("#", "//", "/*", "*", "--", ";", "%", '"""', "'''", "<!--")
_KEYWORD = (
    r"(?i)\b(?:def|class|func|function|fn|struct|enum|trait|interface|type|typedef|module|namespace|object|record|protocol"
    r"|extension|impl|const|let|var|val|static|public|private|protected|internal|export|union|macro|sub|proc|package"
    r"|defmodule|defp?|defmacro|procedure|table|view|trigger|index|constructor|init|data|newtype|instance|local)\b"
)
"""Words before the name in a definition. Compiled for hits whose definitions are unknown."""
_USE = (
    r"\b(?:return|throw|raise|new|await|yield|import|from|require|include|using|else|case)"
    r"\s+[\w.:]*$"
)
_OPENS = r"\s*[(=:{<\[]"
_CALL = r"\s*\([^;]*\)\s*;\s*$"
_DEFINE = r"#\s*(?:define|macro)\b"
_OPERATOR = r"(?![=<>!+\-*/%&|^~])"


class Landing(NamedTuple):
    """The lines and definitions of a hit, from which its line is chosen."""

    lines: Sequence[str]
    definitions: Sequence[tuple[str, int]]
    """Names that the hit defines, each with the index of its line."""


def best_line(query: QueryTerms, weights: WordWeights, hit: Landing) -> int:
    """Return the index of the line to jump to.

    In this order: a line that the query quotes; the definition of a name in the query; the first
    line with such a name; the definition, unless another line contains twice as much of the query's
    words.
    """
    found = _quoted_or_named(query, weights, hit)
    if found is not None:
        return found
    richest, most = _richest(query, weights, hit)
    opening = _definition_like_query(query, hit)
    if opening is None:
        return richest if most else _first(hit.lines)
    own = _weight(query, weights, hit.lines[opening])
    return opening if not most or own >= DEFINITION_SHARE * most else richest


def _quoted_or_named(query: QueryTerms, weights: WordWeights, hit: Landing) -> int | None:
    """Return the line that the query quotes or names; the query's own spelling comes first."""
    quoted = _quoted_line(query, weights, hit)
    if quoted is not None:
        return quoted
    for find, as_written in _SPELLING_FIRST if _has_a_spelling(query) else _DEFINITION_FIRST:
        found = find(query, hit, as_written=as_written)
        if found is not None:
            return found
    return None


def _has_a_spelling(query: QueryTerms) -> bool:
    """Return whether a name of the query is more than a plain lower-case word, whose plural may
    also match.
    """
    names = [symbol.name for symbol in query.symbols]
    return any(len(words.parts(name)) > 1 or name != name.lower() for name in names)


def definition_line(name: str, lines: Sequence[str], kind: str = "") -> int | None:
    """Return the index of the line that looks most like the definition of a name; None if no line
    contains it.
    """
    name = _last(name)
    pattern = re.compile(
        rf"(?<![\w]){re.escape(name)}(?!\w)"
        + ("" if name[-1:].isalnum() or name[-1:] == "_" else _OPERATOR)
    )
    best: tuple[float, int] | None = None
    for at, line in enumerate(lines):
        match = pattern.search(line)
        if match:
            score = 1.0 if kind == "section" else _as_definition(line, match)
            if best is None or score > best[0]:
                best = (score, at)
    return None if best is None else best[1]


def _as_definition(line: str, match: re.Match[str]) -> float:
    """Return how much a line looks like the definition of the matched name."""
    before, after = line[: match.start()], line[match.end() :]
    stripped = line.lstrip()
    if stripped.startswith(_COMMENT) and not re.match(_DEFINE, stripped):
        return -5.0
    has_keyword = bool(re.search(_KEYWORD, before))
    score = 4.0 if has_keyword or re.match(_DEFINE, stripped) else 0.0
    if re.match(_OPENS, after):
        score += 1.0
    if not before.strip():
        score += 1.0
    score -= _as_use(before)
    if not has_keyword:
        score -= 3.0 * before.endswith((".", "->")) + 1.0 * bool(re.match(_CALL, after))
    return score - min(len(line) - len(stripped), 40) / 100


def _as_use(before: str) -> float:
    """Return how much the text before a name looks like a mere use of it."""
    quoted = before.endswith(('"', "'", "`")) or before.rstrip().endswith("@")
    return 4.0 * quoted + 3.0 * bool(re.search(_USE, before))


def _definition_of_name(query: QueryTerms, hit: Landing, *, as_written: bool) -> int | None:
    """Return the line of the definition of a name in the query, in the same or another spelling."""
    for symbol in query.symbols:
        for name, at in sorted(hit.definitions, key=lambda one: one[1]):
            last = _last(name)
            if last == symbol.name if as_written else _is_spelled_like(last, symbol):
                return at
    return None


def _is_spelled_like(name: str, symbol: Symbol) -> bool:
    return bool(symbol.key) and words.stem(joined(name)) == words.stem(symbol.key)


def _last(name: str) -> str:
    """Return a name without its owner: `add` of Cart.add; operators stay whole."""
    return re.split(r"::|[.#](?=\w)", name)[-1]


def _line_with_name(query: QueryTerms, hit: Landing, *, as_written: bool) -> int | None:
    """Return the line that matches a name of the query best; among equals its definition, else the
    first.
    """
    least = SAME if as_written else 0.0
    best: tuple[float, float, int] | None = None
    for name in query.names:
        for at, line in enumerate(hit.lines):
            value = match_of_name(name, line)
            if not value or value < least:
                continue
            comment = line.lstrip().startswith(_COMMENT)
            found = (value, -float(comment), -at)
            if best is None or found > best:
                best = found
    return None if best is None else -best[2]


_SPELLING_FIRST = (
    (_definition_of_name, True),
    (_line_with_name, True),
    (_definition_of_name, False),
    (_line_with_name, False),
)
_DEFINITION_FIRST = (
    (_definition_of_name, True),
    (_definition_of_name, False),
    (_line_with_name, True),
    (_line_with_name, False),
)
"""Order of the attempts to find a line that defines or contains a name: in the query's spelling
first, or definitions first.
"""


def _quoted_line(query: QueryTerms, weights: WordWeights, hit: Landing) -> int | None:
    """Return the line in which the longest quoted part of the query begins."""
    best, chosen = QUOTED_FROM, None
    sequences, spelled = [*query.phrases, *query.sequences], query.spelled
    every = [plain_tokens(line) for line in hit.lines]
    for at, plain in enumerate(every):
        both = [*plain, *(every[at + 1] if at + 1 < len(every) else ())]
        known = [token for token in both if token in spelled]
        if not plain or len(known) < 2:
            continue  # it takes two words side by side
        near = query.with_pair(sequences, both)
        if not near:
            continue
        alone = tokens_of(query, hit.lines[at])
        with_next = tokens_of(query, "\n".join(hit.lines[at : at + 2]))
        for sequence in near:
            value = max(
                of_sequence(sequence, weights, alone),
                0.99 * of_sequence(sequence, weights, with_next),
            )
            if value > best:
                best, chosen = value, at
    return chosen


def _richest(query: QueryTerms, weights: WordWeights, hit: Landing) -> tuple[int, float]:
    best, chosen = 0.0, 0
    for at, line in enumerate(hit.lines):
        value = _weight(query, weights, line)
        if value > best:
            best, chosen = value, at
    return chosen, best


def _weight(query: QueryTerms, weights: WordWeights, line: str) -> float:
    """Return the rarity of the query's words in a line, in any form."""
    held = frozenset(words.terms(line)).intersection(query.weights)
    total = 0.0
    for sequence in query.sequences or (tuple(query.weights),):
        for word in sequence:
            if word not in STOP_WORDS and query.word_terms.get(word) in held:
                total += weights.of.get(word, 1.0) or 1.0
    return total


def _definition_like_query(query: QueryTerms, hit: Landing) -> int | None:
    """Return the line of the definition with the name most like the query."""
    asked = query.weights

    def share(name: str) -> float:
        pieces = {words.stem(part) for part in words.parts(_last(name))}
        return len(pieces.intersection(asked)) / len(pieces) if pieces else 0.0

    return min(((-share(name), at) for name, at in hit.definitions), default=(0.0, None))[1]


def _first(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.strip()), 0)
