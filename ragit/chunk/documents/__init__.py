"""Readers of documents: the table of formats that are unpacked or decoded to text.

Each reader is a module with a function `read(data, bounds)` that yields blocks (block.py). group.py
turns them into one text with chunks; child.py runs both in a limited process. Loads no reader,
since a search only needs names and versions.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragit.records import NamedTuple


class Reader(NamedTuple):
    """The reader of a language with `reader="document"` in the table."""

    module: str
    """Name of a module of this package."""
    version: int
    """Part of the fingerprint: raise it when the module's output changes."""
    packages: str = ""
    """Distributions whose versions determine the output, separated by spaces."""
    is_text: bool = False
    """The file itself is text and never a container."""


FRAME_VERSION = 6
"""Version of the modules that all readers share, for example group.py and sniff.py."""

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
    "rtf": Reader("rtf", 4, "striprtf"),
    "xls": Reader("xls", 3, "xlrd olefile openpyxl"),
    "xlsx": Reader("xlsx", 3, "openpyxl"),
}
