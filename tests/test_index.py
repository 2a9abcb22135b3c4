"""Tests of indexing: embedded and reused chunks, and the state after a kill or an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import kill_index
import pytest
from sandbox import GitSandbox
from terminal import RAGIT

import ragit
from ragit import chunk
from ragit.chunk import options, texts
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.time_budget import FULL
from ragit.config import Config
from ragit.errors import StoreBusy, WorkerDied
from ragit.git import Repo
from ragit.index import Indexer
from ragit.index.run.deferred import Batch
from ragit.index.run.result import BlobResult, RunMode
from ragit.index.run.worker_pool import WorkerPool
from ragit.locks import held
from ragit.reports import IndexReport
from ragit.store import Store

FUNCTIONS = "".join(
    f"def function_{i}():\n    value = {i}\n    return value\n\n\n" for i in range(40)
)
TIGHT = {"index.maxChunkLines": "8"}


def index(
    repo: GitSandbox, *revisions: str, flags: dict[str, str] | None = None, **options: bool
) -> IndexReport:
    with ragit.open(repo.path, flags=flags or {}) as opened:
        return opened.index(*revisions, **options)  # type: ignore[arg-type]


def test_edit_embeds_only_changed_chunks(repo: GitSandbox) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    first = index(repo, flags=TIGHT)
    assert first.embedded == first.chunks > 10
    repo.write("a.py", FUNCTIONS.replace("value = 20", "value = 2020"))
    repo.commit()
    second = index(repo, flags=TIGHT)
    assert (second.indexed, second.embedded) == (1, 1)
    assert second.reused == second.chunks - 1


def test_moved_lines_are_not_embedded_again(repo: GitSandbox) -> None:
    """A function of some size is its own chunk, and line numbers are no part of it."""
    body = "".join(f"    step_{i}()\n" for i in range(30))
    functions = "".join(f"def function_{i}():\n{body}\n\n" for i in range(20))
    repo.write("a.py", functions)
    repo.commit()
    assert index(repo).embedded == 20
    repo.write("a.py", "import os\nimport sys\n\n\n" + functions)
    repo.commit()
    report = index(repo)
    assert (report.indexed, report.embedded) == (1, 1)


def test_pruned_tree_in_the_store_does_not_prevent_indexing(repo: GitSandbox) -> None:
    """A rebase and `git gc`, or a store copied from another clone, leave such trees."""
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    index(repo)
    repo.write("b.py", "def second(): pass\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "--amend", "-m", "other")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    report = index(repo)
    assert (report.files, report.indexed) == (2, 1)


def test_branches_tags_and_worktrees_share_equal_files(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(20):
        repo.write(f"f{number}.py", f"def f{number}():\n    pass\n")
    repo.commit()
    index(repo)
    for number in range(20):
        repo.write(f"f{number}.py", f"def changed{number}():\n    pass\n")
        repo.commit()
        repo.tag(f"v{number}")
    report = index(repo, *(f"v{number}" for number in range(20)))
    assert report.trees == 20
    assert report.indexed == 20
    before = repo.store.stat().st_size
    repo.git("worktree", "add", "-q", str(tmp_path / "second"), "v3")
    with ragit.open(tmp_path / "second") as second:
        assert second.store_path == repo.store
        assert second.index().indexed == 0
    assert repo.store.stat().st_size <= before * 1.05


def test_two_embedders_share_a_store(repo: GitSandbox) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    index(repo)
    prefixed = {"embedding.documentPrefix": "code: "}
    report = index(repo, flags=prefixed)
    assert (report.indexed, report.embedded) == (0, report.chunks), "the words are stored"
    assert index(repo).embedded == index(repo, flags=prefixed).embedded == 0
    with ragit.open(repo.path) as opened:
        assert len(opened.status().other_embedders) == 1
        opened.gc()
        assert opened.status().other_embedders == ()
        assert opened.search("function_3").complete
    with ragit.open(repo.path, flags=prefixed) as opened:
        assert not opened.check().fresh, (
            "its vectors are removed, and so are the cached trees with them"
        )
        assert opened.index().embedded == report.embedded


def test_dry_run_writes_nothing_and_counts_missing_work(repo: GitSandbox) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.write("b.bin", b"\0")
    repo.commit()
    estimate = index(repo, dry_run=True)
    assert not repo.store.exists()
    done = index(repo)
    assert (estimate.files, estimate.chunks, estimate.embedded, estimate.words) == (
        1,
        done.chunks,
        done.embedded,
        done.words,
    )
    assert index(repo, dry_run=True).indexed == 0


def test_dry_run_predicts_reused_vectors(repo: GitSandbox) -> None:
    large = "".join(f"def large_{i}():\n" + f"    step_{i}()\n" * 60 for i in range(6))
    repo.write("a.py", large)
    repo.commit()
    index(repo)
    repo.write("a.py", large.replace("step_3()", "other()", 1))
    repo.write("copy.py", large.replace("step_5()", "other()", 1))
    repo.commit()
    estimate, done = index(repo, dry_run=True), index(repo)
    assert (estimate.indexed, estimate.chunks) == (2, done.chunks)
    assert (estimate.embedded, estimate.reused) == (done.embedded, done.reused)
    assert 0 < estimate.embedded < estimate.chunks and 0 < estimate.words == done.words


def test_changed_languages_invalidate_cached_trees(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer ragit or new grammars change the chunks of a stored tree."""
    repo.write("a.py", "class Shop:\n    def buy(self):\n        pass\n" + FUNCTIONS)
    repo.write("b.txt", "words\n")
    repo.commit()

    def symbols() -> set[str]:
        with ragit.open(repo.path) as opened:
            return {
                hit.symbol
                for hit in opened.search("function shop", paths=["*.py"], optimize=False).hits
            }

    assert index(repo).files == 2
    assert any("function" in symbol for symbol in symbols())
    changed = """
from ragit.chunk.languages import LANGUAGES
from ragit.records import replaced
row = LANGUAGES["python"]
LANGUAGES["python"] = replaced(row, grammar="")
"""
    monkeypatch.setitem(LANGUAGES, "python", LANGUAGES["python"])
    exec(changed, {})
    chunk.end_children()
    monkeypatch.setattr(
        texts, "_START", changed + texts._START
    )  # the same change in the child process
    assert not any("function" in symbol for symbol in symbols())
    monkeypatch.undo()
    chunk.end_children()
    assert index(repo).indexed == 0, "the chunks of the first table are still stored"
    monkeypatch.setattr(options, "_versions", lambda packages: ("newer",))
    with ragit.open(repo.path) as opened:
        assert opened.check().missing == ("a.py",), "plain text has no grammar"


def test_workers_do_not_change_the_index(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(140):
        repo.write(
            f"d{number % 7}/f{number}.py",
            FUNCTIONS.replace("value", f"value{number}")[: 200 + number],
        )
    repo.commit()
    stores = []
    for workers in ("1", "2"):
        path = tmp_path / f"{workers}.db"
        flags = {"index.workers": workers, "index.storePath": str(path)}
        report = index(repo, flags=flags)
        assert report.indexed == 140
        with ragit.open(repo.path, flags=flags) as opened:
            answer = opened.search("function_3 value77")
            stores.append([(h.path, h.start_line, h.score, h.text) for h in answer.hits])
    assert stores[0] == stores[1]


def test_dead_worker_is_replaced(repo: GitSandbox) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    with Repo.open(repo.path) as opened:
        indexer = Indexer(opened, Config(), repo.store)
        config = indexer._setup.worker_config(RunMode(reuse=False), bulk=False)
        pool = WorkerPool(config, 1)
        selected = indexer.trees.resolve(None, opened.head().tree).missing
        keys = [file.key for file in selected]
        try:
            assert [len(done) for done in pool.work([Batch(keys, FULL)])] == [1]
            pool._workers[0]._process.kill()
            assert [len(done) for done in pool.work([Batch(keys, FULL)])] == [1]
        finally:
            pool.close()


def _chunks(batches: list[list[BlobResult]]) -> list[object]:
    return [one.new and one.new.chunks for batch in batches for one in batch]


def test_worker_above_its_memory_limit_is_replaced(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    with Repo.open(repo.path) as opened:
        indexer = Indexer(opened, Config(), repo.store)
        pool = WorkerPool(indexer._setup.worker_config(RunMode(reuse=False), bulk=False), 1)
        keys = [file.key for file in indexer.trees.resolve(None, opened.head().tree).missing]
        try:
            one = Batch(keys, FULL)
            before = list(pool.work([one, one]))
            assert len(pool._workers) == 1, "a worker is replaced only after some batches"
            monkeypatch.setattr("ragit.index.run.worker_pool._BATCHES", 1)
            monkeypatch.setattr("ragit.index.run.worker_pool._LARGE", -1)
            after = list(pool.work([one, one]))
            assert [each._process.memory for each in pool._workers] == [0, 0], (
                "both processes ended"
            )
            assert _chunks(before) == _chunks(after)
        finally:
            pool.close()


def test_workers_that_do_not_start_raise_worker_died(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragit.index.run.worker_pool._START", "import os; os.abort()")
    repo.write("a.py", FUNCTIONS)
    repo.write("b.py", FUNCTIONS + "# another\n")
    repo.commit()
    with Repo.open(repo.path) as opened:
        indexer = Indexer(opened, Config(), repo.store)
        pool = WorkerPool(indexer._setup.worker_config(RunMode(reuse=False), bulk=False), 1)
        keys = [file.key for file in indexer.trees.resolve(None, opened.head().tree).missing]
        try:
            with pytest.raises(WorkerDied, match="signal 6"):
                list(pool.work([Batch(keys, FULL)]))
        finally:
            pool.close()


def test_error_in_a_worker_is_raised(repo: GitSandbox) -> None:
    repo.write("a.py", FUNCTIONS)
    repo.commit()
    with Repo.open(repo.path) as opened:
        indexer = Indexer(opened, Config(), repo.store)
        pool = WorkerPool(indexer._setup.worker_config(RunMode(reuse=False), bulk=False), 1)
        try:
            with pytest.raises(Exception, match="nosuchlanguage"):
                list(pool.work([Batch([(opened.head().tree, "nosuchlanguage", "x")], FULL)]))
        finally:
            pool.close()


def test_lock_timeout_names_the_holder(repo: GitSandbox, tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    with (
        held(lock, shared=True),
        pytest.raises(StoreBusy, match="a running index"),
        held(lock, wait_s=0.05, by="a running index"),
    ):
        pass


@pytest.mark.slow
def test_store_survives_kills_at_random_moments(home: Path) -> None:
    """The short form of `python tests/kill_index.py 20`."""
    assert len(kill_index.main(rounds=3, seed=int(time.time()))) == 3


def test_ctrl_c_keeps_finished_work(repo: GitSandbox) -> None:
    for number in range(400):
        repo.write(f"f{number}.py", FUNCTIONS.replace("value", f"value{number}"))
    repo.commit()
    process = subprocess.Popen(
        [RAGIT, "index", "-q"],
        cwd=repo.path,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    store = repo.path / ".git" / "ragit" / "index.db-wal"
    until = time.monotonic() + 30
    while time.monotonic() < until and not (store.exists() and store.stat().st_size > 200_000):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert b"Traceback" not in err
    if process.returncode == 0:
        pytest.skip("the run ended before the interrupt")
    assert process.returncode == 130
    assert b"interrupted: what was done is kept" in err
    with Store(repo.store, writable=True) as opened:
        assert opened.problems() == []
        kept = opened.info().chunkings
    assert kept > 0
    assert index(repo).indexed == 400 - kept


def test_script_without_a_main_guard_can_index(repo: GitSandbox, tmp_path: Path) -> None:
    """Index with workers, which must not run the caller's script again."""
    for number in range(140):
        repo.write(f"f{number}.py", f"def f{number}():\n    pass\n")
    repo.commit()
    script = tmp_path / "script.py"
    script.write_text(
        f"import ragit\nwith ragit.open({str(repo.path)!r}, flags={{'index.workers': 2}}) as index:\n"
        "    print(index.index().indexed)\n    print(index.search('f77', top_k=1).hits[0].path)\n"
    )
    result = subprocess.run([sys.executable, script], capture_output=True, check=True, text=True)
    assert result.stdout.split() == ["140", "f77.py"]


def test_modules_of_the_repository_are_not_imported(repo: GitSandbox) -> None:
    for name in ("apsw", "click", "json", "ragit", "pickle", "numpy", "sitecustomize"):
        repo.write(f"{name}.py", "raise SystemExit('imported from the repository')\n")
    for number in range(140):
        repo.write(f"f{number}.py", f"def f{number}():\n    pass\n")
    repo.commit()
    result = subprocess.run(
        [RAGIT, "index"], cwd=repo.path, capture_output=True, text=True, check=False
    )
    assert (result.returncode, "imported from" in result.stderr) == (0, False)
