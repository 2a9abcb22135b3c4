"""Collects context for a model that completes code at a cursor."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ragit.chunk import language_of
from ragit.context import CursorPosition, find_context
from ragit.contexts import Context
from ragit.errors import ConfigError, NoSuchPath
from ragit.search import OpenTree
from ragit.tree_world import TreeWorld
from ragit.types import path_text

_BY_CONTENT = {"h": "c", "auto": "text"}
"""Language to use where only the content tells the language."""


def context_at(
    opened: OpenTree, world: TreeWorld, path: bytes, line: int, text: str | None, max_tokens: int
) -> Context:
    """Return the context of a line of a file; `text` replaces the file's text if given.

    Raises NoSuchPath for a line beyond the end, or a file without text that is not in the tree.
    """
    started = time.perf_counter()
    if max_tokens < 1:
        raise ConfigError(f"max_tokens is {max_tokens}", "It is at least 1")
    lines, language = _text(opened, path, text)
    _check_line(path, line, lines)
    place = CursorPosition(path_text(path), line, lines, language)
    found = find_context(opened.store, world, place, max_tokens)
    return Context(
        path_text(path),
        line,
        opened.target.name,
        opened.target.tree,
        opened.tree.complete,
        len(opened.tree.missing),
        max_tokens,
        found.tokens,
        found.signatures,
        found.similar,
        (time.perf_counter() - started) * 1000,
    )


def _text(opened: OpenTree, path: bytes, text: str | None) -> tuple[list[str], str]:
    chunking = opened.chunking_at(path)
    if chunking is not None:
        language = opened.store.blobs([chunking])[chunking][1]
        if text is None:
            text = opened.text_of(chunking).decode("utf-8", "replace")
    else:
        named = language_of(path)
        language = _BY_CONTENT.get(named, named)
    if text is None:
        name, ref = path_text(path), opened.target.name
        why = opened.tree.snapshot.skipped.get(path)
        message = f"{name} is not indexed: {why}" if why else f"there is no {name} in {ref}"
        raise NoSuchPath(message, "Give the text of a new file on standard input (--stdin)")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), language


def _check_line(path: bytes, line: int, lines: Sequence[str]) -> None:
    """Raise NoSuchPath for a line outside the text. The line after a last line end is allowed."""
    if not 1 <= line <= len(lines):
        has = f"{path_text(path)} has {len(lines):,} lines"
        raise NoSuchPath(f"{has}, so there is no line {line}", "Name a line that it has")
