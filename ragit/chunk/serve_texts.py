"""The child process in which texts are parsed and chunked. texts.py starts it."""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import Any

from ragit.chunk import code, readers  # noqa: F401 - code is loaded before the first file comes
from ragit.chunk.options import ChunkOptions
from ragit.chunk.patience import Patience
from ragit.chunk.reader_server import Server, end_after


def serve() -> None:
    """Chunk texts until the parent ends. The argument is how many bytes of memory may be used."""
    server = Server(int(sys.argv[1]))
    server.ready()
    gc.freeze()
    for head, data in server.requests():
        patience = Patience(head["kind"])
        started = time.process_time()
        end_after(*head["time"])
        try:
            found = readers.read(data, head["language"], _options(head["options"]), patience)
        except MemoryError:  # what else is in this memory cannot be relied on
            os._exit(1)
        end_after(0, 0)
        used = time.process_time() - started
        about = {"language": found.language, "skipped": found.skipped, "over": patience.over}
        server.answer(about, found.chunks, used)


def _options(given: dict[str, Any]) -> ChunkOptions:
    types = {name: tuple(chosen) for name, chosen in given["node_types"].items()}
    return ChunkOptions(**{**given, "node_types": types})
