"""Starts the process that unpacks and scales an image, and takes its answer; no bytes harm the one who asks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SECONDS = 30
"""For one image: a photograph of 50 million pixels takes two."""

LARGEST = 16 << 20
"""Bytes of a scaled image; what a process gives beyond that is no image of a bounded size."""

NO_PILLOW = 3
"""Exit status of the process where Pillow is missing."""

_START = "from ragit.describe.scale import main; main()"
_PACKAGE_PARENT = Path(__file__).resolve().parents[2]


class Unscaled(Exception):
    """There is no scaled image: it is damaged, or Pillow is missing."""

    def __init__(self, damaged: bool) -> None:
        super().__init__("damaged" if damaged else "no Pillow")
        self.damaged = damaged


def scaled(data: bytes, side: int, pixels: int) -> tuple[str, bytes]:
    """The media type and bytes of an image whose longer side is at most `side`. Raises Unscaled.

    One process an image: it costs a tenth of a second, where a model takes seconds to look at it.
    """
    # Started in the folder that holds the package, so that no module of the searched repository is imported.
    command = [sys.executable, "-c", _START, str(side), str(pixels)]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, cwd=_PACKAGE_PARENT, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Unscaled(damaged=True) from error
    kind, _, image = done.stdout.partition(b"\n")
    if done.returncode == NO_PILLOW:
        raise Unscaled(damaged=False)
    if done.returncode or kind not in (b"image/png", b"image/jpeg") or not 0 < len(image) <= LARGEST:
        raise Unscaled(damaged=True)
    return kind.decode(), image
