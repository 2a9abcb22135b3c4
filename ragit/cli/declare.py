"""Declares commands as data, from which click's commands are made when click is needed.

To load click takes as long as the rest of a small command. `ragit.cli.plain` reads ordinary command
lines by these declarations alone; click reads all others, and writes the help and every message on
a wrong line.
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
    """The values that an option takes."""

    def read(self, text: str) -> Any:
        """Return the value that a text stands for. Raises ValueError, if only because click reads
        more forms.
        """

    def for_click(self) -> click.ParamType[Any]:
        """Return click's type of these values."""


class WholeNumber(NamedTuple):
    """A whole number between two bounds, each of which may be None."""

    low: int | None = None
    high: int | None = None

    def read(self, text: str) -> int:
        """Return a number written in decimal digits. Raises ValueError for all else."""
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
        """Return a number written in decimal digits with one point at most. Raises ValueError for
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
    """One of some words."""

    words: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the word. Raises ValueError if it is none of them."""
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


class Parameter(NamedTuple):
    """An option or an argument."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    """Arguments of click's decorator, with a `Kind` as type."""
    is_option: bool

    @property
    def flags(self) -> list[str]:
        """Return the names of an option on the command line."""
        return [name for name in self.names if name.startswith("-")]

    @property
    def field(self) -> str:
        """Return the name of the value: the one that is no flag, or that of the longest flag."""
        own = [name for name in self.names if not name.startswith("-")]
        if own:
            return own[0]
        flag = max(self.flags, key=lambda name: len(name) - len(name.lstrip("-")))
        return flag.partition("/")[0].lstrip("-").replace("-", "_")

    def decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give a function this parameter by click's decorator."""
        import click

        from ragit.cli.click_command import Configured

        settings = dict(self.settings)
        if "type" in settings:
            settings["type"] = settings["type"].for_click()
        if "setting" in settings:
            settings["cls"] = Configured
        make = click.option if self.is_option else click.argument
        return make(*self.names, **settings)(function)


class Command:
    """A command: its parameters, and the function that it calls with a `Call` and their values."""

    def __init__(
        self,
        name: str,
        body: Callable[..., int | None],
        parameters: Iterable[Parameter],
        short_help: str | None,
        prepare: Callable[[Sequence[str]], list[str]],
        hints: Mapping[str, str],
    ) -> None:
        self.name = name
        self.body = body
        self.parameters = tuple(parameters)
        self.prepare = prepare
        """Rewrites the words of a command line before they are read."""
        self.hints = hints
        """Advice for options that do not exist, by their names."""
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
            hints=self.hints,
        )(function)


def option(*names: str, **settings: Any) -> Callable[[_Body], _Body]:
    """Give a command an option, with the settings of click's decorator."""
    return _adding(Parameter(names, settings, is_option=True))


def argument(name: str, **settings: Any) -> Callable[[_Body], _Body]:
    """Give a command an argument, with the settings of click's decorator."""
    return _adding(Parameter((name,), settings, is_option=False))


def _adding(parameter: Parameter) -> Callable[[_Body], _Body]:
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
    hints: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., int | None]], Command]:
    """Make a command of a function that has options and arguments."""

    def make(body: Callable[..., int | None]) -> Command:
        parameters = getattr(body, "parameters", ())
        return Command(name or body.__name__, body, parameters, short_help, prepare, hints or {})

    return make
