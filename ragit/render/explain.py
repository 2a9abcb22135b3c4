"""Renders the parts of a hit's score, and the words of the query that it contains.

Loaded only for --explain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragit.records import NamedTuple
from ragit.render.screen import Paint, RenderOptions, duration, plain, visible
from ragit.types import Answer, Demoted, Hit, Reranked
from ragit.words import STOP_WORDS, identifiers, parts, stem, terms, terms_of

_KEPT = 0.0005
"""Half of the last digit shown. A larger difference between a score and the sum of its parts means
that the score was kept above 0.
"""

_COMMON = frozenset(terms(" ".join(sorted(STOP_WORDS))))
"""Words not listed as missing from a hit."""


class Matched(NamedTuple):
    """The words of a query as typed, by where a hit contains them."""

    whole: list[str]
    in_part: dict[str, list[str]]
    """Identifiers of which the hit contains some words, with these words."""
    in_path: list[str]
    """Words in the path only."""
    lacking: list[str]


def matched(query: str, hit: Hit) -> Matched:
    """Return which words of the query a hit contains, in its text or the names around it.

    `hit.terms` are stems, as in the index.
    """
    held = {*hit.terms, *terms(" ".join(hit.terms)), *terms(f"{hit.parent} {hit.symbol}")}
    path = frozenset(terms(hit.path))
    found = Matched([], {}, [], [])
    for word in dict.fromkeys(identifiers(query)):
        pieces = list(dict.fromkeys(piece for piece in parts(word) if stem(piece) in held))
        if held.issuperset(map(stem, parts(word))) or held.intersection(_joined(word)):
            if len(word) > 1 or not word.isascii():
                found.whole.append(word)
        elif pieces:
            found.in_part[word] = pieces
        elif len(word) > 1 and _COMMON.isdisjoint(terms_of(word)):
            (found.in_path if path.issuperset(map(stem, parts(word))) else found.lacking).append(
                word
            )
    return found


def _joined(word: str) -> tuple[str, ...]:
    several = terms_of(word)
    return several[-1:] if len(several) > 1 and several[-1] == "".join(parts(word)) else ()


def _ordered(signals: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(
        ((n, v) for n, v in signals.items() if v), key=lambda item: (-abs(item[1]), item[0])
    )


def reasons(query: str, hit: Hit, options: RenderOptions, paint: Paint) -> Iterator[str]:
    """Yield the lines under a hit that explain its rank."""
    ordered = _ordered(hit.signals)
    yield from _labelled(
        "raised by", [_share(*one, options, paint) for one in ordered if one[1] > 0], paint
    )
    yield from _labelled(
        "lowered by", [_share(*one, options, paint) for one in ordered if one[1] < 0], paint
    )
    if hit.signals and hit.score - sum(hit.signals.values()) > _KEPT:
        yield from _labelled("kept", [f"{hit.score:+.3f} scores do not fall below 0"], paint)
    if hit.reranked:
        yield from _labelled("reranked", [_moved(hit.reranked)], paint)
    yield from _words(query, hit, paint)
    if hit.optimized:
        merged, replaced = hit.optimized.merged_from, hit.optimized.deduped_from
        capped = ["further hits of this file (retrieval.contextOptimization.maxPerFile)"]
        yield from _labelled("merged", [", ".join(map(visible, merged))] if merged else [], paint)
        yield from _labelled(
            "replaces", [", ".join(map(visible, replaced))] if replaced else [], paint
        )
        yield from _labelled("left out", capped if hit.optimized.file_capped else [], paint)


def _moved(reranked: Reranked) -> str:
    relevance = (
        "no relevance given"
        if reranked.relevance is None
        else f"relevance {reranked.relevance:.3g}"
    )
    return f"rank {reranked.place} before, {relevance}"


def _share(name: str, value: float, options: RenderOptions, paint: Paint) -> str:
    figure = (paint.good if value > 0 else paint.bad)(f"{value:+.3f}")
    meaning = options.meanings.get(name, "")
    return (
        f"{figure} {meaning} {paint.faint(f'({visible(name)})')}"
        if meaning
        else f"{figure} {visible(name)}"
    )


def _words(query: str, hit: Hit, paint: Paint) -> Iterator[str]:
    found = matched(query, hit)
    partly = [f"{', '.join(pieces)} of {word}" for word, pieces in found.in_part.items()]
    held = [", ".join(map(visible, (*found.whole, *partly)))]
    if found.whole or partly:
        yield from _labelled("matches", held, paint)
    elif identifiers(query):
        yield from _labelled(
            "matches", ["none of the query: found by its meaning, its file or its path"], paint
        )
    if found.in_path:
        yield from _labelled("in path", [", ".join(map(visible, found.in_path))], paint)
    if found.lacking and (found.whole or partly):
        yield from _labelled("lacks", [", ".join(map(visible, found.lacking))], paint)


def _labelled(label: str, rows: list[str], paint: Paint) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield f"  {paint.faint(f'{label if not number else str():<10}')}  {row}"


def below(answer: Answer, options: RenderOptions, paint: Paint) -> Iterator[str]:
    """Yield the lines under an answer: rewriting, reranking, and demoted hits."""
    yield from _rewritten(answer, paint)
    if answer.reranked_by:
        model, candidates, took_ms = answer.reranked_by
        yield ""
        took = duration(took_ms / 1000)
        yield f"{paint.name('reranked')} the best {candidates} by {visible(model)}, {took}"
    if answer.demoted:
        yield ""
        yield paint.name("kept out by a demotion:")
    for one in answer.demoted:
        place = f"{paint.path(visible(one.path))}:{paint.line(str(one.start_line))}"
        symbol = paint.name(visible(" ".join(one.symbol.split()[:1])))
        score = paint.faint(f"{one.score:.3f} instead of {one.otherwise:.3f}")
        yield "  " + "  ".join(part for part in (place, symbol, score) if part)
        for name, value in _ordered(one.signals):
            yield f"    {_share(name, value, options, paint)}"


def _rewritten(answer: Answer, paint: Paint) -> Iterator[str]:
    """Yield the further queries and words that were searched."""
    if not answer.rewritten:
        return
    yield ""
    for variant in answer.rewritten.variants:
        yield f"{paint.name('also asked')}  {visible(variant)}"
    for word, others in answer.rewritten.words.items():
        found = ", ".join(map(visible, others))
        yield f"{paint.name('also looked for')}  {found} ({visible(word)})"


def hit_json(query: str, hit: Hit, options: RenderOptions) -> dict[str, Any]:
    """Return the explanation of a hit's rank as a JSON object."""
    found = matched(query, hit)
    return {
        "raised_by": [_part(*one, options) for one in _ordered(hit.signals) if one[1] > 0],
        "lowered_by": [_part(*one, options) for one in _ordered(hit.signals) if one[1] < 0],
        "matched": [plain(word) for word in found.whole],
        "partly_matched": {
            plain(word): [plain(piece) for piece in pieces]
            for word, pieces in found.in_part.items()
        },
        "matched_in_path": [plain(word) for word in found.in_path],
        "unmatched": [plain(word) for word in found.lacking],
        "terms": [plain(term) for term in hit.terms],
        "blob": hit.blob,
    }


def demoted_json(one: Demoted, options: RenderOptions) -> dict[str, Any]:
    """Return a hit removed by a demotion as a JSON object."""
    return {
        "path": plain(one.path),
        "start_line": one.start_line,
        "end_line": one.end_line,
        "symbol": plain(one.symbol),
        "score": round(one.score, 4),
        "score_without_demotion": round(one.otherwise, 4),
        "lowered_by": [_part(name, value, options) for name, value in _ordered(one.signals)],
    }


def _part(name: str, value: float, options: RenderOptions) -> dict[str, Any]:
    return {"signal": name, "value": round(value, 4), "meaning": options.meanings.get(name, "")}
