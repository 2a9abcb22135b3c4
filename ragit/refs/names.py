"""Choose refs by patterns, order them by version, and name many of them briefly. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from ragit.records import NamedTuple
from ragit.types import Oid, RefSpan

_KINDS = ("refs/tags/", "refs/heads/", "refs/remotes/")
"""Kinds in the order of listing."""

_RUN = 3
"""Number of consecutive refs from which only the first and the last are named."""

_BEFORE_RELEASE = re.compile(
    r"[-._~]?(rc|cr|a|b|m|alpha|beta|pre|preview|dev|snapshot|milestone|candidate|incubating)"
    r"(?![a-z])",
    re.IGNORECASE,
)


class Ref(NamedTuple):
    """A branch, tag or remote branch by its short name, and its tree."""

    name: str
    kind: str
    tree: Oid


def listed(trees: Iterable[tuple[str, Oid]]) -> list[Ref]:
    """Return refs from full names and trees, in order: tags, branches, remote branches, each by
    version. Ambiguous names are made longer, as in git.
    """
    found = [
        (kind, full.removeprefix(kind), tree)
        for full, tree in trees
        for kind in _KINDS
        if full.startswith(kind)
    ]
    times = Counter(name for _, name, _ in found)
    refs = [
        Ref(name if times[name] == 1 else kind.removeprefix("refs/") + name, kind, tree)
        for kind, name, tree in found
    ]
    return sorted(refs, key=lambda ref: (_KINDS.index(ref.kind), version_key(ref.name), ref.name))


def matching(refs: Iterable[Ref], pattern: str) -> list[Ref]:
    """Return the refs whose short or full name matches a pattern, in which `*` also matches
    slashes.
    """
    return [
        ref
        for ref in refs
        if fnmatchcase(ref.name, pattern) or fnmatchcase(full_name(ref), pattern)
    ]


def full_name(ref: Ref) -> str:
    """Return the name that begins with `refs/`."""
    short = ref.kind.removeprefix("refs/")
    return ref.kind + ref.name.removeprefix(short)


def version_key(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key for names as versions: 1.9 before 1.10, 1.0-rc1 before 1.0 before 1.0.1."""
    found = []
    for part in re.findall(r"\d+|\D+", name):
        if part.isdecimal():
            found.append((2, int(part), ""))
        elif found and _BEFORE_RELEASE.match(part):
            found.append((0, 0, part))
        else:
            found.append((3, 0, part))
    return [*found, (1, 0, "")]


def spans(refs: Sequence[Ref], held: Iterable[int]) -> tuple[RefSpan, ...]:
    """Return the refs with these indices, each run of versions as one."""
    runs: list[list[int]] = []
    for at in sorted(held):
        last = runs[-1][-1] if runs else -2
        if last == at - 1 and _family(refs[last]) == _family(refs[at]):
            runs[-1].append(at)
        else:
            runs.append([at])
    found = []
    for run in runs:
        parts = [run] if len(run) >= _RUN else [[at] for at in run]
        found += [RefSpan(refs[part[0]].name, refs[part[-1]].name, len(part)) for part in parts]
    return tuple(found)


def _family(ref: Ref) -> tuple[str, str]:
    """Return a key common to refs that are versions of one thing; a name without a number is
    unique.
    """
    number = re.search(r"\d", ref.name)
    return ref.kind, ref.name[: number.start()] if number else f"{ref.name}!"
