"""Measure ragit on a large tree, made of many repositories side by side.

    python bench/scale.py FOLDER [--files 145000] [--revisions 3] [--out bench/RESULTS.md]

FOLDER holds repositories, bare or not, at most two levels down. Their trees are put beside each
other, each in some revisions (`git read-tree --prefix`), the newest of all repositories first,
until `--files` is reached; the last one is cut. Objects are borrowed, not copied, and missing files
are left out. The working tree and the index are written to a temporary folder; nothing else
changes.

Measured are the first index, and searches as whole processes: of the commit, with the working tree,
after an edit, after a switch to a commit that differs in some hundred files, and of a tree with
missing blobs. Memory of an index run is the proportional set size of all its processes. Memory of a
search is its peak resident size, and its part without pages of mapped files, sampled every few
milliseconds.

Standard library only. Run it on an idle machine: the load before and after is part of the report.
"""

from __future__ import annotations

import argparse
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import family, load, machine, processor, run, shown

from bench import QUERIES, Place, command, grown, table, write

SAMPLE_S = 0.004
"""Interval in seconds of memory samples of a search, which takes some hundreds of milliseconds."""
ABSENT = 25
"""Files of the tree whose blobs are missing."""
SWITCHED = 300
"""Most files that differ between the two switched commits."""


def repositories(folder: Path) -> dict[str, Path]:
    """Return the git directories at most two levels below a folder, by name at the first level."""
    found = {}
    for place in sorted(folder.iterdir()):
        for git in (place, place / ".git", *sorted(place.glob("*")), *sorted(place.glob("*/.git"))):
            if (git / "HEAD").is_file() and (git / "objects").is_dir():
                found.setdefault(place.name, git.resolve())
    return found


class LargeTree:
    """A scratch repository whose commit holds other repositories' trees as folders."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.top = place.top

    def make(self, sources: Mapping[str, Path], files: int, revisions: int) -> None:
        """Write the commits `bench-tree`, `bench-other` and `bench-absent`, and check out the
        first.
        """
        self.top.mkdir(parents=True)
        self.place.git("init", "-q", "-b", "main")
        for name in ("gc.auto", "maintenance.auto"):
            self.place.git("config", name, "0")
        lent = "".join(f"{source / 'objects'}\n" for source in sources.values())
        (self.top / ".git" / "objects" / "info" / "alternates").write_text(lent)
        self._read(sources, files, revisions)
        self._remove(self._lacking())
        first = self._commit("bench-tree")
        self._exchange(self._listed()[:: max(1, files // SWITCHED)])
        self._commit("bench-other")
        self.place.git("read-tree", first)
        self._lose(self._listed()[:: max(1, files // ABSENT)][:ABSENT])
        self._commit("bench-absent")
        self.place.git("read-tree", first)
        self.place.git("checkout", "-q", "-f", "bench-tree")

    def _read(self, sources: Mapping[str, Path], files: int, revisions: int) -> None:
        """Read trees into the index, until it has `files` files."""
        listed: set[str] = set()
        for number in range(revisions):
            for name, source in sources.items():
                commit = _revision(source, number, revisions, self.place)
                if commit is None:
                    continue
                self.place.git("read-tree", f"--prefix={name}-{number}/", commit)
                before, listed = listed, set(self._listed())
                if len(listed) >= files:
                    self._remove(sorted(listed - before)[files - len(before) :])
                    return

    def _listed(self) -> list[str]:
        """Return the lines of the index, without submodules."""
        lines = self.place.git("ls-files", "-s", "-z").split("\0")
        return [line for line in lines if line and not line.startswith("160000")]

    def _lacking(self) -> list[str]:
        """Return the lines of files whose blob no repository has."""
        lines = self._listed()
        asked = "".join(f"{line.split()[1]}\n" for line in lines)
        said = self.place.git("cat-file", "--batch-check", "--buffer", text=asked).splitlines()
        pairs = zip(lines, said, strict=True)
        return [line for line, answer in pairs if answer.endswith("missing")]

    def _remove(self, lines: Sequence[str]) -> None:
        self._update(f"0 {'0' * 40}\t{_path(line)}" for line in lines)

    def _exchange(self, lines: Sequence[str]) -> None:
        """Give each of these files of the index the blob of the next one."""
        blobs = [line.split()[1] for line in lines]
        pairs = zip(lines, blobs[1:] + blobs[:1], strict=True)
        self._update(f"100644 {blob}\t{_path(line)}" for line, blob in pairs)

    def _lose(self, lines: Sequence[str]) -> None:
        """Give files of the index blobs that no repository has."""
        self._update(f"100644 {at:040x}\t{_path(line)}" for at, line in enumerate(lines, 1))

    def _update(self, lines: Iterable[str]) -> None:
        text = "".join(f"{line}\0" for line in lines)
        self.place.git("update-index", "-z", "--index-info", text=text)

    def _commit(self, branch: str) -> str:
        tree = self.place.git("write-tree", "--missing-ok")
        commit = self.place.git("commit-tree", tree, "-m", branch)
        self.place.git("update-ref", f"refs/heads/{branch}", commit)
        return commit

    def edit(self, number: int) -> None:
        """Append a line to a source file, a different file for each number."""
        chosen = self.place.sources(number + 2)[number]
        with chosen.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"\n# changed {number}\n")


def _path(line: str) -> str:
    """Return the path of a line of the index."""
    return line.partition("\t")[2]


def _revision(source: Path, number: int, of: int, place: Place) -> str | None:
    """Return a commit of a repository, the `number`-th of `of` evenly spaced ones from the newest;
    None if it has too few.
    """
    asked = ["git", "--git-dir", str(source), "rev-list", "--first-parent", "HEAD"]
    found = run(asked, source, place.env, ok=(0, 128)).out.split()
    return found[len(found) * number // of] if found else None


@dataclass(frozen=True)
class Search:
    """One search: wall and processor time in seconds; peak memory in MB, in all and without pages
    of mapped files.
    """

    seconds: float
    processor: float
    resident: float
    private: float


def search(place: Place, *args: str) -> Search:
    """Run a search, and sample its memory."""
    started, before = time.perf_counter(), processor()
    process = subprocess.Popen(
        [place.ragit, "search", *args],
        cwd=place.top,
        env=place.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    peaks = [0.0, 0.0]
    over = threading.Event()

    def look() -> None:
        while not over.wait(SAMPLE_S):
            held = [resident(pid) for pid in family(process.pid)]
            peaks[0] = max(peaks[0], sum(total for total, _ in held))
            peaks[1] = max(peaks[1], sum(private for _, private in held))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    _, err = process.communicate()
    seconds = time.perf_counter() - started
    over.set()
    thread.join()
    if process.returncode not in (0, 1):
        sys.exit(f"ragit search {' '.join(args)}\n{err.decode()}")
    return Search(seconds, processor() - before, *peaks)


def resident(pid: int) -> tuple[float, float]:
    """Return the resident memory of a process in MB, and the part that is no page of a file."""
    try:
        said = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has just ended, or the system has no /proc
        return 0.0, 0.0
    sizes = {name: int(kib) * 1024 / 1e6 for name, kib in _SIZES.findall(said)}
    return sizes.get("VmRSS", 0.0), sizes.get("RssAnon", 0.0) + sizes.get("RssShmem", 0.0)


_SIZES = re.compile(r"^(VmRSS|RssAnon|RssShmem):\s+(\d+)", re.MULTILINE)


def measured(large: LargeTree, repeat: int) -> Iterator[tuple[str, list[Search], str]]:
    """Yield the name of each search, its runs, and a note."""
    place, queries = large.place, QUERIES
    search(place, "--ref", "bench-tree", queries[0])  # the first time reads files from disk
    committed = ("--ref", "bench-tree")
    turns = [query for _ in range(repeat) for query in queries]
    yield "search, committed", [search(place, *committed, query) for query in turns], ""
    search(place, queries[0])  # git records once which files are unchanged
    found = [search(place, query) for query in turns]
    yield "search, with the working tree", found, f"git status alone: {shown(status_alone(place))}"
    before = place.stored()
    found = []
    for number in range(repeat):
        large.edit(number)
        found.append(search(place, queries[0]))
    yield "search after an edit", found, f"the index grew by {grown(place, before)} in all"
    place.git("checkout", "-q", "-f", "bench-tree")
    place.index("bench-other")
    found = []
    for _ in range(repeat):
        for name in ("bench-other", "bench-tree"):
            place.git("switch", "-q", name)
            found.append(search(place, queries[0]))
    yield "search after a switch", found, f"{SWITCHED} files differ, at most"
    before = place.stored()
    place.index("bench-absent")
    note = f"{ABSENT} files; the index grew by {grown(place, before)}"
    yield "search, blobs absent", [search(place, "--ref", "bench-absent", q) for q in turns], note


def status_alone(place: Place) -> float:
    """Return the seconds of a second `git status` of the working tree."""
    place.git("status", "--porcelain")
    started = time.perf_counter()
    place.git("--no-optional-locks", "status", "--porcelain")
    return time.perf_counter() - started


def cells(what: str, found: Sequence[Search], note: str) -> list[str]:
    return [
        what,
        shown(statistics.median(one.seconds for one in found)),
        shown(statistics.median(one.processor for one in found)),
        f"{max(one.resident for one in found):.0f} MB",
        f"{max(one.private for one in found):.0f} MB",
        note,
    ]


def report(large: LargeTree, args: argparse.Namespace) -> str:
    place, before = large.place, load()
    done, counts = place.index("bench-tree")
    note = (
        f"{counts['files']:,} files, {counts['chunks']:,} chunks, {place.stored():.0f} MB on disk"
    )
    rows = [
        [
            "index from nothing",
            shown(done.seconds),
            shown(done.processor),
            f"{done.megabytes:.0f} MB",
            "",
            note,
        ]
    ]
    print("  ".join(rows[0]), file=sys.stderr, flush=True)
    for what, found, about in measured(large, args.repeat):
        rows.append(cells(what, found, about))
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    head = ("what", "median", "processor", "peak memory", "of it no file's", "notes")
    title = [f"## A tree of {counts['files']:,} files", ""]
    about = f"{time.strftime('%Y-%m-%d')}. {machine(place.ragit)}."
    busy = f"Load average: {before} before, {load()} after. {args.note}".rstrip()
    return "\n".join([*title, about, busy, "", *table(head, rows)])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--files", type=int, default=145_000, help="of the tree, at most")
    parser.add_argument("--revisions", type=int, default=3, help="of each repository, at most")
    parser.add_argument("--repeat", type=int, default=5, help="how often each search is run")
    parser.add_argument("--ragit", help="the command to measure; default: beside this Python")
    parser.add_argument("--scratch", type=Path, help="where the tree is made and removed again")
    parser.add_argument("--keep", type=Path, help="make the tree here, keep it, and stop")
    parser.add_argument("--note", default="", help="a sentence about the circumstances")
    parser.add_argument("--out", type=Path, help="a Markdown file that gets the section")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    # remove the scratch folder in that case, too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sources = repositories(args.folder)
    if not sources:
        sys.exit(f"{args.folder} holds no repository")
    if args.keep:
        LargeTree(Place(None, args.keep, command(args.ragit))).make(
            sources, args.files, args.revisions
        )
        return
    with tempfile.TemporaryDirectory(prefix="ragit-scale-", dir=args.scratch) as folder:
        large = LargeTree(Place(None, Path(folder), command(args.ragit)))
        large.make(sources, args.files, args.revisions)
        section = report(large, args)
    print(section)
    if args.out:
        write(args.out, "scale", section)


if __name__ == "__main__":
    main()
