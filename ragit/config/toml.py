"""Read and parse .ragit.toml, and find the line of a key.

tomllib does not give lines, which error messages need. So a small scanner finds keys and table
heads, without parsing values.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ragit.errors import ConfigError

FILE_NAME = ".ragit.toml"

MAX_BYTES = 256 * 1024
"""Limit of a settings file, which may come with a clone."""

_BARE_OR_QUOTED = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_BARE_OR_QUOTED}(?:[ \t]*\.[ \t]*{_BARE_OR_QUOTED})*"
# Compiling it takes 2 ms, and most searches have no settings file.
_HEAD = rf"[ \t]*\[\[?[ \t]*({_DOTTED})[ \t]*\]"
_KEY = rf"[ \t]*({_DOTTED})[ \t]*="
_AT = r" \(at line (\d+), column (\d+)\)$| \(at end of document\)$"


def read_file(path: Path, *, follow_links: bool = True) -> bytes | None:
    """Return the bytes of a settings file; None if it does not exist.

    A repository's own file is read with `follow_links=False`: a link in a clone could lead to any
    file of the user's, and error messages quote names and values.

    Raises ConfigError if it cannot be read, is no regular file or is larger than MAX_BYTES.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not follow_links and path.is_symlink():
            raise ConfigError(f"{path} is a link, which is not followed", _REPLACE)
        descriptor = os.open(path, flags | (0 if follow_links else getattr(os, "O_NOFOLLOW", 0)))
        with open(descriptor, "rb") as stream:  # noqa: PTH123 - no path, and never opened twice
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError(f"{path} is not a file", _REPLACE)
            data = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise ConfigError(f"{path} is not a file", _REPLACE) from error
    except OSError as error:
        hint = "Make the file readable, or remove it."
        raise ConfigError(f"cannot read {path}: {error.strerror}", hint) from error
    if len(data) > MAX_BYTES:
        hint = "Settings take a page or two: shorten the file."
        raise ConfigError(f"{path} is larger than {MAX_BYTES} bytes", hint)
    return data


_REPLACE = "Replace it by a file, or remove it."


def decode(data: bytes, name: str) -> str:
    """Return the text of a settings file. Raises ConfigError with the line that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}:{line}: not UTF-8 text", "Save the file as UTF-8.") from error


def parse(text: str, name: str) -> dict[str, Any]:
    """Return the tables of a settings file. Raises ConfigError with file, line and reason."""
    parser = import_module(
        "tomllib" if sys.version_info >= (3, 11) else "tomli"
    )  # only if there is a file
    try:
        tables: dict[str, Any] = parser.loads(text)
    except RecursionError as error:
        raise ConfigError(
            f"{name}: nested too deeply", "Settings are at most three tables deep."
        ) from error
    except ValueError as error:  # TOMLDecodeError, and int's refusal of thousands of digits
        found = re.search(_AT, str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        reason = str(error)[: found.start()] if found else str(error)
        hint = "Each line is `key = value` or a [table]; strings stand in quotes."
        raise ConfigError(f"{name}:{line}: {reason[:1].lower()}{reason[1:]}", hint) from error
    return tables


def line_of(text: str, path: tuple[str, ...], number: int = 1) -> int:
    """Return the line of a key, or of the innermost table around it; 1 if none is found.

    `number` selects one of a list of tables, from 1.
    """
    best, line = 0, 1
    heads = 0
    head: tuple[str, ...] = ()
    for row_number, row in _outside_strings(text):
        if found := re.match(_HEAD, row):
            here = head = _parts(found[1])
            heads += here == path
            if here == path and heads == number:
                return row_number
        elif found := re.match(_KEY, row):
            here = head + _parts(found[1])
        else:
            continue
        if len(here) > best and here == path[: len(here)]:
            best, line = len(here), row_number
    return line


def _outside_strings(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines that begin outside of multi-line strings."""
    rows: list[tuple[int, str]] = []
    inside = ""
    for number, row in enumerate(text.split("\n"), 1):
        if not inside:
            rows.append((number, row))
        for mark in re.findall(r'"""|\'\'\'', row):
            inside = "" if inside == mark else inside or mark
    return rows


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(_unquoted(part) for part in re.findall(_BARE_OR_QUOTED, dotted))


def _unquoted(part: str) -> str:
    if part[0] == '"':
        return re.sub(r"\\(.)", r"\1", part[1:-1])
    return part[1:-1] if part[0] == "'" else part
