"""Choose which definitions a name of a file most likely means. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set

from ragit.context.modules import ends_of, fits
from ragit.context.tree import Defined
from ragit.records import NamedTuple

MOST = 3
"""Definitions of one name, as overloads are."""


class Chosen(NamedTuple):
    """A definition with the reason why a name means it."""

    defined: Defined
    reason: str


class Around(NamedTuple):
    """The files and modules from which a file imports, besides names that it lists."""

    path: str
    """The file."""
    files: Set[str]
    """Paths of the files that define what it imports by name."""
    ends: Set[str]
    """The last parts of the modules of which it imports all names."""


def choose(found: Sequence[Defined], around: Around, modules: Sequence[str]) -> list[Chosen]:
    """Return what a name in a file means, of all its definitions.

    `modules` are those that it is imported from by name. What the file itself defines is left out,
    since the caller has the file.
    """
    others = [one for one in found if one.path != around.path]
    if not others or (len(others) < len(found) and not modules):
        return []
    strengths = {one.path: _strength(one.path, around, modules) for one in others}
    best = max(strengths.values())
    if best == 0 and not modules and len(strengths) > 1:
        return []
    path = max(strengths, key=lambda one: (strengths[one], _shared(one, around.path)))
    reason = _reason(best, bool(modules), len(strengths))
    return [Chosen(one, reason) for one in _in_file(path, others)[:MOST]]


def _in_file(path: str, found: Sequence[Defined]) -> list[Defined]:
    """Return the definitions of one file, constructors last."""
    inside = [one for one in found if one.path == path]
    return sorted(inside, key=lambda one: (one.kind == "constructor", one.line))


def _reason(best: int, is_imported: bool, files: int) -> str:
    if best >= 2:
        return "imported"
    if best == 1:
        return "same folder"
    return "unique" if files == 1 or not is_imported else "nearest"


def _strength(candidate: str, around: Around, modules: Sequence[str]) -> int:
    """Return how well a file fits the modules that a name comes from: 1 + the number of parts of
    the module that its path ends in, 2 for an imported file, 1 for the same folder, else 0.
    """
    best = max((fits(candidate, module) for module in modules), default=0)
    if best:
        return 1 + best
    if candidate in around.files or not around.ends.isdisjoint(ends_of(candidate)):
        return 2
    return int(candidate.rpartition("/")[0] == around.path.rpartition("/")[0])


def _shared(one: str, other: str) -> int:
    """Return the number of folders that two paths share from the top."""
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
