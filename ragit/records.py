"""Defines frozen records and named tuples that cost little to define.

A search is a process of its own and first loads more than a hundred such classes. A dataclass takes
0.3 ms to define and `typing.NamedTuple` 0.08 ms, since both compile source for each class; the
classes of this module take 0.01 ms.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple

    from typing_extensions import dataclass_transform
else:
    _Field = type(namedtuple("_Example", "field").field)
    """A descriptor that returns one item of a tuple."""

    class _Definition(type):
        """Makes the annotated names of a class its fields, by position in the tuple."""

        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> _Definition:
            made = super().__new__(cls, name, bases, {**space, "__slots__": ()})
            made._fields = tuple(made.__annotations__)
            made._field_defaults = {field: space[field] for field in made._fields if field in space}
            for place, field in enumerate(made._fields):
                setattr(made, field, _Field(place, ""))
            return made

    class NamedTuple(tuple, metaclass=_Definition):
        """A tuple with named items, like `typing.NamedTuple`.

        The constructor is compiled with the first object, which many classes never have.
        """

        def __new__(cls, *args: Any, **named: Any) -> NamedTuple:  # noqa: D102
            names = ", ".join(cls._fields)  # none begins with an underscore
            made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})
            made.__qualname__ = cls.__name__  # in the message about a wrong call
            made.__defaults__ = tuple(cls._field_defaults.values())
            cls.__new__ = staticmethod(made)
            return made(cls, *args, **named)

        _make = classmethod(tuple.__new__)

        def _replace(self, **changes: Any) -> NamedTuple:
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise TypeError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self))  # noqa: B905 - one item for each field

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({shown})"

    def dataclass_transform(**_: object) -> object:
        """Tell a type checker that subclasses have a constructor of their fields."""
        return lambda kind: kind


_R = TypeVar("_R", bound="Record")


@dataclass_transform(frozen_default=True)
class Record:
    """A base for classes whose annotated names are their fields; values in the class are defaults.

    Records are equal if they are of one class and all fields are equal, hashable if all values are,
    and immutable: `replaced` returns a changed copy. Defaults are shared, so they must be
    immutable.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    """Names of the fields, in the order of the constructor."""
    defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own = [
            name
            for name, kind in cls.__annotations__.items()
            if not str(kind).startswith("ClassVar")
        ]
        cls.fields = (*cls.fields, *(name for name in own if name not in cls.fields))
        cls.defaults = {
            **cls.defaults,
            **{name: cls.__dict__[name] for name in own if name in cls.__dict__},
        }

    def __init__(self, *args: Any, **named: Any) -> None:
        values = {**self.defaults, **dict(zip(self.fields, args)), **named}  # noqa: B905 - counted below
        if (
            values.keys() != set(self.fields)
            or len(args) > len(self.fields)
            or named.keys() & self.fields[: len(args)]
        ):
            # Names only: values may be secret, and this is written to a crash log.
            given = f"{len(args)} values and {', '.join(named) or 'no names'}"
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.fields)}; not {given}")
        self.__dict__.update(values)
        self.check_values()

    def check_values(self) -> None:
        """Raise ValueError for invalid values of fields; called by the constructor."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *self._values()))

    def _values(self) -> list[Any]:
        # By the fields: a cached_property keeps its value beside them.
        return [self.__dict__[name] for name in self.fields]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.fields)
        return f"{type(self).__name__}({shown})"


def replaced(record: _R, **changes: Any) -> _R:
    """Return a copy with some fields changed. Raises TypeError for an unknown name."""
    return type(record)(**{**{name: record.__dict__[name] for name in record.fields}, **changes})


def as_dict(record: Record) -> dict[str, Any]:
    """Return the fields by name, in order; nested records become dicts, too."""
    values = ((name, record.__dict__[name]) for name in record.fields)
    return {name: as_dict(value) if isinstance(value, Record) else value for name, value in values}
