"""One row of the table of languages."""

from __future__ import annotations

from ragit.records import Record


class Language(Record):
    """A language or format: its files, what reads it, and what its names look like."""

    name: str
    files: str = ""
    grammar: str = ""
    """The grammar's name in tree-sitter-language-pack; empty if `reader` splits the text by rules.
    """
    reader: str = "lines"
    """The reader that splits it without a grammar: a name of readers.py, `document` (documents/) or
    `none`."""
    identifier: str = r"[^\W\d]\w*"
    """A regular expression: what a definition may be called. `data` languages take any text."""
    sigils: str = ""
    """Characters before a name that are not part of it (`$` in PHP)."""
    qualifiers: str = ""
    """Separators of a qualified name, whose last part is the symbol."""
    splits: str = ""
    """Kinds of a `data` language that are cut at the definitions within them."""
    dialect_of: str = ""
    """The language whose node types and name stand for this one, too."""
    clauses: bool = False
    """Neighbours of one name are one definition in several clauses."""
    data: bool = False
    """Settings and documents rather than code: neighbours are grouped more freely."""
    join: str = "."
    """Stands between the names in `Chunk.parent`."""
    minifies: bool = False
    """Files of this language are often made by a minifier."""
    shebangs: str = ""
    """Interpreters that run this language."""
    also: str = ""
    """Languages this one hands text to: their settings determine its chunks, too."""
