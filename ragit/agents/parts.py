"""The three parts of an installation: the server's entry, lines of instructions, and a skill.

Each part adds itself to the text of a file and removes itself. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragit.agents import block, json_file, toml_file
from ragit.agents.row import SHAPES, Agent, command_of, is_ours
from ragit.agents.unfit import Unfit
from ragit.digests import fingerprint

ABSENT, CURRENT, OUTDATED = "absent", "installed", "outdated"
"""States of a part in a file; outdated if written by another ragit, or for another path."""


class Part(Protocol):
    """A part of an installation."""

    name: str

    def state(self, text: str) -> str:
        """Return ABSENT, CURRENT or OUTDATED. Raises Unfit if the file cannot be parsed."""

    def new_file(self) -> str:
        """Return the text of a new file."""

    def added(self, text: str) -> str:
        """Return a file's text with this part. Raises Unfit if ragit may not change it."""

    def removed(self, text: str) -> str | None:
        """Return a file's text without this part; None if the file was created for it. Raises
        Unfit.
        """

    def snippet(self) -> str:
        """Return the text to add by hand."""


class Server:
    """The entry of the server in an agent's settings."""

    name = "server"

    def __init__(self, agent: Agent, command: str, *, toml: bool, project: bool) -> None:
        self._keys = agent.keys
        shape = agent.project_shape if project and agent.project_shape else agent.shape
        self._entry = SHAPES[shape](command)
        self._toml = toml

    def state(self, text: str) -> str:
        """Return the state of an entry that ragit wrote; any other is ABSENT. Raises Unfit."""
        entry = self.entry(text)
        if entry == self._entry:
            return CURRENT
        return OUTDATED if is_ours(entry) else ABSENT

    def entry(self, text: str) -> object | None:
        """Return the entry under ragit's name; None if there is none. Raises Unfit."""
        for key in self._keys:
            found = self._read(text, key)
            if found is not None:
                return found
        return None

    def command(self, text: str) -> tuple[str, ...]:
        """Return the command line of ragit's own entry; empty without one. Raises Unfit."""
        found = self.entry(text)
        return tuple(command_of(found)) if is_ours(found) else ()

    def new_file(self) -> str:
        """Return the text of a new file."""
        key = self._keys[-1]
        return (
            toml_file.new_file(key, self._entry)
            if self._toml
            else json_file.new_file(key, self._entry)
        )

    def added(self, text: str) -> str:
        """Return a file's text with the entry. Raises Unfit."""
        if self.state(text) == CURRENT:
            return text
        found = self.entry(text)
        if found is not None and not is_ours(found):
            starts = " ".join(command_of(found)) or "something else"
            raise Unfit(f"it has a server named ragit that ragit did not write ({starts})")
        if self._toml:
            return toml_file.with_entry(text, self._keys[-1], self._entry)
        return json_file.with_entry(text, json_file.first_key(text, self._keys), self._entry)

    def removed(self, text: str) -> str | None:
        """Return a file's text without the entry, if ragit wrote it. Raises Unfit."""
        for key in self._keys:
            if not is_ours(self._read(text, key)):
                continue
            if toml_file.is_new_file(text) if self._toml else json_file.is_new_file(text, key):
                return None
            without = toml_file.without_entry if self._toml else json_file.without_entry
            text = without(text, key)
        return text

    def snippet(self) -> str:
        """Return the text to add by hand."""
        if self._toml:
            return "\n".join(toml_file.table(self._keys[-1], self._entry))
        return self.new_file().rstrip("\n")

    def _read(self, text: str, key: tuple[str, ...]) -> object | None:
        return toml_file.entry_in(text, key) if self._toml else json_file.entry_in(text, key)


class Instructions:
    """Lines in a file that the agent reads in every session."""

    name = "instructions"

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)

    def state(self, text: str) -> str:
        """Return the state. Raises Unfit if the markers are damaged."""
        found = block.lines_in(text, block.MARKDOWN)
        if found is None:
            return ABSENT
        return CURRENT if found == self._lines else OUTDATED

    def new_file(self) -> str:
        """Return the text of a new file."""
        return block.new_file(self._lines, block.MARKDOWN)

    def added(self, text: str) -> str:
        """Return a file's text with the lines. Raises Unfit."""
        if self.state(text) == CURRENT:
            return text
        return block.with_lines(text, self._lines, block.MARKDOWN)

    def removed(self, text: str) -> str | None:
        """Return a file's text without the lines; None if it was created for them. Raises Unfit."""
        if block.is_new_file(text, block.MARKDOWN):
            return None
        return block.without_lines(text, block.MARKDOWN)

    def snippet(self) -> str:
        """Return the text to add by hand."""
        return "\n".join(self._lines)


class Skill:
    """A file of ragit's own, with a checksum in its last line to detect edits."""

    name = "skill"

    def __init__(self, text: str) -> None:
        self._text = text

    def state(self, text: str) -> str:
        """Return the state. Raises Unfit if ragit did not write the file, or it was edited."""
        body, mark, line = text.rpartition(_MADE)
        if not mark or line.rstrip() != f"{fingerprint(body)} -->":
            raise Unfit("ragit did not write it, or it was edited")
        return CURRENT if body == self._text else OUTDATED

    def new_file(self) -> str:
        """Return the text of a new file."""
        return f"{self._text}{_MADE}{fingerprint(self._text)} -->\n"

    def added(self, text: str) -> str:
        """Return the text of the file, with the blank lines at the end of the old one."""
        if self.state(text) == CURRENT:
            return text
        return self.new_file() + text[len(text.rstrip("\n")) + 1 :]

    def removed(self, text: str) -> str | None:
        """Return None: the file is removed. Raises Unfit if ragit did not write it, or it was
        edited.
        """
        self.state(text)
        return None

    def snippet(self) -> str:
        """Return the text of the file."""
        return self._text.rstrip("\n")


_MADE = "<!-- made by ragit agents install, "
