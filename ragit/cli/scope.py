"""Options that exclude each other and choose a command's tree."""

from __future__ import annotations

from typing import Any

from ragit.errors import ConfigError

SCOPES = ("staged", "committed", "worktree")


def take_scope(options: dict[str, Any]) -> str | None:
    """Remove the scope options from a command's options, and return the one that is set.

    Raises ConfigError if there are several.
    """
    given = [name for name in SCOPES if options.pop(name, False)]
    if len(given) > 1:
        raise ConfigError(
            f"several trees are asked for: --{' and --'.join(given)}", "Name one of them"
        )
    return given[0] if given else None
