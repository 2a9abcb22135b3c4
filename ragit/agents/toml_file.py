"""Adds the server's entry to a TOML file as a table at its end, and removes it again."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ragit.agents import block
from ragit.agents.compare import check_edit, found_at
from ragit.agents.row import NAME
from ragit.agents.unfit import Unfit
from ragit.config import parse_toml
from ragit.errors import ConfigError

Key = tuple[str, ...]


def new_file(key: Key, entry: Mapping[str, object]) -> str:
    """Return the text of a new file."""
    return block.new_file(table(key, entry), block.HASH)


def is_new_file(text: str) -> bool:
    """Return whether a file is as created, apart from blank lines at the end."""
    return block.is_new_file(text, block.HASH)


def entry_in(text: str, key: Key) -> object | None:
    """Return the entry of the server in a file; None if there is none. Raises Unfit."""
    return found_at(_parsed(text), (*key, NAME))


def with_entry(text: str, key: Key, entry: Mapping[str, object]) -> str:
    """Return a file with the entry added or replaced. Raises Unfit if anything else changes."""
    _refuse_other(text, key)
    after = block.with_lines(text, table(key, entry), block.HASH)
    return check_edit(_parsed, text, after, (*key, NAME), entry)


def without_entry(text: str, key: Key) -> str:
    """Return a file without the entry. Raises Unfit if anything else changes."""
    _refuse_other(text, key)
    after = block.without_lines(text, block.HASH)
    return check_edit(_parsed, text, after, (*key, NAME), None)


def _refuse_other(text: str, key: Key) -> None:
    if entry_in(text, key) is not None and block.lines_in(text, block.HASH) is None:
        raise Unfit("the entry has no markers of ragit's around it")


def table(key: Key, entry: Mapping[str, object]) -> list[str]:
    """Return the lines of the entry's table."""
    head = f"[{'.'.join((*key, NAME))}]"
    # JSON's strings and lists of strings are TOML's, too
    values = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
    return [head, *values]


def _parsed(text: str) -> object:
    try:
        text.encode()
        return parse_toml(text.removeprefix("\ufeff"), "line")
    except ConfigError as error:
        raise Unfit(f"it is not TOML ({error.message.replace(':', ' ', 1)})") from error
    except UnicodeEncodeError as error:
        raise Unfit("it is not UTF-8 text") from error
