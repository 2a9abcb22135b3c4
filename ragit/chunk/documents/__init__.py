"""Documents to text: the table of the formats that are unpacked or decoded before there are any lines to cut.

One module a format, with a function `read(data, bounds)` that gives blocks (block.py), and one row here. group.py makes
the blocks one text and its chunks, child.py runs all of that in a process with limits. Nothing in this file loads a
reader: a query process asks only for names and versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reader(NamedTuple):
    """Who reads a language of the table whose row says `reader="document"`."""

    module: str
    """Name of a module of this folder."""
    version: int
    """Part of the fingerprint: raise it when what the module gives changes."""
    packages: str = ""
    """Distributions whose versions determine what it gives, separated by spaces, as `pip` writes them."""
    is_text: bool = False
    """The file itself is text: where it is none, no container needs to be looked for."""


FRAME_VERSION = 6
"""Of frame.py, group.py, numbers.py, markup.py and sniff.py, for all of them."""

READERS: Mapping[str, Reader] = {
    "doc": Reader("doc", 1, "olefile"),
    "docx": Reader("docx", 2, "python-docx lxml"),
    "epub": Reader("epub", 3),
    "notebook": Reader("ipynb", 1, is_text=True),
    "odp": Reader("odf", 1),
    "ods": Reader("odf", 2),
    "odt": Reader("odf", 2),
    "pdf": Reader("pdf", 2, "pypdfium2 pypdf cryptography fonttools brotli"),
    "pptx": Reader("pptx", 2),
    "rtf": Reader("rtf", 3, "striprtf"),
    "xls": Reader("xls", 3, "xlrd olefile openpyxl"),
    "xlsx": Reader("xlsx", 3, "openpyxl"),
}
