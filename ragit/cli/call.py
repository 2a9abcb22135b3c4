"""One call of the command line, as passed to each command."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Call:
    """The options before the command, and actions for its end."""

    def __init__(self, directory: str = ".", flags: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.flags: Mapping[str, str] = flags or {}
        """Settings of this call, by name."""
        self._last: list[Callable[[], None]] = []

    def at_end(self, action: Callable[[], None]) -> None:
        """Run `action` when the command has ended, even if it failed."""
        self._last.append(action)

    def end(self) -> None:
        """Run the actions registered for the end."""
        while self._last:
            self._last.pop()()
