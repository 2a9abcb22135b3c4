"""Fixtures of the tests of documents."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def quiet() -> Iterator[None]:
    """Silence libraries that log about unexpected bytes."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)
