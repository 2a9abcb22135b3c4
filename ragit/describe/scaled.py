"""Scales an image in a child process, so that an untrusted one cannot harm this process."""

from __future__ import annotations

import contextlib

from ragit.sandbox import ChildProcess

SECONDS = 30
"""Timeout for one image: a photograph of 50 million pixels takes two."""

LARGEST = 16 << 20
"""Limit of a scaled image in bytes."""

NO_PILLOW = 3
"""Exit status of the child process if Pillow is missing."""

_START = "from ragit.describe.scale import main; main()"


class Unscaled(Exception):
    """The image is damaged, or Pillow is missing."""

    def __init__(self, damaged: bool) -> None:
        super().__init__("damaged" if damaged else "no Pillow")
        self.damaged = damaged


def scaled(data: bytes, side: int, pixels: int) -> tuple[str, bytes]:
    """Return the media type and bytes of an image whose longer side is at most `side`.

    Starts one process for each image, which takes a tenth of a second; a model takes seconds.
    Raises Unscaled.
    """
    scaler = ChildProcess(_START, str(side), str(pixels))
    try:
        with scaler.within(SECONDS):
            with contextlib.suppress(OSError):  # it ended: its status tells why
                scaler.write(data)
                scaler.finish()
            answer = scaler.rest(LARGEST)
            status = scaler.status()
    except EOFError as error:
        raise Unscaled(damaged=True) from error
    finally:
        scaler.end()
    kind, _, image = answer.partition(b"\n")
    if status == NO_PILLOW:
        raise Unscaled(damaged=False)
    if status or kind not in (b"image/png", b"image/jpeg") or not image:
        raise Unscaled(damaged=True)
    return kind.decode(), image
