"""Run git's matching of a clone's patterns with a limit of processor time.

Matching a pattern with many `*` may take exponential time (in git before 2.41 for most patterns, in
any for some). A command that exceeds the limit is ended, with an error that names the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragit.errors import GitFailed
from ragit.git.command import Git, TooSlow
from ragit.types import Entry, path_text

SECONDS = 5
"""Processor time. All paths of the largest known repositories take a tenth of a second."""

_PATHS_A_SECOND = 10_000
"""Number of paths that adds a second to the limit."""

_SHOWN = 60


def run(
    git: Git, *args: str, files: Sequence[Entry], paths: int, stdin: bytes | None = None
) -> bytes:
    """Return the output of a git command that matches `paths` paths against the patterns in
    `files`.

    Raises GitFailed, which names the pattern to change, on a timeout.
    """
    try:
        return git.run(*args, stdin=stdin, cpu_seconds=SECONDS + paths // _PATHS_A_SECOND)
    except TooSlow as error:
        path, pattern = _worst(git, files)
        shown = pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}..."
        which = f"a pattern in {path} takes git too long to match: {shown}"
        raise GitFailed(
            which if pattern else f"the patterns in {path} are too many for git to match",
            "Use fewer * in it; an edit of that file counts at once, also before it is committed",
        ) from error


def _worst(git: Git, files: Sequence[Entry]) -> tuple[str, str]:
    """Return the file and the line with the most stars; without any, the first file and no line."""
    found = (path_text(files[0].path) if files else "", "")
    for entry in files:
        for line in (
            git.run("cat-file", "blob", words=(entry.oid,)).decode("utf-8", "replace").splitlines()
        ):
            if line.count("*") > found[1].count("*"):
                found = (path_text(entry.path), line.strip())
    return found
