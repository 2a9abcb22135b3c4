"""Options of chunking, and the fingerprint of everything that determines a language's chunks."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ragit import digests
from ragit.chunk.documents import FRAME_VERSION, READERS
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.names import CALLED, require
from ragit.chunk.sources import query_text, references_text
from ragit.records import NamedTuple, Record

VERSION = 10
"""Part of every fingerprint; raise it when the rules of this package change its chunks."""

_PACKAGES = ("tree_sitter", "tree_sitter_language_pack", "tree_sitter_yaml", "tree_sitter_c_sharp")


class DocumentOptions(NamedTuple):
    """Options of documents (`documents.*`): sizes of chunks, and limits of reading one."""

    enabled: bool = True
    min_bytes: int = 300
    """Paragraphs are grouped up to this size, in bytes of UTF-8."""
    max_bytes: int = 4000
    max_pages: int = 2000
    """Pages, sheets, slides or chapters."""
    max_seconds: int = 120
    max_memory: int = 1 << 30
    """Limit of memory in bytes for reading one."""
    max_text: int = 8 << 20
    """Limit of a document's text in characters."""
    max_unpacked: int = 256 << 20
    """Limit of an archive's unpacked parts together, in bytes."""


class ChunkOptions(Record):
    """Options of chunking. Sizes are of one chunk's text."""

    node_types: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """By language, the node types that become separate chunks, instead of the table's
    (`chunking.nodeTypes`).
    """
    max_lines: int = 100
    """`chunking.maxChunkLines`"""
    max_bytes: int = 8000
    """`chunking.maxChunkBytes`, in bytes of UTF-8"""
    min_bytes: int = 0
    """`index.minChunkBytes`: neighbours of all kinds are grouped up to this size."""
    item_bytes: int = 1600
    """One-line declarations, imports, settings and small sections are grouped up to this size."""
    documents: DocumentOptions = DocumentOptions()
    chunker_seconds: int = 10
    """`chunking.chunkerSeconds`"""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the sizes that apply to every language."""
        return (self.max_lines, self.max_bytes, self.min_bytes, self.item_bytes)

    def types_of(self, language: str) -> tuple[str, ...] | None:
        """Return the node types that the user chose for a language; None for the default."""
        chosen = self.node_types.get(language)
        if chosen is None:
            chosen = self.node_types.get(LANGUAGES[language].dialect_of)
        return None if chosen is None else tuple(chosen)

    def check_values(self) -> None:
        """Raise ValueError for impossible sizes."""
        if self.max_lines < 1 or self.max_bytes < 4 or min(self.min_bytes, self.item_bytes) < 0:
            raise ValueError(
                "max_lines must be at least 1, max_bytes at least 4, the others at least 0"
            )


def fingerprint(language: str, options: ChunkOptions) -> str:
    """Return the fingerprint of everything but the bytes that determines a language's chunks.

    Loads no grammar.
    """
    row = require(language)
    rows = [row, *(LANGUAGES[name] for name in row.also.split())]
    parts: list[object] = [VERSION, *options.sizes]
    for each in rows:
        # The row itself, so that no change of the table leaves old chunks. No types are a choice,
        # too.
        chosen = options.types_of(each.name)
        parts += [repr(each), None if chosen is None else sorted(set(chosen))]
    parsed = [(query_text(each.name), references_text(each.name)) for each in rows if each.grammar]
    if parsed:
        parts += [parsed, _versions(_PACKAGES)]
    if row.reader == "document":
        readers = [READERS[each.name] for each in rows if each.name in READERS]
        packages = " ".join(reader.packages for reader in readers).split()
        parts += [FRAME_VERSION, options.documents, readers, _versions(tuple(packages))]
    return digests.fingerprint(repr(parts))


def table_fingerprint(options: ChunkOptions) -> str:
    """Return the fingerprint of the rules for the languages of file names and all their chunks."""
    limits = (VERSION, *options.sizes)
    chosen = sorted(
        (language, sorted(set(types))) for language, types in options.node_types.items()
    )
    parsed = [row.name for row in LANGUAGES.values() if row.grammar]
    queries = [(query_text(name), references_text(name)) for name in parsed]
    names = (list(LANGUAGES.values()), queries, sorted(CALLED.items()), _versions(_PACKAGES))
    packages = " ".join(reader.packages for reader in READERS.values()).split()
    documents = (
        FRAME_VERSION,
        options.documents,
        sorted(READERS.items()),
        _versions(tuple(packages)),
    )
    return digests.fingerprint(repr((limits, chosen, names, documents)))


def _versions(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Return names and versions of the installed ones among some distributions."""
    found = _installed()
    names = sorted({package.replace("_", "-").lower() for package in packages})
    return tuple(f"{name} {found.get(name, '?')}" for name in names)


@lru_cache(maxsize=1)
def _installed() -> dict[str, str]:
    """Return the versions of all installed distributions, read from directory listings.

    importlib.metadata gives the same, but importing it takes 40 ms, a quarter of a query's time.
    """
    found: dict[str, str] = {}
    for place in sys.path:
        try:
            with os.scandir(place or ".") as listed:
                entries = sorted(
                    entry.name for entry in listed if entry.name.endswith(".dist-info")
                )
        except OSError:
            continue
        for entry in entries:
            name, _, version = entry.removesuffix(".dist-info").rpartition("-")
            found.setdefault(name.replace("_", "-").lower(), version)
    return found
