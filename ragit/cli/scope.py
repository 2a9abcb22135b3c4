"""Which tree is meant where a revision is not: options that exclude each other. Loads next to nothing."""

from __future__ import annotations

from typing import Any

from ragit.errors import ConfigError

SCOPES = ("staged", "committed", "worktree")


def take_scope(options: dict[str, Any]) -> str | None:
    """The one of SCOPES that is set among a command's options, which are taken out. ConfigError if several are."""
    given = [name for name in SCOPES if options.pop(name, False)]
    if len(given) > 1:
        raise ConfigError(
            f"several trees are asked for: --{' and --'.join(given)}", "Name one of them"
        )
    return given[0] if given else None
