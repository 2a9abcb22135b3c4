"""Validate the languages of a query against the table of languages."""

from __future__ import annotations

from ragit import chunk
from ragit.query import Query


def validate(query: Query) -> None:
    """Raise UnknownLanguage for a language that is not in the table."""
    for name in query.languages:
        language(name)


def language(name: str) -> str:
    """Return a language's name as in the table; raise UnknownLanguage."""
    return chunk.named(name) or chunk.require(name.lower()).name
