"""Reads vectors from a server's answer, which may contain anything."""

from __future__ import annotations

import base64
import binascii
import math
import re
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from ragit.remote import token_count


def rows(answer: Any, place: str) -> list[Any]:
    """Return the vectors in the order of the texts; `place` is `Embeddings.answer` of the dialect.

    Raises KeyError, TypeError, ValueError or OverflowError for another kind of answer.
    """
    if place == "embeddings":
        return list(answer["embeddings"])
    if place == "by type":
        return list(answer["embeddings"]["float"])
    found = answer["data"]
    indexes = [int(row["index"]) for row in found]
    if sorted(indexes) != list(range(len(found))):
        raise ValueError(f"its rows are numbered {sorted(indexes)[:10]}")
    return [row["embedding"] for row in sorted(found, key=lambda row: int(row["index"]))]


def tokens(answer: Any) -> int:
    """Return the server's count of tokens; 0 if unknown."""
    usage = answer.get("usage") or {}
    return token_count(usage.get("total_tokens") or answer.get("prompt_eval_count") or 0)


def numbers(given: Any) -> Sequence[float]:
    """Return a vector from a list, or from base64 of little-endian float32; empty for neither."""
    if isinstance(given, str):
        vector = array("f")
        try:
            vector.frombytes(base64.b64decode(given, validate=True))
        except (ValueError, binascii.Error):
            return ()
        if sys.byteorder == "big":  # pragma: no cover
            vector.byteswap()
        return vector
    if isinstance(given, list) and all(
        isinstance(x, (int, float)) and not isinstance(x, bool) for x in given
    ):
        return given
    return ()


def length(vector: Sequence[float]) -> float:
    """Return the Euclidean length; infinity if it is too large for a float."""
    try:
        return math.sqrt(math.fsum(x * x for x in vector))
    except (OverflowError, ValueError):  # numbers too large for a float, or whose squares are
        return math.inf


def share_to_keep(message: str) -> float:
    """Return the share of a text to keep, by the numbers in its refusal; else three quarters."""
    text = message.partition("answered ")[2].partition(":")[2]
    found = sorted({int(number) for number in re.findall(r"(?<![\w.])\d{2,7}(?![\w.]*\d)", text)})
    if len(found) == 2 and found[0] >= found[1] / 8:
        return 0.95 * found[0] / found[1]
    return 0.75
