"""Test of a store whose pages were exchanged, so that a file has the vectors of another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from ragit.errors import StoreUnreadable
from ragit.search import candidates
from ragit.store import Store


def test_vectors_of_other_chunks_are_damage() -> None:
    columns = SimpleNamespace(place=0, numbers=[1], cosines=[0.5], shares=[0.1, 0.2])
    with pytest.raises(StoreUnreadable, match="damaged"):
        candidates._best_kinds(cast(Store, None), [columns])  # type: ignore[list-item]
