"""Measure `ragit diff` and `ragit since`, and compare `since` with git and with a scan of all tags.

usage: python bench/history.py REPOSITORY [--old REV] [--count N] [--seed N] [--repeat N]
                               [--skip-speed] [--skip-right] [--show] [--resume FILE]

Times are medians of `--repeat` runs of the whole command: wall time, and processor time with git's.
Memory is the peak of ragit or one of its git processes, with the packs that git mapped. `--old` is
the older side of the long comparison; the short one is the last day of commits. Both trees are
indexed before, and the growth of the store is printed.

For correctness, `--count` random chunks of HEAD are looked up. For each, the script searches all
files of all tags for its text, and asks `git log --follow -S` for the newest commit that changed
the number of its occurrences in the file. It prints how often they agree, and how they differ.
With `--resume`, each answer is added to FILE, and those that FILE already has are not looked up
again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ragit
from ragit.changes import Since
from ragit.refs import line_of, version_key

RAGIT = Path(sys.executable).with_name("ragit")


class Chunk(NamedTuple):
    path: bytes
    line: int
    code: bytes


class Cost(NamedTuple):
    processor: float
    clock: float
    megabytes: float


def git(repository: Path, *args: str) -> bytes:
    return subprocess.run(["git", *args], cwd=repository, capture_output=True, check=True).stdout


NOT_THERE = "NeverWasThere"
"""A name that no commit has, so that all of them are looked at."""

MEASURE = """
import json, os, subprocess, sys, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
clock = time.perf_counter() - started
code = os.waitstatus_to_exitcode(status)
print(json.dumps([code, used.ru_utime + used.ru_stime, clock, used.ru_maxrss / 1024]))
"""
"""Run as a small process, since a process inherits the memory of its parent at its start."""


def cost(repository: Path, *args: str) -> Cost:
    """Run a command. Its processor time includes that of its ended children."""
    said = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURE, RAGIT, *args],
        cwd=repository,
        capture_output=True,
        check=True,
    )
    code, *measured = json.loads(said.stdout)
    if code not in (0, 1, 2 if NOT_THERE in args else 0):
        raise SystemExit(f"ragit {' '.join(args)} failed")
    return Cost(*measured)


def median(repository: Path, repeat: int, *args: str) -> Cost:
    costs = [cost(repository, *args) for _ in range(repeat)]
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def row(name: str, found: Cost) -> str:
    return (
        f"| {name} | {found.processor * 1000:,.0f} ms | {found.clock * 1000:,.0f} ms"
        f" | {found.megabytes:.0f} MB |"
    )


def chunks(index: ragit.Ragit) -> list[Chunk]:
    """Return the smallest chunk of HEAD at each first line."""
    found = []
    with index.reading("HEAD") as opened:
        snapshot = opened.tree.snapshot
        for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
            rows = opened.chunks_of(chunking)
            found += [(path, chunking, one, rows) for one in rows]
    return [Chunk(*one) for one in _texts(index, found)]


def _texts(index: ragit.Ragit, found: list) -> Iterator[tuple[bytes, int, bytes]]:  # type: ignore[type-arg]
    with index.reading("HEAD") as opened:
        for path, chunking, row, rows in drawn(found):
            held = [one for one in rows if one.start_line <= row.start_line <= one.end_line]
            least = min(held, key=lambda one: one.end_line - one.start_line)
            if least is row and b"\n" not in path and path.isascii():
                text = opened.text_of(chunking)[row.start : row.end]
                if 0 < len(text) < 100_000 and b"\0" not in text:
                    yield path, row.start_line, text


_PICK = random.Random(1)
_COUNT = 200


def drawn(found: list) -> Iterator:  # type: ignore[type-arg]
    order = list(range(len(found)))
    _PICK.shuffle(order)
    yield from (found[at] for at in order[: 3 * _COUNT])


class Tags:
    """All files of all tags, each blob once."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        form = "%(refname:lstrip=2) %(objecttype) %(*objecttype) %(tree)%(*tree)"
        lines = git(repository, "for-each-ref", f"--format={form}", "refs/tags").decode()
        self.names: list[str] = []
        self.files: dict[str, dict[bytes, str]] = {}
        for line in lines.splitlines():
            name, *_, tree = line.split(" ")
            if tree:
                self.names.append(name)
                self.files[name] = dict(self._entries(tree))
        self.names.sort(key=lambda name: (version_key(name), name))

    def _entries(self, tree: str) -> Iterator[tuple[bytes, str]]:
        for record in git(self._repository, "ls-tree", "-r", "-z", tree).split(b"\0")[:-1]:
            facts, path = record.split(b"\t", 1)
            if facts.startswith(b"100"):
                yield path, facts.split()[2].decode()

    def holding(self, codes: list[bytes]) -> list[set[str]]:
        """Return the blobs that contain each text as whole lines."""
        wanted: dict[bytes, list[int]] = {}
        for number, code in enumerate(codes):
            longest = max(code.split(b"\n"), key=len)
            wanted.setdefault(longest.rstrip(b"\r"), []).append(number)
        found: list[set[str]] = [set() for _ in codes]
        blobs = sorted({blob for files in self.files.values() for blob in files.values()})
        for blob, text in self._contents(blobs):
            for line in wanted.keys() & {one.rstrip(b"\r") for one in text.split(b"\n")}:
                for number in wanted[line]:
                    if line_of(codes[number], text):
                        found[number].add(blob)
        print(f"looked at {len(self.names)} tags and {len(blobs):,} blobs of them", file=sys.stderr)
        return found

    def _contents(self, blobs: list[str]) -> Iterator[tuple[str, bytes]]:
        process = subprocess.Popen(
            ["git", "cat-file", "--batch"],
            cwd=self._repository,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin and process.stdout
        for blob in blobs:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            size = int(process.stdout.readline().split()[2])
            yield blob, process.stdout.read(size + 1)[:-1]
        process.communicate()

    def first(self, blobs: set[str], paths: set[bytes] | None = None) -> str:
        """Return the first tag that has one of some blobs, at some paths or anywhere."""
        for name in self.names:
            files = self.files[name]
            held = files.values() if paths is None else (files.get(path) for path in paths)
            if not blobs.isdisjoint(one for one in held if one):
                return name
        return ""


def newest_change(repository: Path, chunk: Chunk) -> str:
    """Return the newest commit that changed the number of occurrences of a text in a file,
    by git.
    """
    said = subprocess.run(
        [
            *("git", "--literal-pathspecs", "log", "--follow", "-1", "--format=%H"),
            *(b"-S" + chunk.code, "HEAD", "--", chunk.path),
        ],
        cwd=repository,
        capture_output=True,
        check=True,
    )
    return said.stdout.decode().strip()


def by_git(repository: Path, chunk: Chunk, found: Since) -> str:
    """Return how an answer compares with git's."""
    assert found.now.since
    said = newest_change(repository, chunk)
    moves = [move.commit.commit for move in found.moves]
    if said == found.now.since.commit:
        return "the same commit"
    if said in moves:
        return "git names the commit that moved it from another file"
    if not said:
        steps = [found.now.since, *(move.commit for move in found.moves)]
        merged = any(len(step.parents) > 1 for step in steps)
        return "git names none: a merge brought it" if merged else "git names none"
    return "another commit"


class Agreement(NamedTuple):
    """The comparison of the answer for one chunk with git's, and with a scan of all tags."""

    place: str
    with_git: str
    with_tags: str


def agreement(
    repository: Path, index: ragit.Ragit, tags: Tags, chunk: Chunk, blobs: set[str]
) -> Agreement:
    """Return how the answer for a chunk agrees; `blobs` are those that hold its text."""
    place = f"{os.fsdecode(chunk.path)}:{chunk.line}"
    found = index.since(place, ref="HEAD", versions=0)
    paths = {chunk.path, *(os.fsencode(move.old_path) for move in found.moves)}
    where = "another tag"
    if tags.first(blobs, paths) == found.first_tag:
        where = "the same tag, in the files that it was in"
        if tags.first(blobs) != found.first_tag:
            where += "; an earlier one has a copy in another file"
    return Agreement(place, by_git(repository, chunk, found), where)


def known_in(file: Path | None) -> dict[str, Agreement]:
    """Return the answers that a file holds, by place."""
    lines = file.read_text().splitlines() if file and file.exists() else []
    known = (Agreement(*json.loads(line)) for line in lines)
    return {one.place: one for one in known}


def right(
    repository: Path, index: ragit.Ragit, count: int, *, show: bool, resume: Path | None
) -> None:
    sample = {f"{os.fsdecode(one.path)}:{one.line}": one for one in chunks(index)[:count]}
    known = known_in(resume)
    rest = [chunk for place, chunk in sample.items() if place not in known]
    tags = Tags(repository)
    holding = tags.holding([chunk.code for chunk in rest]) if rest else []
    for number, (chunk, blobs) in enumerate(zip(rest, holding, strict=True), 1):
        one = agreement(repository, index, tags, chunk, blobs)
        known[one.place] = one
        if resume:
            with resume.open("a") as file:
                file.write(json.dumps(one) + "\n")
        print(f"{number} of {len(rest)} asked for", file=sys.stderr)
    answers = [known[place] for place in sample]
    for one in answers if show else ():
        if one.with_git == "another commit" or one.with_tags == "another tag":
            print(f"  {one.place}: {one.with_git}; {one.with_tags}", file=sys.stderr)
    print(f"\n| {len(sample)} chunks of HEAD | |\n|---|---|")
    for name, column in (("git log --follow -S", "with_git"), ("scan of all tags", "with_tags")):
        counts = Counter(getattr(one, column) for one in answers)
        for how, number in counts.most_common():
            print(f"| {name}: {how} | {number} |")


def speed(repository: Path, index: ragit.Ragit, old: str, repeat: int) -> None:
    day = git(repository, "log", "-1", "--format=%ct", "HEAD").decode().strip()
    before = git(repository, "rev-list", "-1", f"--before={int(day) - 86_400}", "HEAD")
    store = index.store_path
    index.index("HEAD")
    size = store.stat().st_size
    print("| store | size |\n|---|---|")
    print(f"| HEAD | {size / 1e6:.1f} MB |")
    for name in (old, before.decode().strip()):
        if name:
            index.index(name)
            print(f"| with {name[:12]} | {store.stat().st_size / 1e6:.1f} MB |")
    print("\n| command | processor time | clock | memory |\n|---|---|---|---|")
    for name in filter(None, (old, before.decode().strip())):
        found = median(repository, repeat, "diff", f"{name}..HEAD")
        print(row(f"`diff {name[:12]}..HEAD`", found))
        print(
            row("the same, `--json`", median(repository, repeat, "diff", f"{name}..HEAD", "--json"))
        )
    places = [f"{os.fsdecode(chunk.path)}:{chunk.line}" for chunk in chunks(index)[:15]]
    for versions in ("0", "5"):
        costs = [cost(repository, "since", "--versions", versions, place) for place in places]
        middle = Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))
        worst = Cost(*(max(column) for column in zip(*costs, strict=True)))
        print(row(f"`since --versions {versions}`, {len(places)} places, median", middle))
        print(row("the same, the most", worst))
    print(
        row(
            "`since --gone` of a name that never was",
            cost(repository, "since", "--gone", NOT_THERE),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--old", default="")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--skip-speed", action="store_true")
    parser.add_argument("--skip-right", action="store_true")
    parser.add_argument("--resume", type=Path, metavar="FILE")
    parser.add_argument("--show", action="store_true", help="Print what disagrees.")
    args = parser.parse_args()
    global _COUNT
    _COUNT = args.count
    _PICK.seed(args.seed)
    with ragit.open(args.repository) as index:
        index.index("HEAD")
        if not args.skip_speed:
            speed(args.repository, index, args.old, args.repeat)
        if not args.skip_right:
            right(args.repository, index, args.count, show=args.show, resume=args.resume)


if __name__ == "__main__":
    main()
