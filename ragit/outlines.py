"""Defines what is said about the structure of files: outlines, definitions, folders. Pure.

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
    """The line of its name, from 1."""
    start_line: int
    """The first line with its comment and decorators."""
    end_line: int
    owner: str = ""
    """The names around it, outermost first, joined by dots; titles are joined by ' > '."""
    signature: str = ""
    """The declaration without its body, on one line."""
    doc: str = ""
    """The first sentence of its documentation."""
    place: str = ""
    """Place in a document, such as `page 12`; empty where there are only lines."""
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
    """The number of lines of the file; of a document, of the text made of it."""
    items: tuple[Item, ...]
    skipped: str = ""
    """The reason why there are none, or why the file was cut by lines; else empty."""
    size: int = 0
    """The number of bytes of its text."""

    @property
    def missing(self) -> int:
        """Return 0: what is not indexed yet has no skeleton, and is refused."""
        return 0


class FileLine(Record):
    """One file of a folder: how long it is, and what it defines outside of other definitions."""

    path: str
    lines: int
    names: tuple[str, ...] = ()
    more: int = 0
    """The number of further names."""
    skipped: str = ""


class Subfolder(Record):
    """A folder whose files are not listed one by one."""

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
    """Subfolders that hold too many files to list them; their files are in no line."""
    missing: int = 0
    """The number of the folder's files that are not indexed yet; they are in no line."""


class Shown(Record):
    """One definition with its text, or with an outline of what is inside it."""

    path: str
    ref: str
    tree: Oid
    language: str
    item: Item
    start_line: int
    """The number of the first of `lines`."""
    lines: tuple[str, ...]
    """The text; of an outlined class the lines before its first member."""
    outlined: bool = False
    """True if the members are in `item.children` and not in `lines`."""
    also: tuple[str, ...] = ()
    """Places of declarations of the same name without a body, as path:line."""
    missing: int = 0
    """The number of files that may define the name, too, but are not indexed yet."""


class Choice(Record):
    """One of several definitions of a name."""

    path: str
    line: int
    kind: str
    name: str
    """Its name with the names around it."""
    signature: str = ""


class Choices(Record):
    """The definitions of a name that has several; those of tests come last."""

    name: str
    ref: str
    tree: Oid
    total: int
    page: int
    pages: int
    choices: tuple[Choice, ...]
    """The definitions of this page."""
    missing: int = 0
    """The number of files of the tree that are not indexed yet."""


class MapLine(NamedTuple):
    """A definition in a map."""

    line: int
    text: str
    """The declaration, on one line."""


class MapFile(NamedTuple):
    """A file in a map, with its definitions that matter most."""

    path: str
    rank: float
    """Its share of the rank of all files, by PageRank."""
    lines: tuple[MapLine, ...]


class RepositoryMap(Record):
    """The definitions of a tree that matter most, as many as fit into a number of tokens."""

    query: str
    """Query that the map is about; empty for the whole tree."""
    ref: str
    tree: Oid
    completeness: Completeness
    max_tokens: int
    tokens: int
    """An estimate of those of `files` as text."""
    files: tuple[MapFile, ...]
    """The highest ranked first."""
    of: int
    """The number of indexed files."""

    @property
    def complete(self) -> bool:
        """Return whether all of the tree was indexed."""
        return self.completeness.complete

    @property
    def missing(self) -> int:
        """Return the number of files of the tree that are not indexed yet."""
        return self.completeness.missing


Outline: TypeAlias = "FileSkeleton | FolderSkeleton | Shown | Choices | RepositoryMap"
"""Answer to one question about structure."""
