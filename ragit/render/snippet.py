"""Which lines of a hit are worth a person's glance, and where in them the words of the query stand. Pure.

The lines that hold the most and the rarest words of the query are shown, and the line that defines the symbol. This
chooses what to show of a hit; it has no say in which hits there are or in what order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ragit.types import Hit
from ragit.words import identifiers, parts, stem, terms, terms_of

SHOWN = 6
"""Lines of one hit: ten hits then fill two screens, and most definitions with their matching lines fit."""

_FEWEST = 3
"""A hit with one matching line is shown with what follows it: one line alone does not tell what it belongs to."""

# They match all over any text, and a mark at each would hide the marks that matter.
_POINTLESS = frozenset(
    terms(
        "a an and are as at be by do does for from how i if in into is it its not of on or that the then this to was we"
        " what when where which who why with you"
    )
)


class Line(NamedTuple):
    """One line to show."""

    number: int
    text: str
    matches: bool
    """It holds words of the query; False: it is context."""


def lines_of(hit: Hit) -> list[str]:
    """The lines of a hit, without line ends: one per line number from start_line to end_line."""
    lines = re.split(r"\r\n|\n|\r", hit.text)
    if len(lines) == hit.end_line - hit.start_line + 1:
        return lines
    return hit.text.split(
        "\n"
    )  # an over-long line was cut, or a lone CR is no line end in this file


def symbols(hit: Hit) -> list[str]:
    """The names a hit defines: one, or several where small neighbours were grouped. A heading is one name."""
    return [hit.symbol] if hit.kind == "section" and hit.symbol else hit.symbol.split()


def asked_first(query: str, hit: Hit) -> list[str]:
    """The names a hit defines, those that the query writes first: it may ask for one amid a group."""
    asked = set(map(parts, identifiers(query)))
    return sorted(symbols(hit), key=lambda name: parts(name) not in asked)


def wanted_terms(query: str, hit: Hit) -> frozenset[str]:
    """The index terms to point at: those of the query that the hit holds, without words that are everywhere."""
    asked = frozenset(terms(query))
    found = asked & {*hit.terms, *terms(" ".join(hit.terms))} or asked
    telling = frozenset(
        term for term in found if term not in _POINTLESS and (len(term) > 1 or not term.isascii())
    )
    return telling or found


def snippet(query: str, hit: Hit, *, full: bool = False, context: int = 0) -> list[Line]:
    """The lines to show of a hit, in order."""
    lines = lines_of(hit)
    wanted = wanted_terms(query, hit)
    held = [frozenset(terms(line)) & wanted if line.strip() else frozenset() for line in lines]
    if full:
        return [Line(hit.start_line + i, line, bool(held[i])) for i, line in enumerate(lines)]
    chosen = _chosen(query, hit, lines, held)
    near = {
        i for one in chosen for i in range(one - context, one + context + 1) if 0 <= i < len(lines)
    }
    return [Line(hit.start_line + i, lines[i], bool(held[i])) for i in sorted(chosen | near)]


def best_line(query: str, hit: Hit) -> Line:
    """The one line to jump to: the definition if it holds words of the query or no line does, else the richest line."""
    lines = lines_of(hit)
    wanted = wanted_terms(query, hit)
    ranked = _by_weight([frozenset(terms(line)) & wanted for line in lines])
    opening = _opening(query, hit, lines)
    at = ranked[0] if ranked and opening not in ranked else opening
    return Line(hit.start_line + at, lines[at], bool(ranked))


_COUNTED = re.compile(r"([^\W\d]+)s \d+-\d+$")


def number_at(hit: Hit, line: int) -> int:
    """The row, page, ... of a document that a line stands on; 0 if that is none, or as its place says."""
    return hit.numbers[line - hit.start_line] if hit.numbers else 0


def place_at(hit: Hit, line: int) -> str:
    """Where a person finds a line of a document: of `sheet Budget rows 40-80`, `sheet Budget row 57`."""
    number = number_at(hit, line)
    return _COUNTED.sub(rf"\g<1> {number}", hit.place) if number else hit.place


def _chosen(query: str, hit: Hit, lines: list[str], held: list[frozenset[str]]) -> set[int]:
    opening = _opening(query, hit, lines)
    chosen = {opening} if hit.symbol or not any(held) else set()
    for i in _by_weight(held):
        if len(chosen) < SHOWN:
            chosen.add(i)
    start = min(chosen, default=opening)
    for i in range(start, len(lines)):
        if len(chosen) < _FEWEST and lines[i].strip():
            chosen.add(i)
    return chosen


def _by_weight(held: list[frozenset[str]]) -> list[int]:
    """Lines that hold wanted terms, best first. A term weighs less the more lines of this hit hold it."""
    spread = Counter(term for found in held for term in found)
    weight = [sum(1 / spread[term] for term in sorted(found)) for found in held]
    return sorted((i for i, found in enumerate(held) if found), key=lambda i: (-weight[i], i))


def opening_line(query: str, hit: Hit) -> int:
    """The line number where a person wants to land: of the definition, not of a comment or neighbour above it."""
    return hit.start_line + _opening(query, hit, lines_of(hit))


def _opening(query: str, hit: Hit, lines: list[str]) -> int:
    """The line that names the symbol, outside a leading comment if it can be; else the first that is not blank."""
    if names := asked_first(query, hit):
        asked = set(map(parts, identifiers(query)))
        chosen = [name for name in names if parts(name) in asked] or names
        name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, chosen))})(?!\w)")
        naming = [i for i, line in enumerate(lines) if name.search(line)]
        code = [
            i
            for i in naming
            if not lines[i].lstrip().startswith(("#", "//", "/*", "*", "--", ";", "%", '"""'))
        ]
        if naming:
            return code[0] if code and hit.kind != "section" else naming[0]
    return next((i for i, line in enumerate(lines) if line.strip()), 0)


def marked(line: str, wanted: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """The line in pieces, each with whether it is a word of the query. The pieces joined are the line."""
    end = 0
    for found in re.finditer(r"\w+", line):
        for start, stop in _spans(found[0], wanted):
            start, stop = found.start() + start, found.start() + stop
            if start > end:
                yield line[end:start], False
            yield line[start:stop], True
            end = stop
    if end < len(line):
        yield line[end:], False


def _spans(identifier: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Where in an identifier the wanted words stand: getOffset under `offset` is marked at Offset alone."""
    hits = wanted.intersection(terms_of(identifier))
    if not hits:
        return []
    lower = identifier.lower()
    whole = [(0, len(identifier))]
    if len(lower) != len(identifier) or hits - {stem(part) for part in parts(identifier)}:
        return whole  # the joined form was asked for, or lower case has other offsets
    spans: list[tuple[int, int]] = []
    at = 0
    for part in parts(identifier):
        start = lower.find(part, max(0, at - len(part) + 1))
        at = start + len(part)
        if stem(part) not in wanted:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (
                spans[-1][0],
                at,
            )  # neighbours, or the overlapping pairs of a script without spaces
        else:
            spans.append((start, at))
    return spans or whole
