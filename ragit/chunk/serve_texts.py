"""Run the child process that parses and chunks texts (texts.py starts it)."""

from __future__ import annotations

import gc
import os
import sys
import time
from base64 import b64encode
from typing import Any

from ragit.chunk import code, readers  # noqa: F401 - load `code` before the first file
from ragit.chunk.options import ChunkOptions
from ragit.chunk.reader_server import Server, end_after
from ragit.chunk.time_budget import TimeBudget


def serve() -> None:
    """Chunk texts until the parent ends.

    Command-line argument: the limit on memory in bytes.
    """
    server = Server(int(sys.argv[1]))
    server.ready()
    gc.freeze()
    for head, data in server.requests():
        budget = TimeBudget(head["kind"])
        started = time.process_time()
        end_after(*head["time"])
        try:
            found = readers.read(data, head["language"], _options(head["options"]), budget)
        except MemoryError:  # the state of this process is no longer reliable
            os._exit(1)
        end_after(0, 0)
        used = time.process_time() - started
        about = {
            "language": found.language,
            "skipped": found.skipped,
            "over": budget.over,
            "references": b64encode(found.references).decode(),
        }
        server.answer(about, found.chunks, used)


def _options(given: dict[str, Any]) -> ChunkOptions:
    types = {name: tuple(chosen) for name, chosen in given["node_types"].items()}
    return ChunkOptions(**{**given, "node_types": types})
