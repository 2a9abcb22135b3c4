"""What stands in a repository for a file that Git LFS keeps elsewhere. Pure.

It is neither the text nor the image that its name says, and nobody downloads what it points to: who reads blobs counts
it by this reason.
"""

from __future__ import annotations

POINTER = "lfs pointer"
"""Why a blob that is one is not read."""

_BEGINS = b"version https://git-lfs.github.com/spec/"
_BELOW = 1024
"""Bytes, by the specification. What is longer only quotes one."""


def is_pointer(data: bytes) -> bool:
    """Whether these bytes of a blob are such a pointer."""
    return data.startswith(_BEGINS) and len(data) < _BELOW
