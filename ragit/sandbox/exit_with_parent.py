"""Ends a child process when its parent is gone, whatever the child is doing."""

from __future__ import annotations

import os
import threading
from typing import BinaryIO


def end_with_parent(source: BinaryIO) -> None:
    """End this process as soon as the other end of a pipe is closed, by which its parent speaks to
    it.

    The kernel closes it however the parent ends. Where there is no `poll` (Windows), the next read
    finds it closed.
    """
    import select

    if not hasattr(select, "poll"):
        return
    watch = select.poll()
    watch.register(source.fileno(), 0)  # no event but the other end's being closed

    def wait() -> None:
        watch.poll()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
