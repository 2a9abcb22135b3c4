"""What one row of the table of languages says, and how its words are written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table; see the module's docstring for the fields."""

    name: str
    files: str = ""
    grammar: str = ""
    """The grammar's name in tree-sitter-language-pack; empty if `reader` splits the text by rules."""
    reader: str = "lines"
    nodes: str = ""
    containers: str = ""
    names: str = ""
    wraps: str = ""
    through: str = ""
    imports: str = ""
    leading: str = ""
    unnamed: str = ""
    """Node types that are chunks without having a name; any other node counts only with its name."""
    heads: str = ""
    """For languages whose definitions are calls: "keyword keyword: kind; ..."; a kind ending in * is a container."""
    heads_at: str = ""
    """"node_type=path to the keyword | path to the name" for `heads`."""
    qualifiers: str = ""
    """What separates the names in a qualified name whose last part is the symbol."""
    owner: str = ""
    """"node_type=path": leads from a definition to the type it belongs to (a method's receiver in Go)."""
    docstring: str = ""
    """Path from a definition to its docstring."""
    data: bool = False
    """Settings and documents rather than code: neighbours are grouped more freely."""
    join: str = "."
    minifies: bool = False
    """Files of this language are often made by a minifier."""
    shebangs: str = ""
    """Interpreters that run this language."""
    also: str = ""
    """Languages this one hands text to: their settings determine its chunks, too."""
