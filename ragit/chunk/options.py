"""What a user may set about chunking, and the fingerprint that names all of it for one language."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ragit import digests
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.names import CALLED, require

VERSION = 1
"""Part of every fingerprint; raise it when the rules of this room change what comes out of it."""

_PACKAGES = ("tree_sitter", "tree_sitter_language_pack", "tree_sitter_yaml", "tree_sitter_c_sharp")


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The knobs of chunking. Sizes are of one chunk's text."""

    node_types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Language to the node types that become chunks of their own, in place of the table's (`chunking.nodeTypes`)."""
    max_lines: int = 100
    """`chunking.maxChunkLines`"""
    max_bytes: int = 8000
    """`chunking.maxChunkBytes`, in bytes of UTF-8"""
    min_bytes: int = 800
    """Neighbours are grouped up to this size; 0 keeps every definition apart."""

    def __post_init__(self) -> None:
        if self.max_lines < 1 or self.max_bytes < 4 or self.min_bytes < 0:
            raise ValueError("max_lines must be at least 1, max_bytes at least 4, min_bytes at least 0")


def fingerprint(language: str, options: ChunkOptions) -> str:
    """Names everything beside the bytes that determines the chunks of this language. Loads no grammar."""
    row = require(language)
    rows = [row, *(LANGUAGES[name] for name in row.also.split())]
    parts: list[object] = [VERSION, options.max_lines, options.max_bytes, options.min_bytes]
    for each in rows:
        # The row itself, so that no change of the table can leave old chunks standing. No types is a choice, too.
        chosen = options.node_types.get(each.name)
        parts += [repr(each), None if chosen is None else sorted(set(chosen))]
    if any(each.grammar for each in rows):
        parts.append(_grammar_versions())
    return digests.fingerprint(repr(parts))


def table_fingerprint(options: ChunkOptions) -> str:
    """Names everything that determines which row a file's name leads to, and the chunks of every row."""
    limits = (VERSION, options.max_lines, options.max_bytes, options.min_bytes)
    chosen = sorted((language, sorted(set(types))) for language, types in options.node_types.items())
    parts = (limits, chosen, list(LANGUAGES.values()), sorted(CALLED.items()), _grammar_versions())
    return digests.fingerprint(repr(parts))


@lru_cache(maxsize=1)
def _grammar_versions() -> tuple[str, ...]:
    """Names of the installed distributions, read from a directory listing.

    importlib.metadata would say the same, but importing it takes 40 ms, a quarter of what a query may take.
    """
    wanted = tuple(package.replace("_", "-") for package in _PACKAGES)
    found: dict[str, str] = {}
    for place in sys.path:
        try:
            entries = sorted(Path(place or ".").glob("tree[_-]sitter*.dist-info"))
        except OSError:
            continue
        for entry in entries:
            name, _, version = entry.name.removesuffix(".dist-info").rpartition("-")
            found.setdefault(name.replace("_", "-").lower(), version)
    return tuple(f"{name} {found.get(name, '?')}" for name in wanted)
