"""Query commits from a running `git diff-tree --stdin`."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ragit.git.command import Process, failure, stop

_READ = 1 << 16


class DiffTree:
    """A `git diff-tree --stdin` with pipes for its input and output. Close it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._mark = f"end {os.urandom(6).hex()}\n".encode()

    def close(self) -> None:
        """Stop git."""
        stop(self._process)

    def ask(self, commits: Iterable[str]) -> bytes:
        """Return git's output for the commits, a few hundred at most. Raises GitFailed.

        git echoes a line that names no commit, and then flushes its output.
        """
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        try:
            process.stdin.write("".join(f"{commit}\n" for commit in commits).encode() + self._mark)
            process.stdin.flush()
        except BrokenPipeError:  # it has died, and says why below
            pass
        output = bytearray()
        while not output.endswith(self._mark):
            data = process.stdout.read1(_READ)  # type: ignore[attr-defined]
            if not data:
                raise failure(("diff-tree",), process.wait(), process.stderr.read())
            output += data
        return bytes(output[: -len(self._mark)])
