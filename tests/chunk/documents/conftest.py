"""What tests of documents share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def quiet() -> Iterator[None]:
    """Without what libraries log about bytes that they do not expect."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)
