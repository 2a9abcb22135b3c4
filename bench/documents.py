"""Measure the time, memory and disk of indexing a folder of documents, for all and by format.

    python bench/documents.py FOLDER ... [--repeat 3] [--out bench/RESULTS.md]

The distinct documents below the folders are copied to a new repository in a temporary folder, and
indexed from nothing; then each format alone. The folders are not changed. The test data of
libraries for documents is a hard test: `pip download --no-deps --no-binary :all: pypdf python-docx
openpyxl python-pptx`, or a clone of Apache POI or Tika.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from processes import Run, load, machine, shown

from bench import Place, command, table, write

SUFFIXES = (
    *(
        ".pdf",
        ".docx",
        ".docm",
        ".dotx",
        ".doc",
        ".rtf",
        ".xlsx",
        ".xlsm",
        ".xls",
        ".pptx",
        ".odt",
        ".ods",
        ".odp",
    ),
    *(".epub", ".ipynb"),
)


def copied(folders: Sequence[Path], to: Path) -> Counter[str]:
    """Copy each distinct document, named by its content, and return the number of each suffix."""
    counts: Counter[str] = Counter()
    for file in sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES
    ):
        if file.is_file() and not file.is_symlink():
            data = file.read_bytes()
            suffix = file.suffix.lower()
            place = to / suffix[1:] / f"{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
            if not place.exists():
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(data)
                counts[suffix] += 1
    return counts


def repository(folder: Path) -> None:
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0"]
    for typed in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "documents"]):
        subprocess.run(["git", *typed], cwd=folder, check=True)


def row(
    name: str, place: Place, runs: Sequence[tuple[Run, dict[str, Any]]], megabytes: float
) -> list[str]:
    """Return format, files, their size, time, files a second, memory, and results."""
    last = runs[-1][1]
    seconds = statistics.median(run.seconds for run, _ in runs)
    skipped = {
        reason: count for reason, count in last["skipped"].items() if reason != "not included"
    }
    files = last["files"] + sum(skipped.values())
    peak = max(run.megabytes for run, _ in runs)
    reasons = ", ".join(
        f"{count} {reason}" for reason, count in sorted(skipped.items(), key=lambda item: -item[1])
    )
    return [
        *(name, str(files), f"{megabytes:.1f} MB", shown(seconds), f"{files / seconds:.0f}/s"),
        *(f"{peak:.0f} MB", f"{last['chunks']:,}", f"{place.stored():.1f} MB", reasons),
    ]


def rows(place: Place, counts: Counter[str], repeat: int) -> Iterator[list[str]]:
    for name, glob in (
        ("all", ""),
        *((suffix[1:], f"**/*{suffix}") for suffix in SUFFIXES if counts[suffix]),
    ):
        if glob:
            place.env["RAGIT_INDEX_INCLUDE"] = glob
        runs = []
        for _ in range(repeat if not glob else 1):
            place.forget()
            runs.append(place.index())
        sizes = (file.stat().st_size for file in place.top.rglob(glob or "*.*") if file.is_file())
        yield row(name, place, runs, sum(sizes) / 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--repeat", type=int, default=3, help="runs of the whole")
    parser.add_argument(
        "--ragit", help="the command to measure; default: beside this Python, else on PATH"
    )
    parser.add_argument("--note", default="", help="a sentence about the documents, for the report")
    parser.add_argument(
        "--out", type=Path, help="file whose section of documents is to be replaced"
    )
    args = parser.parse_args()
    ragit, before = command(args.ragit), load()
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "documents"
        source.mkdir()
        counts = copied(args.folders, source)
        if not counts:
            sys.exit("no documents there")
        repository(source)
        place = Place(source, Path(name), ragit)
        place.env.pop("RAGIT_INDEX_INCLUDE", None)
        head = (
            "documents",
            "files",
            "size",
            "index",
            "files",
            "peak",
            "chunks",
            "on disk",
            "not read",
        )
        measured = table(head, list(rows(place, counts, args.repeat)))
        busy = f"Load average: {before} before, {load()} after. {args.note}".rstrip()
        lines = [
            "## Documents",
            "",
            f"{time.strftime('%Y-%m-%d')}. {machine(ragit)}.",
            busy,
            "",
            *measured,
        ]
    section = "\n".join(lines)
    if args.out:
        write(args.out, "documents", section)
    print(section)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
