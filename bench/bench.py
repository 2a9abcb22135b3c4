"""Measure the time, memory and disk that ragit needs for a repository.

    python bench/bench.py PATH [--repeat 5] [--scale] [--signals] [--out bench/RESULTS.md]

PATH is any git repository. It is cloned to a temporary folder, with its index; PATH itself is not
changed, and nothing is sent anywhere. Every figure is for a whole process: the median with the
lowest and highest time, and the processor time, which depends less on other work of the machine.
bench/peers.py compares other tools.

Standard library only. Run it on an idle machine: the load before and after is part of the report.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import Run, load, machine, run, shown

QUERIES = (
    "where is the configuration parsed?",
    "close the connection",
    "retry with backoff",
    "read a file",
    "Config",
)
SOURCES = (
    "*.java",
    "*.c",
    "*.py",
    "*.go",
    "*.rs",
    "*.ts",
    "*.js",
    "*.rb",
    "*.php",
    "*.cs",
    "*.kt",
    "*.scala",
    "*.sh",
)
BEHIND = 30
"""Commits between the two branches of the switch."""
TAGS = 5


@dataclass(frozen=True)
class Row:
    """One line of the report."""

    what: str
    runs: Sequence[Run]
    note: str = ""

    @property
    def median(self) -> float:
        """Return the median in seconds."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def processor(self) -> float:
        """Return the median of the processor times in seconds."""
        return statistics.median(run.processor for run in self.runs)

    def cells(self) -> list[str]:
        """Return the median, lowest and highest time, processor time, peak memory, and note."""
        seconds = [run.seconds for run in self.runs]
        peak = max(run.megabytes for run in self.runs)
        spread = f"{shown(min(seconds))} - {shown(max(seconds))}"
        return [
            self.what,
            shown(self.median),
            spread,
            shown(self.processor),
            f"{peak:.0f} MB",
            self.note,
        ]


class Place:
    """A scratch clone, and the environment for commands in it."""

    def __init__(self, source: Path | None, folder: Path, ragit: str) -> None:
        """Clone a repository into a folder; without one, the caller fills it."""
        self.top = folder / "clone"
        self.store = folder / "index" / "index.db"
        self.ragit = ragit
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "RAGIT"))
        }
        # Override the user's settings: nothing is sent, only this index is written, no hook runs.
        self.env = kept | {
            "RAGIT": "0",
            "RAGIT_EMBEDDING_PROVIDER": "static",
            "RAGIT_INDEX_STORE_PATH": str(self.store),
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "core.hooksPath",
            "GIT_CONFIG_VALUE_0": os.devnull,
            "GIT_CONFIG_KEY_1": "advice.detachedHead",
            "GIT_CONFIG_VALUE_1": "false",
            "GIT_AUTHOR_NAME": "bench",
            "GIT_AUTHOR_EMAIL": "bench@example.org",
            "GIT_COMMITTER_NAME": "bench",
            "GIT_COMMITTER_EMAIL": "bench@example.org",
        }
        if source is not None:
            run(["git", "clone", "-q", str(source), str(self.top)], folder, self.env)

    def git(self, *args: str, text: str | None = None) -> str:
        return run(["git", *args], self.top, self.env, text=text).out.strip()

    def index(self, *args: str) -> tuple[Run, dict[str, int]]:
        """Run `ragit index`, and return the process and its report."""
        done = run([self.ragit, "index", "--json", *args], self.top, self.env)
        return done, json.loads(done.out)

    def search(self, query: str, *args: str, cwd: Path | None = None) -> Run:
        return run([self.ragit, "search", *args, query], cwd or self.top, self.env, ok=(0, 1))

    def forget(self) -> None:
        """Delete the index."""
        shutil.rmtree(self.store.parent, ignore_errors=True)

    def stored(self) -> float:
        """Return the size of the index in MB."""
        return sum(file.stat().st_size for file in self.store.parent.glob("index.db*")) / 1e6

    def sources(self, count: int) -> list[Path]:
        """Return some source files, spread over the repository."""
        listed = self.git("-c", "core.quotePath=true", "ls-files", *SOURCES).splitlines()
        listed = [
            name for name in listed or self.git("ls-files").splitlines() if not name.startswith('"')
        ]
        return [self.top / name for name in listed[:: max(1, len(listed) // count)][:count]]


def cold_index(place: Place, repeat: int) -> Row:
    runs = []
    report: dict[str, int] = {}
    for _ in range(repeat):
        place.forget()
        done, report = place.index()
        runs.append(done)
    note = (
        f"{report['files']:,} files, {report['chunks']:,} chunks, {place.stored():.1f} MB on disk"
    )
    return Row("index from nothing", runs, note)


def searches(place: Place, queries: Sequence[str], repeat: int, *args: str) -> list[Run]:
    """Run every query several times, in turns, so that a slow moment affects all of them."""
    return [place.search(query, *args) for _ in range(repeat) for query in queries]


def edited(place: Place, query: str, repeat: int) -> Row:
    """Search after each of several one-line edits."""
    runs = []
    for number, file in enumerate(place.sources(repeat)):
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
        lines.insert(len(lines) // 2, f"# changed {number}\n")
        file.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
        runs.append(place.search(query))
    place.git("checkout", "-q", "--", ".")
    return Row("search after an edit", runs, "one more file with an uncommitted line each time")


def switched(place: Place, query: str, repeat: int) -> Row | None:
    """Measure the first search after a switch between two indexed branches."""
    old = place.git("rev-list", "--first-parent", f"--max-count={BEHIND + 1}", "HEAD").splitlines()[
        -1
    ]
    if old == place.git("rev-parse", "HEAD"):
        return None
    place.git("branch", "-q", "-f", "bench-new", "HEAD")
    place.git("branch", "-q", "-f", "bench-old", old)
    _, there = place.index("bench-old", "bench-new")
    runs = []
    for _ in range(repeat):
        for name in ("bench-old", "bench-new"):
            place.git("switch", "-q", name)
            runs.append(place.search(query))
    _, again = place.index("bench-old", "bench-new")
    note = (
        f"{BEHIND} commits apart; indexing the second branch embedded {there['embedded']} chunks, "
    )
    return Row("search after a switch", runs, f"{note}switching {again['embedded']}")


def second_worktree(place: Place, query: str, repeat: int) -> Row:
    before = place.stored()
    other = place.top.parent / "second"
    place.git("worktree", "add", "-q", "--detach", str(other), "HEAD")
    runs = [place.search(query, cwd=other) for _ in range(repeat)]
    note = f"the index grew by {grown(place, before)}"
    place.git("worktree", "remove", "--force", str(other))
    return Row("search in a second worktree", runs, note)


def more_tags(place: Place) -> Row | None:
    """Run `ragit index TAG` for tags that are each one commit older than the last."""
    commits = place.git(
        "rev-list", "--first-parent", f"--max-count={TAGS + 1}", "HEAD"
    ).splitlines()[1:]
    if not commits:
        return None
    runs, embedded, before = [], 0, place.stored()
    for number, commit in enumerate(commits):
        place.git("tag", "-f", f"bench-{number}", commit)
        done, report = place.index(f"bench-{number}")
        runs.append(done)
        embedded += report["embedded"]
    note = (
        f"{len(commits)} tags, a commit apart: {embedded} chunks embedded, "
        f"{grown(place, before)} in all"
    )
    return Row("index one more tag", runs, note)


def grown(place: Place, before: float) -> str:
    """Return the growth of the index. It may be negative, since SQLite's log comes and goes."""
    return f"{max(0.0, place.stored() - before):.1f} MB"


def measure(place: Place, queries: Sequence[str], repeat: int) -> list[Row]:
    cold = cold_index(place, min(repeat, 3))
    steps: tuple[Callable[[], Row | None], ...] = (
        lambda: Row(
            "search",
            searches(place, queries, repeat),
            f"{len(queries)} queries, {repeat} times each",
        ),
        lambda: edited(place, queries[0], repeat),
        lambda: switched(place, queries[0], repeat),
        lambda: second_worktree(place, queries[0], repeat),
        lambda: more_tags(place),
    )
    place.search(queries[0])  # the first time reads files from disk
    rows = [cold]
    for step in steps:
        if row := step():
            rows.append(row)
            print("  ".join(row.cells()), file=sys.stderr, flush=True)
    return rows


def subset(place: Place, share: int) -> str:
    """Make a commit of every `share`-th file of HEAD, chosen by the hash of its path."""
    lines = place.git("ls-tree", "-r", "-z", "HEAD").split("\0")
    paths = {line: line.split("\t", 1)[1] for line in lines if line}
    chosen = [
        line
        for line, path in paths.items()
        if hashlib.sha256(path.encode()).digest()[0] % share == 0
    ]
    entries = "".join(f"{line}\0" for line in chosen)
    env = place.env | {"GIT_INDEX_FILE": str(place.top.parent / f"subset-{share}")}
    run(["git", "update-index", "-z", "--index-info"], place.top, env, text=entries)
    tree = run(["git", "write-tree"], place.top, env).out.strip()
    return place.git("commit-tree", tree, "-m", f"every file of {share}")


def processor_of(runs: Sequence[Run]) -> float:
    return statistics.median(done.processor or done.seconds for done in runs)


def wall_of(runs: Sequence[Run]) -> str:
    return shown(statistics.median(done.seconds for done in runs))


def scale(place: Place, queries: Sequence[str], repeat: int) -> list[list[str]]:
    """Measure a quarter, half and all of the repository's files, each in an index of its own."""
    table = []
    first: tuple[float, float, float] | None = None
    for share, name in ((4, "1x"), (2, "2x"), (1, "4x")):
        commit = subset(place, share)
        indexed = []
        report: dict[str, int] = {}
        for _ in range(min(repeat, 3)):
            place.forget()
            done, report = place.index(commit)
            indexed.append(done)
        found = searches(place, queries, repeat, "--ref", commit)
        costs = (processor_of(indexed), place.stored(), processor_of(found))
        first = first or costs
        ratios = [f"{cost / base:.1f}" for cost, base in zip(costs, first, strict=True)]
        peak = max(done.megabytes for done in indexed)
        table.append(
            [
                name,
                f"{report['files']:,}",
                f"{report['chunks']:,}",
                wall_of(indexed),
                f"{shown(costs[0])} ({ratios[0]})",
                f"{peak:.0f} MB",
                f"{costs[1]:.1f} MB ({ratios[1]})",
                wall_of(found),
                f"{shown(costs[2])} ({ratios[2]})",
            ]
        )
        print("  ".join(table[-1]), file=sys.stderr, flush=True)
    return table


def signals(place: Place, queries: Sequence[str], repeat: int) -> list[list[str]]:
    """Compare the processor time of searches without one signal, or without vectors, with a full
    search's.
    """
    from ragit.rank import (
        SIGNAL_NAMES,  # imported here: it needs the Python that ragit is installed in
    )

    variants: dict[str, list[str]] = {"all signals": []}
    variants |= {f"without {name}": ["-c", f"retrieval.signals.{name}=0"] for name in SIGNAL_NAMES}
    variants["without any"] = [
        word for name in SIGNAL_NAMES for word in ("-c", f"retrieval.signals.{name}=0")
    ]
    variants["keywords and signals, no vectors"] = ["-c", "embedding.provider=none"]
    for settings in ([], variants["keywords and signals, no vectors"]):
        run([place.ragit, *settings, "index"], place.top, place.env)
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(repeat):
        for query in queries:
            for name, settings in variants.items():
                done = run(
                    [place.ragit, *settings, "search", query], place.top, place.env, ok=(0, 1)
                )
                times[name].append(done.processor or done.seconds)
    base = statistics.median(times["all signals"])
    medians = {name: statistics.median(listed) for name, listed in times.items()}
    return [
        [name, shown(found), f"{(found - base) * 1000:+.0f} ms"] for name, found in medians.items()
    ]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---" for _ in head], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def report(place: Place, name: str, args: argparse.Namespace) -> str:
    before, commit = load(), place.git("log", "-1", "--format=%h of %cs")
    queries = args.query or QUERIES
    rows = measure(place, queries, args.repeat)
    head = ("what", "median", "range", "processor", "peak memory")
    lines = table((*head, "notes"), [row.cells() for row in rows])
    if args.scale:
        shares = (
            "share",
            "files",
            "chunks",
            "index",
            "processor",
            "peak",
            "on disk",
            "search",
            "processor",
        )
        lines += ["", *table(shares, scale(place, queries, args.repeat))]
    if args.signals:
        lines += [
            "",
            *table(
                ("search", "median of processor", "difference"),
                signals(place, queries, args.repeat),
            ),
        ]
    title = [f"## {name}, {commit}", "", f"{time.strftime('%Y-%m-%d')}. {machine(place.ragit)}."]
    busy = f"Load average: {before} before, {load()} after. {args.note}".rstrip()
    return "\n".join([*title, busy, "", *lines])


def write(out: Path, name: str, section: str) -> None:
    """Write a repository's section to a file, in place of its last one."""
    begin, end = f"<!-- bench {name}: begin -->", f"<!-- bench {name}: end -->"
    text = out.read_text(encoding="utf-8") if out.exists() else "# Results\n"
    block = f"{begin}\n{section}\n{end}"
    kept = re.sub(
        re.escape(begin) + r".*?" + re.escape(end), lambda _: block, text, flags=re.DOTALL
    )
    out.write_text(kept if begin in text else f"{text.rstrip()}\n\n{block}\n", encoding="utf-8")


def command(named: str | None) -> str:
    """Return the ragit to measure: the named one, or the one beside this Python, or the one on
    PATH.
    """
    beside = Path(sys.executable).with_name("ragit")
    found = named or (str(beside) if beside.exists() else shutil.which("ragit"))
    return found or sys.exit("no ragit beside this Python or on PATH; name one with --ragit")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="PATH")
    parser.add_argument("--name", help="of the repository in the report; default: its folder's")
    parser.add_argument(
        "--repeat",
        type=int,
        default=5,
        help="how often each step is run (at most 3 times: indexing)",
    )
    parser.add_argument(
        "--query", action="append", help="in place of the usual ones; may be repeated"
    )
    parser.add_argument(
        "--scale", action="store_true", help="also at a quarter and half of the files"
    )
    parser.add_argument(
        "--signals", action="store_true", help="also what each ranking signal costs"
    )
    parser.add_argument(
        "--ragit", help="the command to measure; default: beside this Python, else on PATH"
    )
    parser.add_argument(
        "--note", default="", help="a sentence about the circumstances, for the report"
    )
    parser.add_argument(
        "--out", type=Path, help="a Markdown file that gets this repository's section"
    )
    return parser.parse_args()


def main() -> None:
    args = arguments()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # removes the scratch folder in that case, too
    ragit = command(args.ragit)
    source = args.source.resolve()
    with tempfile.TemporaryDirectory(prefix="ragit-bench-") as folder:
        place = Place(source, Path(folder), ragit)
        name = args.name or source.name.removesuffix(".git")
        section = report(place, name, args)
    print(section)
    if args.out:
        write(args.out, name, section)


if __name__ == "__main__":
    main()
