"""Rank the queries of queries.txt on the repository beside this file, and compare with golden.txt.

usage: python tests/rank/golden.py [--write]

Prints how the ranking differs from golden.txt; --write updates the file. Each hit is one line: its
rank, path and lines, symbol, score, and the parts of the score.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "chunk" / "documents")]

from making import docx, p, table  # noqa: E402
from sandbox import GitSandbox, clean_environment, set_environment  # noqa: E402

import ragit  # noqa: E402
from ragit.types import Hit  # noqa: E402

REPOSITORY = HERE / "repository"
QUERIES = HERE / "queries.txt"
GOLDEN = HERE / "golden.txt"

HITS = 4
"""Hits recorded for each query."""


def make_repository(at: Path) -> GitSandbox:
    """Commit the files of the golden repository, and a document, to a fresh repository."""
    repo = GitSandbox(at)
    for file in sorted(REPOSITORY.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            repo.write(str(file.relative_to(REPOSITORY)), file.read_bytes())
    rows = [["Reason", "Days"], ["parental leave", "60"], ["moving house", "1"]]
    body = p("Staff handbook", "H1") + p("Employees of the warehouse work in shifts.") + table(rows)
    repo.write("docs/handbook.docx", docx(body))
    repo.commit()
    return repo


def queries() -> list[tuple[str, str]]:
    """Return (shape, query) of every line of queries.txt."""
    found: list[tuple[str, str]] = []
    shape = ""
    for line in QUERIES.read_text("utf-8").splitlines():
        if line.startswith("## "):
            shape = line[3:]
        elif line and not line.startswith("# "):
            found.append((shape, line))
    return found


def hit_line(hit: Hit, place: int) -> str:
    """Return the line that golden.txt has for a hit."""
    parts = " ".join(f"{name}={value:+.3f}" for name, value in sorted(hit.signals.items()))
    where = f"{hit.path}:{hit.start_line}-{hit.end_line}"
    return f"{place}. {where} [{hit.symbol}] {hit.score:.3f} = {parts}"


def ranking(repo: GitSandbox) -> str:
    """Return the text of golden.txt as the ranking is now."""
    lines: list[str] = []
    with ragit.open(repo.path) as index:
        index.index()
        for shape, query in queries():
            hits = index.search(query, scope="committed", top_k=HITS, optimize=False).hits
            lines.append(f"# {shape}: {query}")
            lines += [hit_line(hit, place) for place, hit in enumerate(hits, 1)] or ["no hits"]
            lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Show the difference to golden.txt, and with --write update it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="Replace golden.txt.")
    write: bool = parser.parse_args().write
    scratch = Path(tempfile.mkdtemp())
    try:
        set_environment(clean_environment(scratch))
        now = ranking(make_repository(scratch / "repo"))
    finally:
        shutil.rmtree(scratch)
    before = GOLDEN.read_text("utf-8") if GOLDEN.exists() else ""
    names = ("golden.txt", "now")
    sys.stdout.writelines(
        line.rstrip("\n") + "\n"
        for line in difflib.unified_diff(
            before.splitlines(), now.splitlines(), *names, n=2, lineterm=""
        )
    )
    if write:
        GOLDEN.write_text(now, "utf-8")


if __name__ == "__main__":
    main()
