"""Worker processes for indexing: plain children that exchange pickles over pipes.

Not `multiprocessing`: its children import the caller's main module again, which would run a script
that uses ragit as a library without a guard; and a fork would copy SQLite connections, which SQLite
forbids.

A worker parses in its own process, which is fast. If it dies, its batch is repeated with grammars
in a child of the worker, which finds the file at fault. No file is blamed for a worker that was
killed or did not start.
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

from ragit.errors import RagitError, WorkerDied
from ragit.index.run.deferred import Batch
from ragit.index.run.result import BlobResult, WorkerConfig, parser_failed
from ragit.index.run.workers import open_worker
from ragit.records import NamedTuple, replaced
from ragit.sandbox import ChildProcess, confine, end_with_parent, has_room

_START = "from ragit.index.run.worker_pool import serve; serve()"

_MEMORY = 3 << 30
"""Limit of a worker's memory in bytes. Thousands of unclosed comments in a few kilobytes make a
parser use more.
"""

_LARGE = 160 << 20
_BATCHES = 16
"""Bytes above which a worker that did so many batches is replaced by a new one, which has 50 MB.
Most have 80 to 140 MB; what grows is what grammars and libgit2 keep, and gaps between objects. The
start takes 1 s of processor time, and so many batches 30.
"""

_START_S = 30.0
"""Limit in seconds for a worker to start."""

_DEATHS = 3
"""Deaths per worker after which a run gives up: with no batch done between them, or with too little
memory.
"""

_HINT = "What was done is kept. If memory is short, use fewer: git config ragit.index.workers 1"
_CRASHES = frozenset((4, 5, 6, 7, 8, 10, 11, 12))
"""ILL, TRAP, ABRT, BUS, FPE, BUS, SEGV, SYS: signals of a process that fails by itself."""


class _Death(NamedTuple):
    """The death of a worker during its work."""

    crashed: bool
    """True if it was not killed and memory was not short."""
    error: WorkerDied


class _Worker:
    """One worker process."""

    def __init__(self, config: WorkerConfig) -> None:
        """Start it and wait until it is ready. Raises WorkerDied."""
        try:
            self._process = ChildProcess(_START, environ=one_thread(os.environ))
        except OSError as error:
            raise WorkerDied(f"cannot start a worker process: {error.strerror}", _HINT) from error
        self._batches = 0
        self.has_room = False
        """True if the memory it may use was free when it started."""
        with self._process.within(_START_S):
            answer = self._ask(config)
        if isinstance(answer, _Death):
            raise answer.error
        self.has_room = answer is True

    def work(self, batch: Batch) -> list[BlobResult] | _Death:
        """Return the results of a batch. Raises the errors of the work."""
        self._batches += 1
        return cast("list[BlobResult] | _Death", self._ask(batch))

    @property
    def is_outgrown(self) -> bool:
        """True if a new one would take much less memory."""
        return self._batches >= _BATCHES and self._process.memory > _LARGE

    def _ask(self, message: object) -> object:
        try:
            self._process.write(pickle.dumps(message))
            answer = pickle.load(self._process.answers)
        except (EOFError, OSError, pickle.UnpicklingError):
            return self._death()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _death(self) -> _Death:
        code = self._process.status()
        if self._process.late:
            how = "it did not start in time"
        elif code is None:
            how = "its answer broke off"
        else:
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
        self.end()
        crashed = code is not None and (code > 0 or -code in _CRASHES)
        message = f"a worker process ended in the middle of its work ({how})"
        return _Death(crashed and self.has_room, WorkerDied(message, _HINT))

    def end(self) -> None:
        self._process.end()


class WorkerPool:
    """A group of workers. Each gets its next batch when it has finished the last."""

    def __init__(self, config: WorkerConfig, size: int) -> None:
        self._config = config
        self._size = size
        self._local = threading.local()
        self._workers: list[_Worker] = []
        self._closed = False
        self._threads = ThreadPoolExecutor(size)
        self._retry = threading.Lock()
        """Held while a batch is repeated: a file is blamed only for what it does alone."""
        self._deaths = 0
        """Deaths of workers since the last finished batch."""
        self._unanswered: list[WorkerDied] = []
        """The last death for each file for which no worker could be kept alive."""

    def work(self, batches: Iterable[Batch], ahead: int = 2) -> Iterator[list[BlobResult]]:
        """Yield results in the order in which they are ready.

        At most `ahead` batches per worker wait in memory, and the next one is requested when their
        results have been taken. Raises WorkerDied if no worker can be kept alive: at once, or at
        the end if that was so for some files only.
        """
        under_way: set[Future[list[BlobResult]]] = set()
        for batch in batches:
            under_way.add(self._threads.submit(self._run, batch))
            if len(under_way) >= ahead * self._size:
                ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ready)
        while under_way:
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ready)
        if self._unanswered:
            last = self._unanswered[-1]
            count = len(self._unanswered)
            files = "1 file is" if count == 1 else f"{count:,} files are"
            raise WorkerDied(f"{files} not indexed: {last.message}", last.hint)

    def close(self) -> None:
        """Stop all workers, even in the middle of a batch.

        Unwritten results are computed again by the next run.
        """
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        self._threads.shutdown(wait=True)

    def _run(self, batch: Batch) -> list[BlobResult]:
        done = self._try(batch)
        if not isinstance(done, _Death):
            return done
        with self._retry:
            return self._repeat(batch._replace(isolated=True))

    def _repeat(self, batch: Batch) -> list[BlobResult]:
        """Repeat a batch whose worker died, with grammars isolated; in halves if necessary."""
        started = time.monotonic()
        done = self._try(batch)
        if not isinstance(done, _Death):
            return done
        keys = batch.keys
        if len(keys) > 1:
            half = len(keys) // 2
            first, rest = batch._replace(keys=keys[:half]), batch._replace(keys=keys[half:])
            return self._repeat(first) + self._repeat(rest)
        once_more = self._try(batch)
        if not isinstance(once_more, _Death):
            return once_more
        others_live = not isinstance(self._try(batch._replace(keys=())), _Death)
        if done.crashed and once_more.crashed and others_live:
            return [replaced(parser_failed(keys[0]), seconds=time.monotonic() - started)]
        self._unanswered.append(once_more.error)
        return [BlobResult(keys[0], None, waits=True)]

    def _try(self, batch: Batch) -> list[BlobResult] | _Death:
        """Return a worker's results for a batch, or its death.

        Raises WorkerDied if too many died in a row.
        """
        while True:
            try:
                worker = self._worker()
                done = worker.work(batch)
            except WorkerDied as error:  # it did not start
                self._count(error)
                continue
            if isinstance(done, _Death):
                self._local.worker = None
                self._count(done.error)
            else:
                if worker.has_room:  # else a few files may be read for ever
                    self._deaths = 0
                if worker.is_outgrown:
                    worker.end()
                    self._local.worker = None
            return done

    def _count(self, error: WorkerDied) -> None:
        """Count a death. Raises WorkerDied if the run has to end."""
        self._deaths += 1
        if self._closed or self._deaths >= _DEATHS * self._size + 2:
            raise error

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = _Worker(self._config)
            self._workers.append(worker)
        return worker


def serve() -> None:
    """Run as a worker: read a configuration, then batches, until the pipe is closed."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # a library's print must not end up between pickles
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    confine(_MEMORY)
    end_with_parent(source)

    def say(answer: object) -> None:
        pickle.dump(_portable(answer), sink, protocol=pickle.HIGHEST_PROTOCOL)
        sink.flush()

    with contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        try:
            worker = open_worker(pickle.load(source))
        except Exception as error:
            say(error)
            return
        room = has_room(_MEMORY)
        say(room)
        while True:
            keys, kind, isolated = pickle.load(source)
            try:
                answer: object = worker.work(keys, kind, isolated=isolated)
            except MemoryError:  # what else is in this memory cannot be relied on
                os._exit(1)
            except Exception as error:  # the parent knows what to tell the user
                if not room and not isinstance(error, RagitError):
                    os._exit(1)  # a library could not be loaded
                answer = error
            say(answer)
            del answer  # not to be kept beside the next one


def one_thread(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which numpy's matrix products use one thread.

    There is already one worker per processor: threads of each, waiting for the others, would cost
    five times the work.
    """
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    return {**environ, **dict.fromkeys(names, "1")}


def _portable(answer: object) -> object:
    """Return an answer that can be pickled: a library's exception may not be."""
    if isinstance(answer, Exception):
        try:
            pickle.loads(pickle.dumps(answer))
        except Exception:
            return RuntimeError(f"{type(answer).__name__}: {answer}")
    return answer
