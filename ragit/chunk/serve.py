"""Run the child process that reads documents and files of custom chunkers (child.py starts it)."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from ragit.chunk.documents.frame import TOO_MUCH_MEMORY, Read, prepare, read
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.chunk.reader_server import Server, end_after


def serve() -> None:
    """Read files until the parent ends.

    Command-line arguments: the limit on memory in bytes, and `custom` for a custom chunker.
    """
    server = Server(int(sys.argv[1]))
    server.ready()
    ask = _chunker(json.loads(server.source.readline())) if sys.argv[2:] else read
    for head, data in server.requests():
        options = DocumentOptions(*head["options"])
        if ask is read:
            prepare(head["language"])
        started = time.process_time()
        end_after(*head["time"])
        found = ask(data, head["language"], options)
        end_after(0, 0)
        used = time.process_time() - started
        about = {"language": found.language, "skipped": found.skipped, "derived": found.derived}
        if found.skipped == TOO_MUCH_MEMORY:
            about["usable"] = False
        server.answer(about, found.chunks, used, found.text)
        del data, found
        gc.collect()


def _chunker(setup: dict[str, Any]) -> Callable[[bytes, str, DocumentOptions], Read]:
    """Return the reader of a process that serves one custom chunker."""
    from ragit.chunk.custom import Custom
    from ragit.chunk.custom.run import Runner

    about, sizes = setup["custom"], setup["sizes"]
    custom = Custom(
        **{**about, "source": about["source"].encode("latin-1"), "path": tuple(about["path"])}
    )
    documents = DocumentOptions(*sizes.pop("documents"))
    return Runner(custom, ChunkOptions(**sizes, documents=documents)).read
