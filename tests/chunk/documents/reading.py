"""Short ways to a document's blocks, text and chunks, for tests of readers. In this process, so
that nothing hides.
"""

from __future__ import annotations

from test_documents_group import assert_holds

from ragit.chunk.documents.block import Block
from ragit.chunk.documents.frame import Read, blocks_of, read
from ragit.chunk.options import DocumentOptions

OPTIONS = DocumentOptions()


def blocks(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> list[Block]:
    return list(blocks_of(data, language, options))


def lines(data: bytes, language: str) -> list[str]:
    """The kind and text of each block, as `heading: Scope`."""
    return [f"{block.kind}: {block.text}" for block in blocks(data, language)]


def made(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> Read:
    """Text and chunks, of which all holds that has to."""
    found = read(data, language, options)
    assert bool(found.skipped) != bool(found.chunks)
    assert_holds(found.text, found.chunks, options)
    return found


def why(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> str:
    """The reason for which a document has no chunks; empty if it has some."""
    return made(data, language, options).skipped
