"""Digests of content, used in keys and fingerprints. Not meant for security.

BLAKE2b comes from the interpreter's own module: `hashlib` returns the same bytes, but first loads
OpenSSL, which takes 6 ms.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that keeps it elsewhere
    from hashlib import blake2b

SIZE = 16
"""Bytes of a digest, enough to make a collision in one store practically impossible."""


def digest(data: bytes) -> bytes:
    """Return the digest of some bytes, SIZE bytes long."""
    return blake2b(data, digest_size=SIZE).digest()


def fingerprint(text: str) -> str:
    """Return 16 hex digits that identify a text."""
    return digest(text.encode("utf-8", "surrogatepass")).hex()[:16]
