"""Git hooks that start a worker in the background. A search is right without them.

A hook must never block, fail or print: it records that something changed, starts the worker and
returns. It is a shell script, and neither reads nor writes the working tree.

    script       text of the hooks and of the dispatcher that they call
    files        where git looks for each hook, and what is there
    install      adds ragit's lines to hooks and removes them
    queue        decides whether a hook starts the worker, for callers in Python
    worker       indexes the HEAD of every worktree; one process per store
    state_files  the worker's small files, read and written safely
    failure      the worker's last failure, and its present state
"""

from __future__ import annotations

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.hooks import failure, queue, script, state_files
    from ragit.hooks.install import Hooks
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "install": ["Hooks"],
        },
    )
