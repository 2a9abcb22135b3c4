"""Read a document in this process, so that errors are not hidden: its blocks, text or chunks."""

from __future__ import annotations

from test_documents_group import assert_invariants

from ragit.chunk.documents.block import Block
from ragit.chunk.documents.frame import Read, blocks_of, read
from ragit.chunk.options import DocumentOptions

OPTIONS = DocumentOptions()


def blocks(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> list[Block]:
    return list(blocks_of(data, language, options))


def lines(data: bytes, language: str) -> list[str]:
    """Return each block as `kind: text`."""
    return [f"{block.kind}: {block.text}" for block in blocks(data, language)]


def read_checked(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> Read:
    """Return text and chunks, after a check of the invariants."""
    found = read(data, language, options)
    assert bool(found.skipped) != bool(found.chunks)
    assert_invariants(found.text, found.chunks, options)
    return found


def skip_reason(data: bytes, language: str, options: DocumentOptions = OPTIONS) -> str:
    """Return the reason why a document has no chunks; empty if it has some."""
    return read_checked(data, language, options).skipped
