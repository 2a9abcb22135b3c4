"""Worker processes for indexing: plain children that speak pickles over pipes.

Not `multiprocessing`: its children import the caller's main module again, which runs the script of whoever uses ragit
as a library without a guard; and a fork would carry SQLite connections along, which SQLite forbids.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import cast

from ragit.chunk import is_document
from ragit.chunk.patience import BRIEF, NONE
from ragit.errors import WorkerDied
from ragit.index.run.deferred import Batch
from ragit.index.run.workbench import Done, Recipe, Workbench, by_lines, lost
from ragit.records import replaced
from ragit.sandbox.child_process import Confined
from ragit.sandbox.exit_with_parent import end_with_parent
from ragit.sandbox.rlimits import confine

_START = "from ragit.index.run.worker_pool import serve; serve()"

_MEMORY = 3 << 30
"""Bytes a worker may allocate. Thousands of unclosed comments in a few kilobytes make a parser want more than that."""


class _Child:
    """One worker process."""

    def __init__(self, recipe: Recipe) -> None:
        self._process = Confined(_START, environ=one_thread(os.environ), heard=True)
        self._recipe: Recipe | None = recipe

    def work(self, batch: Batch) -> list[Done]:
        try:
            answer = self._ask(batch)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise self._died() from error
        if isinstance(answer, BaseException):
            raise answer
        return cast("list[Done]", answer)

    def _ask(self, batch: Batch) -> object:
        recipe, self._recipe = self._recipe, None
        self._process.write(*(pickle.dumps(one) for one in (recipe, batch) if one is not None))
        return pickle.load(self._process.answers)

    def _died(self) -> WorkerDied:
        code = self._process.status()
        how = (
            "its answer broke off"
            if code is None
            else f"signal {-code}"
            if code < 0
            else f"exit status {code}"
        )
        return WorkerDied(
            f"a worker process ended in the middle of its work ({how})",
            "What was done is kept. If memory is short, use fewer: git config ragit.index.workers 1",
        )

    def end(self) -> None:
        self._process.end()


class Pool:
    """Some workers, each given its next batch when it is through with the last."""

    def __init__(self, recipe: Recipe, size: int) -> None:
        self._recipe = recipe
        self._size = size
        self._local = threading.local()
        self._children: list[_Child] = []
        self._closed = False
        self._threads = ThreadPoolExecutor(size)

    def work(self, batches: Iterable[Batch], ahead: int = 2) -> Iterator[list[Done]]:
        """Results in the order in which they are ready; at most so many batches per worker wait in memory, and the next
        one is asked for when what they gave has been."""
        under_way: set[Future[list[Done]]] = set()
        for batch in batches:
            under_way.add(self._threads.submit(self._run, batch))
            if len(under_way) >= ahead * self._size:
                ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ready)
        while under_way:
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ready)

    def close(self) -> None:
        """Stop all workers, also in the middle of a batch: what was not written yet is computed again next time."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.end()
        self._threads.shutdown(wait=True)

    def _run(self, batch: Batch) -> list[Done]:
        """One batch. If its worker dies, halves of it, down to the blob that kills its worker."""
        started = time.monotonic()
        done = self._tried(batch)
        if done is not None:
            return done
        keys = batch.keys
        if len(keys) > 1:
            half = len(keys) // 2
            return self._run(Batch(keys[:half], batch.kind)) + self._run(
                Batch(keys[half:], batch.kind)
            )
        if batch.kind == BRIEF:
            return [Done(keys[0], None, late=True)]
        return [replaced(self._deadly(batch), seconds=time.monotonic() - started)]

    def _deadly(self, batch: Batch) -> Done:
        """A blob that killed a worker, once more; then without its grammar; then it is given up."""
        done = self._tried(batch)
        if done is not None:
            return done[0]
        (key,) = batch.keys
        done = (
            None
            if batch.kind == NONE or is_document(key[1])
            else self._tried(Batch(batch.keys, NONE))
        )
        return by_lines(done[0]) if done is not None else lost(key)

    def _tried(self, batch: Batch) -> list[Done] | None:
        """What a worker makes of a batch; None if that is its end."""
        try:
            return self._child().work(batch)
        except WorkerDied:
            self._local.child = None
            if self._closed:
                raise
            return None

    def _child(self) -> _Child:
        child: _Child | None = getattr(self._local, "child", None)
        if child is None:
            child = self._local.child = _Child(self._recipe)
            self._children.append(child)
        return child


def serve() -> None:
    """A worker's life: a recipe, then batches, until the pipe is closed."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # a library's print must not end up between pickles
    confine(_MEMORY)
    end_with_parent(source)
    bench = Workbench(pickle.load(source))
    with contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            keys, kind = pickle.load(source)
            try:
                answer: object = bench.work(keys, kind)
            except (
                MemoryError
            ):  # as good as dead: what is left of its memory is in somebody else's hands
                os._exit(1)
            except Exception as error:  # handed to the parent, which knows what to tell the user
                answer = error
            pickle.dump(_portable(answer), sink, protocol=pickle.HIGHEST_PROTOCOL)
            sink.flush()


def one_thread(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which numpy's matrix products use one thread.

    There is a worker for every processor already: threads of each that wait for the others' cost five times the work.
    """
    return {
        **environ,
        **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    }


def _portable(answer: object) -> object:
    """An answer that will arrive: an exception of somebody's library may not survive being pickled."""
    if isinstance(answer, Exception):
        try:
            pickle.loads(pickle.dumps(answer))
        except Exception:  # whatever it is, its words are what counts
            return RuntimeError(f"{type(answer).__name__}: {answer}")
    return answer
