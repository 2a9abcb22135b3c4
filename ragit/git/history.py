"""Read the log: authors, subjects, and the files that each commit changed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragit.git.command import Git
from ragit.records import NamedTuple
from ragit.types import Oid, path_text

_FORM = "tformat:commit %H%x00%P%x00%an%x00%ae%x00%s"
_FACTS = re.compile(rb":\d+ \d+ [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*")


class Logged(NamedTuple):
    """One commit. A merge has no changes here."""

    commit: Oid
    parents: tuple[Oid, ...]
    author: str
    email: str
    subject: str
    changes: tuple[tuple[str, str], ...]
    """git's letter and path of each: A added, M modified, D deleted, T type changed.

    A rename is a D and an A.
    """


def log(git: Git, revision: Oid, most: int) -> list[Logged]:
    """Return the newest `most` commits that a commit reaches, newest first."""
    output = git.run(
        *(
            "log",
            f"--max-count={most}",
            "--no-show-signature",
            "--no-notes",
            "--no-decorate",
            "--no-color",
        ),
        *(
            "--diff-merges=off",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--encoding=UTF-8",
            "-z",
            f"--format={_FORM}",
        ),
        words=(revision, "--"),
    )
    return list(_logged(iter(output.split(b"\0"))))


def _logged(fields: Iterator[bytes]) -> Iterator[Logged]:
    """Parse fields in order: a change's path follows its letter, whatever it looks like."""
    head: list[bytes] = []
    changes: list[tuple[str, str]] = []
    for field in fields:
        if found := _FACTS.fullmatch(field.lstrip(b"\n")):
            changes.append((found[1].decode(), path_text(next(fields))))
        elif field.startswith(b"commit "):
            if head:
                yield _commit(head, changes)
            head, changes = [field.removeprefix(b"commit "), *(next(fields) for _ in range(4))], []
    if head:
        yield _commit(head, changes)


def _commit(head: list[bytes], changes: list[tuple[str, str]]) -> Logged:
    commit, parents, author, email, subject = (field.decode("utf-8", "replace") for field in head)
    return Logged(
        Oid(commit),
        tuple(map(Oid, parents.split())),
        author,
        email,
        subject.partition("\n")[0],
        tuple(changes),
    )
