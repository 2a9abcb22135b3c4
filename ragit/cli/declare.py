"""Declares commands as data, from which click's commands are made when click is needed.

Loading click takes as long as the rest of a small command. `ragit.cli.plain` parses ordinary
command lines by these declarations alone; click parses all others, and writes help and error
messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ragit.records import NamedTuple

if TYPE_CHECKING:
    import click

    from ragit.cli.call import Call

_Body = TypeVar("_Body", bound=Callable[..., "int | None"])


class Kind(Protocol):
    """The type of an option's values."""

    def read(self, text: str) -> Any:
        """Return the value of a text. Raises ValueError, also for forms that only click accepts."""

    def for_click(self) -> click.ParamType[Any]:
        """Return click's type of these values."""


class WholeNumber(NamedTuple):
    """A whole number between two bounds, each of which may be None."""

    low: int | None = None
    high: int | None = None

    def read(self, text: str) -> int:
        """Return a number in decimal digits. Raises ValueError for all else."""
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise ValueError(text)
        return _between(int(text), self.low, self.high)

    def for_click(self) -> click.ParamType[Any]:
        """Return click's type of these values."""
        from ragit.cli import numbers

        return numbers.WholeNumber(self.low, self.high)


class Number(NamedTuple):
    """A number between two bounds, each of which may be None."""

    low: float | None = None
    high: float | None = None

    def read(self, text: str) -> float:
        """Return a number in decimal digits with at most one point. Raises ValueError for
        all else.
        """
        if not (text.isascii() and text.replace(".", "", 1).isdigit() and len(text) < 10):
            raise ValueError(text)
        return _between(float(text), self.low, self.high)

    def for_click(self) -> click.ParamType[Any]:
        """Return click's type of these values."""
        from ragit.cli import numbers

        return numbers.Number(self.low, self.high)


class Choice(NamedTuple):
    """One of several words."""

    words: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the word. Raises ValueError for any other."""
        if text not in self.words:
            raise ValueError(text)
        return text

    def for_click(self) -> click.ParamType[Any]:
        """Return click's type of these values."""
        import click

        return click.Choice(self.words)


_Amount = TypeVar("_Amount", int, float)


def _between(value: _Amount, low: float | None, high: float | None) -> _Amount:
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(value)
    return value


class Option(NamedTuple):
    """An option: a flag for a constant, or one followed by a value."""

    flags: tuple[str, ...]
    """Names as in click: `--a/--no-a` is a flag for True and False."""
    field: str
    """Argument of the command's function."""
    kind: Kind | None
    """Type of its values; None for any text."""
    default: Any
    constant: Any
    """Value of the flag; None if a value follows it, or if it has an opposite."""
    is_alias: bool
    """True if another option has the same field, and its default."""
    repeatable: bool
    """True if it may be repeated; its value is then a tuple."""
    on_screen: Mapping[str, Any]
    """Arguments of click's decorator for help and completion."""

    def names(self) -> list[str]:
        """Return its names on a command line."""
        return [name for names in self.flags for name in names.split("/")]

    def constant_of(self, name: str) -> Any:
        """Return the constant of one of its names; None if a value follows it."""
        yes, slash, _ = self.flags[0].partition("/")
        return name == yes if slash else self.constant

    def decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function with click's option."""
        import click

        from ragit.cli.click_command import Configured

        settings = dict(self.on_screen)
        if self.kind:
            settings["type"] = self.kind.for_click()
        if self.constant is not None:
            settings["flag_value"] = self.constant
        if not self.is_alias:
            settings["default"] = self.default
            settings["is_flag"] = self.constant is not None or "/" in self.flags[0]
        if "setting" in settings:
            settings["cls"] = Configured
        return click.option(*self.flags, self.field, multiple=self.repeatable, **settings)(function)


class Argument(NamedTuple):
    """An argument of a command line."""

    field: str
    """Argument of the command's function."""
    default: str | None
    required: bool
    takes_rest: bool
    """True if it takes all remaining words, as a tuple."""
    on_screen: Mapping[str, Any]
    """Arguments of click's decorator for help and completion."""

    def decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function with click's argument."""
        import click

        settings = dict(self.on_screen, required=self.required)
        if self.takes_rest:
            settings["nargs"] = -1
        elif not self.required:
            settings["default"] = self.default
        return click.argument(self.field, **settings)(function)


class Command:
    """A command: its parameters, and a function of a `Call` and their values."""

    def __init__(
        self,
        name: str,
        body: Callable[..., int | None],
        parameters: Iterable[Option | Argument],
        short_help: str | None,
        prepare: Callable[[Sequence[str]], list[str]],
        hints: Callable[[], Mapping[str, str]],
    ) -> None:
        self.name = name
        self.body = body
        self.parameters = tuple(parameters)
        self.options = [one for one in self.parameters if isinstance(one, Option)]
        self.arguments = [one for one in self.parameters if isinstance(one, Argument)]
        self.prepare = prepare
        """Rewrites the words of a command line before they are parsed."""
        self.hints = hints
        """Returns hints for unknown options, by name."""
        self._short_help = short_help

    def run(self, call: Call, values: Mapping[str, Any]) -> int:
        """Run the command, and return its exit code."""
        try:
            return self.body(call, **values) or 0
        finally:
            call.end()

    def for_click(self) -> click.Command:
        """Return the command as one of click."""
        import click

        from ragit.cli.click_command import DeclaredCommand

        function: Callable[..., Any] = click.pass_obj(lambda call, **values: self.run(call, values))
        function.__doc__ = self.body.__doc__
        for parameter in reversed(self.parameters):
            function = parameter.decorate(function)
        return click.command(
            self.name,
            cls=DeclaredCommand,
            short_help=self._short_help,
            prepare=self.prepare,
            hints=self.hints(),
        )(function)


def option(
    *names: str,
    kind: Kind | None = None,
    default: Any = None,
    constant: Any = None,
    is_alias: bool = False,
    repeatable: bool = False,
    **on_screen: Any,
) -> Callable[[_Body], _Body]:
    """Add an option to a command. A name without dashes is its field, else the longest flag names
    it.

    `on_screen` are arguments of click's decorator for help and completion.
    """
    flags = tuple(name for name in names if name.startswith("-"))
    fields = [name for name in names if not name.startswith("-")]
    field = fields[0] if fields else _field_of(flags)
    return _adding(Option(flags, field, kind, default, constant, is_alias, repeatable, on_screen))


def flag(*names: str, **on_screen: Any) -> Callable[[_Body], _Body]:
    """Add an option that is True if given, else False."""
    return option(*names, default=False, constant=True, **on_screen)


def alias(name: str, field: str, constant: str, **on_screen: Any) -> Callable[[_Body], _Body]:
    """Add a flag for one value of another option."""
    return option(name, field, constant=constant, is_alias=True, **on_screen)


def argument(
    field: str,
    *,
    default: str | None = None,
    required: bool = False,
    takes_rest: bool = False,
    **on_screen: Any,
) -> Callable[[_Body], _Body]:
    """Add an argument, or one that takes all remaining words. `on_screen` is as for `option`."""
    return _adding(Argument(field, default, required, takes_rest, on_screen))


def _field_of(flags: Sequence[str]) -> str:
    longest = max(flags, key=lambda name: len(name) - len(name.lstrip("-")))
    return longest.partition("/")[0].lstrip("-").replace("-", "_")


def _adding(parameter: Option | Argument) -> Callable[[_Body], _Body]:
    def add(body: _Body) -> _Body:
        # Decorators are applied from the last to the first.
        body.parameters = [parameter, *getattr(body, "parameters", ())]  # type: ignore[attr-defined]
        return body

    return add


def command(
    name: str = "",
    *,
    short_help: str | None = None,
    prepare: Callable[[Sequence[str]], list[str]] = list,
    hints: Callable[[], Mapping[str, str]] = dict,
) -> Callable[[Callable[..., int | None]], Command]:
    """Make a command of a function with options and arguments."""

    def make(body: Callable[..., int | None]) -> Command:
        parameters = getattr(body, "parameters", ())
        return Command(name or body.__name__, body, parameters, short_help, prepare, hints)

    return make
