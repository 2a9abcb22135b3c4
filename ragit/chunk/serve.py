"""The process in which documents are read: it may use so much memory and time and no more. child.py asks it.

Runs on untrusted bytes, and where a chunker of the user's own reads files, on somebody's code.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ragit.chunk.documents.frame import TOO_MUCH_MEMORY, Read, prepare, read
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.sandbox.exit_with_parent import end_with_parent
from ragit.sandbox.rlimits import confine

_GRACE = 10
"""Seconds after the deadline at which a process whose parent is gone ends itself."""


def serve() -> None:
    """The life of the process: documents one after another, until its input ends or it has become too large."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A library's print must not end up within an answer, nor what it reads be the next document.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    limit = int(sys.argv[1])
    confine(limit)
    end_with_parent(source)
    if hasattr(
        os, "register_at_fork"
    ):  # a chunker's fork must neither answer nor keep the parent waiting
        os.register_at_fork(after_in_child=source.close)
        os.register_at_fork(after_in_child=sink.close)
    ask = _chunker(json.loads(source.readline())) if sys.argv[2:] else read
    usable = True
    while usable:
        line = source.readline()
        if not line:
            return
        head = json.loads(line)
        options = DocumentOptions(*head["options"])
        data = source.read(head["size"])
        if ask is read:
            prepare(head["language"])
        started = time.process_time()
        _end_after(*head["time"])
        found = ask(data, head["language"], options)
        del data
        _end_after(0, 0)
        used = time.process_time() - started
        usable = found.skipped != TOO_MUCH_MEMORY and _used() < limit // 2
        _say(sink, found, usable, used)
        gc.collect()


def _chunker(setup: dict[str, Any]) -> Callable[[bytes, str, DocumentOptions], Read]:
    """Who reads files in a process that is there for one chunker of the user's own."""
    from ragit.chunk.custom import Custom
    from ragit.chunk.custom.run import Runner

    told, sizes = setup["custom"], setup["sizes"]
    custom = Custom(
        **{**told, "source": told["source"].encode("latin-1"), "path": tuple(told["path"])}
    )
    documents = DocumentOptions(*sizes.pop("documents"))
    return Runner(custom, ChunkOptions(**sizes, documents=documents)).read


def _say(sink: BinaryIO, found: Read, usable: bool, used: float) -> None:
    chunks = [
        (
            c.start_line,
            c.end_line,
            c.start,
            c.end,
            c.kind,
            c.symbol,
            c.parent,
            c.signature,
            c.doc,
            c.place,
            c.numbers,
        )
        for c in found.chunks
    ]
    about = {"language": found.language, "skipped": found.skipped, "derived": found.derived}
    head = {**about, "usable": usable, "used": used, "size": len(found.text)}
    sink.write(json.dumps({**head, "chunks": chunks}).encode() + b"\n")
    sink.write(found.text)
    sink.flush()


def _used() -> int:
    """Bytes of memory that this process holds for data, as its limit counts them; where that is not told, at most."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024
    try:
        import resource  # which counts what the parent held when it started this process, too
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _end_after(processor: float, clock: float) -> None:
    """Have the system end this process after so many seconds, even inside of a library; 0: not any more. By the clock,
    its parent comes first, if it lives."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, processor)
        signal.setitimer(signal.ITIMER_REAL, clock + _GRACE if clock else 0)
