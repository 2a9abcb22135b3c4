"""Unpack zip archives of office formats within bounds.

A header may lie about the size of a part, and many names may share packed bytes. So the unpacked
bytes are counted, over all parts, in small pieces; zipfile alone trusts the header.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from copy import copy
from io import BytesIO

from ragit.chunk.documents.block import UNKNOWN_PACKING, Bounds, Unreadable

_PIECE = 1 << 16
_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions that office formats allow. LZMA, for one, can allocate gigabytes for a few bytes."""

MAX_PARTS = 20_000
"""Limit of names in one archive; a list of millions is an attack by itself."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    NotImplementedError,
    RuntimeError,
)


def open_archive(data: bytes, kind: str) -> zipfile.ZipFile:
    """Open an archive by its bytes. Raise Unreadable, in which `kind` names the format."""
    if not data.startswith(b"PK"):
        raise Unreadable(f"no {kind} file")
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except _DAMAGE as error:
        raise Unreadable(f"damaged {kind}") from error
    if len(archive.infolist()) > MAX_PARTS:
        raise Unreadable("too many parts")
    return archive


class Archive:
    """The parts of one archive by name. Every error is an Unreadable."""

    def __init__(self, data: bytes, bounds: Bounds, kind: str) -> None:
        """Open the archive; `kind` names the format in reasons, for example `epub`."""
        self._kind = kind
        self._left = bounds.unpacked
        self._zip = open_archive(data, kind)
        # Some programs use backslashes.
        self._parts = {info.filename.replace("\\", "/"): info for info in self._zip.infolist()}
        self._folded = {name.lower(): name for name in self._parts}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    @property
    def names(self) -> list[str]:
        """All parts, in the archive's order."""
        return list(self._parts)

    def find(self, name: str) -> str:
        """Return a part's name in the archive, ignoring case; empty if there is none."""
        return name if name in self._parts else self._folded.get(name.lower(), "")

    def read(self, name: str) -> bytes:
        """Return a part's bytes.

        All parts share one limit. Raise Unreadable, also for a missing part.
        """
        if name not in self._parts:
            raise Unreadable(f"damaged {self._kind}")
        pieces = []
        for piece in self._pieces(self._parts[name], self._left):
            self._left -= len(piece)
            pieces.append(piece)
        return b"".join(pieces)

    def _pieces(self, info: zipfile.ZipInfo, left: int) -> Iterator[bytes]:
        if info.flag_bits & 1:
            raise Unreadable("password-protected")
        if info.compress_type not in _KNOWN:
            raise Unreadable(UNKNOWN_PACKING)
        own = copy(info)
        own.file_size = (
            left + 2 * _PIECE
        )  # a cut part would be reported as damaged; "too large" must come first
        try:
            with self._zip.open(own) as part:
                while piece := part.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise Unreadable("too large unpacked")
                    yield piece
        except _DAMAGE as error:
            raise Unreadable(f"damaged {self._kind}") from error
