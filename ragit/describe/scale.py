"""Decodes and scales one untrusted image in a child process, within limits on memory and time.

Owns Pillow.
"""

from __future__ import annotations

import io
import sys

from ragit.describe.scaled import NO_PILLOW, SECONDS
from ragit.sandbox import confine

_MEMORY = 1 << 30
"""Bytes. An image of 50 million pixels takes 200 MB, twice while it is scaled."""


def main() -> None:
    """Read an image from standard input; write its kind, a line end and the scaled image."""
    side, pixels = map(int, sys.argv[1:3])
    confine(_MEMORY, SECONDS)
    try:
        import PIL  # noqa: F401 - only to know
    except ImportError:
        sys.exit(NO_PILLOW)
    kind, image = scale(sys.stdin.buffer.read(), side, pixels)
    sys.stdout.buffer.write(kind.encode() + b"\n" + image)


def scale(data: bytes, side: int, pixels: int) -> tuple[str, bytes]:
    """Return the first frame, upright, at most `side` pixels long.

    It is a PNG, or a JPEG if the image was one. Raises Pillow's errors for a damaged image.
    """
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = pixels
    with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP", "BMP")) as source:
        if source.width * source.height > pixels:
            raise ValueError("too many pixels")
        photo = source.format == "JPEG"
        source.draft("RGB", (side, side))  # a JPEG is then decoded at a fraction of its size
        image = ImageOps.exif_transpose(source)
        image = image.convert("RGB" if photo or not image.has_transparency_data else "RGBA")
    image.thumbnail((side, side))
    sink = io.BytesIO()
    # Send only the pixels, not where a photograph was taken.
    image.info.clear()
    image.save(sink, "JPEG", quality=85) if photo else image.save(sink, "PNG")
    return ("image/jpeg" if photo else "image/png"), sink.getvalue()
