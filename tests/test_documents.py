"""Tests of documents from a commit to a hit: stored texts, shown places, counts of unreadable
files, and hostile files.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sandbox import GitSandbox

sys.path.append(str(Path(__file__).parent / "chunk" / "documents"))
from making import IN_TABLE, ROW_END, content, docx, encrypted, outlined, p, pdf, table, word97  # noqa: E402
from packing import xlsx  # noqa: E402

import ragit  # noqa: E402
from ragit import render  # noqa: E402
from ragit.index.run import run
from ragit.store import Store, schema  # noqa: E402
from ragit.types import Oid  # noqa: E402

WORDS = "gearbox lubrication interval temperature bearing shaft coupling torque alignment vibration noise seal".split()


def page(number: int) -> list[Any]:
    return [f"The {word} of unit {number} is checked every week by hand" for word in WORDS[:6]]


@pytest.fixture
def filled(repo: GitSandbox) -> GitSandbox:
    """Return a repository with one document of each kind, and some unreadable ones."""
    manual = outlined(
        pdf([page(1), page(2), ["Disposal", ("Oil is collected in drums.", 30)]]),
        [("Disposal", 3, 0)],
    )
    repo.write("docs/manual.pdf", manual)
    repo.write(
        "docs/plan.docx",
        docx(p("Budget", "H1") + table([["Item", "Cost"], ["turbine blade", "900"]])),
    )
    rows = [
        ("Item\x07", 0, IN_TABLE),
        ("\x07", 0, ROW_END),
        ("flywheel\x07", 0, IN_TABLE),
        ("\x07", 0, ROW_END),
    ]
    repo.write("docs/old.doc", word97([("Stock\r", 1, b""), *rows]))
    repo.write("docs/secret.pdf", encrypted(pdf([["x"]]), "password", "AES-256"))
    repo.write("docs/scan.pdf", pdf([[]], scanned=[1]))
    repo.write("docs/broken.docx", docx(p("x"))[:300])
    repo.write("a.py", "def turbine():\n    pass\n")
    repo.commit()
    return repo


def search(repo: GitSandbox, query: str, **options: Any) -> list[ragit.Hit]:
    with ragit.open(repo.path) as opened:
        return list(opened.search(query, **options).hits)


def derived(repo: GitSandbox) -> int:
    with Store(repo.store, writable=False) as store:
        return len(store._db.execute("SELECT * FROM derived").fetchall())


def test_hits_in_documents_have_a_place(filled: GitSandbox) -> None:
    (hit, *_) = search(filled, "oil drums disposal", optimize=False)
    assert (hit.path, hit.place, hit.symbol, hit.kind, hit.language) == (
        *("docs/manual.pdf", "page 3", "Disposal", "section", "pdf"),
    )
    assert hit.text == "Disposal\n\nOil is collected in drums."
    (row, *_) = search(filled, "turbine blade cost", paths=["docs/*"])
    assert (row.path, row.text) == ("docs/plan.docx", "Budget\n\nItem | Cost\nturbine blade | 900")
    (old, *_) = search(filled, "flywheel")
    assert (old.path, old.parent, old.symbol) == ("docs/old.doc", "", "Stock")
    assert derived(filled) == 3


def test_adjacent_hits_in_a_sheet_are_merged(
    repo: GitSandbox,
) -> None:
    repo.write(
        "b.xlsx",
        xlsx({"Fleet": {f"A{n}": f"zeppelin number {n} of the fleet" for n in range(1, 91)}}),
    )
    repo.commit()
    alone = search(repo, "zeppelin", optimize=False)
    assert len({hit.place for hit in alone}) > 1
    (hit, *_) = search(repo, "zeppelin")
    assert hit.optimized is not None and len(hit.optimized.merged_from) == len(alone)
    assert hit.place == "sheet Fleet rows 1-90"
    assert hit.text.count("zeppelin number") == 90
    assert len(hit.text.split("\n")) == hit.end_line - hit.start_line + 1


def ragit_output(repo: GitSandbox, *args: str) -> str:
    command = [
        sys.executable,
        "-m",
        "ragit",
        "-c",
        "retrieval.contextOptimization.enabled=false",
        *args,
    ]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, check=False)
    return done.stdout.decode()


def test_hits_do_not_span_sheets(repo: GitSandbox) -> None:
    letters = (
        "abcdefghijklmnopqrstuvwxyz"  # the sheets differ, or one would be dropped as a duplicate
    )
    budget, staff = (
        {f"A{n}": f"zeppelin {what}{letter}" for n, letter in enumerate(letters, 1)}
        for what in "xy"
    )
    repo.write("b.xlsx", xlsx({"Budget": budget, "Staff": staff}))
    repo.commit()
    assert {hit.place for hit in search(repo, "zeppelin")} == {
        "sheet Budget rows 1-26",
        "sheet Staff rows 1-26",
    }


def test_hits_do_not_span_pages(repo: GitSandbox) -> None:
    words = ("alpha", "beta", "gamma")
    pages = [
        [f"The zeppelin {word}{n} flies over {word}land{n}." for n in range(8)] for word in words
    ]
    repo.write("b.pdf", pdf(pages))
    repo.commit()
    assert {hit.place for hit in search(repo, "zeppelin")} == {"page 1", "page 2", "page 3"}


def test_every_format_shows_the_place(filled: GitSandbox) -> None:
    head, title, first, *_ = ragit_output(filled, "search", "oil drums").splitlines()
    assert head == "docs/manual.pdf  page 3"
    assert title.startswith("  Disposal  section  ")
    assert first == "  Disposal"
    (result, *_) = json.loads(ragit_output(filled, "search", "--json", "oil drums"))["results"]
    assert result["location"] == "page 3"
    assert "docs/manual.pdf:17:1:[page 3] Oil is" in ragit_output(
        filled, "search", "--format", "vimgrep", "oil drums"
    )
    assert "page 3, `Disposal`, section" in ragit_output(
        filled, "search", "--format", "markdown", "oil drums"
    )


def test_unreadable_documents_are_counted_by_reason(filled: GitSandbox) -> None:
    with ragit.open(filled.path) as opened:
        opened.index()
        skipped = dict(opened.status().skipped)
    assert skipped == {"password-protected": 1, "no text (scanned)": 1, "damaged docx": 1}
    assert "no text (scanned)" in ragit_output(filled, "status")


def test_document_settings_are_part_of_the_key(filled: GitSandbox) -> None:
    search(filled, "oil")
    filled.git("config", "ragit.documents.maxPages", "2")
    assert not any(hit.place == "page 3" for hit in search(filled, "oil drums disposal"))
    filled.git("config", "ragit.documents.enabled", "false")
    with ragit.open(filled.path) as opened:
        opened.index()
        assert dict(opened.status().skipped) == {"documents.enabled is false": 6}
    filled.git("config", "--remove-section", "ragit.documents")
    with ragit.open(filled.path) as opened:
        assert opened.index().indexed == 0, "the chunks of before are still stored"
        opened.gc()
    assert derived(filled) == 3


def test_gc_drops_the_text_of_removed_documents(filled: GitSandbox) -> None:
    search(filled, "oil")
    filled.rm("docs")
    filled.git("add", "-A")
    filled.git("commit", "-q", "--amend", "-m", "none")
    filled.git("reflog", "expire", "--expire=all", "--expire-unreachable=all", "--all")
    with ragit.open(filled.path) as opened:
        opened.gc()
    assert derived(filled) == 0


def test_documents_have_their_own_size_limit(repo: GitSandbox) -> None:
    repo.git("config", "ragit.index.maxFileBytes", "100")
    repo.git("config", "ragit.documents.maxFileBytes", "5000")
    repo.write("small.pdf", pdf([["Some words"]]))
    repo.write("large.pdf", pdf([["Some words"]]) + b"%" * 5000)
    repo.write("code.py", "x = 1\n" * 100)
    repo.commit()
    with ragit.open(repo.path) as opened:
        assert opened.index().indexed == 3
        assert dict(opened.status().skipped) == {"too large": 2}
    repo.git(
        "config", "ragit.documents.maxFileBytes", "100000"
    )  # another limit gives another result for the same tree
    with ragit.open(repo.path) as opened:
        opened.index()
        assert dict(opened.status().skipped) == {"too large": 1}


def test_workers_do_not_change_the_hits(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(140):
        repo.write(f"{number}.docx", docx(p(f"Title {number}", "H1") + p(WORDS[number % 12] * 2)))
    repo.commit()
    found = []
    for workers in ("1", "2"):
        repo.git("config", "ragit.index.workers", workers)
        repo.git("config", "ragit.index.storePath", f"ragit/{workers}.db")
        found.append(
            [
                (hit.path, hit.place, round(hit.score, 9))
                for hit in search(repo, "gearboxgearbox title")
            ]
        )
    assert found[0] == found[1] != []


def slow_pdf() -> bytes:
    return pdf([content(["x"]) + b"\nBT /F1 9 Tf" + b" 1 0 0 1 5 5 cm (a) Tj" * 3_000_000 + b" ET"])


def test_slow_document_is_skipped_alone(repo: GitSandbox) -> None:
    repo.git("config", "ragit.documents.maxSeconds", "2")
    repo.write("a.pdf", pdf([["Before"]]))
    repo.write("b.pdf", slow_pdf())
    repo.write("c.pdf", pdf([["After it"]]))
    repo.commit()
    with ragit.open(repo.path) as opened:
        assert opened.index().indexed == 3
        assert dict(opened.status().skipped) == {"took too long": 1}
    assert {hit.path for hit in search(repo, "before after")} == {"a.pdf", "c.pdf"}


def processes_with(mark: str) -> set[int]:
    """Return the processes whose environment contains a mark."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if mark.encode() in (folder / "environ").read_bytes():
                    found.add(int(folder.name))
            except OSError:
                continue
    return found - {os.getpid()}


def command_lines(mark: str) -> str:
    """Return the command lines of marked processes."""
    result = b""
    for pid in processes_with(mark):
        with suppress(OSError):  # the process has ended
            result += Path(f"/proc/{pid}/cmdline").read_bytes()
    return result.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_index_leaves_no_process(repo: GitSandbox, number: int, workers: str) -> None:
    repo.git("config", "ragit.index.workers", workers)
    repo.write("slow.pdf", slow_pdf())
    for count in range(140):
        repo.write(f"{count}.py", f"x = {count}\n")
    repo.commit()
    mark = f"RAGIT_TEST_MARK={repo.path}{number}{workers}"
    environment = {**os.environ, **dict([mark.split("=", 1)])}
    popen = subprocess.Popen(
        [sys.executable, "-m", "ragit", "index", "-q"], cwd=repo.path, env=environment
    )
    until = time.monotonic() + 60
    while (
        "ragit.chunk.serve" not in command_lines(mark) and time.monotonic() < until
    ):  # reading slow.pdf takes minutes
        time.sleep(0.05)
    assert command_lines(mark).count("ragit.index.run.worker_pool") >= (2 if workers == "2" else 0)
    time.sleep(1)
    assert "ragit.chunk.serve" in command_lines(mark)
    popen.send_signal(number)
    popen.wait(60)
    until = time.monotonic() + 60
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes_with(mark)


def test_store_of_version_1_is_migrated(repo: GitSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "def turbine():\n    pass\n")
    repo.commit()
    store = repo.store
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        before.setattr(schema, "VERSION", 1)
        Store(store, writable=True).close()
    with ragit.open(repo.path) as opened:
        assert (opened.status().exists, opened.status().older) == (False, True)
        assert "the index has an older format" in "".join(
            render.index_text(opened.index(dry_run=True), render.PLAIN)
        )
        assert "has an older format" in "".join(render.status_text(opened.status(), render.PLAIN))
        assert (opened.check().indexed, opened.check().missing) == (True, ("a.py",)), (
            "an outdated index is not reported as missing"
        )
        assert opened.check(fix=True).fresh
        assert (opened.status().exists, opened.status().older) == (True, False)
    assert [hit.place for hit in search(repo, "turbine")] == [""]
    repo.write("b.pdf", pdf([["turbine"]]))
    assert {hit.place for hit in search(repo, "turbine")} == {"", "page 1"}


def test_batches_hold_few_documents() -> None:
    """A kill loses the batch in progress: some seconds of work, not minutes."""
    keys = [
        (Oid(f"{number:040x}"), "pdf" if number % 3 == 0 else "python", "f")
        for number in range(100)
    ]
    batches = list(run._cut(keys, size=lambda: run.BATCH_FILES))
    assert [key for batch in batches for key in batch] == keys
    assert all(
        sum(key[1] == "pdf" for key in batch) <= run.BATCH_FILES // run.DOCUMENT_WEIGHT
        for batch in batches
    )
    assert list(run._cut(keys[:1], size=lambda: 1)) == [keys[:1]]
    light = keys[1:3] * 60
    assert [len(batch) for batch in run._cut(light, size=lambda: run.BATCH_FILES)] == [48, 48, 24]
    sizes = iter((1, 10, 200))
    growing = [len(batch) for batch in run._cut(light, size=lambda: next(sizes))]
    assert growing == [1, 10, 109], "the size is asked for when a batch begins"
