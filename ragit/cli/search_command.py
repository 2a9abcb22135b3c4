"""The command class of `ragit search`: an option whose value may be left out before the query."""

from __future__ import annotations

import click

from ragit.cli.unknown_options import Hinting
from ragit.query import is_range

RANGE = "--new-in"


class SearchCommand(Hinting):
    """A command in which `--new-in` takes the next word only if that is written as a range."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises ConfigError for an unknown option that has a hint."""
        return super().parse_args(ctx, _with_values(args))


def _with_values(args: list[str]) -> list[str]:
    """Return arguments in which an option without its range has an empty one."""
    found = []
    options = True
    for word, after in zip(args, [*args[1:], ""], strict=False):
        options = options and word != "--"
        bare = options and word == RANGE and not is_range(after)
        found.append(f"{RANGE}=" if bare else word)
    return found
