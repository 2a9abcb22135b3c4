"""Make a set from an opened repository's log, and index the trees that it searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragit.errors import ConfigError
from ragit.evaluate.golden import GoldenSet
from ragit.evaluate.history import questions
from ragit.repository import Ragit
from ragit.types import Progress

LOOKED_AT = 20
"""Commits to read for each question."""

AT_LEAST = 200
"""Least number of commits to read: in repositories with bots, one commit in ten is about code."""


def from_history(
    index: Ragit, wanted: int, revision: str = "HEAD", *, progress: Progress | None = None
) -> tuple[GoldenSet, list[str]]:
    """Return the newest commits of a revision that make a query, as a set, and notes about it.

    Each parent's tree is indexed; neighbours share most files. Raises UnknownRevision; ConfigError
    if no commit is suitable.
    """
    commits = index.log(revision, most=max(AT_LEAST, LOOKED_AT * wanted))
    left_out: Counter[str] = Counter()
    trees: dict[str, None] = {}
    new = 0

    def make_ready(parents: Sequence[str]) -> None:
        nonlocal new
        trees.update(dict.fromkeys(parents))
        new += index.index(*parents, describe=False, progress=progress).indexed

    # The neighbour from which the others are resolved. No model is paid to describe the past.
    new += index.index(revision, describe=False, progress=progress).indexed
    found = questions(commits, wanted, make_ready, index.searched_paths, left_out)
    reasons = ", ".join(f"{reason} {count}" for reason, count in left_out.most_common())
    if not found:
        raise ConfigError(
            f"none of {len(commits)} commits will do" + (f": {reasons}" if reasons else ""),
            "Name a revision with a history of its own work, or write a golden set.",
        )
    notes = [
        f"{len(trees)} parents' trees were indexed: {new} file versions were new, the rest was "
        "shared with neighbours"
    ]
    if reasons:
        notes.append(f"commits left out: {reasons}")
    if len(found) < wanted:
        notes.append(
            f"{wanted} queries were wanted, {len(found)} were found in {len(commits)} commits"
        )
    return GoldenSet(f"history of {revision}", tuple(found)), notes
