"""Measure the tokens of a file's skeleton, as a share of the file's.

usage: python bench/skeletons.py [--files N] [--seed N] REPOSITORY...

For N random files with definitions of each repository: the bytes of `ragit skeleton` without its
first line, divided by the bytes of the file, since tokens are counted by bytes; and the same by
words and signs, as a check. Prints the median of all files, the share of all files together, and
the medians by language.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from pathlib import Path
from statistics import median

import ragit
from ragit.outlines import FileSkeleton
from ragit.render import PLAIN, outlines

TOKEN = re.compile(r"\w{1,8}|[^\w\s]|\n\s*")
"""Approximation of tokens: pieces of words, signs, and line ends with indentation."""


class Sizes:
    """Sizes of some files and their skeletons."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.by_tokens: list[float] = []
        self.whole = self.skeletons = 0

    def add(self, text: str, shown: str) -> None:
        """Add a file and its skeleton."""
        size, part = len(text.encode()), len(shown.encode())
        self.shares.append(part / size)
        self.by_tokens.append(len(TOKEN.findall(shown)) / max(1, len(TOKEN.findall(text))))
        self.whole += size
        self.skeletons += part

    def __str__(self) -> str:
        return (
            f"{len(self.shares):5} files  median {median(self.shares):.3f}"
            f"  by words and signs {median(self.by_tokens):.3f}"
            f"  together {self.skeletons / self.whole:.3f}"
        )


def measure(repository: Path, files: int, seed: int) -> None:
    """Print the figures of one repository."""
    every, languages = Sizes(), defaultdict[str, Sizes](Sizes)
    with ragit.open(repository) as index:
        paths = sorted(index.searched_paths(scope="committed"))
        random.Random(seed).shuffle(paths)
        for path in paths:
            if len(every.shares) == files:
                break
            found = index.skeleton(path, scope="committed", fresh_s=3600)
            if not isinstance(found, FileSkeleton) or not found.items:
                continue
            with index.reading(scope="committed", fresh_s=3600) as opened:
                chunking = opened.chunking_at(path.encode("utf-8", "surrogateescape"))
                text = opened.text_of(chunking or 0).decode("utf-8", "replace")
            shown = "\n".join(list(outlines.text(found, PLAIN))[1:]) + "\n"
            every.add(text, shown)
            languages[found.language].add(text, shown)
    print(f"{repository.name:12} {every}")
    for name in sorted(languages, key=lambda one: -len(languages[one].shares)):
        print(f"  {name:10} {languages[name]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for repository in options.repositories:
        measure(repository, options.files, options.seed)


if __name__ == "__main__":
    main()
