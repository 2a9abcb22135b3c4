"""Tests of sets of digests."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragit.digests import SIZE, DigestSet, digest

_ALIKE = st.lists(st.sampled_from(b"\0\1"), min_size=SIZE - 1, max_size=SIZE - 1)
"""Digests of few different bytes, in which the end of one with the next looks like a third."""


@given(st.lists(_ALIKE.map(lambda rest: bytes([0, *rest]))))
def test_a_digest_is_new_once(digests: list[bytes]) -> None:
    found = DigestSet()
    expected: set[bytes] = set()
    for each in digests:
        assert found.add(each) == (each not in expected)
        expected.add(each)


def test_digests_of_all_beginnings_are_kept() -> None:
    found, digests = DigestSet(), [digest(bytes([i >> 8, i & 255])) for i in range(20_000)]
    assert all(map(found.add, digests))
    assert not any(map(found.add, digests))


def test_what_looks_like_a_digest_between_two_is_none() -> None:
    found = DigestSet()
    one, other = bytes([0, 1]) + bytes(14), bytes([0, 2]) + bytes(14)
    between = b"\0" + (one[1:] + other[1:])[3 : 3 + SIZE - 1]
    assert found.add(one) and found.add(other)
    assert found.add(between[:1] + bytes([0]) + between[2:])
