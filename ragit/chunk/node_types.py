"""Check the node types of `chunking.nodeTypes` against a grammar."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from ragit.chunk.grammars import grammar
from ragit.chunk.row import Language
from ragit.errors import ConfigError


@cache
def node_types(name: str) -> frozenset[str]:
    """Return the named node types of a grammar."""
    known = grammar(name)
    return frozenset(
        known.node_kind_for_id(number) or ""
        for number in range(known.node_kind_count)
        if known.node_kind_is_named(number) and known.node_kind_is_visible(number)
    )


def check(language: Language, types: Iterable[str]) -> None:
    """Raise ConfigError for a node type that a language's grammar lacks."""
    setting = f"chunking.nodeTypes.{language.name}"
    if not language.grammar:
        raise ConfigError(
            f"{setting}: {language.name} is not cut by a grammar",
            "Remove this entry; docs/languages.md says which languages have a grammar",
        )
    known = node_types(language.grammar)
    for name in types:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]}?" if near else "See the grammar's node-types.json"
            raise ConfigError(f"{setting}: its grammar has no node type {name!r}", hint)
