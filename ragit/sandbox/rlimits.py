"""What a process that reads what strangers wrote does to itself first: it may use so much memory and time, and no more.

Who starts such a process is confined.py.
"""

from __future__ import annotations

import contextlib


def confine(memory: int, seconds: int = 0) -> None:
    """Allow this process so many bytes of data, and so many seconds of processor time (0: any), but no core file.

    Bounds that are tighter already stay. Each is set by itself: one that the system refuses costs no other. Windows has
    none of them.
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
