"""Measure the processor time of a new query: in a running process, and as a process of its own.

    python bench/warm.py PATH [--queries 60] [--seed 1] [--name OWNER/NAME] [--out bench/RESULTS.md]

PATH is any git repository. It is cloned to a temporary folder and indexed there. The queries are
made from its own code, the same number of each shape: a name, a name with its owner, words, a
question, a line of code or a message, a quoted phrase, a path, a pasted issue, a stack trace, and a
question about one folder. A line of source becomes words by dropping its signs.

Each query runs twice: in one process that stays (`ragit.open`) and has not seen it, and as `ragit
search`. Processor time is user and system time with children, so git's share is shown apart. If the
answers differ, the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from processes import load, machine

import ragit
from bench import Place, command, table, write
from ragit import render, words
from ragit.render import PLAIN
from ragit.store import ChunkRow
from ragit.types import path_text

HEAD = ("query", "number", "warm", "95 of 100 within", "own", "git", "cold", "95 of 100 within")


class Sample(NamedTuple):
    """A chunk from which queries are made."""

    path: str
    row: ChunkRow
    text: str

    @property
    def name(self) -> str:
        return self.row.symbol.split()[0]

    @property
    def owner(self) -> str:
        return self.row.parent.rpartition(".")[2] or Path(self.path).stem

    @property
    def spoken(self) -> str:
        return " ".join(words.words(self.name))

    def line(self, least: int) -> str:
        """Return the longest line of its text that is not too long, as words; else its name."""
        lines = [" ".join(re.findall(r"\w+", line)) for line in self.text.splitlines()]
        fitting = [line for line in lines if least <= len(line.split()) <= 14]
        return max(fitting, key=len, default=self.spoken)


def _issue(one: Sample) -> str:
    about = f"{one.owner}: {one.spoken} fails after an upgrade"
    steps = f"When I call `{one.name}` twice, the second call gives another result than the first."
    code = "\n".join(one.text.splitlines()[:6])
    return f"{about}\n\n{steps} I expected the same.\n\n```\n{code}\n```\n\nIt is in {one.path}."


def _trace(one: Sample) -> str:
    at = one.row.start_line
    frames = [f"  at {one.owner}.{one.name}({Path(one.path).name}:{at + i})" for i in range(12)]
    said = f"java.lang.IllegalStateException: {one.line(3)}"
    return "\n".join((f"ERROR 12:00:01 {said}", *frames, "", "It happens every hour since then."))


SHAPES: dict[str, Callable[[Sample], tuple[str, tuple[str, ...]]]] = {
    "a name": lambda one: (one.name, ()),
    "a name with its owner": lambda one: (f"{one.owner}.{one.name}", ()),
    "words": lambda one: (one.spoken, ()),
    "a question": lambda one: (f"where does {one.owner} {one.spoken} and why?", ()),
    "a line of code": lambda one: (one.line(4), ()),
    "a quoted phrase": lambda one: (f'"{one.line(3)}"', ()),
    "a path": lambda one: (one.path, ()),
    "an issue": lambda one: (_issue(one), ()),
    "a stack trace": lambda one: (_trace(one), ()),
    "a folder": lambda one: (f"how is {one.spoken} done", (f"/{one.path.split('/')[0]}",)),
}
"""Text and path filters of a query about a chunk, by shape."""


class Asked(NamedTuple):
    """A query with its shape."""

    shape: str
    text: str
    paths: tuple[str, ...]


class Took(NamedTuple):
    """Processor time of a query in milliseconds."""

    own: float
    git: float
    cold: float

    @property
    def warm(self) -> float:
        return self.own + self.git


def samples(top: Path, count: int, seed: int) -> list[Sample]:
    """Return some chunks that define a name, each of another file."""
    found = []
    with ragit.open(top) as index, index.reading(scope="committed") as opened:
        snapshot = opened.tree.snapshot
        places = list(range(len(snapshot.paths)))
        random.Random(seed).shuffle(places)
        for place in places:
            rows = opened.chunks_of(snapshot.chunkings[place])
            defining = [row for row in rows if row.symbol and row.kind not in ("section", "pair")]
            if not defining:
                continue
            row = defining[len(defining) // 2]
            text = opened.text_of(snapshot.chunkings[place])[row.start : row.end]
            path = path_text(snapshot.paths[place])
            found.append(Sample(path, row, text.decode("utf-8", "replace")))
            if len(found) == count:
                break
    return found


def queries(top: Path, count: int, seed: int) -> list[Asked]:
    """Return different queries, the shapes in turn."""
    shapes = list(SHAPES.items())
    made = [
        Asked(shapes[at % len(shapes)][0], *shapes[at % len(shapes)][1](one))
        for at, one in enumerate(samples(top, count, seed))
    ]
    return [one for one in dict.fromkeys(made) if one.text.strip()]


def _of_children() -> float:
    """Return the processor seconds of all children, ended and running."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = 0
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            running += int(Path(f"/proc/{child}/schedstat").read_text().split()[0])
    return ended.ru_utime + ended.ru_stime + running / 1e9


def warm(top: Path, asked: Sequence[Asked]) -> list[tuple[float, float, Any]]:
    """Return own and git's milliseconds, and the answer, for each query in one process."""
    found = []
    with ragit.open(top) as index:
        index.search("warm up")
        index.search("the second one")
        for one in asked:
            children, started = _of_children(), time.process_time()
            answer = index.search(one.text, paths=one.paths)
            own, git = time.process_time() - started, _of_children() - children
            found.append(
                (own * 1000, git * 1000, _hits("".join(render.FORMATS["json"](answer, PLAIN))))
            )
    return found


def cold(ragit_command: str, top: Path, one: Asked, env: dict[str, str]) -> tuple[float, Any]:
    """Return the milliseconds of a query in a process of its own, and the answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    paths = [word for path in one.paths for word in ("--path", path)]
    line = [ragit_command, "search", "--json", *paths, "--", one.text]
    done = subprocess.run(line, cwd=top, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"ragit search {one.text!r}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds * 1000, _hits(done.stdout)


def _hits(said: str) -> Any:
    """Return an answer without its time and its folder."""
    answer = json.loads(said)
    return {name: value for name, value in answer.items() if name not in ("took_ms", "root")}


def measure(
    ragit_command: str, top: Path, asked: Sequence[Asked], env: dict[str, str]
) -> tuple[list[Took], list[str]]:
    """Return the time of each query, and the texts of queries with two different answers."""
    took, differing = [], []
    for one, (own, git, answer) in zip(asked, warm(top, asked), strict=True):
        milliseconds, again = cold(ragit_command, top, one, env)
        took.append(Took(own, git, milliseconds))
        if answer != again:
            differing.append(one.text)
    return took, differing


def within(values: Sequence[float]) -> str:
    """Return the 95th percentile in milliseconds."""
    return f"{sorted(values)[min(len(values) - 1, len(values) * 95 // 100)]:.0f} ms"


def _row(name: str, took: Sequence[Took]) -> list[str]:
    median = [
        f"{statistics.median(values):.0f} ms"
        for values in ([one.warm for one in took], *zip(*took, strict=True))
    ]
    every = [one.warm for one in took], [one.cold for one in took]
    return [name, str(len(took)), median[0], within(every[0]), *median[1:], within(every[1])]


def report(asked: Sequence[Asked], took: Sequence[Took]) -> list[str]:
    """Return the table."""
    rows = [_row("all", took)]
    for shape in SHAPES:
        listed = [time for one, time in zip(asked, took, strict=True) if one.shape == shape]
        if listed:
            rows.append(_row(shape, listed))
    return table(HEAD, rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="PATH")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", help="of the repository in the report; default: its folder's")
    parser.add_argument("--ragit", help="the command to measure; default: beside this Python")
    parser.add_argument("--note", default="", help="a sentence about the circumstances")
    parser.add_argument("--out", type=Path, help="a Markdown file that gets this section")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    source, ragit_command, before = args.source.resolve(), command(args.ragit), load()
    with tempfile.TemporaryDirectory(prefix="ragit-bench-") as folder:
        place = Place(source, Path(folder), ragit_command)
        os.environ.update(place.env)  # so that this process reads the same index
        place.index()
        asked = queries(place.top, args.queries, args.seed)
        took, differing = measure(ragit_command, place.top, asked, place.env)
        name, commit = args.name or source.name, place.git("log", "-1", "--format=%h of %cs")
        title = f"## New queries in a running process: {name}, {commit}"
        busy = f"Load average: {before} before, {load()} after. {args.note}".rstrip()
        section = [title, "", f"{time.strftime('%Y-%m-%d')}. {machine(ragit_command)}.", busy, ""]
        same = len(asked) - len(differing)
        section += [f"{same} of {len(asked)} answers were the same in both.", ""]
        section += report(asked, took)
    print("\n".join(section))
    if args.out:
        write(args.out, f"warm {name}", "\n".join(section))
    if differing:
        sys.exit("warm and cold answers differ: " + "; ".join(differing))


if __name__ == "__main__":
    main()
