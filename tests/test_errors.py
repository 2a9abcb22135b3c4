"""Tests of errors: one sentence, one hint, and the way back from a worker process."""

from __future__ import annotations

import pickle

import pytest

from ragit import errors
from ragit.errors import RagitError

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, RagitError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_message_and_a_hint(kind: type[RagitError]) -> None:
    error = kind("it broke", "fix it")
    assert (error.message, error.hint, str(error)) == ("it broke", "fix it", "it broke")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind: type[RagitError]) -> None:
    back = pickle.loads(pickle.dumps(kind("it broke", "fix it")))
    assert (type(back), back.message, back.hint) == (kind, "it broke", "fix it")


def test_every_error_has_a_docstring() -> None:
    for kind in KINDS:
        assert kind.__doc__, kind.__name__
