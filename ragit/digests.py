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


class DigestSet:
    """A set of digests that takes 15 bytes for each, where a `set` takes some 100."""

    def __init__(self) -> None:
        self._parts = [bytearray() for _ in range(1 << 12)]
        """The digests by their first twelve bits, without their first byte, one after the other."""

    def add(self, digest: bytes) -> bool:
        """Add a digest; return False if it was there."""
        part = self._parts[digest[0] << 4 | digest[1] >> 4]
        rest = digest[1:]
        at = part.find(rest)
        while at % len(rest) and at >= 0:  # the end of one and the beginning of the next
            at = part.find(rest, at + 1)
        if at >= 0:
            return False
        part += rest
        return True
