"""Limit the memory and time of a child process that reads untrusted input."""

from __future__ import annotations

import contextlib
import mmap


def confine(memory: int, seconds: int = 0) -> None:
    """Limit this process to `memory` bytes of data and `seconds` of processor time (0: no limit).

    Forbids core files. Tighter limits stay. Limits that the system refuses are skipped; Windows has
    none.
    """
    with contextlib.suppress(ImportError):
        import resource

        wanted = {resource.RLIMIT_DATA: memory, resource.RLIMIT_CORE: 0}
        if seconds:
            wanted[resource.RLIMIT_CPU] = seconds
        for kind, bound in wanted.items():
            with contextlib.suppress(OSError, ValueError):
                _, hard = resource.getrlimit(kind)
                bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
                resource.setrlimit(kind, (bound, bound))


def has_room(memory: int) -> bool:
    """Return whether half of `memory` bytes can be allocated now. If not, a crash is not the file's
    fault.
    """
    try:
        mmap.mmap(-1, memory // 2).close()
    except (OSError, MemoryError):
        return False
    return True
