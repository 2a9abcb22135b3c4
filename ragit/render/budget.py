"""Fits the output of a search into a token budget. Pure.

Keeps the best hits that fit, each cut to its first lines: ten lines tell as well as a whole chunk
whether a hit is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ragit.records import replaced
from ragit.render.screen import RenderOptions
from ragit.types import Answer

Format = Callable[[Answer, RenderOptions], Iterator[str]]

BYTES_PER_TOKEN = 3
"""Tokenizers take 3 to 4 bytes of code for a token; the smaller figure is safe for all of them."""

LINES = 10
"""Default number of lines of a hit."""


def tokens(lines: Iterator[str]) -> int:
    """Estimate the tokens of lines, with their line ends."""
    size = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines)
    return math.ceil(size / BYTES_PER_TOKEN)


def fitted(answer: Answer, options: RenderOptions, show: Format) -> tuple[Answer, RenderOptions]:
    """Return the answer with the hits that fit into `options.max_tokens`, and the options to show
    it.

    A single hit that does not fit is shown with fewer lines, or not at all.
    """
    if not options.max_tokens:
        return answer, options
    most = options.max_lines or LINES
    for lines in (most, *(fewer for fewer in (3, 1) if fewer < most)):
        smaller = replaced(options, max_lines=lines)
        count = _count(answer, smaller, show)
        if count or not answer.hits:
            return _first(answer, count), smaller
    return _first(answer, 0), options


def strongest(answer: Answer, share: float) -> Answer:
    """Return the answer without hits whose score is below a share of the best."""
    best = max((hit.score for hit in answer.hits), default=0.0)
    kept = tuple(hit for hit in answer.hits if hit.score >= share * best)
    if best <= 0 or len(kept) == len(answer.hits):
        return answer
    return replaced(answer, hits=kept, weaker=len(answer.hits) - len(kept))


def _first(answer: Answer, count: int) -> Answer:
    return replaced(answer, hits=answer.hits[:count], left_out=len(answer.hits) - count)


def _count(answer: Answer, options: RenderOptions, show: Format) -> int:
    """Return the number of hits that fit, by bisection."""
    low, high = 0, len(answer.hits)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(show(_first(answer, middle), options)) <= options.max_tokens:
            low = middle
        else:
            high = middle - 1
    return low
