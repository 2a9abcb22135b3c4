"""Kill `ragit index --rebuild` at every step of what it does to the store's files.

python tests/kill_rebuild.py REPOSITORY STEP    rebuilds, and kills itself at that step
python tests/kill_rebuild.py REPOSITORY 0       rebuilds, and prints how many steps there are
python tests/kill_rebuild.py REPOSITORY LOG     stores descriptions until it is killed

A step is a line of ragit's code that takes descriptions over or moves files. The writer appends the
name of each description to LOG after its transaction, so each name in it has to be found later.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import ragit
from ragit.locks import held
from ragit.store import OF_CHUNK, Store

STEPS_IN = {
    "rebuild",
    "carry_over",
    "_check_whole",
    "install_store",
    "_move_log_into_file",
    "remove_store",
    "clear_unfinished",
}
"""Functions whose lines are counted."""


def rebuild(repository: Path, step: int) -> int:
    """Rebuild, dying before the given step; return how many steps there were."""
    seen = itertools.count(1)
    last = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal last
        if frame.f_code.co_name not in STEPS_IN:
            return None if event == "call" else trace
        if event == "line":
            last = next(seen)
            if last == step:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    with ragit.open(repository) as index:
        sys.settrace(trace)
        try:
            index.index(rebuild=True)
        finally:
            sys.settrace(None)
    return last


def write(repository: Path, log: Path) -> None:
    """Store one description after the other, as a run with a paid model does."""
    path = repository / ".git" / "ragit" / "index.db"
    with log.open("a") as file:
        for number in itertools.count():
            with held(Path(f"{path}.lock"), shared=True), Store(path, writable=True) as store:
                subject = subjects(store)[0]
                name = f"paid-{os.getpid()}-{number}"
                with store.writing():
                    store.descriptions.keep(OF_CHUNK, name, {subject: name})
            file.write(f"{name}\n")
            file.flush()
            time.sleep(0.005)


def subjects(store: Store) -> list[bytes]:
    """Return the hashes of all chunks: gc keeps only descriptions of chunks that are stored."""
    return [row.hash for number, *_ in store.all_keys() for row in store.chunks_of(number).values()]


if __name__ == "__main__":
    if sys.argv[2].isdigit():
        sys.stdout.write(f"{rebuild(Path(sys.argv[1]), int(sys.argv[2]))}\n")
    else:
        write(Path(sys.argv[1]), Path(sys.argv[2]))
