"""Tests that records behave like frozen dataclasses, and named tuples like `typing`'s."""

from __future__ import annotations

import pickle
import typing
from functools import cached_property

import pytest

from ragit.records import NamedTuple, Record, as_dict, replaced


class Point(Record):
    x: int
    y: int = 0

    @cached_property
    def sum(self) -> int:
        return self.x + self.y


class Labelled(Point):
    name: str = ""
    at: Point = Point(1, 2)


def test_record_has_ordered_fields_with_defaults() -> None:
    assert Point(1) == Point(x=1, y=0)
    assert repr(Labelled(1, 2, "a")) == "Labelled(x=1, y=2, name='a', at=Point(x=1, y=2))"
    assert as_dict(Labelled(3)) == {"x": 3, "y": 0, "name": "", "at": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    ("args", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1,), {"x": 1})]
)
def test_record_rejects_wrong_arguments(args: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point takes x, y"):
        Point(*args, **named)


def test_records_are_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    changed = replaced(point, y=5)
    assert (point, changed) == (Point(1, 0), Point(1, 5))
    with pytest.raises(TypeError):
        replaced(point, z=1)


def test_records_are_compared_by_class_and_fields() -> None:
    assert len({Point(1), Point(1), Point(2), Labelled(1)}) == 3
    assert Point(1) != Labelled(1)
    used = Point(1)
    assert used.sum == 1
    assert used == Point(1)
    assert hash(used) == hash(Point(1))


def test_records_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(Labelled(1, name="a"))) == Labelled(1, name="a")


class Span(NamedTuple):
    first: int
    last: int = 0

    @property
    def lines(self) -> int:
        return self.last - self.first + 1


class Model(typing.NamedTuple):
    first: int
    last: int = 0


@pytest.mark.parametrize("make", [lambda kind: kind(1, 2), lambda kind: kind(last=5, first=3)])
def test_named_tuple_is_like_the_standard_one(
    make: typing.Callable[[type], typing.Any],
) -> None:
    ours, theirs = make(Span), make(Model)
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    assert repr(ours) == repr(theirs).replace("Model", "Span")
    assert ours._asdict() == theirs._asdict()
    assert ours._replace(last=9) == theirs._replace(last=9)
    assert type(ours._replace(last=9)) is Span
    assert type(Span._make([7, 8])) is Span
    assert Span._make([7, 8]) == Model._make([7, 8])
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert type(pickle.loads(pickle.dumps(ours))) is Span


def test_named_tuple_has_defaults_and_methods() -> None:
    assert Span(4) == (4, 0)
    assert Span(4, 6).lines == 3
    assert (Span._fields, Span._field_defaults) == (("first", "last"), {"last": 0})


def test_named_tuple_attributes_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        Span(1).last = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Span(1).other = 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("args", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"other": 1}), ((1,), {"first": 1})]
)
def test_named_tuple_rejects_wrong_arguments(args: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Span"):
        Span(*args, **named)
    with pytest.raises(TypeError, match="no field other"):
        Span(1)._replace(other=2)  # type: ignore[call-arg]


def test_fields_may_have_any_name() -> None:
    class Names(NamedTuple):
        new: int
        cls: int
        self: int
        tuple: int

    assert Names(1, 2, 3, tuple=4)._replace(new=5) == (5, 2, 3, 4)
