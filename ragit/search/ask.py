"""What may be asked: a query's options are checked before anything is opened. Pure."""

from __future__ import annotations

from ragit import chunk
from ragit.errors import ConfigError
from ragit.types import Query

MODES = ("hybrid", "keyword", "vector")
SCOPES = ("worktree", "committed", "staged")


def check(query: Query) -> None:
    """Raise ConfigError or UnknownLanguage for an option that has no meaning; a query's text may be anything."""
    _one_of("mode", query.mode, MODES)
    _one_of("scope", query.scope, SCOPES)
    if query.ref is not None and query.scope != "worktree":
        raise ConfigError(
            f"both a revision and {query.scope} are asked for",
            "Name one tree: --ref, --staged or --committed",
        )
    for name in query.languages:
        language(name)
    if query.top_k is not None and not query.top_k >= 1:
        raise ConfigError(f"top_k is {query.top_k}", "Ask for one hit at least")
    if query.min_score is not None and not query.min_score >= 0:
        raise ConfigError(f"min_score is {query.min_score}", "Scores begin at 0")
    if query.keyword_weight is not None and not 0 <= query.keyword_weight <= 1:
        raise ConfigError(f"keyword_weight is {query.keyword_weight}", "It is a share, from 0 to 1")


def language(name: str) -> str:
    """The name in the table of a language as a user calls it. Raises UnknownLanguage."""
    return chunk.named(name) or chunk.require(name.lower()).name


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"unknown {name} {value!r}", f"There are {', '.join(known)}")
