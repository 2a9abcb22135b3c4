"""Tests of the benchmark for users: its figures are right, and it changes no repository."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from describing import Model
from sandbox import GitSandbox
from serving import chat_answer

import ragit

sys.path.append(str(Path(__file__).parent / "chunk" / "documents"))
sys.path.append(str(Path(__file__).parents[1] / "bench"))
from making import docx, p, pdf  # noqa: E402
from mutate import MUTANTS, TOP, mutants, mutated  # noqa: E402
from pairs import bounds  # noqa: E402

BENCH = Path(__file__).parents[1] / "bench" / "bench.py"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0] * 7, (1.0, 1.0)),
        (list(range(21)), (5, 15)),
        ([3.0, 1.0, 2.0], (1.0, 3.0)),
        ([5.0], (5.0, 5.0)),
    ],
)
def test_bounds_of_a_median(values: list[float], expected: tuple[float, float]) -> None:
    """With 21 values, the sixth and the sixteenth (any table of the sign test)."""
    assert bounds(values) == expected


def test_two_versions_are_compared(repo: GitSandbox, tmp_path: Path) -> None:
    # CI tests a copy without history, so this makes a repository of its own.
    source = GitSandbox(tmp_path / "source")
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(ragit.__file__).parent, source.path / "ragit", ignore=skip)
    shutil.copytree(BENCH.parent, source.path / "bench", ignore=skip)
    source.commit()
    for number in range(3):
        repo.write(f"part{number}.py", f"def close_connection_{number}():\n    pass\n")
    repo.commit()
    before = repo.git("status", "--porcelain"), repo.git("for-each-ref")
    command = [sys.executable, str(source.path / "bench" / "pairs.py"), str(repo.path)]
    command += ["--against", "HEAD", "--runs", "2", "--expect", "0.001"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # no version takes a thousandth
    assert re.search(r"^search: \d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\), 2 pairs$", done.stdout, re.M)
    assert "search after an edit: " in done.stdout
    assert (repo.git("status", "--porcelain"), repo.git("for-each-ref")) == before


def test_scale_script_reports_each_search(tmp_path: Path) -> None:
    for name in ("one", "two/deeper"):
        source = GitSandbox(tmp_path / "sources" / name)
        for number in range(4):
            source.write(f"part{number}.py", f"def close_connection_{number}():\n    pass\n")
            source.commit()
    out, scratch = tmp_path / "RESULTS.md", tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, str(BENCH.with_name("scale.py")), str(tmp_path / "sources")]
    command += ["--files", "9", "--revisions", "2", "--repeat", "1"]
    command += ["--scratch", str(scratch), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = out.read_text().splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| search")]
    assert [row[0].removeprefix("| ") for row in rows] == [
        "search, committed",
        "search, with the working tree",
        "search after an edit",
        "search after a switch",
        "search, blobs absent",
    ]
    assert "9 files, 4 chunks" in out.read_text()
    assert not list(scratch.iterdir())
    memory = [[int(cell.removesuffix(" MB")) for cell in row[3:5]] for row in rows]
    assert all(10 < private < resident < 1000 for resident, private in memory), memory


def test_vectors_script_reports_scan_times() -> None:
    command = [
        sys.executable,
        str(BENCH.with_name("vectors.py")),
        "--chunks",
        "900",
        "--repeat",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        r"900 chunks, 0 MB: nearest \d+ ms, of it reading rows \d+ ms\n"
        r"in a process that stays \d+ ms, and \d+ ms once\n",
        done.stdout,
    )


def test_bench_script_on_a_small_repository(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(3):
        repo.write(
            f"part{number}.py", f"def close_connection_{number}():\n    return {number}\n" * 3
        )
        repo.commit()
    repo.write("part0.py", "uncommitted = True\n")
    before = repo.git("status", "--porcelain"), repo.git("for-each-ref")
    out = tmp_path / "RESULTS.md"
    old = "<!-- bench small: begin -->\n## small, of old\n<!-- bench small: end -->\n"
    out.write_text(f"# Results\n\n{old}\nkept\n", encoding="utf-8")
    command = [sys.executable, str(BENCH), str(repo.path), "--name", "small", "--out", str(out)]
    command += ["--repeat", "1", "--scale", "--query", "close connection"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert "kept" in text
    assert text.count("## small, ") == 1
    rows = dict(re.findall(r"^\| ([a-z0-9 ]+) \| (.*) \|$", text, re.MULTILINE))
    assert "3 files, 9 chunks" in rows["index from nothing"]
    assert "switching 0" in rows["search after a switch"]
    assert "the index grew by 0.0 MB" in rows["search in a second worktree"]
    assert {
        "search",
        "search after an edit",
        "index one more tag",
        "1x",
        "2x",
        "4x",
    } < rows.keys()
    assert rows["4x"].startswith("3 | 9 |")
    assert (repo.git("status", "--porcelain"), repo.git("for-each-ref")) == before
    assert not (repo.path / ".git" / "ragit").exists()


def test_peers_script_compares_other_tools(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(3):
        repo.write(f"part{number}.py", f"def close_connection_{number}():\n    pass\n")
    repo.commit()
    before = repo.git("status", "--porcelain"), repo.git("for-each-ref")
    out = tmp_path / "RESULTS.md"
    script = BENCH.with_name("peers.py")
    command = [sys.executable, str(script), str(repo.path), "--repeat", "1", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\| ([a-z ]*) \| ([a-z ]+) \| .* \| (\d+\.\d\d) \|$", done.stdout, re.M)
    assert ("search", "ragit", "1.00") in rows
    assert "git grep" in [tool for _, tool, _ in rows]
    assert "<!-- bench peers " in out.read_text(encoding="utf-8")
    assert (repo.git("status", "--porcelain"), repo.git("for-each-ref")) == before


def test_warm_script_reports_queries_by_kind(repo: GitSandbox, tmp_path: Path) -> None:
    for number in range(12):
        repo.write(f"shop{number}.py", f"def close_connection_{number}():\n    return {number}\n")
    repo.commit()
    script, out = BENCH.with_name("warm.py"), tmp_path / "RESULTS.md"
    command = [sys.executable, str(script), str(repo.path), "--queries", "4", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # 1 if a warm answer is not the cold one
    rows = re.findall(r"^\| (.+?) \| (\d+) \| \d+ ms ", out.read_text(), re.MULTILINE)
    assert rows[0] == ("all", "4")
    assert rows[1:4] == [("a name", "1"), ("a name with its owner", "1"), ("words", "1")]


def test_documents_script_reports_by_format(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.docx").write_bytes(docx(p("One") + p("Two")))
    (folder / "same.docx").write_bytes(docx(p("One") + p("Two")))
    (folder / "b.pdf").write_bytes(pdf([["Words"]]))
    (folder / "c.pdf").write_bytes(pdf([[]], scanned=[1]))
    out = tmp_path / "RESULTS.md"
    script = BENCH.with_name("documents.py")
    command = [sys.executable, str(script), str(folder), "--repeat", "1", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = dict(
        re.findall(r"^\| ([a-z]+) \| (.*) \|$", out.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert rows["all"].startswith("3 | ") and rows["all"].endswith("1 no text (scanned)")
    assert rows["docx"].startswith("1 | ") and rows["pdf"].startswith("2 | ")


def test_models_script_reports_each_use_of_a_model(repo: GitSandbox, tmp_path: Path) -> None:
    """The server gives descriptions and variants, but no order for the reranker."""
    for name in ("offsets", "config"):
        repo.write(f"{name}.py", f"def read_{name}(path):\n    return path.read_text()\n")
    repo.commit()
    (tmp_path / "specs.json").write_text(
        json.dumps([{"name": repo.path.name, "language": "python"}])
    )
    asked = [
        {"query": "read the offsets", "relevant": ["offsets.py"]},
        {"query": "config", "relevant": ["config.py"]},
    ]
    (tmp_path / f"{repo.path.name}.json").write_text(json.dumps(asked))
    command = [sys.executable, str(BENCH.with_name("models.py")), "--repos", str(repo.path.parent)]
    command += ["--specs", str(tmp_path / "specs.json"), "--annotations", str(tmp_path)]
    with Model() as model:
        model.faults["Query: "] = chat_answer("settings reader")
        command += ["--chat", f"{model.url}/v1", "--model", "teller"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = dict(re.findall(r"^\| ([a-z]+) \| (.*) \|$", done.stdout, re.MULTILINE))
    assert rows["without"].startswith("2 | 1.000 |  |  | 1.000 |")
    refused = {name: row.rpartition(" ")[2] for name, row in rows.items() if name != "help"}
    assert refused == {"without": "0", "descriptions": "0", "rewriting": "0", "listwise": "2"}
    assert "2 chunks described, 0 not" in done.stdout


def test_every_mutant_applies_and_compiles() -> None:
    listed = mutants(MUTANTS.read_text(encoding="utf-8"))
    assert len(listed) == len(set(listed)) == 60
    for mutant in listed:
        source = (TOP / mutant.file).read_text(encoding="utf-8")
        changed = mutated(source, mutant)
        assert changed != source
        compile(changed, mutant.file, "exec")
        assert mutant.tests
        for test in mutant.tests:
            assert (TOP / test.partition("::")[0]).exists(), test


def test_mutant_with_missing_or_ambiguous_line_is_an_error() -> None:
    (mutant,) = mutants("# a comment\n@ tests/rank\n== a.py\n- x = 1\n+ x = 2\n")
    assert mutated("if x:\n    x = 1\n", mutant) == "if x:\n    x = 2\n"
    for source in ("x = 3\n", "x = 1\nx = 1\n"):
        with pytest.raises(ValueError, match="a.py"):
            mutated(source, mutant)
    with pytest.raises(ValueError, match="mutants.txt:1"):
        mutants("+ x = 2\n")
