"""Tests of `bench/usages.py`: the lines of git grep, and which answers count as right."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from pathlib import Path

import pytest
from sandbox import GitSandbox

sys.path.append(str(Path(__file__).parents[1] / "bench"))
import usages  # noqa: E402
from usages import Place  # noqa: E402

from ragit.usages import Defined, Use  # noqa: E402


def test_grep_comparison_finds_no_missing_line(
    repo: GitSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(9):
        repo.write(f"{number}.py", f"def name_{number}(value):\n    return other(value) # adresă\n")
    repo.write("notes.md", "价格name_1是 name_2, not name_22.\n")
    repo.commit()
    assert usages.grep(repo.path, Namespace(names=12, seed=1)) == 0
    assert "12 names, " in capsys.readouterr().out


def test_letter_beside_a_name_is_detected() -> None:
    line = "adresă adres".encode()
    assert usages.letter_beside(line, 0, 5)
    assert not usages.letter_beside(line, 8, 13)


def counted(certainty: str, definition: str, truth: Place) -> Counter[str]:
    use = Use("a.py", 9, 1, "name()", "call", certainty, 1, definition)
    ours = {
        Place(path, line): Defined(path, line, kind, "name", parent, "")
        for path, line, kind, parent in (
            ("b.py", 1, "function", ""),
            ("b.py", 5, "function", ""),
            ("b.py", 7, "method", "Type"),
            ("c.h", 3, "declaration", ""),
        )
    }
    counts: Counter[str] = Counter()
    usages.judge(use, {truth}, ours, counts, show=False)
    return counts


@pytest.mark.parametrize(
    ("definition", "truth", "right"),
    [
        ("b.py:1", Place("b.py", 1), 1),
        ("b.py:1", Place("b.py", 5), 1),  # an overload
        ("b.py:1", Place("b.py", 7), 0),  # a member of the same name
        ("b.py:1", Place("c.h", 3), 1),  # its declaration
        ("b.py:1", Place("d.py", 1), 0),
        ("", Place("b.py", 1), 0),
    ],
)
def test_judge_accepts_overloads_and_declarations(
    definition: str, truth: Place, right: int
) -> None:
    counts = counted("import", definition, truth)
    assert (counts["import judged"], counts["import right"]) == (1, right)
    assert counts["wanted"] == (truth.path != "d.py")
    assert counts["found"] == (right if truth.path != "d.py" else 0)


def test_report_lists_unique_names_separately(capsys: pytest.CaptureFixture[str]) -> None:
    counts = counted("unique", "b.py:1", Place("d.py", 1)) + counted(
        "import", "b.py:1", Place("b.py", 1)
    )
    usages.report("made", counts)
    out = capsys.readouterr().out
    assert "precision 1.000 of 1, recall 1.000 of 1" in out
    assert "unique           0 of 1" in out
