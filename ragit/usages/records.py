"""The questions about usages, and their answers."""

from __future__ import annotations

from collections.abc import Sequence

from ragit.errors import ConfigError
from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid

RELATIONS = ("uses", "callers", "callees", "overrides")
"""Kinds of questions about a name."""

PAGE = 100
"""Default number of lines in an answer."""


class UsagesQuery(Record):
    """A question about a name."""

    name: str
    relation: str = "uses"
    paths: Sequence[str] = ()
    """Path patterns from the top, as for a search."""
    top_k: int = PAGE
    """Lines of a page."""
    page: int = 1
    owner: str = ""
    """The type of which the name is a member; empty for any."""


class Defined(NamedTuple):
    """A definition of the name in the tree."""

    path: str
    line: int
    kind: str
    name: str
    parent: str
    """The names around it."""
    text: str
    """The line of its name."""
    column: int = 1
    """Column of the name's first byte, from 1."""
    test: bool = False
    """True if the file is a test."""


class Use(NamedTuple):
    """A line that contains the name as a whole word and does not define it."""

    path: str
    line: int
    column: int
    """Column of the word's first byte, from 1."""
    text: str
    kind: str
    """Kind of use: call, type, base, import, attribute, other, comment or string; `text` if the
    language has no rules.
    """
    certainty: str
    """The rule that decided the meaning (see `CERTAINTIES`)."""
    candidates: int = 0
    """Number of definitions that it may mean."""
    definition: str = ""
    """The definition that it means, as path:line; empty if several or none."""
    symbol: str = ""
    """The definition that contains the line, with the names around it."""
    place: str = ""
    """The place in a document."""
    test: bool = False
    """True if the file is a test."""


class Usages(Record):
    """The answer to a question about a name: one page of lines, and counts of all."""

    query: UsagesQuery
    ref: str
    tree: Oid
    completeness: Completeness
    definitions: tuple[Defined, ...]
    uses: tuple[Use, ...]
    total: int
    """Number of lines on all pages."""
    files: tuple[tuple[str, int], ...]
    """Number of lines in each file, most first."""
    took_ms: float
    notes: tuple[str, ...] = ()
    """Notes for the reader, a sentence each."""

    @property
    def complete(self) -> bool:
        """Return whether the whole tree was indexed."""
        return self.completeness.complete

    @property
    def pages(self) -> int:
        """Number of pages."""
        return max(1, -(-self.total // self.query.top_k))


def checked(query: UsagesQuery) -> UsagesQuery:
    """Return the question. Raises ConfigError for an invalid value."""
    if query.relation not in RELATIONS:
        raise ConfigError(
            f"unknown relation {query.relation!r}", f"There are {', '.join(RELATIONS)}"
        )
    if query.top_k < 1 or query.page < 1:
        raise ConfigError("lines and pages count from 1", "Leave -k and --page out")
    return query
