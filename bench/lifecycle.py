"""Run a day's git operations on a repository, to measure the hooks and check the index after each.

    python bench/lifecycle.py PATH [--out bench/RESULTS.md]

PATH is any repository with some hundreds of commits; everything happens in a temporary clone. Times
are wall times, without and with hooks, and medians if a step can be repeated. The number of
embedded chunks is read from the worker's log. At the end, every ref is searched in the index that
grew and in one built from nothing, and the answers are compared.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import ragit
from ragit.hooks.install import Hooks
from ragit.hooks.script import EVENTS
from ragit.hooks.worker import LOCK, PENDING
from ragit.locks import lock

QUERIES = (
    "where are offsets committed",
    "parse the configuration",
    "retry with backoff",
    "close the connection",
)
BEGIN, END = "<!-- lifecycle: begin -->", "<!-- lifecycle: end -->"
REPEAT = 15
NO_HOOKS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *(word for event in EVENTS for word in ("-c", f"hook.ragit-{event}.enabled=false")),
)


@dataclass(frozen=True)
class Row:
    """One step: seconds of the git command without and with hooks, and the work of the index."""

    step: str
    bare: float | None
    hooked: float | None
    behind: float | None
    indexed: int
    embedded: int
    megabytes: float


class Day:
    """A clone and the measurements in it."""

    def __init__(self, source: Path, place: Path, past: int) -> None:
        self.place = place
        run(place.parent, "clone", "-q", "--no-local", "--single-branch", str(source), str(place))
        self.git("config", "user.name", "bench")
        self.git("config", "user.email", "bench@example.org")
        self.git("config", "gc.auto", "0")
        self.git("config", "advice.detachedHead", "false")
        self.tip = self.git("rev-parse", "HEAD")
        self.main = self.git("branch", "--show-current")
        self.git("reset", "-q", "--hard", f"HEAD~{past}")
        self.rows: list[Row] = []

    @property
    def folder(self) -> Path:
        return self.place / ".git" / "ragit"

    def git(self, *args: str, cwd: Path | None = None, hooks: bool = False) -> str:
        return run(cwd or self.place, *(() if hooks else NO_HOOKS), *args)

    def size(self) -> float:
        return sum(f.stat().st_size for f in self.folder.glob("index.db*")) / 1e6

    def settle(self) -> float:
        """Wait for the worker, and return the seconds waited."""
        started = time.perf_counter()
        while True:
            if not (self.folder / PENDING).exists():
                with lock(self.folder / LOCK, shared=True) as free:
                    if free and not (self.folder / PENDING).exists():
                        return time.perf_counter() - started
            time.sleep(0.02)

    def logged(self) -> tuple[int, int]:
        """Return the number of blobs indexed and chunks embedded by workers so far."""
        log = self.folder / "worker.log"
        found = (
            re.findall(r": (\d+) indexed, (\d+) embedded", log.read_text()) if log.exists() else []
        )
        return sum(int(n) for n, _ in found), sum(int(n) for _, n in found)

    def measure(
        self,
        step: str,
        bare: Callable[[], float] | None,
        hooked: Callable[[], float],
        *,
        index: bool = False,
    ) -> None:
        """Measure one row; with `index`, index the commits of the first run before the second."""
        if bare:
            bare()  # the first time reads files from disk
        without = bare() if bare else None
        self.settle()
        if index:
            with ragit.open(self.place) as opened:
                opened.index()
        before, size = self.logged(), self.size()
        took = hooked()
        behind = self.settle()
        after = self.logged()
        grown = self.size() - size
        self.rows.append(
            Row(step, without, took, behind, after[0] - before[0], after[1] - before[1], grown)
        )
        print(self.rows[-1], flush=True)


def run(cwd: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git {' '.join(args)}: {done.stderr}")
    return done.stdout.strip()


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def files(day: Day, count: int) -> list[Path]:
    """Return some source files, spread over the repository."""
    listed = [
        day.place / name
        for name in day.git("ls-files", "*.java", "*.c", "*.py", "*.go", "*.rs").splitlines()
    ]
    return listed[:: max(1, len(listed) // count)][:count]


def edit(file: Path, number: int) -> None:
    """Change one line in the middle of a file."""
    lines = file.read_text(errors="surrogateescape").splitlines(keepends=True)
    lines.insert(len(lines) // 2, f"// changed {number}\n")
    file.write_text("".join(lines), errors="surrogateescape")


def commits(day: Day) -> None:
    """Commit one edited file at a time, then amend one commit."""
    chosen = files(day, REPEAT)

    def series(hooks: bool) -> float:
        took = []
        for number, file in enumerate(chosen):
            edit(file, number)
            took.append(timed(lambda: day.git("commit", "-qam", "edit", hooks=hooks)))
            time.sleep(0.2)  # as a person would
        return statistics.median(took)

    day.measure(
        f"commit of one edited file (median of {REPEAT})",
        lambda: series(False),
        lambda: series(True),
        index=True,
    )

    def amend(hooks: bool) -> float:
        took = []
        for number in range(5):
            edit(chosen[0], 90 + number)
            took.append(
                timed(lambda: day.git("commit", "-qa", "--amend", "--no-edit", hooks=hooks))
            )
            time.sleep(0.2)
        return statistics.median(took)

    day.measure(
        "commit --amend (median of 5)", lambda: amend(False), lambda: amend(True), index=True
    )


def overhead(day: Day) -> None:
    """Measure the time that a hook adds to an empty commit, with and without it in turns.

    The lowest tenth of the times is disturbed least by other work.
    """
    took: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(40):
        for hooks in took:
            time.sleep(0.3)
            took[hooks].append(
                timed(
                    lambda hooks=hooks: day.git(
                        "commit", "-q", "--allow-empty", "-m", "x", hooks=hooks
                    )
                )
            )
    for name, at in (("median", 20), ("lowest tenth", 4)):
        bare, hooked = (sorted(took[hooks])[at] for hooks in (False, True))
        day.rows.append(Row(f"empty commit, {name} of 40", bare, hooked, None, 0, 0, 0.0))
        print(day.rows[-1], flush=True)


def rebase(day: Day) -> None:
    """Rebase fifty one-file commits onto a branch with new commits."""
    chosen = files(day, 60)
    base = day.git("rev-parse", "HEAD")
    day.git("switch", "-qc", "fifty")
    for number, file in enumerate(chosen[:50]):
        edit(file, 1000 + number)
        day.git("commit", "-qam", f"{number}")
    fifty = day.git("rev-parse", "HEAD")
    day.git("switch", "-qc", "onto", base)
    edit(chosen[55], 2000)
    day.git("commit", "-qam", "upstream")

    def go(hooks: bool) -> float:
        took = []
        for _ in range(3):
            day.git("switch", "-q", "--detach", fifty)
            day.git("branch", "-f", "fifty", fifty)
            day.git("switch", "-q", "fifty")
            day.settle()
            took.append(timed(lambda: day.git("rebase", "-q", "onto", hooks=hooks)))
        return statistics.median(took)

    day.measure("rebase of 50 commits (median of 3)", lambda: go(False), lambda: go(True))


def switch(day: Day) -> None:
    day.git("branch", "-f", "old", "HEAD~30")

    def there_and_back(hooks: bool) -> float:
        def both() -> None:
            day.git("switch", "-q", "old", hooks=hooks)
            day.git("switch", "-q", "fifty", hooks=hooks)

        return timed(both)

    day.measure(
        "switch to another branch and back, first time",
        lambda: there_and_back(False),
        lambda: there_and_back(True),
    )
    day.measure("the same again", None, lambda: there_and_back(True))


def pull(day: Day, past: int) -> None:
    day.git("switch", "-q", "--detach", day.main)
    day.git("switch", "-qc", "pulled", day.git("rev-parse", f"{day.tip}~{past}"))
    day.settle()

    def go(hooks: bool) -> float:
        day.git("reset", "-q", "--hard", f"{day.tip}~{past}")
        return timed(
            lambda: day.git("merge", "-q", "--ff-only", f"{day.tip}~{past - 200}", hooks=hooks)
        )

    day.measure("pull of 200 commits (fast-forward)", lambda: go(False), lambda: go(True))


def worktree(day: Day) -> None:
    other = day.place.parent / "second"

    def add(hooks: bool) -> float:
        took = []
        for _ in range(3):
            took.append(
                timed(
                    lambda: day.git(
                        "worktree", "add", "-q", "--detach", str(other), "HEAD", hooks=hooks
                    )
                )
            )
            day.settle()
            day.git("worktree", "remove", "--force", str(other))
        return statistics.median(took)

    day.measure("second worktree (median of 3)", lambda: add(False), lambda: add(True))


def tags(day: Day) -> None:
    names = []
    for number in range(20):
        names.append(f"bench-{number}")
        day.git("tag", "-f", names[-1], f"{day.tip}~{number * 10}")
    size = day.size()
    with ragit.open(day.place) as index:
        started = time.perf_counter()
        reports = [index.index(name) for name in reversed(names)]
        took = time.perf_counter() - started
    indexed, embedded = sum(r.indexed for r in reports), sum(r.embedded for r in reports)
    day.rows.append(
        Row(
            "20 tags, 10 commits apart (ragit index)",
            None,
            None,
            took,
            indexed,
            embedded,
            day.size() - size,
        )
    )
    print(day.rows[-1], flush=True)


def compare(day: Day, scratch: Path) -> list[str]:
    """Search every ref in the index that grew and in a fresh one, and return the refs that
    differ.
    """
    refs = ["HEAD", "fifty", "old", "onto", "pulled", day.main, "bench-0", "bench-9", "bench-19"]
    wrong = []
    flags = {"index.storePath": str(scratch / "fresh.db")}
    with ragit.open(day.place) as grown, ragit.open(day.place, flags=flags) as fresh:
        for ref in refs:
            for query in QUERIES:
                ours, theirs = (index.search(query, ref=ref, top_k=20) for index in (grown, fresh))
                rows = [
                    [(h.path, h.start_line, h.end_line, round(h.score, 6)) for h in a.hits]
                    for a in (ours, theirs)
                ]
                if rows[0] != rows[1] or not rows[0]:
                    wrong.append(f"{ref}: {query}")
    print(
        f"compared {len(refs)} refs, {len(QUERIES)} queries each: {len(wrong)} differ", flush=True
    )
    return wrong


def report(day: Day, name: str, cold: Row, wrong: list[str]) -> str:
    lines = [
        f"## A day of git operations on {name}",
        "",
        f"`python bench/lifecycle.py`, {time.strftime('%Y-%m-%d')}, "
        f"git {run(Path.cwd(), 'version').split()[2]}, "
        f"{os.cpu_count()} cores (shared with other work). Seconds of the git command without and "
        "with ragit's hooks, then the seconds and results of the worker in the background.",
        "",
        "| step | without | with | worker | blobs | chunks embedded | MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in (cold, *day.rows):
        times = (
            "" if value is None else f"{value:.3f}" for value in (row.bare, row.hooked, row.behind)
        )
        lines.append(
            f"| {row.step} | {' | '.join(times)} | {row.indexed} | {row.embedded} "
            f"| {row.megabytes:.1f} |"
        )
    verdict = (
        "all answers equal those of an index built from nothing"
        if not wrong
        else f"WRONG: {', '.join(wrong)}"
    )
    lines += ["", f"Nine refs, {len(QUERIES)} queries each: {verdict}."]
    return "\n".join(lines)


def write(out: Path, section: str) -> None:
    text = out.read_text() if out.exists() else "# Results\n"
    block = f"{BEGIN}\n{section}\n{END}"
    kept = re.sub(re.escape(BEGIN) + r".*?" + re.escape(END), lambda _: block, text, flags=re.S)
    out.write_text(kept if BEGIN in text else f"{text.rstrip()}\n\n{block}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--name", default="")
    parser.add_argument(
        "--past", type=int, default=250, help="commits behind the tip to start from"
    )
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragit-bench-") as scratch:
        day = Day(args.source.resolve(), Path(scratch) / "clone", args.past)
        with ragit.open(day.place) as index:
            first = index.index()
        cold = Row(
            "first index", None, None, first.seconds, first.indexed, first.embedded, day.size()
        )
        print(cold, flush=True)
        with Hooks.of(day.place) as hooks:
            assert hooks.install().active
        overhead(day)
        commits(day)
        rebase(day)
        switch(day)
        pull(day, args.past)
        worktree(day)
        tags(day)
        wrong = compare(day, Path(scratch))
        section = report(day, args.name or args.source.name, cold, wrong)
    print(section)
    if args.out:
        write(args.out, section)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
