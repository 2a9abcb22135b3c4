"""Defines the context of a cursor. Pure."""

from __future__ import annotations

from ragit.records import NamedTuple, Record
from ragit.types import Oid


class Signature(NamedTuple):
    """The declaration of a name used or imported near a cursor."""

    path: str
    line: int
    kind: str
    name: str
    """Its qualified name."""
    text: str
    """The declaration, on one line."""
    reason: str
    """Why it is there: `imported`, `included`, `same package`, `same folder` or `unique`."""


class Similar(NamedTuple):
    """Code elsewhere that shares rare words with the lines around a cursor."""

    path: str
    start_line: int
    end_line: int
    name: str
    text: str
    words: tuple[str, ...]
    """The shared words, the rarest first."""


class Context(Record):
    """The context of a cursor: declarations and similar code of other files."""

    path: str
    line: int
    ref: str
    tree: Oid
    complete: bool
    missing: int
    """Number of files that are not indexed."""
    max_tokens: int
    tokens: int
    """Estimated tokens of `signatures` and `similar`, as printed by `ragit context`."""
    signatures: tuple[Signature, ...]
    similar: tuple[Similar, ...]
    took_ms: float = 0.0
