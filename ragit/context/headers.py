"""Order what included headers declare by how likely a line of a file needs it. Pure.

An `#include` brings hundreds of names without saying which. The weights were chosen on 150 hidden
calls of git and 150 of tmux, whose names stand nowhere else in their files: of those of git 84 %
are among the first thirty, of tmux 60 %, and 83 % of curl's, on which nothing was chosen. Ordered
by the number of shared words times that of files it was 51, 40 and 50 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set

from ragit import words
from ragit.context.cursor import names_in
from ragit.tree_world import Export
from ragit.usages import Place

NEAR, ANYWHERE = 4.0, 2.0
"""Weights of the words that a name shares with the lines around the cursor, and with the file."""

FILES = 0.7
"""Weight of the logarithm of the number of files that hold a name."""

UNUSED = 1.0
"""What a header adds of which the file uses no name yet: it was included for some."""

SIZE = 0.3
"""What a header takes away for the logarithm of the number of its declarations."""

MOST, LOOKED_UP = 60, 150
"""Declarations that are returned, and the likeliest by all else of which the files are counted."""


def likeliest(
    headers: Sequence[Sequence[Export]],
    near: Iterable[str],
    lines: Sequence[str],
    files: Callable[[str], int],
) -> list[Place]:
    """Return declarations of headers, the likeliest first.

    `near` are the names around the cursor, `lines` are those of the file, and `files` returns how
    many files hold a name.
    """
    here = set(names_in("\n".join(lines)))
    close, anywhere = _parts(near), _parts(here)
    holding = Counter(part for header in headers for one in header for part in one.parts)
    total = sum(map(len, headers))
    weights = {part: math.log(1 + total / count) for part, count in holding.items()}
    scores: dict[Place, float] = {}
    for header in headers:
        usual = _usual(header, here)
        for one in header:
            shared = NEAR * _shared(one.parts, close, weights)
            shared += ANYWHERE * _shared(one.parts, anywhere, weights)
            scores[one.place] = shared + usual
    best = sorted(scores, key=lambda one: (-scores[one], one))[:LOOKED_UP]
    for place in best:
        scores[place] += FILES * math.log(1 + files(place.name))
    return sorted(best, key=lambda one: (-scores[one], one))[:MOST]


def _parts(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in words.parts(name)}


def _usual(header: Sequence[Export], here: Set[str]) -> float:
    """Return what all declarations of a header get: a small one, and one of which a file has no
    name yet, is likelier.
    """
    is_used = any(one.place.name in here for one in header)
    return (0.0 if is_used else UNUSED) - SIZE * math.log(max(1, len(header)))


def _shared(parts: Set[str], others: Set[str], weights: dict[str, float]) -> float:
    """Return which share of a name's words others have, the rare ones weighing more."""
    whole = sum(weights[part] for part in parts)
    return sum(weights[part] for part in parts & others) / whole if whole else 0.0
