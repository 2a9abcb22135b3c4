"""Checks the languages of a query against the table of languages."""

from __future__ import annotations

from ragit import chunk
from ragit.query import Query


def check(query: Query) -> None:
    """Raise UnknownLanguage for a language that is not in the table."""
    for name in query.languages:
        language(name)


def language(name: str) -> str:
    """Return the name in the table of a language as a user calls it. Raises UnknownLanguage."""
    return chunk.named(name) or chunk.require(name.lower()).name
