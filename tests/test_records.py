"""Records behave like frozen dataclasses, as far as the house uses those."""

from __future__ import annotations

import pickle
from functools import cached_property

import pytest

from ragit.records import Record, as_dict, replaced


class Point(Record):
    """A place."""

    x: int
    y: int = 0

    @cached_property
    def sum(self) -> int:
        return self.x + self.y


class Labelled(Point):
    """With a name."""

    name: str = ""
    at: Point = Point(1, 2)


def test_fields_come_in_order_with_their_defaults() -> None:
    assert Point(1) == Point(x=1, y=0)
    assert repr(Labelled(1, 2, "a")) == "Labelled(x=1, y=2, name='a', at=Point(x=1, y=2))"
    assert as_dict(Labelled(3)) == {"x": 3, "y": 0, "name": "", "at": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    ("args", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1,), {"x": 1})]
)
def test_a_wrong_call_is_an_error(args: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point takes x, y"):
        Point(*args, **named)


def test_they_are_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    changed = replaced(point, y=5)
    assert (point, changed) == (Point(1, 0), Point(1, 5))
    with pytest.raises(TypeError):
        replaced(point, z=1)


def test_they_are_compared_by_class_and_fields() -> None:
    assert len({Point(1), Point(1), Point(2), Labelled(1)}) == 3
    assert Point(1) != Labelled(1)
    used = Point(1)
    assert used.sum == 1
    assert used == Point(1)
    assert hash(used) == hash(Point(1))


def test_they_travel() -> None:
    assert pickle.loads(pickle.dumps(Labelled(1, name="a"))) == Labelled(1, name="a")
