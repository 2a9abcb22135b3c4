"""git's own matching of patterns that came with a clone, in bounded time.

To match a pattern with many `*`, git may try every way to share a path among them (each git does so for some patterns,
and one before 2.41 for nearly all). Nobody waits for that: what takes too much processor time is ended, with a sentence
that names the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragit.errors import GitFailed
from ragit.git.command import Git, TooSlow
from ragit.types import Entry, path_text

SECONDS = 5
"""Of processor time. All paths of the largest repositories we know take a tenth of a second."""

_PATHS_A_SECOND = 10_000
"""More paths than this get more time."""

_SHOWN = 60


def run(
    git: Git, *args: str, files: Sequence[Entry], paths: int, stdin: bytes | None = None
) -> bytes:
    """Output of a git command that matches so many paths against the patterns in `files`.

    GitFailed, with the pattern to mend, if that takes too long.
    """
    try:
        return git.run(*args, stdin=stdin, cpu_seconds=SECONDS + paths // _PATHS_A_SECOND)
    except TooSlow as error:
        path, pattern = _worst(git, files)
        shown = pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}..."
        which = f"a pattern in {path} takes git too long to match: {shown}"
        raise GitFailed(
            which if pattern else f"the patterns in {path} are too many for git to match",
            "use fewer * in it; an edit of that file counts at once, also before it is committed",
        ) from error


def _worst(git: Git, files: Sequence[Entry]) -> tuple[str, str]:
    """The line with the most stars, and the file that it stands in; where no line has any, the first file."""
    found = (path_text(files[0].path) if files else "", "")
    for entry in files:
        for line in (
            git.run("cat-file", "blob", words=(entry.oid,)).decode("utf-8", "replace").splitlines()
        ):
            if line.count("*") > found[1].count("*"):
                found = (path_text(entry.path), line.strip())
    return found
