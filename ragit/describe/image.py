"""Reads an image's kind and size from its bytes, and builds the request for it.

An image is untrusted, and its name proves nothing: its header is read here, within bounds, and its
size checked before `scale` decodes and scales it in a child process, if Pillow is installed.
"""

from __future__ import annotations

import struct

from ragit import lfs
from ragit.describe.describer import DescriptionRequest
from ragit.describe.scaled import Unscaled, scaled
from ragit.records import NamedTuple
from ragit.remote import Message, Picture

NO_IMAGE = "not png, jpeg, gif, webp or bmp"
TOO_LARGE = "image too large"
TOO_MANY_PIXELS = "too many pixels"
DAMAGED = "damaged image"

_MISSING = "which is not installed: pip install 'ragit[images]'"

UNSCALED_BYTES = 1_000_000
"""Limit in bytes of an image sent unchanged without Pillow."""

_AS_IS = frozenset({"image/png", "image/jpeg", "image/webp"})
"""Kinds that every server takes. GIF may be animated, and many servers do not know BMP: these are
converted.
"""


class Facts(NamedTuple):
    """Kind and size by an image's header."""

    media_type: str
    width: int
    height: int


class Limits(NamedTuple):
    """Largest image to describe."""

    bytes: int
    pixels: int
    side: int
    """Pixels of the longer side after scaling."""


class Unfit(Exception):
    """An image that is never sent; the message is the reason in reports."""


class NeedsPillow(Exception):
    """An image that needs conversion by Pillow."""


def facts(data: bytes, limits: Limits) -> Facts:
    """Return the kind and size of an image that may be decoded. Raises Unfit."""
    if lfs.is_pointer(data):
        raise Unfit(lfs.POINTER)
    found = sniff(data)
    if found is None:
        raise Unfit(NO_IMAGE)
    if len(data) > limits.bytes:
        raise Unfit(TOO_LARGE)
    if found.width < 1 or found.height < 1:
        raise Unfit(DAMAGED)
    if found.width * found.height > limits.pixels:
        raise Unfit(TOO_MANY_PIXELS)
    return found


def picture(data: bytes, limits: Limits) -> Picture:
    """Return the image to send: its first frame, scaled down, without a camera's metadata.

    Without Pillow a small image of a common kind is sent unchanged. Raises Unfit or NeedsPillow.
    """
    found = facts(data, limits)
    try:
        return Picture(*scaled(data, limits.side, limits.pixels))
    except Unscaled as error:
        if error.damaged:
            raise Unfit(DAMAGED) from error
    if found.media_type not in _AS_IS:
        raise NeedsPillow(f"{found.media_type} is converted by Pillow, {_MISSING}")
    if max(found.width, found.height) > limits.side or len(data) > UNSCALED_BYTES:
        size = f"{found.width} x {found.height} pixels, {len(data) / 1e6:.1f} MB"
        raise NeedsPillow(f"an image of {size} is scaled down by Pillow, {_MISSING}")
    return Picture(found.media_type, data)


def description_request(key: bytes, shown: Picture, prompt: str) -> DescriptionRequest:
    """Return the request for an image."""
    return DescriptionRequest(key, (Message("user", (prompt, shown)),))


def sniff(data: bytes) -> Facts | None:
    """Return the kind and size of an image by its first bytes; None for another kind.

    The size is 0 if the header is cut short.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return Facts("image/png", *_unpacked(">II", data, 16))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Facts("image/gif", *_unpacked("<HH", data, 6))
    if data.startswith(b"\xff\xd8\xff"):
        return Facts("image/jpeg", *_jpeg(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Facts("image/webp", *_webp(data))
    if data.startswith(b"BM") and data[6:10] == b"\0\0\0\0":
        return Facts("image/bmp", *_bmp(data))
    return None


def _unpacked(form: str, data: bytes, at: int) -> tuple[int, int]:
    try:
        width, height = struct.unpack_from(form, data, at)
    except struct.error:
        return 0, 0
    return abs(width), abs(height)


def _jpeg(data: bytes) -> tuple[int, int]:
    """Return the size in the frame's header, which follows segments of any length."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return 0, 0
        kind = data[at + 1]
        if kind == 0xFF:  # padding
            at += 1
            continue
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = _unpacked(">HH", data, at + 5)
            return width, height
        if kind in (0xD9, 0xDA):  # the end, or the picture itself, before any size
            return 0, 0
        at += (
            2
            if kind == 0x01 or 0xD0 <= kind <= 0xD7
            else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        )
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L" and len(data) >= 25 and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = _unpacked("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _bmp(data: bytes) -> tuple[int, int]:
    old = int.from_bytes(data[14:18], "little") == 12
    return _unpacked("<HH" if old else "<ii", data, 18)
