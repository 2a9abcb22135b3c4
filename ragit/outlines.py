"""Defines the structure of files: outlines, definitions, folders. Pure.

`outline` makes these values from stored chunks, `render` shows them.
"""

from __future__ import annotations

from typing import TypeAlias

from ragit.records import NamedTuple, Record
from ragit.types import Completeness, Oid


class Item(Record):
    """One definition of a file, with the definitions inside it."""

    name: str
    kind: str
    line: int
    """Line of its name, from 1."""
    start_line: int
    """First line with its comment and decorators."""
    end_line: int
    owner: str = ""
    """Names around it, outermost first, joined by dots; titles are joined by ' > '."""
    signature: str = ""
    """Declaration without its body, on one line."""
    doc: str = ""
    """First sentence of its documentation."""
    place: str = ""
    """Place in a document, such as `page 12`; empty for other files."""
    children: tuple[Item, ...] = ()

    @property
    def qualified(self) -> str:
        """Return its name with the names around it."""
        join = " > " if " > " in self.owner or self.kind == "section" else "."
        return f"{self.owner}{join}{self.name}" if self.owner else self.name


class FileSkeleton(Record):
    """The definitions of one file."""

    path: str
    ref: str
    tree: Oid
    language: str
    lines: int
    """Number of lines of the file; of a document, of its text."""
    items: tuple[Item, ...]
    skipped: str = ""
    """Why there are none, or why the file was cut by lines; else empty."""
    size: int = 0
    """Bytes of its text."""

    @property
    def missing(self) -> int:
        """Return 0: a file that is not indexed yet is refused."""
        return 0


class FileLine(Record):
    """One file of a folder: its length, and its top-level definitions."""

    path: str
    lines: int
    names: tuple[str, ...] = ()
    more: int = 0
    """Number of further names."""
    skipped: str = ""


class Subfolder(Record):
    """A folder whose files are not listed."""

    path: str
    files: int


class FolderSkeleton(Record):
    """The files of a folder, a line each."""

    path: str
    """The folder from the top; empty for the top."""
    ref: str
    tree: Oid
    files: tuple[FileLine, ...]
    folders: tuple[Subfolder, ...] = ()
    """Subfolders with too many files to list."""
    missing: int = 0
    """Number of the folder's files that are not indexed yet, and not listed."""


class Shown(Record):
    """One definition with its text, or with an outline of its members."""

    path: str
    ref: str
    tree: Oid
    language: str
    item: Item
    start_line: int
    """Line number of the first of `lines`."""
    lines: tuple[str, ...]
    """The text; of an outlined class the lines before its first member."""
    outlined: bool = False
    """True if the members are in `item.children` and not in `lines`."""
    also: tuple[str, ...] = ()
    """Places of declarations of the same name without a body, as path:line."""
    missing: int = 0
    """Number of files that are not indexed yet and may define the name."""


class Choice(Record):
    """One of several definitions of a name."""

    path: str
    line: int
    kind: str
    name: str
    """Qualified name."""
    signature: str = ""


class Choices(Record):
    """The definitions of a name that has several, those of tests last."""

    name: str
    ref: str
    tree: Oid
    total: int
    page: int
    pages: int
    choices: tuple[Choice, ...]
    """The definitions of this page."""
    missing: int = 0
    """Number of files of the tree that are not indexed yet."""


class MapLine(NamedTuple):
    """A definition in a map."""

    line: int
    text: str
    """Declaration, on one line."""


class MapFile(NamedTuple):
    """A file in a map, with its most important definitions."""

    path: str
    rank: float
    """Share of the rank of all files, by PageRank."""
    lines: tuple[MapLine, ...]


class RepositoryMap(Record):
    """The most important definitions of a tree that fit into a number of tokens."""

    query: str
    """Query of the map; empty for the whole tree."""
    ref: str
    tree: Oid
    completeness: Completeness
    max_tokens: int
    tokens: int
    """Estimated tokens of `files` as text."""
    files: tuple[MapFile, ...]
    """By rank, highest first."""
    of: int
    """Number of indexed files."""

    @property
    def complete(self) -> bool:
        """Return whether the whole tree was indexed."""
        return self.completeness.complete

    @property
    def missing(self) -> int:
        """Return the number of files of the tree that are not indexed yet."""
        return self.completeness.missing


Outline: TypeAlias = "FileSkeleton | FolderSkeleton | Shown | Choices | RepositoryMap"
"""Answer to a question about structure."""
