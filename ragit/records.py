"""Defines frozen records, like dataclasses but without compiling source for each class at import.

A search is a process of its own and loads some fifty such classes first: a dataclass costs 0.3 ms
each, a `Record` 0.02 ms. `Chunk`, of which there are hundreds of thousands, stays a dataclass,
whose objects are cheaper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """Tell a type checker that subclasses have a constructor of their fields."""
        return lambda kind: kind


_R = TypeVar("_R", bound="Record")


@dataclass_transform(frozen_default=True)
class Record:
    """A base for classes whose annotated names are their fields; a value given in the class is a
    field's default.

    Records are equal if they are of one class and all fields are equal, can be hashed if all values
    can, and are never changed: `replaced` gives a changed copy. Defaults are shared by all of them,
    so they must be immutable.
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
    """Return the same record with some fields changed. Raises TypeError for a name that is no
    field.
    """
    return type(record)(**{**{name: record.__dict__[name] for name in record.fields}, **changes})


def as_dict(record: Record) -> dict[str, Any]:
    """Return the fields by name, in order; records among them as dicts, too."""
    values = ((name, record.__dict__[name]) for name in record.fields)
    return {name: as_dict(value) if isinstance(value, Record) else value for name, value in values}
