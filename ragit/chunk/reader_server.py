"""Serve requests in a child process, within limits; the other side of reader_process.py."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragit.sandbox import confine, end_with_parent, has_room
from ragit.types import Chunk

_GRACE = 10
"""Seconds after the deadline at which a child without a parent ends itself."""


class Server:
    """A server that takes files from the parent one by one and answers about each."""

    def __init__(self, limit: int) -> None:
        """Limit this process to `limit` bytes of memory, and to the life of its parent."""
        self.source, self._sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        # Keep libraries from writing into an answer or reading the next file.
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        self._limit = limit
        self._usable = True
        confine(limit)
        end_with_parent(self.source)
        if hasattr(os, "register_at_fork"):  # a fork must neither answer nor hold the pipes open
            os.register_at_fork(after_in_child=self.source.close)
            os.register_at_fork(after_in_child=self._sink.close)

    def ready(self) -> None:
        """Tell the parent that this process runs, and whether half of its memory limit is free."""
        self._write({"room": has_room(self._limit)}, b"")

    def requests(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield each request and its file, until the parent ends or this process is too large."""
        while line := self.source.readline():
            head = json.loads(line)
            yield head, self.source.read(head["size"])
            if not self._usable:
                return

    def answer(
        self, about: Mapping[str, object], chunks: tuple[Chunk, ...], used: float, text: bytes = b""
    ) -> None:
        """Send the answer about one file."""
        self._usable = about.get("usable", True) is True and self._used() < self._limit // 2
        head = {**about, "usable": self._usable, "used": used, "size": len(text)}
        head["chunks"] = list(map(_row, chunks))
        self._write(head, text)

    def _write(self, head: Mapping[str, object], text: bytes) -> None:
        self._sink.write(json.dumps(head).encode() + b"\n")
        self._sink.write(text)
        self._sink.flush()

    @staticmethod
    def _used() -> int:
        """Return the memory in bytes that the limit counts, or the peak if unknown."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            status = Path("/proc/self/status").read_text()
            return int(status.split("VmData:")[1].split()[0]) * 1024
        try:
            import resource
        except ImportError:
            return 0
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def end_after(processor: float, clock: float) -> None:
    """Let the system end this process after these seconds, even inside a library; 0 for never.

    The parent, if it lives, ends it by wall time _GRACE seconds earlier.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, processor)
        signal.setitimer(signal.ITIMER_REAL, clock + _GRACE if clock else 0)


def _row(chunk: Chunk) -> tuple[object, ...]:
    lines = (chunk.start_line, chunk.end_line, chunk.start, chunk.end)
    names = (chunk.kind, chunk.symbol, chunk.parent, chunk.signature, chunk.doc, chunk.place)
    return (*lines, *names, chunk.numbers, chunk.definitions)
