"""Tests of the child process that reads documents: reused, replaced after a crash, ended in
time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import content, docx, p, pdf

from ragit.chunk import ChunkOptions, child, chunk, end_children
from ragit.chunk.options import DocumentOptions
from ragit.chunk.reader_process import ReaderProcess

OPTIONS = DocumentOptions()
ONE_PAGE = pdf([["some words"]])


@pytest.fixture(autouse=True)
def no_child() -> Iterator[None]:
    end_children()
    yield
    end_children()
    assert not child._spares._idle


def idle_pids() -> list[int]:
    return [each.process.pid for each in child._spares._idle]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def has_ended(pid: int) -> bool:
    """Wait up to 20 seconds for the end of a process, and return whether it ended."""
    until = time.monotonic() + 20
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(pid)


def test_one_process_reads_many_documents() -> None:
    assert child.read_document(ONE_PAGE, "pdf", OPTIONS).text == b"some words\n"
    (first,) = idle_pids()
    assert [child.read_document(ONE_PAGE, "pdf", OPTIONS).skipped for _ in range(5)] == [""] * 5
    assert idle_pids() == [first]
    end_children()
    assert has_ended(first)


def test_threads_read_documents() -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(child.read_document(ONE_PAGE, "pdf", OPTIONS).text)
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [b"some words\n"] * 4


def slow_page() -> bytes:
    """Return instructions that take pypdf minutes: millions of text matrices."""
    return pdf([content(["x"]) + b"\nBT /F1 9 Tf" + b" 1 0 0 1 5 5 cm (a) Tj" * 3_000_000 + b" ET"])


def test_slow_page_hits_the_time_limit() -> None:
    started = time.monotonic()
    found = child.read_document(slow_page(), "pdf", DocumentOptions(max_seconds=2))
    assert (found.skipped, found.chunks) == ("took too long", ())
    assert time.monotonic() - started < 15
    assert not idle_pids()
    assert child.read_document(ONE_PAGE, "pdf", OPTIONS).skipped == "", (
        "the next document gets a new process"
    )


def test_time_limit_grows_with_the_document() -> None:
    limits = [
        child.time_for(size, OPTIONS).processor for size in (100, 1_000_000, 5_500_000, 32_000_000)
    ]
    assert limits == [pytest.approx(10.0, abs=0.1), pytest.approx(30.0), 120, 120]
    assert child.time_for(100, DocumentOptions(max_seconds=1)).processor == 1
    assert child.time_for(100, DocumentOptions(max_seconds=600)).processor == pytest.approx(
        50, abs=0.1
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="processor time is bounded by POSIX")
def test_processor_time_limit_ends_reading_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "time_for", lambda size, options, brief: child.Time(0.5, 500))
    started = time.monotonic()
    assert child.read_document(slow_page(), "pdf", OPTIONS).skipped == "took too long"
    assert time.monotonic() - started < 60
    assert not idle_pids()


def test_process_that_expires_with_its_answer_is_not_reused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that is about to end must not get the next document."""

    def answered(self: ReaderProcess, *_: object) -> object:
        self.process._expire()
        return {"language": "pdf", "skipped": "", "derived": True}, b"x", ()

    with monkeypatch.context() as changed:
        changed.setattr(ReaderProcess, "_answer", answered)
        assert child.read_document(ONE_PAGE, "pdf", OPTIONS).text == b"x"
    assert not idle_pids()


@pytest.mark.skipif(
    sys.platform != "linux", reason="memory is bounded by RLIMIT_DATA, as Linux counts it"
)
def test_document_over_the_memory_limit_is_skipped() -> None:
    large = docx(p("", inner="<w:r><w:t>a</w:t></w:r>" * 400_000))
    found = child.read_document(large, "docx", DocumentOptions(max_memory=96 << 20))
    assert (found.skipped, found.chunks) == ("needs too much memory", ())
    assert not idle_pids(), "a process over its limit is not reused"


def ending_child(end: str, times: int, mark: Path) -> str:
    """Return a child that reads, but ends in the given way the first times it is used."""
    return f"""
import os, signal
from ragit.chunk import serve
real = serve.read
def read(*args):
    with open({str(mark)!r}, "a") as file:
        file.write("x")
    if os.path.getsize({str(mark)!r}) <= {times}:
        {end}
    return real(*args)
serve.read = read
serve.serve()
"""


SEGV, KILL = "os.kill(os.getpid(), signal.SIGSEGV)", "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("end", "times", "reason"),
    [
        (SEGV, 1, ""),
        (SEGV, 99, "its reader failed"),
        ("os._exit(3)", 99, "its reader failed"),
        (KILL, 2, ""),
        (KILL, 99, "deferred: memory was short"),
    ],
)
def test_crash_skips_and_kill_defers_the_document(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str, times: int, reason: str
) -> None:
    monkeypatch.setattr(child, "_START", ending_child(end, times, tmp_path / "mark"))
    found = child.read_document(ONE_PAGE, "pdf", OPTIONS)
    assert (found.skipped, bool(found.chunks)) == (reason, not reason)


def test_crash_with_little_memory_defers_the_document(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    short = "import ragit.chunk.reader_server as s; s.has_room = lambda memory: False"
    start = f"{short}\n{ending_child(SEGV, 99, tmp_path / 'mark')}"
    monkeypatch.setattr(child, "_START", start)
    assert child.read_document(ONE_PAGE, "pdf", OPTIONS).skipped == "deferred: memory was short"


def make_answer(size: int, chunks: str, text: bytes) -> bytes:
    head = '{"size": %d, "usable": true, "derived": true, "language": "pdf", "skipped": "", "chunks": [%s]}\n'
    return (head % (size, chunks)).encode() + text


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\n",
        b'{"size": -1}\n',
        b'{"size": 99999999999}\n',
        b"[1]\n",
        make_answer(3, '[1, 1, 0, 9, "", "", "", "", "", "", []]', b"abc"),
        make_answer(3, '["1", 1, 0, 3, "", "", "", "", "", "", []]', b"abc"),
        make_answer(3, '[1, 1, 0, 3, "", "", "", "", "", "", [1, 2]]', b"abc"),
        make_answer(3, '[1, 1, 0, 3, "", "", "", "", "", "", [-1]]', b"abc"),
        make_answer(3, '[1, 1, 0, 3, "", "", "", "", "", "", ["1"]]', b"abc"),
        make_answer(3, '[1, 1, 0, 3, "", "", "", "", "", "", 7]', b"abc"),
        make_answer(3, "[1]", b"abc"),
        make_answer(3, "1", b"abc"),
        make_answer(9, "", b"abc"),
        make_answer(1, '[1, 1, 0, 1, "", "", "", "", "", "", []]', b"\xff"),
        make_answer(
            90_000, ", ".join(['[1, 1, 0, 90000, "", "", "", "", "", "", []]'] * 50), b"a" * 90_000
        ),
        b'{"size": 9, "usable": true',
        b"[" * 100_000 + b"\n",
    ],
    ids=range(17),
)
def test_malformed_answer_of_the_child_is_rejected(
    monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    ready = b'{"room": true}\n'
    start = f"import sys; sys.stdout.buffer.write({ready!r}); sys.stdout.buffer.flush(); "
    start += f"sys.stdin.buffer.readline(); sys.stdout.buffer.write({answer!r})"
    monkeypatch.setattr(child, "_START", start)
    found = child.read_document(ONE_PAGE, "pdf", OPTIONS)
    assert (found.skipped, found.chunks, found.text) == ("its reader failed", (), b"")
    assert not idle_pids()


PARENT = """
import sys
sys.path[:0] = {path!r}
from making import pdf
from test_documents_child import slow_page
from ragit.chunk.child import read_document, _spares
from ragit.chunk.options import DocumentOptions
read_document(pdf([["x"]]), "pdf", DocumentOptions())
print(_spares._idle[0].process.pid, flush=True)
{then}
"""


def start_parent(then: str) -> tuple[subprocess.Popen[bytes], int]:
    """Return a process that has read a document, and the pid of the child that read it."""
    script = PARENT.format(path=[str(Path(__file__).parent), *sys.path], then=then)
    popen = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert popen.stdout
    return popen, int(popen.stdout.readline())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("busy", [False, True])
def test_child_ends_when_its_parent_is_signalled(number: int, busy: bool) -> None:
    work = (
        'read_document(slow_page(), "pdf", DocumentOptions())'
        if busy
        else "import time; time.sleep(60)"
    )
    popen, pid = start_parent(work)
    assert alive(pid)
    time.sleep(1.0 if busy else 0.1)
    popen.send_signal(number)
    popen.wait(20)
    assert popen.stdout
    popen.stdout.close()
    assert has_ended(pid)


def test_child_ends_when_its_parent_exits() -> None:
    popen, pid = start_parent("")
    assert popen.wait(20) == 0
    assert popen.stdout
    popen.stdout.close()
    assert has_ended(pid)


def test_fork_starts_its_own_child() -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    popen, pid = start_parent(
        "import os\n"
        "if os.fork() == 0:\n"
        '    print(read_document(pdf([["fork"]]), "pdf", DocumentOptions()).text, _spares._idle[0].process.pid, flush=True)\n'
        "    import ragit.chunk; ragit.chunk.end_children()\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        'print(read_document(pdf([["parent"]]), "pdf", DocumentOptions()).text, _spares._idle[0].process.pid, flush=True)\n'
    )
    assert popen.stdout
    lines = popen.stdout.read().decode().splitlines()
    popen.stdout.close()
    popen.wait(20)
    assert lines[0].startswith("b'fork\\n'")
    assert str(pid) not in lines[0]
    assert lines[1] == f"b'parent\\n' {pid}"


def test_child_imports_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdf.py").write_text("raise SystemExit('imported')")
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert child.read_document(ONE_PAGE, "pdf", OPTIONS).text == b"some words\n"


def test_chunk_reads_documents_in_the_child() -> None:
    found = chunk(ONE_PAGE, "pdf")
    assert [(piece.text, piece.place) for piece in found.chunks] == [("some words", "page 1")]
    assert (found.derived, len(idle_pids())) == (b"some words\n", 1)
    off = ChunkOptions(documents=DocumentOptions(enabled=False))
    assert chunk(ONE_PAGE, "pdf", off).skipped == "documents.enabled is false"
