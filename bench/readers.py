"""Compare the document readers of two checkouts: words kept, processor time, memory, by format.

    python bench/readers.py OLD FOLDER ... [--list 20] [--out bench/RESULTS.md]

OLD is another checkout of ragit, for example `git worktree add ../old COMMIT`. Each document below
the folders is read by both checkouts, in one process for each format and checkout, with the limits
of indexing: one gigabyte of memory, 20 seconds of processor time for a file. A word is two or more
letters or digits; words are counted once a file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from documents import SUFFIXES
from processes import load, machine, shown

from bench import command, table, write

SECONDS = 20
"""Limit of processor time for one file, after which a signal ends the process."""

WORKER = """
import json, logging, os, re, resource, signal, sys, time
logging.disable()
out, kind = os.fdopen(os.dup(1), "w"), sys.argv[1]
os.dup2(2, 1)
from ragit.chunk.documents.frame import prepare, read
from ragit.chunk.options import DocumentOptions
prepare(kind)
# What an interpreter with its readers needs at least is no memory of a document.
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
for line in sys.stdin:
    data = open(line.rstrip("\\n"), "rb").read()
    before = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, int(sys.argv[2]))
    found = read(data, kind, DocumentOptions())
    signal.setitimer(signal.ITIMER_PROF, 0)
    spent = time.process_time() - before
    words = sorted(set(re.findall(r"\\w\\w+", found.text.decode().lower())))
    # Unlike the maximum of getrusage, it does not count what the parent held before the fork.
    peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
    out.write(json.dumps([found.skipped, words, spent, peak, len(found.chunks)]) + "\\n")
    out.flush()
"""

LANGUAGES = {"docm": "docx", "dotx": "docx", "xlsm": "xlsx", "ipynb": "notebook"}
"""Language of a suffix, if it has another name."""


class Outcome(NamedTuple):
    """The result of reading one document."""

    skipped: str
    words: frozenset[str]
    seconds: float
    megabytes: int
    chunks: int


class Reader:
    """A process in which one checkout reads documents of one format, restarted after a crash."""

    def __init__(self, checkout: Path, language: str) -> None:
        self._command = [sys.executable, "-c", WORKER, language, str(SECONDS)]
        self._env = {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "PATH": ""}
        self._process: subprocess.Popen[str] | None = None

    def read(self, path: Path) -> Outcome:
        """Return the outcome of one document. The reason may be the signal that ended the
        process.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            ended = self._process.wait()
            self._process = None
            return Outcome(f"ended by {ended}", frozenset(), SECONDS, 0, 0)
        skipped, words, *rest = json.loads(answer)
        return Outcome(skipped, frozenset(words), *rest)

    def end(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            self._process.stdin.close()
            self._process.wait()


class Compared(NamedTuple):
    """One document read by both checkouts."""

    path: Path
    old: Outcome
    new: Outcome

    @property
    def lost(self) -> frozenset[str]:
        return self.old.words - self.new.words

    @property
    def gained(self) -> frozenset[str]:
        return self.new.words - self.old.words


def compared(files: Sequence[Path], old: Path, new: Path) -> Iterator[Compared]:
    suffix = files[0].suffix.lower()[1:]
    language = LANGUAGES.get(suffix, suffix)
    readers = [Reader(checkout, language) for checkout in (old, new)]
    for path in files:
        yield Compared(path, *(reader.read(path) for reader in readers))
    for reader in readers:
        reader.end()


def row(name: str, both: Sequence[Compared]) -> list[str]:
    """Return a line of the report."""
    words = sum(len(one.old.words) for one in both)
    lost = sum(len(one.lost) for one in both)
    gained = sum(len(one.gained) for one in both)
    read_old, read_new = (
        sum(bool(one[side].words) for one in both) for side in (1, 2)
    )  # by position: old, new
    return [
        *(name, str(len(both)), f"{read_old} : {read_new}", f"{words:,}"),
        *(f"{100 * (words - lost) / (words or 1):.2f} %", f"{100 * gained / (words or 1):.2f} %"),
        " : ".join(shown(sum(one[side].seconds for one in both)) for side in (1, 2)),
        " : ".join(shown(max(one[side].seconds for one in both)) for side in (1, 2)),
        " : ".join(f"{max(one[side].megabytes for one in both)} MB" for side in (1, 2)),
        f"{sum(one.old.chunks for one in both):,} : {sum(one.new.chunks for one in both):,}",
    ]


def differences(both: Sequence[Compared], most: int) -> Iterator[str]:
    """Describe the documents that lost most words, and those that only one checkout reads."""
    for one in sorted(both, key=lambda each: -len(each.lost))[:most]:
        if one.lost:
            some = " ".join(sorted(one.lost)[:8])
            yield f"lost {len(one.lost)} of {len(one.old.words)}: {one.path} ({some})"
    for one in both:
        if bool(one.old.words) != bool(one.new.words) or one.old.skipped != one.new.skipped:
            yield f"{one.old.skipped or 'read'} -> {one.new.skipped or 'read'}: {one.path}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--formats", default="", help="suffixes to compare, for example pdf,docx")
    parser.add_argument("--list", type=int, default=0, help="documents to name for each format")
    parser.add_argument("--note", default="", help="a sentence about the documents, for the report")
    parser.add_argument("--out", type=Path, help="file whose section of readers is to be replaced")
    args = parser.parse_args()
    new, before = Path(__file__).parent.parent, load()
    wanted = args.formats.split(",") if args.formats else [suffix[1:] for suffix in SUFFIXES]
    found = sorted({path for folder in args.folders for path in folder.rglob("*.*")})
    rows, signals = [], Counter[str]()
    for suffix in wanted:
        files = [path for path in found if path.suffix.lower() == f".{suffix}" and path.is_file()]
        if not files:
            continue
        both = list(compared(files, args.old, new))
        rows.append(row(suffix, both))
        signals.update(one.new.skipped for one in both if one.new.skipped.startswith("ended"))
        signals.update(f"old: {one.old.skipped}" for one in both if "ended" in one.old.skipped)
        if args.list:
            print("\n".join(differences(both, args.list)), flush=True)
    head: Sequence[Any] = ("format", "files", "read", "words", "kept", "more")
    head = (*head, "seconds", "slowest", "peak", "chunks")
    ended = ", ".join(f"{count} {what}" for what, count in sorted(signals.items())) or "none"
    lines = [
        "## Readers of documents, before and after",
        "",
        f"{time.strftime('%Y-%m-%d')}. {machine(command(None))}.",
        f"Load average: {before} before, {load()} after. Processor time. {args.note}".rstrip(),
        "",
        *table(head, rows),
        "",
        f"Processes that a signal ended: {ended}.",
    ]
    section = "\n".join(lines)
    if args.out:
        write(args.out, "readers", section)
    print(section)


if __name__ == "__main__":
    main()
