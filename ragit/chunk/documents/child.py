"""The process in which documents are read: it may use so much memory and time and no more, and nothing that it does
harms whoever asked.

A document is somebody's bytes, and its format a program of thousands of rules, in libraries that were written for
documents of good will. So no reader runs where the index is made. The process is started when the first document
comes, asked for one after another, ended by its parent, and ends itself with it. What it answers is not trusted
either: JSON and text, bounded and checked, never a pickle. Chunkers of the user's own run in such a process, too, one
each.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ragit.chunk.documents.frame import REASON, TOO_MUCH_MEMORY, Read, read
from ragit.chunk.options import ChunkOptions, DocumentOptions
from ragit.confine import confine
from ragit.errors import WorkerDied
from ragit.orphan import end_with_parent
from ragit.types import Chunk

if TYPE_CHECKING:
    from ragit.chunk.custom import Custom

TOO_LONG = "took too long"
FAILED = "its reader failed"

_START = "from ragit.chunk.documents.child import serve; serve()"
_PACKAGE_PARENT = Path(__file__).resolve().parents[3]
_HEAD = 64 << 20
"""Bytes of the list of chunks in an answer; more is no answer."""
_GRACE = 10
"""Seconds after the deadline at which a child whose parent is gone ends itself, even inside of a library."""


class _Child:
    """One process, seen from its parent. `setup` is the line that tells it its chunker; empty for documents."""

    def __init__(self, limit: int, setup: bytes) -> None:
        self.limit = limit
        self.setup = setup
        self._unsaid = setup
        self.parent = os.getpid()
        # In the folder that holds the package: `python -c` puts its own folder first on the path, and a module of the
        # searched repository must not be imported.
        self._popen = subprocess.Popen(
            [sys.executable, "-c", _START, str(limit), *(["custom"] if setup else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_PACKAGE_PARENT,
            start_new_session=True,  # Ctrl-C is for the parent, which ends its children
            env=_plain(os.environ) if setup else None,
        )
        self._in = cast(BinaryIO, self._popen.stdin)
        self._out = cast(BinaryIO, self._popen.stdout)
        self.usable = True

    def ask(self, data: bytes, language: str, options: DocumentOptions) -> Read:
        """The answer about one document; the process is dead afterwards if it gave none."""
        late = threading.Event()
        timer = threading.Timer(options.max_seconds, self._expire, (late,))
        timer.start()
        try:
            return self._answer(data, language, options)
        except (OSError, EOFError):  # it has ended
            why = self._how()
            self.end()
            return Read(language, TOO_LONG if late.is_set() else why)
        except (ValueError, TypeError, KeyError, RecursionError):  # it says what no reader says
            self.end()
            return Read(language, FAILED)
        except BaseException:  # interrupted in the middle of an answer, which nobody will read
            self.end()
            raise
        finally:
            timer.cancel()

    def _expire(self, late: threading.Event) -> None:
        late.set()
        self._kill()

    def _answer(self, data: bytes, language: str, options: DocumentOptions) -> Read:
        head = {"language": language, "size": len(data), "options": options}
        unsaid, self._unsaid = self._unsaid, b""
        self._in.write(unsaid + json.dumps(head).encode() + b"\n")
        self._in.write(data)
        self._in.flush()
        line = self._out.readline(_HEAD)
        if not line.endswith(b"\n"):
            raise EOFError
        answer = json.loads(line)
        size = answer["size"]
        if not 0 <= size <= 4 * max(options.max_text, len(data)) + (1 << 20):
            raise ValueError
        text = self._out.read(size)
        if len(text) != size:
            raise EOFError
        self.usable = answer["usable"] is True
        chunks = tuple(_chunk(row, text) for row in answer["chunks"])
        return Read(str(answer["language"]), str(answer["skipped"]), text, chunks, answer["derived"] is True)

    def _how(self) -> str:
        """Why the process ended by itself: the kernel kills what takes the machine's last memory."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._popen.wait(_GRACE)
            self._kill_group()  # what it started lives on
            return TOO_MUCH_MEMORY if code == -9 else FAILED
        return FAILED

    def end(self) -> None:
        self.usable = False
        self._kill()
        self._popen.wait()
        self.forget()

    def _kill(self) -> None:
        """End it, and the processes that it may have started."""
        if self._popen.returncode is not None:
            return
        self._kill_group()  # before anybody asks whether it has ended: so long, no other process gets its number
        self._popen.kill()

    def _kill_group(self) -> None:
        with contextlib.suppress(OSError, AttributeError):  # all of it has ended; there are no groups on Windows
            os.killpg(self._popen.pid, signal.SIGKILL)

    def forget(self) -> None:
        """Let go of the pipes: a child that sees its input end, ends."""
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):  # what it never read cannot be written any more
                pipe.close()


def _chunk(row: Any, text: bytes) -> Chunk:
    """One chunk of an answer. ValueError or TypeError if it is none."""
    first, last, start, end, *words = row
    if not (1 <= first <= last and 0 <= start < end <= len(text)) or len(words) != 6:
        raise ValueError
    return Chunk(first, last, start, end, text[start:end].decode(), *map(str, words))


_idle: list[_Child] = []
_lock = threading.Lock()


def read_document(data: bytes, language: str, options: DocumentOptions) -> Read:
    """A document's text and chunks, or the reason why there are none, read in a process of its own. Thread-safe."""
    return _asked(data, language, options, b"")


def read_custom(data: bytes, language: str, options: ChunkOptions, custom: Custom) -> Read:
    """The same for a file that a chunker of the user's own reads, with the text that its chunks are lines of."""
    bounds = options.documents._replace(max_seconds=options.chunker_seconds)
    told = {**custom._asdict(), "source": custom.source.decode("latin-1")}
    sizes = {"max_lines": options.max_lines, "max_bytes": options.max_bytes, "documents": bounds}
    setup = json.dumps({"custom": told, "sizes": sizes}).encode() + b"\n"
    answer = _asked(data, language, bounds, setup)
    said = _OF_A_CHUNKER.get(answer.skipped)
    return answer._replace(skipped=f"{custom.name} {said}"[-REASON:]) if said else answer


_OF_A_CHUNKER = {TOO_LONG: TOO_LONG, TOO_MUCH_MEMORY: TOO_MUCH_MEMORY, FAILED: "ended its process"}


def _asked(data: bytes, language: str, options: DocumentOptions, setup: bytes) -> Read:
    child = _borrow(options.max_memory, setup)
    answer = child.ask(data, language, options)
    if child.usable:
        with _lock:
            _idle.append(child)
    else:
        child.end()
    return answer


def _borrow(limit: int, setup: bytes) -> _Child:
    here = os.getpid()
    with _lock:
        for child in [child for child in _idle if child.parent != here]:
            _idle.remove(child)  # this process is a fork of the one that has it
            child.forget()
        found = next((child for child in _idle if (child.limit, child.setup) == (limit, setup)), None)
        if found:
            _idle.remove(found)
            return found
    try:
        return _Child(limit, setup)
    except OSError as error:
        raise WorkerDied(f"cannot start the process that reads documents: {error.strerror}", "Try again") from error


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which Python takes nothing from variables, and sets have the same order in every process."""
    kept = {name: value for name, value in environ.items() if name == "PYTHONHOME" or not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": "0"}


def end_children() -> None:
    """End the processes that wait for another document."""
    with _lock:
        waiting, _idle[:] = _idle[:], []
    for child in waiting:
        if child.parent == os.getpid():
            child.end()


atexit.register(end_children)


# -- inside of the process -------------------------------------------------------------------------------------------


def serve() -> None:
    """The life of the process: documents one after another, until its input ends or it has become too large."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A library's print must not end up within an answer, nor what it reads be the next document.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    limit = int(sys.argv[1])
    confine(limit)
    end_with_parent(source)
    if hasattr(os, "register_at_fork"):  # a chunker's fork must neither answer nor keep the parent waiting
        os.register_at_fork(after_in_child=source.close)
        os.register_at_fork(after_in_child=sink.close)
    ask = _chunker(json.loads(source.readline())) if sys.argv[2:] else read
    usable = True
    while usable:
        line = source.readline()
        if not line:
            return
        head = json.loads(line)
        options = DocumentOptions(*head["options"])
        data = source.read(head["size"])
        _end_at(options.max_seconds + _GRACE)
        found = ask(data, head["language"], options)
        del data
        _end_at(0)
        usable = found.skipped != TOO_MUCH_MEMORY and _used() < limit // 2
        _say(sink, found, usable)
        gc.collect()


def _chunker(setup: dict[str, Any]) -> Callable[[bytes, str, DocumentOptions], Read]:
    """Who reads files in a process that is there for one chunker of the user's own."""
    from ragit.chunk.custom import Custom
    from ragit.chunk.custom.run import Runner

    told, sizes = setup["custom"], setup["sizes"]
    custom = Custom(**{**told, "source": told["source"].encode("latin-1"), "path": tuple(told["path"])})
    documents = DocumentOptions(*sizes.pop("documents"))
    return Runner(custom, ChunkOptions(**sizes, documents=documents)).read


def _say(sink: BinaryIO, found: Read, usable: bool) -> None:
    chunks = [
        (c.start_line, c.end_line, c.start, c.end, c.kind, c.symbol, c.parent, c.signature, c.doc, c.place)
        for c in found.chunks
    ]
    about = {"language": found.language, "skipped": found.skipped, "derived": found.derived}
    head = {**about, "usable": usable, "size": len(found.text)}
    sink.write(json.dumps({**head, "chunks": chunks}).encode() + b"\n")
    sink.write(found.text)
    sink.flush()


def _used() -> int:
    """Bytes of memory that this process holds for data, as its limit counts them; where that is not told, at most."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024
    try:
        import resource  # which counts what the parent held when it started this process, too
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _end_at(seconds: int) -> None:
    """Have the system end this process after so many seconds; 0: not any more. The parent's deadline comes first."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
