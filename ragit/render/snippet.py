"""Chooses the lines of a hit to show, and marks the words of the query. Pure.

It changes neither the hits nor their order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ragit.records import NamedTuple
from ragit.types import Hit
from ragit.words import STOP_WORDS, identifiers, parts, stem, terms, terms_of

SHOWN = 6
"""Lines of one hit: ten hits then fill two screens, and most definitions with their matching lines
fit.
"""

_FEWEST = 3
"""Fewest lines shown: a single line does not tell what it belongs to."""

# Marking these would hide the marks that matter.
_COMMON = frozenset(terms(" ".join(sorted(STOP_WORDS))))

_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", '"""', "@")
"""Beginnings of comments and annotations."""


class Line(NamedTuple):
    """One line to show."""

    number: int
    text: str
    matches: bool
    """True if it contains words of the query; False for context."""


def lines_of(hit: Hit) -> list[str]:
    """Return the lines of a hit without line ends, one for each line number."""
    text = hit.text.removesuffix("\r")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(lines) == hit.end_line - hit.start_line + 1:
        return lines
    # An over-long line was cut, or a lone CR is no line end in this file.
    return [line.removesuffix("\r") for line in text.split("\n")]


def symbols(hit: Hit) -> list[str]:
    """Return the names that a hit defines; a title or an operator may contain spaces."""
    if hit.kind == "section" and hit.symbol:
        return [hit.symbol]
    names, rest = [], hit.symbol
    for name, *_ in hit.definitions:
        if f"{rest} ".startswith(f"{name} "):
            names.append(name)
            rest = rest[len(name) :].lstrip()
    return [*names, *rest.split()]


def asked_first(query: str, hit: Hit) -> list[str]:
    """Return the names that a hit defines, those of the query first."""
    asked = set(map(parts, identifiers(query)))
    return sorted(symbols(hit), key=lambda name: parts(name) not in asked)


def wanted_terms(query: str, hit: Hit) -> frozenset[str]:
    """Return the index terms to mark: the query's terms in the hit, without common words. Where
    the hit holds a name of several words, its words alone are not marked.
    """
    held = {*hit.terms, *terms(" ".join(hit.terms))}
    asked: set[str] = set()
    for identifier in identifiers(query):
        every = terms_of(identifier)
        asked.update(every[-1:] if held.issuperset(every[-1:]) else every)
    found = frozenset(asked & held or asked)
    telling = frozenset(
        term for term in found if term not in _COMMON and (len(term) > 1 or not term.isascii())
    )
    return telling or found


def snippet(
    query: str, hit: Hit, *, full: bool = False, context: int = 0, most: int = SHOWN
) -> list[Line]:
    """Return the lines of a hit to show, in order: `most` of them, with `context` lines around
    each.
    """
    lines = lines_of(hit)
    wanted = wanted_terms(query, hit)
    held = [frozenset(terms(line)) & wanted if line.strip() else frozenset() for line in lines]
    if full:
        return [Line(hit.start_line + i, line, bool(held[i])) for i, line in enumerate(lines)]
    shown = _with_context(_chosen(query, hit, lines, held, most), context, len(lines))
    return [Line(hit.start_line + i, lines[i], bool(held[i])) for i in shown]


def _with_context(chosen: set[int], context: int, length: int) -> list[int]:
    """Add `context` lines around each, and single lines between two, since a gap's mark takes a
    line, too.
    """
    near = {i for one in chosen for i in range(one - context, one + context + 1)}
    single = {i + 1 for i in near if i + 2 in near}
    return sorted(i for i in near | single if 0 <= i < length)


def first_lines(query: str, hit: Hit, most: int) -> list[Line]:
    """Return `most` consecutive lines: the first ones, or those around the best line if it is
    later.

    Empty if `most` is 0 or the hit has no more lines.
    """
    lines = lines_of(hit)
    if not most or len(lines) <= most:
        return []
    best = shown_line(query, hit).number - hit.start_line
    start = 0 if best < most else min(best - most // 3, len(lines) - most)
    return [Line(hit.start_line + i, lines[i], i == best) for i in range(start, start + most)]


def shown_line(query: str, hit: Hit) -> Line:
    """Return the line to jump to: the search's, or else the best one."""
    lines = lines_of(hit)
    if 0 <= hit.line - hit.start_line < len(lines):
        return Line(hit.line, lines[hit.line - hit.start_line], True)
    return best_line(query, hit)


def best_line(query: str, hit: Hit) -> Line:
    """Return the best line: the definition of a name of the query, a line with such a name, or the
    line with the most telling words, but the definition if it has half as many words as any other
    line.
    """
    lines = lines_of(hit)
    at = _line_of_name(query, hit, lines)
    if at is None:
        at = _line_of_words(query, hit, lines)
    return Line(
        hit.start_line + at, lines[at], bool(wanted_terms(query, hit) & {*terms(lines[at])})
    )


def _line_of_name(query: str, hit: Hit, lines: list[str]) -> int | None:
    """Return the line that defines a name of the query, or else uses most of them; None if none
    does.
    """
    words = set(map(parts, identifiers(query)))
    names = {word for word in words if len(word) > 1}
    defined = set(map(_stems, names or (words if len(words) == 1 else ())))
    if any(_stems(parts(name)) in defined for name in symbols(hit)):
        return _definition_line(query, hit, lines)
    if not names:
        return None
    held = [names.intersection(map(parts, identifiers(line))) for line in lines]
    most = max(map(len, held), default=0)
    using = [i for i, found in enumerate(held) if len(found) == most]
    return min(using, key=lambda i: (_is_comment(lines[i]), i)) if most else None


def _stems(name: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(stem, name))


def _line_of_words(query: str, hit: Hit, lines: list[str]) -> int:
    wanted = wanted_terms(query, hit)
    held = [frozenset(terms(line)) & wanted for line in lines]
    opening = _definition_line(query, hit, lines)
    ranked = _by_weight(held)
    most = max(map(len, held), default=0)
    if not ranked or len(held[opening]) * 2 >= most:
        return opening
    return opening if hit.symbol and _is_documentation(lines, opening, ranked[0]) else ranked[0]


def _is_documentation(lines: list[str], opening: int, at: int) -> bool:
    """Return whether a line is in the comment before a definition or its docstring."""
    if at < opening:
        return True
    between = "\n".join(lines[opening + 1 : at + 1]).lstrip()
    for quotes in ('"""', "'''"):
        if between.startswith(quotes):
            before = between.rpartition("\n")[0]
            return before.count(quotes) < 2
    return False


_COUNTED = r"([^\W\d]+)s \d+-\d+$"


def number_at(hit: Hit, line: int) -> int:
    """Return the row or page of a document's line; 0 if it has none or `place` names it."""
    return hit.numbers[line - hit.start_line] if hit.numbers else 0


def place_at(hit: Hit, line: int) -> str:
    """Return the place of a document's line: in `sheet Budget rows 40-80`, `sheet Budget
    row 57`.
    """
    number = number_at(hit, line)
    return re.sub(_COUNTED, rf"\g<1> {number}", hit.place) if number else hit.place


def _chosen(
    query: str, hit: Hit, lines: list[str], held: list[frozenset[str]], most: int
) -> set[int]:
    best = shown_line(query, hit).number - hit.start_line
    opening = _definition_line(query, hit, lines)
    chosen = {best}
    if hit.symbol and most > 1:
        chosen.add(opening)
    for i in _by_weight(held):
        if len(chosen) < most:
            chosen.add(i)
    for i in range(min(chosen), len(lines)):
        if len(chosen) < min(_FEWEST, most) and lines[i].strip():
            chosen.add(i)
    return chosen


def _weights(held: list[frozenset[str]]) -> list[float]:
    """Weigh lines by their wanted terms; a term weighs less the more lines contain it."""
    spread = Counter(term for found in held for term in found)
    return [sum(1 / spread[term] for term in sorted(found)) for found in held]


def _by_weight(held: list[frozenset[str]]) -> list[int]:
    """Return the lines with wanted terms, best first."""
    weight = _weights(held)
    return sorted((i for i, found in enumerate(held) if found), key=lambda i: (-weight[i], i))


def _definition_line(query: str, hit: Hit, lines: list[str]) -> int:
    """Return the line that defines the hit's symbol, preferably one named by the query; else the
    first line with text.
    """
    names = asked_first(query, hit)
    asked = set(map(parts, identifiers(query)))
    chosen = [name for name in names if parts(name) in asked] or names
    for one in hit.definitions:
        if one.name in chosen and 0 <= one.line - hit.start_line < len(lines):
            return one.line - hit.start_line
    naming = _lines_naming(chosen, lines) if chosen else []
    if naming:
        return naming[0] if hit.kind == "section" else _best_naming(chosen, naming, lines)
    return next((i for i, line in enumerate(lines) if line.strip()), 0)


def _best_naming(names: list[str], naming: list[int], lines: list[str]) -> int:
    """Return the line most like a definition, among those with a name."""
    code = [i for i in naming if not _is_comment(lines[i])]
    if not code:
        return naming[0]
    return min(code, key=lambda i: (not _declares(names, lines[i]), _indent(lines[i]), i))


def _lines_naming(names: list[str], lines: list[str]) -> list[int]:
    """Return the lines with one of the names outside of quotes; if there are none, those with one
    inside.
    """
    name = re.compile("|".join(map(_name_pattern, names)))
    bare = [re.sub(r"\"[^\"]*\"|'[^']*'", "", line) for line in lines]
    return [i for i, line in enumerate(bare) if name.search(line)] or [
        i for i, line in enumerate(lines) if name.search(line)
    ]


_KEYWORD = (
    r"\b(?:class|const|def|defn|defmodule|defp|define|enum|extension|fn|fun|func|function|interface|let|macro"
    r"|message|module|namespace|object|procedure|protocol|record|service|struct|sub|table|trait|type|typedef"
    r"|union|val|var|view)\b"
)
"""Keywords before the name of a definition, in the languages with a grammar."""


def _declares(names: list[str], line: str) -> bool:
    """Return whether a line seems to define one of the names: a keyword comes before, with no value
    or call between.
    """
    either = "|".join(map(_name_pattern, names))
    return (
        re.search(rf"{_KEYWORD}[^=(]*?(?:\([^)]*\)\s*)?(?:{either})", line, re.IGNORECASE)
        is not None
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _name_pattern(name: str) -> str:
    """Return a pattern for a whole name: `operator=` is not in `operator==`."""
    before = r"(?<!\w)" if name[0].isalnum() or name[0] == "_" else ""
    after = r"(?!\w)" if name[-1].isalnum() or name[-1] == "_" else r"(?![=<>!+*/%&|^~-])"
    return before + re.escape(name) + after


def _is_comment(line: str) -> bool:
    """Return whether a line is only a comment or an annotation."""
    return line.lstrip().startswith(_COMMENTS)


def marked(line: str, wanted: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield a line in pieces, each with whether it is a word of the query."""
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
    """Return the wanted words' places in an identifier: in getOffset, `offset` is at Offset
    alone.
    """
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
