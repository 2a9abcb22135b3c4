"""Order the lines with a name, and cut them into pages. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ragit.usages.records import Use

CERTAINTIES = (
    "same scope",
    "same file",
    "import",
    "same package",
    "receiver",
    "base",
    "unique",
    "ambiguous",
    "name",
    "local",
    "outside",
    "word",
)
"""Degrees of certainty that a line means one of the definitions, the surest first."""

_RANK = {certainty: rank for rank, certainty in enumerate(CERTAINTIES)}


def ordered(uses: Iterable[Use]) -> list[Use]:
    """Return lines by certainty, then by path and line; tests last."""
    return sorted(
        uses,
        key=lambda use: (
            use.test,
            _RANK[use.certainty],
            use.kind == "text",
            use.path,
            use.line,
            use.column,
        ),
    )


def surest(uses: Iterable[Use]) -> Use:
    """Return the use with the surest meaning, the first among equals."""
    return min(uses, key=lambda use: _RANK[use.certainty])


def page_of(uses: Sequence[Use], top_k: int, page: int) -> tuple[Use, ...]:
    """Return the lines of a page; pages count from 1."""
    return tuple(uses[(page - 1) * top_k : page * top_k])


def by_file(uses: Iterable[Use]) -> tuple[tuple[str, int], ...]:
    """Return the number of lines in each file, most first."""
    counts = Counter(use.path for use in uses)
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
