"""Estimates the cost of descriptions before any request. Pure."""

from __future__ import annotations

import math

BYTES_PER_TOKEN = 3.5
"""Bytes of code or prompt a token; tokenizers in use have 3 to 4."""

ANSWER_TOKENS = 60
"""Tokens of a chunk's description: at most two sentences of forty words."""

IMAGE_ANSWER_TOKENS = 120

FRAME_TOKENS = 40
"""Tokens of the protocol for two messages, with the words around a chunk."""

_TILE = 512
_TILE_TOKENS = 170
_IMAGE_TOKENS = 85
_LONG_SIDE, _SHORT_SIDE = 2048, 768


def text_tokens(size: int) -> int:
    """Return the tokens of a text of `size` bytes."""
    return math.ceil(size / BYTES_PER_TOKEN)


def image_tokens(width: int, height: int) -> int:
    """Return the tokens of an image by the rule of OpenAI's models of 2024.

    Fit it into 2048 x 2048, then its shorter side into 768; count 170 for each tile of 512 x 512,
    and 85. Most other models count less.
    """
    scale = min(1.0, _LONG_SIDE / max(width, height))
    scale = min(scale, _SHORT_SIDE / min(width, height))
    tiles = math.ceil(width * scale / _TILE) * math.ceil(height * scale / _TILE)
    return _IMAGE_TOKENS + _TILE_TOKENS * tiles


def fitted(width: int, height: int, side: int) -> tuple[int, int]:
    """Return the size of an image scaled down to a longer side of at most `side`."""
    longer = max(width, height)
    if longer <= side:
        return width, height
    return max(1, round(width * side / longer)), max(1, round(height * side / longer))
