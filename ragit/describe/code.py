"""How a chunk of code is put before a model, and how its description joins the text that is embedded. Pure."""

from __future__ import annotations

from ragit.describe.describer import DescriptionRequest
from ragit.describe.task import CHUNK_PROMPT, CHUNK_QUESTION
from ragit.remote.chat import Message

SHORTEST = 200
"""Characters of a chunk of which fewer are not worth a description."""


def description_request(
    key: bytes, parent: str, symbol: str, text: str, *, prompt: str, most: int
) -> DescriptionRequest:
    """A chunk to describe; of its text at most so many characters, cut at a line's end, or half as many, and half of
    those again, for a model that takes less.

    Nothing is said that its key does not name (no path, no language, no line): a description moves with its code.
    """
    shown = piece(parent, symbol, text, most)
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


def piece(parent: str, symbol: str, text: str, most: int) -> str:
    """What a model sees of a chunk."""
    within = f"Within: {parent}\n" if parent else ""
    names = f"Defines: {symbol}\n" if symbol else ""
    return f"{within}{names}```\n{_cut(text, most)}\n```"


def joined(description: str, embedded: str) -> str:
    """The text to embed: the description, a blank line, and what is embedded without one.

    The description comes first because models cut long texts at their end. The names that stand before the code stay
    there: so the text without its description is exactly what is embedded where there is none.
    """
    return f"{description}\n\n{embedded}"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[:most].rpartition("\n")[0] or text[:most]
