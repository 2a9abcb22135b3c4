"""Define what a setting is: a field of a frozen section, with default, bounds and help.

`sections` lists them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from ragit import digests
from ragit.records import NamedTuple, Record, as_dict, replaced

_T = TypeVar("_T")


class Untrusted(NamedTuple):
    """The limits of a setting in an untrusted `.ragit.toml`."""

    allowed: bool = True
    low: float | None = None
    high: float | None = None
    """Bounds of a number, or of a list's length."""

    @property
    def words(self) -> str:
        """The rule in words: `yes`, `no`, `at most 10` or `at least 10`."""
        if not self.allowed:
            return "no"
        if self.high is not None:
            return f"at most {self.high:g}" if self.high < 1e5 else f"at most {int(self.high)}"
        return "yes" if self.low is None else f"at least {self.low:g}"


REFUSED, FREE = Untrusted(allowed=False), Untrusted()


def at_most(high: float) -> Untrusted:
    """Allow values up to `high`: larger ones would cost the user time, memory or money."""
    return Untrusted(high=high)


def at_least(low: float) -> Untrusted:
    """Allow values from `low`: smaller ones would cost the user time, memory or money."""
    return Untrusted(low=low)


class Knob(NamedTuple):
    """One setting: its name in .ragit.toml, its place in Config, and its valid values."""

    name: str
    attributes: tuple[str, ...]
    kind: str
    """bool, int, float, str, Globs, or a table: Weights, Parsers, NodeTypes, Chunkers, Prices,
    Headers.
    """
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    pattern: str
    wanted: str
    untrusted: Untrusted

    def may_be_set_untrusted(self, value: Any) -> bool:
        """Return whether an untrusted `.ragit.toml` may set this value."""
        if not self.untrusted.allowed:
            return False
        amount = len(value) if isinstance(value, tuple) else value
        low, high = self.untrusted.low, self.untrusted.high
        return (low is None or amount >= low) and (high is None or amount <= high)

    @property
    def table(self) -> bool:
        """True if it has named entries, which layers override one by one."""
        return self.kind in {"Weights", "Parsers", "NodeTypes", "Chunkers", "Prices", "Headers"}

    @property
    def git_key(self) -> str:
        """Key for `git config`; compare without case."""
        return f"ragit.{self.name}"

    @property
    def variable(self) -> str:
        """Environment variable."""
        return "RAGIT_" + "_".join(self.attributes).upper()


def knob(
    default: _T,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
    wanted: str = "",
    untrusted: Untrusted = REFUSED,
) -> _T:
    """Declare a field of a section; its class keeps the default.

    `wanted` describes in words what `pattern` accepts. `untrusted` limits a clone's own file: to
    nothing, unless the setting can neither send, run or write anything, nor cost time, memory or
    money.
    """
    unnamed: Any = Knob("", (), "", default, help, low, high, choices, pattern, wanted, untrusted)
    return unnamed  # type: ignore[no-any-return]


class Section(Record):
    """A table of settings. A subclass inherits settings, and may change defaults."""

    knobs: ClassVar[dict[str, Knob]] = {}
    """By field, as made by `knob`; `walk` adds names and types."""

    def __init_subclass__(cls) -> None:
        own = {name: knob for name, knob in cls.__dict__.items() if isinstance(knob, Knob)}
        cls.knobs = {**cls.knobs, **own}
        for name, knob in own.items():
            setattr(cls, name, knob.default)
        super().__init_subclass__()


def camel(name: str) -> str:
    """Return a Python name as in .ragit.toml: max_file_bytes becomes maxFileBytes."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def walk(section: Section, above: tuple[str, ...] = ()) -> Iterator[Knob]:
    """Yield every setting of a section and its subsections, in order."""
    kinds = {
        name: kind
        for base in reversed(type(section).__mro__)
        for name, kind in _annotations(base).items()
    }
    for field in section.fields:
        attributes = (*above, field)
        value = getattr(section, field)
        if isinstance(value, Section):
            yield from walk(value, attributes)
        else:
            name = ".".join(map(camel, attributes))
            yield section.knobs[field]._replace(
                name=name, attributes=attributes, kind=str(kinds[field])
            )


def _annotations(kind: type) -> dict[str, Any]:
    return kind.__annotations__ if issubclass(kind, Section) else {}


def value_of(config: Section, knob: Knob) -> Any:
    """Return the value of a setting."""
    value: Any = config
    for attribute in knob.attributes:
        value = getattr(value, attribute)
    return value


def with_value(config: Any, attributes: tuple[str, ...], value: Any) -> Any:
    """Return settings (or a section) with one value changed."""
    head, rest = attributes[0], attributes[1:]
    return replaced(
        config, **{head: with_value(getattr(config, head), rest, value) if rest else value}
    )


def fingerprint(*parts: Any) -> str:
    """Return 16 hex digits, equal for equal values (sections, numbers, strings, tuples)."""
    plain = [as_dict(part) if isinstance(part, Section) else part for part in parts]
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return digests.fingerprint(text)
