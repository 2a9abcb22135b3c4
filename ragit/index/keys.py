"""Choose the keys that a run over some trees indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragit.index.tree import IndexedTree

if TYPE_CHECKING:
    from ragit.index.run.result import Key


def append_new(lacking: list[Key], keys: Iterable[Key]) -> frozenset[Key]:
    """Append the keys that are not in the list yet, in order, and return them as a set."""
    new = frozenset(keys).difference(lacking)
    lacking += [key for key in keys if key in new]
    return new


def missing_keys(resolved: Sequence[IndexedTree], *, images: bool) -> list[Key]:
    """Return the keys to index, each once, with undescribed `images` if requested.

    They are in the order of the first tree's paths: files of one folder share words and pages.
    """
    keys: dict[Key, None] = {}
    for part in resolved:
        keys.update((file.key, None) for file in part.missing)
        if images:
            keys.update((file.key, None) for file in part.undescribed_images)
    return list(keys)
