"""Change one line of ragit at a time, and check that the tests notice.

usage: python bench/mutate.py [--only TEXT] [--list] [--all-tests]

bench/mutants.txt lists the changes. A line `== FILE` comes first, then a line that begins with `-`
(the present line, without its indentation) and one that begins with `+` (its replacement). A line
`@ TESTS` names the nearest test files for the changes below it, which run first. With --all-tests,
changes that pass these tests are tried with the whole suite as well.

Each change is made in a copy of the working tree; a change that fails no test is printed as alive.
The tests run without a change first, and a failure ends the run. The exit status is 1 if more than
MOST_ALIVE changes are alive. Needs the development dependencies.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[1]
MUTANTS = TOP / "bench" / "mutants.txt"

MOST_ALIVE = 5
"""Number of changes that may survive: some change only speed, or no behaviour."""

TIMEOUT_S = 600.0
"""Timeout of one run of tests in seconds. A change that makes them hang counts as noticed."""


class Mutant(NamedTuple):
    """One changed line, and the test files that probably notice it."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def mutants(text: str) -> list[Mutant]:
    """Read the changes of mutants.txt from its text. Raises ValueError for a malformed line."""
    found: list[Mutant] = []
    file, old = "", ""
    tests: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        mark, rest = line[0], line[1:].strip()
        if line.startswith("== "):
            file = line[3:]
        elif mark == "@":
            tests = tuple(rest.split())
        elif mark == "-":
            old = rest
        elif mark == "+" and file and old:
            found.append(Mutant(file, old, rest, tests))
            old = ""
        else:
            raise ValueError(f"{MUTANTS.name}:{number}: {line}")
    return found


def mutated(source: str, mutant: Mutant) -> str:
    """Return the source with one line changed. Raises ValueError unless it is there once."""
    lines = source.splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if line.strip() == mutant.old]
    if len(places) != 1:
        raise ValueError(f"{mutant.file}: {len(places)} lines are {mutant.old!r}")
    line = lines[places[0]]
    indent = line[: len(line) - len(line.lstrip())]
    lines[places[0]] = f"{indent}{mutant.new}\n"
    return "".join(lines)


def copy_tree(to: Path) -> None:
    """Copy all files that git tracks, as they are in the working tree."""
    listed = subprocess.run(
        ["git", "-C", str(TOP), "ls-files", "-z"], capture_output=True, check=True
    ).stdout
    for name in listed.decode().split("\0"):
        if name and (TOP / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, to / name)


def notices(tree: Path, tests: tuple[str, ...]) -> bool:
    """Run tests in a copy of the tree, and return whether one fails or they take too long."""
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in {0, 1, 2}:
        raise SystemExit(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return done.returncode != 0


def main() -> int:
    """Try all changes, print which are noticed, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--only", default="", help="Only changes whose file or text has this in it."
    )
    parser.add_argument(
        "--list", action="store_true", help="Print the changes and do not try them."
    )
    parser.add_argument("--all-tests", action="store_true", help="Try survivors with all tests.")
    options = parser.parse_args()
    chosen = [
        mutant
        for mutant in mutants(MUTANTS.read_text("utf-8"))
        if options.only in f"{mutant.file} {mutant.old} {mutant.new}"
    ]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.file}\n  - {mutant.old}\n  + {mutant.new}")
        return 0
    alive = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        for tests in dict.fromkeys(mutant.tests for mutant in chosen):
            if notices(tree, tests):
                raise SystemExit(f"fails without any change: {' '.join(tests)}")
        for number, mutant in enumerate(chosen, 1):
            file = tree / mutant.file
            source = file.read_text("utf-8")
            file.write_text(mutated(source, mutant), "utf-8")
            start = time.monotonic()
            noticed = notices(tree, mutant.tests) or (options.all_tests and notices(tree, ()))
            file.write_text(source, "utf-8")
            alive += not noticed
            word = "noticed" if noticed else "ALIVE  "
            print(
                f"{number:3} {word} {time.monotonic() - start:5.0f} s  {mutant.file}: {mutant.new}"
            )
            sys.stdout.flush()
    print(f"{len(chosen) - alive} of {len(chosen)} changes were noticed")
    return 1 if alive > MOST_ALIVE else 0


if __name__ == "__main__":
    sys.exit(main())
