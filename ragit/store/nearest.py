"""Limit a scan for the nearest vectors. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

SPAN = 256
"""Number of chunkings scanned at once; the nearest ones found limit the distances of the
next scan.
"""


def runs(members: Iterable[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of each run of consecutive numbers, at most `most` long."""
    first = last = -1
    for number in members:
        if number != last + 1 or number - first >= most:
            if last >= 0:
                yield first, last
            first = number
        last = number
    if last >= 0:
        yield first, last


def closest(near: list[tuple[int, int]], limit: int) -> tuple[list[tuple[int, int]], int]:
    """Return the `limit` nearest with ties, and the distance of the last."""
    if len(near) <= limit:
        return near, 1 << 30
    bound = sorted(distance for _, distance in near)[limit - 1]
    return [pair for pair in near if pair[1] <= bound], bound
