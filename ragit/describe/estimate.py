"""What asking will cost, before anything is asked. Estimates, each with its rule. Pure."""

from __future__ import annotations

import math

BYTES_PER_TOKEN = 3.5
"""Of code and prompts alike; tokenizers in use take 3 to 4 bytes of code to a token."""

ANSWER_TOKENS = 60
"""Of a description of a chunk: two sentences of forty words at most."""

IMAGE_ANSWER_TOKENS = 120

FRAME_TOKENS = 40
"""What the protocol adds to two messages, and the words around a chunk."""

_TILE = 512
_TILE_TOKENS = 170
_IMAGE_TOKENS = 85
_LONG_SIDE, _SHORT_SIDE = 2048, 768


def text_tokens(size: int) -> int:
    """Tokens of so many bytes of text."""
    return math.ceil(size / BYTES_PER_TOKEN)


def image_tokens(width: int, height: int) -> int:
    """Tokens of an image by the rule that OpenAI publishes for its models of 2024: fitted into 2048 x 2048, its shorter
    side then to 768; 170 for each tile of 512 x 512, and 85. Other models count otherwise, most of them less.
    """
    scale = min(1.0, _LONG_SIDE / max(width, height))
    scale = min(scale, _SHORT_SIDE / min(width, height))
    tiles = math.ceil(width * scale / _TILE) * math.ceil(height * scale / _TILE)
    return _IMAGE_TOKENS + _TILE_TOKENS * tiles


def fitted(width: int, height: int, side: int) -> tuple[int, int]:
    """The size of an image whose longer side is at most so long."""
    longer = max(width, height)
    if longer <= side:
        return width, height
    return max(1, round(width * side / longer)), max(1, round(height * side / longer))
