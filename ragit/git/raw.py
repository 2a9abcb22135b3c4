"""Parse the output of git with `--raw -z`."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from ragit.records import NamedTuple
from ragit.types import Change, Entry, Oid

PLAIN = (
    *("--raw", "--no-abbrev", "--no-renames", "--root", "-z", "--format=tformat:commit %H %P"),
    *("--no-show-signature", "--no-notes", "--no-color"),
)
"""Options of git log and git diff-tree for the input of `logged`."""

_FACTS = re.compile(rb":(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*")
_ZEROS = re.compile(rb"0+")


class Changed(NamedTuple):
    """A file changed by a commit, compared with its first parent."""

    path: bytes
    old: Oid | None
    new: Oid | None


class ChangedIn(NamedTuple):
    """A commit of a log, with its changes."""

    commit: Oid
    parents: tuple[Oid, ...]
    changes: list[Changed]


def change_of(facts: bytes, path: bytes) -> Change:
    """Parse `:old-mode SP new-mode SP old-oid SP new-oid SP status`; an absent side is zeros."""
    old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
    return Change(path, _side(path, old_mode, old_oid), _side(path, new_mode, new_oid))


def _side(path: bytes, mode: bytes, oid: bytes) -> Entry | None:
    return None if _ZEROS.fullmatch(mode) else Entry(path, int(mode, 8), Oid(oid.decode()))


def logged(fields: Iterator[bytes]) -> Generator[ChangedIn, None, None]:
    """Parse the fields between zero bytes, as they arrive."""
    commit: ChangedIn | None = None
    for field in fields:
        text = field.lstrip(b"\n")
        if text.startswith(b"commit "):
            if commit:
                yield commit
            name, *parents = (Oid(word.decode()) for word in text.split()[1:])
            commit = ChangedIn(name, tuple(parents), [])
        elif commit and (facts := _FACTS.fullmatch(text)):
            old, new = blob_of(facts[1], facts[3]), blob_of(facts[2], facts[4])
            commit.changes.append(Changed(next(fields), old, new))
    if commit:
        yield commit


def blob_of(mode: bytes, oid: bytes) -> Oid | None:
    """Return the blob of an ordinary file; None for no file, a symlink or a submodule."""
    return Oid(oid.decode()) if mode.startswith(b"100") else None
