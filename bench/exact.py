"""Search for rare identifiers and messages, and count how often the first hit is right.

usage: python bench/exact.py REPOSITORY [--count N] [--seed N] [--show]

The script draws identifiers of several words that are in at most three lines of the working tree's
code, and messages that are in one line that raises, throws, panics or logs; it fills in their
placeholders. It searches the repository for each with the default settings. It prints how often the
first hit contains the identifier, as it is written, in any file, how often the hit's line does, and
how often the first hit (or one of twenty hits) contains a line of the message: the one that it was
drawn from, or another in code whose string holds the same words or prints them when its
placeholders are filled in.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import ragit

CODE = re.compile(
    r"\.(py|java|go|rs|c|h|cc|cpp|hpp|js|ts|tsx|jsx|rb|cs|kt|scala|swift|php|lua|ex|zig|sh|pl)$"
)
IDENTIFIER = re.compile(r"\b[^\W\d]\w{5,59}\b", re.ASCII)
OF_SEVERAL = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z]_[A-Z]")
MESSAGE = re.compile(
    r"\b(?:raise|throw|panic|log\w*|LOG\w*|die|error|warn\w*|fatal|fail|abort|Exception|Error\w*"
    r"|Errorf|printk?f?|_)\b"
    r"[^\"'\n]{0,60}([\"'])((?:(?!\1)[^\\\n]){25,160})\1"
)
PLACEHOLDER = re.compile(
    r"%[-+ #0]*\d*(?:\.\d+)?(?:l{0,2}|z|h)[sdifuxXgrveq]|%\(\w+\)s|\{[^{}\n]*\}"
    r"|\$\{[^}\n]*\}|#\{[^}\n]*\}|\$\w+|\\\([^)\n]*\)"
)
LITERAL = re.compile(r"([\"'`])((?:(?!\1)[^\\\n]){12,200})\1")
FEWEST_WORDS = 4
MOST_BYTES = 1_000_000


class Task(NamedTuple):
    query: str
    places: frozenset[tuple[str, int]]


def files_at(repository: Path, revision: str, most_bytes: int) -> Iterator[tuple[str, str]]:
    """Yield the files of a tree with their texts, without blobs that a partial clone lacks."""

    def git(*arguments: str, asked: bytes = b"") -> bytes:
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=repository, input=asked, capture_output=True, check=True)
        return done.stdout

    rows = git("ls-tree", "-r", "-z", revision).decode("utf-8", "surrogateescape").split("\0")
    blobs = [row.partition("\t")[::2] for row in rows if row.startswith("100")]
    asked = "".join(f"{row.split()[2]}\n" for row, _ in blobs).encode()
    packed = io.BytesIO(git("cat-file", "--batch", asked=asked))
    for _, path in blobs:
        head = packed.readline().split()
        if len(head) < 3:
            continue  # missing
        text = packed.read(int(head[2]))
        packed.readline()
        if len(text) < most_bytes:
            yield path, text.decode("utf-8", "replace")


def code_in(files: Iterable[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    for path, text in files:
        if CODE.search(path):
            yield path, lines_of_git(text)


def lines_of_git(text: str) -> list[str]:
    """Return the lines as git counts them: `str.splitlines` also ends one at a form feed."""
    return text.split("\n")


def tasks_in(files: Iterable[tuple[str, list[str]]]) -> tuple[list[Task], list[Task]]:
    places: dict[str, set[tuple[str, int]]] = defaultdict(set)
    lines_of: Counter[str] = Counter()
    messages: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for path, lines in files:
        for number, line in enumerate(lines, 1):
            for name in set(IDENTIFIER.findall(line)):
                lines_of[name] += 1
                if OF_SEVERAL.search(name) and lines_of[name] <= 3:
                    places[name].add((path, number))
            for _, text in MESSAGE.findall(line):
                fixed = PLACEHOLDER.sub(" ", text)
                if " " in text and len(re.findall(r"[A-Za-z]{2,}", fixed)) >= FEWEST_WORDS:
                    messages[text].add((path, number))
    rare = [Task(name, frozenset(places[name])) for name in sorted(places) if lines_of[name] <= 3]
    once = [
        Task(filled(text), frozenset(found))
        for text, found in sorted(messages.items())
        if len(found) == 1
    ]
    return rare, once


def with_all_lines(tasks: list[Task], files: Iterable[tuple[str, str]]) -> list[Task]:
    """Return tasks of identifiers with every line of any file that has the identifier."""
    places = {task.query: set(task.places) for task in tasks}
    for path, text in files:
        for number, line in enumerate(lines_of_git(text), 1):
            for name in places.keys() & set(IDENTIFIER.findall(line)):
                places[name].add((path, number))
    return [Task(name, frozenset(found)) for name, found in places.items()]


def with_all_places(tasks: list[Task], files: Iterable[tuple[str, list[str]]]) -> list[Task]:
    """Return tasks of messages with every line that has the same message."""
    places = {task.query: set(task.places) for task in tasks}
    words_of = {task.query: " ".join(words(task.query)) for task in tasks}
    for path, lines in files:
        for number, line in enumerate(lines, 1):
            for _, text in LITERAL.findall(line):
                parts = [" ".join(words(part)) for part in PLACEHOLDER.split(text)]
                for query, asked in words_of.items():
                    if is_printed(parts, asked):
                        places[query].add((path, number))
    return [Task(query, frozenset(found)) for query, found in places.items()]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def is_printed(parts: list[str], asked: str) -> bool:
    """Return whether a string has these words, or prints them; `parts` are the words between its
    placeholders.
    """
    longest = max(parts, key=len)
    if asked in " ".join(parts):
        return True
    if longest not in asked or sum(len(part.split()) for part in parts) < FEWEST_WORDS:
        return False
    pattern = r"\s*.*?\s*".join(map(re.escape, parts))
    return re.fullmatch(pattern, asked) is not None


def filled(text: str) -> str:
    """Return a message with a value in place of each placeholder."""
    values = iter(["42", "alpha", "7", "omega", "x9"] * 10)
    return PLACEHOLDER.sub(lambda _: next(values), text).strip()


def holds(hit: ragit.Hit, task: Task) -> bool:
    return any(
        hit.path == path and hit.start_line <= line <= hit.end_line for path, line in task.places
    )


def measured(index: ragit.Ragit, tasks: list[Task], *, show: bool) -> list[tuple[bool, bool, bool]]:
    """Return for each task whether the first hit contains it, its line does, and one of twenty hits
    does.
    """
    found = []
    for task in tasks:
        hits = index.search(task.query, scope="committed", top_k=20).hits
        first = bool(hits) and holds(hits[0], task)
        line = first and any((hits[0].path, hits[0].line) == place for place in task.places)
        found.append((first, line, any(holds(hit, task) for hit in hits)))
        if show and not (first and line):
            top = f"{hits[0].path}:{hits[0].line} {hits[0].score:.2f}" if hits else "nothing"
            print(f"  {task.query!r}: {top}, not {min(task.places)}", file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="Print what is not found.")
    args = parser.parse_args()
    pick = random.Random(args.seed)
    print(
        "| repository | kind | queries | first hit | its line | of 20 |\n|---|---|---|---|---|---|"
    )
    texts = dict(files_at(args.repository, "HEAD", MOST_BYTES))
    files = list(code_in(texts.items()))
    with ragit.open(args.repository) as index:
        index.index()
        for kind, tasks in zip(("identifier", "message"), tasks_in(files), strict=True):
            drawn = pick.sample(tasks, min(args.count, len(tasks)))
            if kind == "message":
                drawn = with_all_places(drawn, files)
            else:
                drawn = with_all_lines(drawn, texts.items())
            shares = [
                sum(column) / len(drawn)
                for column in zip(*measured(index, drawn, show=args.show), strict=True)
            ]
            cells = " | ".join(f"{100 * share:.0f} %" for share in shares)
            print(
                f"| {args.repository.resolve().name} | {kind} | {len(drawn)} | {cells} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
