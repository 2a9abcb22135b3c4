"""Builds the request for a chunk of code, and joins its description to the text to embed. Pure."""

from __future__ import annotations

from ragit.describe.describer import DescriptionRequest
from ragit.describe.task import CHUNK_PROMPT, CHUNK_QUESTION
from ragit.remote import Message

SHORTEST = 200
"""Characters of the shortest described chunk."""


def description_request(
    key: bytes, parent: str, symbol: str, text: str, *, prompt: str, most: int
) -> DescriptionRequest:
    """Return the request for a chunk, with at most `most` characters, cut at a line end.

    Its `shorter` forms halve that for a model that takes less. It contains only what the key
    depends on (no path, language or line), so a description moves with its code.
    """
    shown = chunk_excerpt(parent, symbol, text, most)
    asked = (shown, CHUNK_QUESTION) if prompt == CHUNK_PROMPT else (shown,)
    messages = (Message("system", (prompt,)), Message("user", asked))
    half = min(most, len(text)) // 2
    if half < SHORTEST:
        return DescriptionRequest(key, messages)
    return DescriptionRequest(
        key,
        messages,
        lambda: description_request(key, parent, symbol, text, prompt=prompt, most=half),
    )


def chunk_excerpt(parent: str, symbol: str, text: str, most: int) -> str:
    """Return a chunk as shown to a model."""
    within = f"Within: {parent}\n" if parent else ""
    names = f"Defines: {symbol}\n" if symbol else ""
    return f"{within}{names}```\n{_cut(text, most)}\n```"


def with_description(description: str, embedded: str) -> str:
    """Return the text to embed: the description, a blank line, and the text without it.

    The description comes first because models cut long texts at their end. The names before the
    code stay there, so that the rest equals the text embedded without a description.
    """
    return f"{description}\n\n{embedded}"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[:most].rpartition("\n")[0] or text[:most]
