"""click's classes for declared commands and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from ragit.errors import ConfigError


class DeclaredCommand(click.Command):
    """A command that rewrites its line first, and answers some unknown options with a hint."""

    def __init__(
        self,
        *args: Any,
        prepare: Callable[[Sequence[str]], list[str]],
        hints: Mapping[str, str],
        **named: Any,
    ) -> None:
        super().__init__(*args, **named)
        self.prepare = prepare
        self.hints = hints
        """By unknown option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises ConfigError for an unknown option that has a hint."""
        try:
            return super().parse_args(ctx, self.prepare(args))
        except click.NoSuchOption as error:
            hint = self.hints.get(error.option_name)
            if hint is None:
                raise
            raise ConfigError(f"there is no option {error.option_name}", hint) from error


class Configured(click.Option):
    """An option with a setting as default. Its help names the setting and its value."""

    def __init__(self, *args: Any, setting: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self.setting = setting

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's names and its help, with the setting."""
        found = super().get_help_record(ctx)
        if found is None:
            return None
        from ragit.config import KNOBS  # only for the help

        default = KNOBS[self.setting].default
        shown = {"True": "on", "False": "off", "": "none"}.get(str(default), default)
        return found[0], f"{found[1]}  [default: {shown}; setting {self.setting}]"
