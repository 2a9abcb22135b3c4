"""Run child processes that read untrusted input, with limits on the size and time of answers.

A child limits its own memory and time (rlimits.py) before it reads the first byte. It starts in the
folder of the package, so that no module of the searched repository is imported, and in its own
session, so that Ctrl-C goes to the parent, which ends its children and their children.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]
_PATH = "import sys; sys.path[1:] = sys.argv.pop().split(chr(10)); "
_GRACE = 10
"""Seconds for a child to exit after its answer."""


class ChildProcess:
    """A child process, seen from its parent."""

    def __init__(
        self,
        start: str,
        *arguments: str,
        environ: Mapping[str, str] | None = None,
        site: bool = True,
    ) -> None:
        """Run the Python statement `start` in a new process. Raises OSError.

        Without `site` it uses this process's import path, but runs no hooks of installed packages,
        which halves the time to start.
        """
        command = [sys.executable, "-c", start, *arguments]
        if not site:
            command = [sys.executable, "-S", "-c", _PATH + start, *arguments, "\n".join(sys.path)]
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_PACKAGE_PARENT,
            start_new_session=True,
            env=environ,
        )
        self._in = cast(BinaryIO, self._popen.stdin)
        self.answers = cast(BinaryIO, self._popen.stdout)
        """Output without limits, for a trusting caller; the methods below have limits."""
        self.late = False
        """True if it was ended by a timeout."""

    @property
    def pid(self) -> int:
        """Process id."""
        return self._popen.pid

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """End the child if the block takes longer than `seconds`."""
        timer = threading.Timer(seconds, self._expire)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # so that `late` is final

    def _expire(self) -> None:
        self.late = True
        self.kill()

    def write(self, *pieces: bytes) -> None:
        """Write to its input. Raises OSError if it has ended."""
        for piece in pieces:
            self._in.write(piece)
        self._in.flush()

    def finish(self) -> None:
        """Close its input. Raises OSError if it has ended."""
        self._in.close()

    def line(self, most: int) -> bytes:
        """Return the next line of its answer with the line end.

        Raises EOFError if it is longer than `most` bytes, or has no end.
        """
        line = self.answers.readline(most)
        if not line.endswith(b"\n"):
            raise EOFError
        return line

    def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes of its answer. Raises EOFError if there are fewer."""
        data = self.answers.read(size)
        if len(data) != size:
            raise EOFError
        return data

    def rest(self, most: int) -> bytes:
        """Return the rest of its answer. Raises EOFError if it is longer than `most` bytes."""
        data = self.answers.read(most + 1)
        if len(data) > most:
            raise EOFError
        return data

    @property
    def memory(self) -> int:
        """Bytes of memory that it shares with no other; 0 where the system is not Linux."""
        with contextlib.suppress(OSError, ValueError):
            pages = Path(f"/proc/{self._popen.pid}/statm").read_text().split()
            return (int(pages[1]) - int(pages[2])) * mmap.PAGESIZE
        return 0

    def status(self) -> int | None:
        """Wait for its end and return its exit status, negative for a signal; None on a timeout.

        Also ends the processes that it started, unless it timed out.
        """
        try:
            status = self._popen.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return None
        self._kill_group()
        return status

    def kill(self) -> None:
        """End it and the processes that it started."""
        if self._popen.returncode is not None:
            return
        # The group first: until the child is waited for, no other process gets its id.
        self._kill_group()
        self._popen.kill()

    def _kill_group(self) -> None:
        # The group may have ended, and Windows has no groups.
        with contextlib.suppress(OSError, AttributeError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """End it and wait until it is gone."""
        self.kill()
        self._popen.wait()
        self.forget()

    def forget(self) -> None:
        """Close the pipes; the child exits when its input ends."""
        for pipe in (self._in, self.answers):
            with contextlib.suppress(OSError):  # unread input cannot be written
                pipe.close()
