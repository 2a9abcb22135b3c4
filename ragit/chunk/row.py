"""What one row of the table of languages says, and how its words are written."""

from __future__ import annotations

from ragit.records import Record


class Language(Record):
    """One row of the table; see the module's docstring for the fields."""

    name: str
    files: str = ""
    grammar: str = ""
    """The grammar's name in tree-sitter-language-pack; empty if `reader` splits the text by rules."""
    reader: str = "lines"
    """Who splits it without a grammar: a name of readers.py, `document` (documents/) or `none`."""
    nodes: str = ""
    containers: str = ""
    names: str = ""
    kinds: str = ""
    """Like `names`: leads to the word that says the kind, where one node type stands for several kinds."""
    sigils: str = ""
    """What a name may begin with that is not part of it (`$` in PHP)."""
    wraps: str = ""
    through: str = ""
    imports: str = ""
    leading: str = ""
    unnamed: str = ""
    """Node types that are chunks without having a name; any other node counts only with its
    name. "*" for all of `nodes`."""
    heads: str = ""
    """For languages whose definitions are calls: "kind: keyword keyword; ...". A kind ending in
    * is a container, one ending in + holds whatever follows on its level."""
    heads_at: str = ""
    """"node_type=path to the keyword|paths to the name" for `heads`."""
    inject: str = ""
    """"node_type=language ...": nodes whose text is in another language (a script in a page)."""
    tails: str = ""
    """Node types that belong to the definition before them (a body that is a node of its own)."""
    opens: str = ""
    """Definitions that hold whatever follows them on their level (`package Shop;`)."""
    qualifiers: str = ""
    """What separates the names in a qualified name whose last part is the symbol."""
    owner: str = ""
    """"node_type=path": leads from a definition to the type it belongs to (a method's receiver in Go)."""
    docstring: str = ""
    """Paths from a definition to its docstring."""
    docs: str = ""
    """How the text of a `leading` node begins if it documents what follows."""
    clauses: bool = False
    """Neighbours of one name are one definition in several clauses."""
    data: bool = False
    """Settings and documents rather than code: neighbours are grouped more freely."""
    join: str = "."
    """Stands between the names in `Chunk.parent`."""
    minifies: bool = False
    """Files of this language are often made by a minifier."""
    masks: str = ""
    """A regular expression; what its groups match is hidden from the grammar (macros that look like names)."""
    shebangs: str = ""
    """Interpreters that run this language."""
    also: str = ""
    """Languages this one hands text to: their settings determine its chunks, too."""
