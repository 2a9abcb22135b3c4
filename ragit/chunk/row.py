"""One row of the table of languages."""

from __future__ import annotations

from ragit.records import Record


class Language(Record):
    """A language or format: its files, its reader, and the form of its names."""

    name: str
    files: str = ""
    grammar: str = ""
    """Name of the grammar in tree-sitter-language-pack; empty if `reader` splits the text
    by rules.
    """
    reader: str = "lines"
    """Reader that splits it without a grammar: a name of readers.py, `document` (documents/) or
    `none`.
    """
    identifier: str = r"[^\W\d]\w*"
    """Regular expression of a definition's name. `data` languages take any text."""
    sigils: str = ""
    """Characters before a name that are not part of it (`$` in PHP)."""
    qualifiers: str = ""
    """Separators of a qualified name, whose last part is the symbol."""
    splits: str = ""
    """Kinds of a `data` language that are cut at the definitions within them."""
    dialect_of: str = ""
    """Language whose node types and name stand for this one, too."""
    clauses: bool = False
    """Neighbours of one name are one definition in several clauses."""
    data: bool = False
    """Settings and documents rather than code: neighbours are grouped more freely."""
    join: str = "."
    """Separator of the names in `Chunk.parent`."""
    minifies: bool = False
    """Files of this language are often minified."""
    shebangs: str = ""
    """Interpreters that run this language."""
    also: str = ""
    """Languages of embedded text, whose settings determine its chunks, too."""
