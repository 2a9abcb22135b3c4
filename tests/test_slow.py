"""Tests of slow files: they are read last, within the run's allowance; deferred files are reported,
found as far as possible, and read by the next `ragit index`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pygit2
import pytest
from sandbox import GitSandbox
from terminal import Terminal

sys.path.append(str(Path(__file__).parent / "chunk" / "documents"))
from making import pdf, pdf_objects, stream  # noqa: E402

import ragit  # noqa: E402
from ragit import render  # noqa: E402
from ragit.chunk import child, chunk, end_children, grammars, texts  # noqa: E402
from ragit.chunk.time_budget import BRIEF, FULL, NONE, TimeBudget  # noqa: E402
from ragit.config import Config  # noqa: E402
from ragit.git import Repo  # noqa: E402
from ragit.index import Indexer  # noqa: E402
from ragit.index.run.deferred import Batch, DeferredFiles  # noqa: E402
from ragit.index.run.result import BlobResult, RunMode  # noqa: E402
from ragit.index.run.worker_pool import WorkerPool  # noqa: E402
from ragit.store import Store  # noqa: E402
from ragit.types import BUSY, SPENT, SPENT_BY_LINES, Oid  # noqa: E402

CODE = "def turbine_{0}(blade):\n    return blade + {0}\n\n\ndef flywheel_{0}(rim):\n    return rim - {0}\n"


def endless(number: int = 0) -> bytes:
    """Return a small document that takes minutes: a thousand pages that share one long stream."""
    count = 1000
    kids = b" ".join(b"%d 0 R" % (5 + at) for at in range(count))
    return pdf_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            stream(b"BT /F1 9 Tf" + b" 1 0 0 1 5 5 cm (a) Tj" * 10_000 + b" ET %% %d" % number),
            *[
                b"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R >>"
            ]
            * count,
        ]
    )


PATCHED = """
import os, ragit.chunk.code as code, ragit.chunk.grammars as grammars
real = grammars.parse
def parse(name, text, budget, span=None):
    {body}
code.parse = parse
from {module} import serve; serve()
"""
SLOWLY = """
    budget.over = budget.over or budget.brief
    return None if budget.brief else real(name, text, budget, span)
"""


def time_out_brief_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every brief try of a grammar time out."""
    end_children()
    start = PATCHED.format(body=SLOWLY.strip(), module="ragit.chunk.serve_texts")
    monkeypatch.setattr(texts, "_START", start)


def time_out_all_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every brief try of a grammar time out, with no time for a second one."""
    time_out_brief_tries(monkeypatch)
    monkeypatch.setattr(
        "ragit.index.run.run.DeferredFiles",
        lambda lacking, before, _: DeferredFiles(lacking, before, -1e9),
    )


def rows(repo: GitSandbox, store: Path | None = None) -> list[Any]:
    """Return all rows about blobs, without numbers that depend on the order of work."""
    with Store(store or repo.store, writable=False) as opened:
        keys = "SELECT id, oid, resolved, skipped, length FROM chunking ORDER BY oid"
        found = opened._db.execute(keys).fetchall()
        return [(*key, list(opened.chunks_of(number).values())) for number, *key in found]


# The bounds of one try
# ----------------------------------------------------------------------------------------------


def test_brief_try_ends_soon() -> None:
    budget = TimeBudget(BRIEF)
    assert chunk(endless(), "pdf", budget=budget).chunks == ()
    assert budget.over
    assert 0.4 < budget.used < 2
    budget = TimeBudget(BRIEF)
    assert chunk(CODE.encode(), "python", budget=budget) == chunk(CODE.encode(), "python")
    assert not budget.over


@pytest.mark.parametrize("size", [0, 1000, 100_000, 2_000_000, 30_000_000])
@pytest.mark.parametrize("seconds", [1, 120, 600])
def test_brief_try_takes_at_most_the_full_time(size: int, seconds: int) -> None:
    options = child.DocumentOptions(max_seconds=seconds)
    brief, full = (child.time_for(size, options, brief=kind) for kind in (True, False))
    assert brief.processor <= full.processor <= seconds
    assert full.clock >= 4 * full.processor
    assert child.time_for(1000, child.DocumentOptions(), brief=True).processor < 0.6


def test_budget_without_time_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "read_document", None)
    monkeypatch.setattr(grammars, "_parsers", None)
    assert chunk(pdf([["some words"]]), "pdf", budget=TimeBudget(NONE)).skipped == SPENT
    found = chunk(CODE.encode(), "python", budget=TimeBudget(NONE), isolated=False)
    assert (found.skipped, [piece.kind for piece in found.chunks]) == (SPENT_BY_LINES, ["text"])
    plain = chunk(b"some words\n", "text", budget=TimeBudget(NONE))
    assert (plain.skipped, len(plain.chunks)) == ("", 1)


@pytest.mark.skipif(
    not hasattr(child.signal, "setitimer"), reason="processor time is bounded by POSIX"
)
def test_busy_processor_is_distinguished_from_a_slow_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "time_for", lambda size, options, brief: child.Time(500, 0.7))
    assert chunk(endless(), "pdf").skipped == BUSY
    monkeypatch.setattr(child, "time_for", lambda size, options, brief: child.Time(0.3, 500))
    assert chunk(endless(), "pdf").skipped == "took too long"


# The bound of a run
# -------------------------------------------------------------------------------------------------

KEYS = [(Oid(f"{number:040x}"), "python", "f") for number in range(12)]


def one_by_one(keys: Sequence[tuple[Oid, str, str]]) -> Iterator[list[tuple[Oid, str, str]]]:
    return (list(keys[at : at + 4]) for at in range(0, len(keys), 4))


def run_of(
    slow: DeferredFiles, work: Callable[[Batch], Iterable[BlobResult]]
) -> tuple[list[Batch], list[BlobResult]]:
    """Return a run's requests and their results, if a try costs what `work` says."""
    asked: list[Batch] = []

    def worked(batches: Iterable[Batch]) -> Iterator[list[BlobResult]]:
        for batch in batches:
            asked.append(batch)
            yield list(work(batch))

    done = [
        *slow.read(worked(slow.first(one_by_one))),
        *slow.spend(worked(slow.second(one_by_one))),
    ]
    return asked, [one for batch in done for one in batch]


def hostile(batch: Batch) -> Iterator[BlobResult]:
    """Take ten seconds for anything."""
    for key in batch.keys:
        yield BlobResult(
            key, None, seconds=0 if batch.kind == NONE else 10, timed_out=batch.kind == BRIEF
        )


def test_slow_files_are_read_last_until_the_allowance_is_spent() -> None:
    asked, done = run_of(DeferredFiles(KEYS, frozenset(), 25), hostile)
    assert [batch.kind for batch in asked] == [BRIEF] * 3 + [FULL] * 3 + [NONE] * 3
    assert [key for batch in asked[3:] for key in batch.keys] == KEYS
    assert [one.key for one in done] == KEYS


def test_previously_deferred_files_come_last() -> None:
    before = frozenset(KEYS[:5])
    asked, done = run_of(DeferredFiles(KEYS, before, 75), hostile)
    assert {key for batch in asked if batch.kind == BRIEF for key in batch.keys} == {*KEYS} - before
    assert [key for batch in asked if batch.kind == FULL for key in batch.keys] == [
        *KEYS[5:],
        KEYS[0],
    ]
    assert [batch for batch in asked if batch.kind == NONE] == [], "stored as deferred"
    assert [(one.key, one.timed_out) for one in done[-4:]] == [(key, True) for key in KEYS[1:5]]
    assert sorted(one.key for one in done) == KEYS, "each is counted once"


def test_interrupted_run_stores_deferred_files(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        repo.write(f"{number}.pdf", pdf([[f"honest words {number}"]]))
    repo.commit()
    monkeypatch.setattr(
        child, "time_for", lambda size, options, brief: child.Time(500, 0.01 if brief else 500)
    )

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with ragit.open(repo.path) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.index(progress=interrupt)
        assert opened.status().skipped[SPENT] >= 6
        report = opened.index()
        assert (report.files, report.skipped) == (8, {})


# Whole runs
# ---------------------------------------------------------------------------------------------------------


def test_runs_over_slow_documents_make_progress(
    repo: GitSandbox,
) -> None:
    repo.git(
        "config", "ragit.documents.maxSeconds", "1"
    )  # also the limit of all slow files of a run
    for number in range(3):
        repo.write(f"slow{number}.pdf", endless(number))
    repo.write("z.pdf", pdf([["honest words"]]))
    repo.write("a.py", CODE.format(1))
    repo.commit()
    ended = 0
    with ragit.open(repo.path) as opened:
        for _ in range(3):
            report = opened.index()
            assert set(report.skipped) <= {"took too long", SPENT}
            assert sum(report.skipped.values()) == 3
            assert report.skipped.get("took too long", 0) > ended
            ended = report.skipped["took too long"]
            assert {hit.path for hit in opened.search("honest turbine").hits} == {"z.pdf", "a.py"}
            assert opened.check().fresh
            if ended == 3:
                break
        assert dict(opened.status().skipped) == {"took too long": 3}


@pytest.mark.parametrize("files", [3, 140])
def test_deferred_files_are_reported_and_retried_by_index_only(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: int
) -> None:
    repo.git(
        "config", "ragit.index.workers", "1"
    )  # the grammars of this process are the patched ones
    for number in range(files):
        repo.write(f"{number}.py", CODE.format(number))
    repo.write("manual.pdf", pdf([["The gearbox is oiled"]]))
    repo.commit()
    monkeypatch.setattr(
        child, "time_for", lambda size, options, brief: child.Time(500, 0.01 if brief else 500)
    )
    with monkeypatch.context() as short:
        time_out_all_tries(short)
        with ragit.open(repo.path) as opened:
            report = opened.index()
            assert (report.skipped, report.by_lines) == ({SPENT: 1}, {SPENT_BY_LINES: files})
            hit = opened.search("flywheel_1").hits[0]
            assert (hit.path, hit.kind) == ("1.py", "text"), "searched by lines"
    result = Terminal(repo.path).ragit("status", "--skipped", code=0).out
    assert "manual.pdf" in result
    assert f"tries {files + 1} files again" in result
    for typed in (["check"], ["check", "--json"], ["doctor"]):
        result = Terminal(repo.path).ragit(*typed, code=0).out
        assert f"{files + 1}" in result
        assert "deferred" in result
    with ragit.open(repo.path) as opened:
        assert opened.index(retry=False).indexed == 0
        answer = opened.search("turbine_1")
        assert answer.hits[0].kind == "text", "a search does not wait for slow files"
        assert any("deferred" in note for note in render.notes(answer))
        report = opened.index()
        assert (report.indexed, report.skipped, report.by_lines) == (files + 1, {}, {})
        answer = opened.search("turbine_1")
        assert (answer.hits[0].kind, render.notes(answer)) == ("function", [])
        assert [hit.place for hit in opened.search("gearbox", mode="keyword").hits] == ["page 1"]
        fresh = tmp_path / "fresh.db"
    with ragit.open(repo.path, flags={"index.storePath": str(fresh)}) as opened:
        opened.index()
    assert rows(repo) == rows(repo, fresh)


def test_slow_files_get_the_same_chunks(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(3):
        repo.write(f"{number}.py", CODE.format(number))
    repo.commit()
    with ragit.open(repo.path) as opened:
        opened.index()
    time_out_brief_tries(monkeypatch)
    slow = tmp_path / "slow.db"
    with ragit.open(repo.path, flags={"index.storePath": str(slow)}) as opened:
        seen: list[tuple[int, int]] = []
        report = opened.index(progress=lambda done, total: seen.append((done, total)))
        assert (report.indexed, report.by_lines, seen) == (3, {}, [(1, 3), (2, 3), (3, 3)])
    assert rows(repo) == rows(repo, slow)


def test_cached_tree_drops_deferred_files_once_read(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another branch shares the file, and its tree was resolved while the file was deferred."""
    repo.write("a.py", CODE.format(1))
    repo.commit()
    repo.git("switch", "-q", "-c", "other")
    repo.write("b.txt", "beside\n")
    repo.commit()
    with monkeypatch.context() as short:
        time_out_all_tries(short)
        with ragit.open(repo.path) as opened:
            assert opened.index("main", "other").by_lines == {SPENT_BY_LINES: 1}
    with ragit.open(repo.path) as opened:
        opened.index("main")
        for ref in ("main", "other"):
            assert opened.search("turbine_1", ref=ref).hits[0].kind == "function"
        assert opened.status().by_lines == {}
    with Store(repo.store, writable=True) as store:
        assert store.problems() == []


@pytest.mark.parametrize("command", ["status", "check", "dry run"])
def test_report_reads_one_state_during_concurrent_indexing(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    words = {"embedding.provider": "none"}
    repo.write("a.py", CODE.format(1))
    repo.commit()
    with monkeypatch.context() as short:
        time_out_all_tries(short)
        with ragit.open(repo.path, flags=words) as opened:
            opened.index()
    counted = Store.chunk_count

    def after_another(store: Store, chunkings: Iterable[int]) -> int:
        monkeypatch.setattr(Store, "chunk_count", counted)
        with ragit.open(repo.path, flags=words) as other:
            assert other.index().indexed == 1
        return store.chunk_count(chunkings)

    monkeypatch.setattr(Store, "chunk_count", after_another)
    with ragit.open(repo.path) as opened:
        if command == "dry run":
            assert opened.index(dry_run=True, retry=False).files == 1
        else:
            report = opened.check() if command == "check" else opened.status().refs[0]
            assert report.completeness.without_vectors == (1, 1), "the state when the report began"


# Blobs that crash a grammar
# ----------------------------------------------------------------------------------------------------

CRASHING = "return real(name, text, budget) if budget.kind == 'none' else {end}"
ENDS = {
    "abort": "os.abort()",
    "exit": "os._exit(3)",
    "memory": "(_ for _ in ()).throw(MemoryError())",
}


def crash_grammars(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """Let every grammar crash its process, in workers and their children."""
    end_children()
    body = CRASHING.format(end=end)
    inner = PATCHED.format(body=body, module="ragit.chunk.serve_texts")
    monkeypatch.setattr(texts, "_START", inner)
    outer = PATCHED.format(body=body, module="ragit.index.run.worker_pool")
    patch = f"import ragit.chunk.texts as texts; texts._START = {inner!r}"
    monkeypatch.setattr("ragit.index.run.worker_pool._START", f"{patch}\n{outer}")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", [BRIEF, FULL])
def test_file_that_kills_its_worker_is_chunked_by_lines(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch, end: str, kind: str
) -> None:
    crash_grammars(monkeypatch, ENDS[end])
    repo.write("a.py", CODE.format(1))
    repo.write("b.md", "# Turbine\n\nwords\n")
    repo.write("c.txt", "plain words\n")
    repo.commit()
    with Repo.open(repo.path) as opened:
        indexer = Indexer(opened, Config(), repo.store)
        pool = WorkerPool(indexer._setup.worker_config(RunMode(reuse=False), bulk=False), 1)
        keys = [file.key for file in indexer.trees.resolve(None, opened.head().tree).missing]
        try:
            (done,) = pool.work([Batch(keys, kind)])
        finally:
            pool.close()
    reasons = [one.new.skipped for one in done if one.new]
    assert reasons == ["cut by lines: its parser failed"] * 2 + [""]
    assert all(one.new and one.new.chunks for one in done)
    assert not any(one.timed_out for one in done)


# Slow files in a search
# --------------------------------------------------------------------------------------------


def test_search_defers_slow_files_and_index_reads_them(repo: GitSandbox) -> None:
    """Index a small document that takes minutes, and one that takes a moment."""
    repo.write("slow.pdf", endless())
    repo.write("quick.pdf", pdf([["The gearbox is oiled"]]))
    repo.write("a.py", CODE.format(1))
    repo.commit()
    with ragit.open(repo.path, flags={"documents.maxSeconds": 4}) as opened:
        started = time.process_time()
        answer = opened.search("gearbox oiled", mode="keyword")
        assert time.process_time() - started < 3
        assert (answer.hits[0].path, answer.completeness.deferred, answer.complete) == (
            "quick.pdf",
            1,
            True,
        )
        assert opened.status().skipped == {SPENT: 1}
        assert opened.index().skipped == {"took too long": 1}


def test_time_of_one_file_in_a_search_is_bounded() -> None:
    for size in (100, 10_000_000, 90_000_000):
        for kind in (BRIEF, FULL, NONE):
            text = texts.time_for(size, kind).within(2.0)
            assert (text.processor <= 2, text.clock <= 30) == (True, True)
        document = child.time_for(size, child.DocumentOptions(), brief=True).within(2.0)
        assert (document.processor <= 2, document.clock <= 30) == (True, True)


def test_search_answers_once_its_indexing_time_is_over(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", CODE.format(1))
    repo.commit()
    with ragit.open(repo.path) as opened:
        opened.index()
        for number in range(2, 150):
            repo.write(f"{number}.py", CODE.format(number))
        with monkeypatch.context() as short:
            short.setattr("ragit.index.indexer.SEARCH_S", -1.0)
            answer = opened.search("turbine_1")
            assert (answer.complete, answer.completeness.missing) == (False, 148)
            assert "turbine_1" in answer.hits[0].symbol
        answer = opened.search("turbine_77")
        assert answer.complete
        assert "turbine_77" in answer.hits[0].symbol


def test_folder_a_thousand_levels_deep_is_searched(repo: GitSandbox) -> None:
    repo.write("a.py", CODE.format(1))
    repo.commit()
    objects = pygit2.Repository(str(repo.path))
    tree = repo.git("rev-parse", "HEAD^{tree}")
    for _ in range(1000):
        folder = objects.TreeBuilder()
        folder.insert("d", tree, pygit2.enums.FileMode.TREE)
        tree = str(folder.write())
    with ragit.open(repo.path) as opened:
        hit = opened.search("turbine_1", ref=tree).hits[0]
        assert hit.path == "d/" * 1000 + "a.py"
