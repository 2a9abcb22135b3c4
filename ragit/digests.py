"""Names for content: what keys and fingerprints are made of. No secret hangs on them.

BLAKE2b comes from the interpreter's own module: `hashlib` would give the same bytes, but first loads OpenSSL, which
costs each search 6 ms.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that keeps it elsewhere
    from hashlib import blake2b

SIZE = 16
"""Bytes of a digest: enough that no two things of one store will ever meet."""


def digest(data: bytes) -> bytes:
    """The name of some bytes, SIZE bytes long."""
    return blake2b(data, digest_size=SIZE).digest()


def fingerprint(text: str) -> str:
    """16 hex digits that name a text."""
    return digest(text.encode("utf-8", "surrogatepass")).hex()[:16]
