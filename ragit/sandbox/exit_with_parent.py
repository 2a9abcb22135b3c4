"""End a child process when its parent is gone, even during a task."""

from __future__ import annotations

import os
import threading
from typing import BinaryIO


def end_with_parent(source: BinaryIO) -> None:
    """End this process as soon as the parent's end of the pipe is closed.

    The kernel closes it however the parent ends. Without `poll` (Windows), the next read finds it
    closed.
    """
    import select

    if not hasattr(select, "poll"):
        return
    watch = select.poll()
    watch.register(source.fileno(), 0)  # only the close of the other end

    def wait() -> None:
        watch.poll()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
