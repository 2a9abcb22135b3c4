"""Read changes of some paths along the first-parent line of a commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from ragit.git.command import Git
from ragit.records import NamedTuple
from ragit.types import Oid

_FORM = "tformat:commit %H%x00%P%x00%cs%x00%s"
_FACTS = re.compile(rb"\n?:\d+ (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*")


class Step(NamedTuple):
    """A commit that changed one path, compared with its first parent."""

    commit: Oid
    parent: Oid | None
    """First parent; None for a first commit, or if a shallow clone lacks it."""
    date: str
    """Day of the commit, as 2024-10-25."""
    subject: str
    path: bytes
    old: Oid | None
    """The blob before; None if there was none."""
    new: Oid | None


def steps(git: Git, since: Oid, head: Oid, paths: Sequence[bytes]) -> list[Step]:
    """Return changes of some paths after the commit `since` up to `head`, newest first."""
    output = git.run(
        *("--literal-pathspecs", "log", "--first-parent", "--diff-merges=first-parent"),
        *("--root", "--raw", "--no-abbrev", "--no-renames", "-z", f"--format={_FORM}"),
        *("--no-show-signature", "--no-notes", "--no-decorate", "--no-color", "--encoding=UTF-8"),
        words=(head, f"^{since}", "--", *map(os.fsdecode, paths)),
    )
    return list(_parsed(iter(output.split(b"\0"))))


def _parsed(fields: Iterator[bytes]) -> Iterator[Step]:
    head: list[str] = []
    for field in fields:
        if facts := _FACTS.fullmatch(field):
            commit, parents, date, subject = head
            parent = Oid(parents.split()[0]) if parents else None
            path, old, new = next(fields), _blob(facts[2]), _blob(facts[3])
            yield Step(Oid(commit), parent, date, subject, path, old, new)
        elif field.lstrip(b"\n").startswith(b"commit "):
            begun = field.lstrip(b"\n").removeprefix(b"commit ")
            rest = [next(fields) for _ in range(3)]
            head = [part.decode("utf-8", "replace") for part in (begun, *rest)]


def _blob(oid: bytes) -> Oid | None:
    return Oid(oid.decode()) if oid.strip(b"0") else None
