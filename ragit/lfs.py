"""Recognises the pointer files that Git LFS keeps in place of large files. No IO.

A pointer is neither the text nor the image of its file name, and ragit does not download the
content. Blobs that are pointers are skipped with the reason POINTER.
"""

from __future__ import annotations

POINTER = "lfs pointer"
"""Why a pointer is not indexed."""

_BEGINS = b"version https://git-lfs.github.com/spec/"
_BELOW = 1024
"""Largest size of a pointer in bytes, by the specification. A longer file only quotes one."""


def is_pointer(data: bytes) -> bool:
    """Return whether the bytes of a blob are a pointer."""
    return data.startswith(_BEGINS) and len(data) < _BELOW
