"""The values that a question about usages gives."""

from __future__ import annotations

from collections.abc import Sequence

from ragit.errors import ConfigError
from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid

RELATIONS = ("uses", "callers", "callees", "overrides")
"""Questions about a name."""

PAGE = 100
"""Lines of an answer, unless another number is asked for."""


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
    """The type that the name is a member of; empty for any."""


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
    """The first byte of the name in its line, from 1."""
    test: bool = False
    """True in a file of tests."""


class Use(NamedTuple):
    """A line that holds the name as a whole word, and is no definition of it."""

    path: str
    line: int
    column: int
    """The first byte of the word in its line, from 1."""
    text: str
    kind: str
    """How the word is used: call, type, base, import, attribute, other, comment or string; `text`
    where the language has no rules."""
    certainty: str
    """By which rule the word was taken for one of the definitions (see `CERTAINTIES`)."""
    candidates: int = 0
    """The number of definitions that it may mean."""
    definition: str = ""
    """The definition that it means, as path:line; empty if several or none."""
    symbol: str = ""
    """The definition that the line is part of, with the names around it."""
    place: str = ""
    """The place in a document."""
    test: bool = False
    """True in a file of tests."""


class Usages(Record):
    """The answer to a question about a name: one page of lines, and counts of all of them."""

    query: UsagesQuery
    ref: str
    tree: Oid
    completeness: Completeness
    definitions: tuple[Defined, ...]
    uses: tuple[Use, ...]
    total: int
    """Lines on all pages."""
    files: tuple[tuple[str, int], ...]
    """The number of lines in each file, most first."""
    took_ms: float
    notes: tuple[str, ...] = ()
    """Notes for the reader, a sentence each."""

    @property
    def complete(self) -> bool:
        """Return whether all of the tree was indexed."""
        return self.completeness.complete

    @property
    def pages(self) -> int:
        """Return the number of pages."""
        return max(1, -(-self.total // self.query.top_k))


def checked(query: UsagesQuery) -> UsagesQuery:
    """Return the question. Raises ConfigError for a value that makes none."""
    if query.relation not in RELATIONS:
        raise ConfigError(
            f"unknown relation {query.relation!r}", f"There are {', '.join(RELATIONS)}"
        )
    if query.top_k < 1 or query.page < 1:
        raise ConfigError("lines and pages count from 1", "Leave -k and --page out")
    return query
